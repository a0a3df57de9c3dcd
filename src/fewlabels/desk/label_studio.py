"""Push a study's units to Label Studio projects, and pull the answers back.

What was pushed is recorded in Label Studio alone: the description of each project ends with a mark made of the study (its name and salt,
hashed) and the labeler. A push or pull from any machine that has the ledger finds the projects by this mark, and there is no second record
that could disagree. If a project's description was edited, name the project by its number.

One project per labeler keeps double labeling blind, because Label Studio shows everybody in a project the others' answers.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fewlabels.desk.imports import ImportOptions, Received, asked_of, receive
from fewlabels.errors import LabelError
from fewlabels.labeling.found import Found, Refused
from fewlabels.labeling.label_studio.client import LabelStudio, Project
from fewlabels.labeling.label_studio.interface import interface_text, written
from fewlabels.labeling.label_studio.tasks import account_of, as_tasks, data_keys, read_export, unit_of
from fewlabels.nouns.canonical import Json, fingerprint
from fewlabels.nouns.sheet import FormColumn
from fewlabels.study.labels.forms import record_shown
from fewlabels.study.state.standing import Standing
from fewlabels.study.study import Study

LONGEST_TITLE = 50
MARK = re.compile(r"\[fewlabels ([0-9a-f]{16}) (.*)\]\s*$", re.DOTALL)


class PushedProject(NamedTuple):
    """A project after a push: its number, its labeler (None: shared by all), its tasks before, and the tasks added."""

    project: int
    labeler: str | None
    known: int
    added: int


class Pushed(NamedTuple):
    """A batch after a push; `batch` is None if nothing is left to label."""

    batch: int | None
    units: int
    projects: tuple[PushedProject, ...]

    def as_json(self) -> dict[str, Json]:
        """Plain data for --json."""
        return {"batch": self.batch, "units": self.units, "projects": [{**one._asdict()} for one in self.projects]}


class How(NamedTuple):
    """What to push: how many units at most, what labelers see, and who they are.

    double   give every unit to every labeler; otherwise to one
    more     push new units even if earlier ones are open
    """

    units: int = 200
    show: tuple[FormColumn, ...] = ()
    labelers: tuple[str, ...] = ()
    double: bool = False
    more: bool = False
    webhook: str | None = None


def push(study: Study, client: LabelStudio, how: How) -> Pushed:
    """Create each labeler's project unless it exists, and add the units of the batch that it lacks."""
    if len(set(how.labelers)) < len(how.labelers) or (how.double and len(how.labelers) < 2):
        raise LabelError(f"labelers must be distinct, and --double needs two or more, got {list(how.labelers)}: name each once")
    columns = tuple(shown.column for shown in how.show)
    study.fetch((), columns=columns) if columns else None  # refuse a score before anything is created
    batch = study.ask(how.units, more=how.more, second=not how.more)
    if batch is None:
        return Pushed(None, 0, ())
    record_shown(study.ledger, study.name, how.show, place="label-studio")
    shown = study.fetch(batch.units, columns=columns) if columns else [{} for _ in batch.units]
    tasks = dict(zip(batch.units, as_tasks(batch.units, shown, columns=columns), strict=True))
    projects = {who: _project(study.standing, client, who, how) for who in how.labelers or (None,)}
    held = {who: {unit for task in client.tasks(project.id) if (unit := unit_of(task)) is not None} for who, project in projects.items()}
    wanted = _shared(batch.units, held, double=how.double)
    pushed = []
    for who, project in projects.items():
        new = [tasks[unit] for unit in wanted[who]]
        pushed.append(PushedProject(project.id, who, len(held[who]), client.import_tasks(project.id, new) if new else 0))
    return Pushed(batch.number, len(batch.units), tuple(pushed))


def _shared(units: Sequence[str], held: Mapping[str | None, set[str]], *, double: bool) -> dict[str | None, list[str]]:
    """The units each project still needs: all it lacks, or, if units are split, those in no project, assigned to the smallest."""
    if double:
        return {who: [unit for unit in units if unit not in there] for who, there in held.items()}
    new: dict[str | None, list[str]] = {who: [] for who in held}
    for unit in units:
        if not any(unit in there for there in held.values()):
            new[min(new, key=lambda who: len(held[who]) + len(new[who]))].append(unit)
    return new


def _project(standing: Standing, client: LabelStudio, labeler: str | None, how: How) -> Project:
    """The project of a labeler, created unless it exists."""
    mark = _mark(standing, labeler)
    for project in client.projects():
        found = MARK.search(project.description)
        if found and (found[1], found[2]) == mark:
            return project
    keys = data_keys([shown.column for shown in how.show])
    title = written(standing.name if labeler is None else f"{labeler}: {standing.name}")
    made = client.create_project(
        title=title[:LONGEST_TITLE] or "fewlabels",
        description=f"Units of the study {written(standing.name)[:200]}. [fewlabels {mark[0]} {mark[1]}]",
        label_config=interface_text(asked_of(standing), how.show, keys),
        sampling="Sequential sampling",
        maximum_annotations=1,
        show_collab_predictions=False,
        show_annotation_history=False,
        reveal_preannotations_interactively=False,
        enable_empty_annotation=False,
        show_skip_button=True,
    )
    if how.webhook is not None:
        client.create_webhook(made.id, how.webhook)
    return made


def _mark(standing: Standing, labeler: str | None) -> tuple[str, str]:
    """What a project's description ends with: the study, and the labeler as JSON."""
    return fingerprint([standing.name, standing.salt])[:16], json.dumps(labeler)


def pushed_projects(study: Study, client: LabelStudio) -> dict[int, str | None]:
    """The study's projects, by number, with their labelers."""
    wanted = _mark(study.standing, None)[0]
    found: dict[int, str | None] = {}
    for project in client.projects():
        mark = MARK.search(project.description)
        if mark and mark[1] == wanted:
            try:
                labeler = json.loads(mark[2])
            except ValueError:
                raise LabelError(
                    f"the description of project {project.id} was edited: name it with --project {project.id}=LABELER"
                ) from None
            found[project.id] = None if labeler is None else str(labeler)
    return found


def pull(study: Study, client: LabelStudio, *, correct: bool = False, projects: Mapping[int, str | None] | None = None) -> Received:
    """Record every sound answer of the study's projects and list the others. Pulling again has no further effect.

    projects   their numbers and labelers, if they cannot be found by their descriptions
    """
    named = projects or pushed_projects(study, client)
    if not named:
        raise LabelError(f"no project at {client.url} belongs to study {study.name!r}: push it first, or name one with --project NUMBER")
    names = client.people() if None in named.values() else {}
    every = Found([], [], 0, "annotation")
    for number, labeler in named.items():
        found = _of_project(study, client.export(number), labeler, names)
        every.labels.extend(found.labels)
        every.refused.extend(found.refused)
        every = every._replace(blank=every.blank + found.blank)
    every.labels.sort(key=lambda label: (label.at or "", label.row or 0))  # the first answer may be the one that counts
    return receive(study, every, ImportOptions(correct=correct, leave_out=True))


def _of_project(study: Study, tasks: list[dict[str, Any]], labeler: str | None, names: Mapping[str, str]) -> Found:
    """The answers of one project; all are refused if several accounts answered in one labeler's project: whose is whose is unknown."""
    asked = asked_of(study.standing)
    if labeler is None:
        return read_export(tasks, asked=asked, names=names)
    accounts = sorted({str(account_of(one)) for task in tasks for one in task.get("annotations") or ()})
    if len(accounts) < 2:
        return read_export(tasks, asked=asked, labeler=labeler)
    why = f"this project is {labeler}'s alone, but accounts {', '.join(accounts)} answered in it: delete the others' annotations there"
    strange = [(unit_of(task), one) for task in tasks for one in task.get("annotations") or ()]
    return Found([], [Refused(unit, why, f"annotation {one.get('id')}") for unit, one in strange], 0, "annotation")
