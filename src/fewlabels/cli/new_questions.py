"""The questions of `fewlabels new`: asked on a terminal; with --yes answered by what was found; else an error names what is missing."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fewlabels.cli.configuration import is_given
from fewlabels.cli.goal_texts import clear_goal, clear_goals, say_reading
from fewlabels.cli.output import note
from fewlabels.errors import FewlabelsError
from fewlabels.labeling.terminal import harmless
from fewlabels.nearest import way_out
from fewlabels.nouns.process import ABOUT

if TYPE_CHECKING:
    from fewlabels.nouns.goal import Goal
    from fewlabels.nouns.population import Population
    from fewlabels.nouns.process import About
    from fewlabels.nouns.profile import Profile
    from fewlabels.study.plan.sizes import Sizing
    from fewlabels.study.population.first_sight import FirstSight

Answer = TypeVar("Answer")
NONE = "-"
NUMBERS = ("int", "float32", "float64", "decimal")
JUDGED = ("score", "predicted", "named", "labels", "classes")


class Questions:
    """Ask for what no option gives."""

    def __init__(self, *, yes: bool) -> None:
        """Ask a person if there is a terminal, unless `yes` accepts every default."""
        self.can_ask = not yes and sys.stdin.isatty() and sys.stderr.isatty()
        self._yes = yes

    def refuse_unanswered(self, source: str | None, options: dict[str, Any]) -> None:
        """Raise UsageError, naming every missing option, if nobody can be asked."""
        if self.can_ask:
            return
        judged = any(options[name] for name in JUDGED)
        missing = {
            "POPULATION": source is None,
            "--score COLUMN --threshold T (or --predicted, --classifier, --label, --classes)": not judged,
            "--threshold T": bool(options["score"]) and options["threshold"] is None and not options["predicted"],
            "--goal GOAL": not options["goals"],
            "--budget N": options["budget"] is None,
        }
        named = [option for option, is_missing in missing.items() if is_missing]
        if source is None or (named and not self._yes):
            way_out = "" if self._yes else "; or --yes, to use what the table suggests"
            raise click.UsageError(f"There is no terminal to ask on, so give {', '.join(named[:1] if self._yes else named)}{way_out}.")

    def columns(self, look: "FirstSight", options: dict[str, Any]) -> bool:
        """Name the id and, unless a classifier is named, the score and threshold, or the decision; return whether a person was asked."""
        from fewlabels.study.population.first_sight import middle

        before = dict(options)
        if not is_given("id_column"):
            options["id_column"] = self._column("The column that names a unit", look, look.ids, option="--id")
        if not any(options[name] for name in JUDGED):
            self._judged(look, options)
        if options["score"] and options["threshold"] is None and not options["predicted"]:
            self._limits(look, options)
            half = f"{middle(options['score_range']):g}"
            options["threshold"] = self._asked("A unit is flagged if its score is at least", half, float)
            self._say("--threshold", options["threshold"])
        asked = not is_given("id_column") or options != before
        return self.can_ask and asked

    def _limits(self, look: "FirstSight", options: dict[str, Any]) -> None:
        """Ask for the limits of a score that is not between 0 and 1."""

        def read(text: str) -> tuple[float, float]:
            low, _, high = text.partition(",")
            return float(low), float(high)

        beyond = [column.name for column in look.columns if column.type in NUMBERS and column.name not in look.scores]
        if self.can_ask and options["score"] in beyond and not is_given("score_range"):
            note(f"{harmless(options['score'])} has values outside 0 to 1")
            words = "The lowest and highest possible score, separated by a comma, such as 0, 100"
            options["score_range"] = self._asked(words, "0, 1", read)

    def _judged(self, look: "FirstSight", options: dict[str, Any]) -> None:
        """Name what is judged: a score, or a decision if there is no score."""
        kind = "The column of the score, a number from 0 to 1"
        if look.scores and look.decisions:
            kind += f" ({NONE}: only a decision)"
        if not look.scores and not look.decisions:
            note("no column has all its values in 0 to 1: for other limits give --score COLUMN --score-range LOW HIGH")
        if look.scores or not look.decisions:
            likely = look.scores if self.can_ask else look.scores or look.unsound  # if nobody is asked, the doctor says what is wrong
            options["score"] = self._column(kind, look, likely, option="--score", none=bool(look.decisions))
        if not options["score"]:
            options["predicted"] = self._column("The column of the decision, true/false or 1/0", look, look.decisions, option="--predicted")

    def _column(self, words: str, look: "FirstSight", likely: tuple[str, ...], *, option: str, none: bool = False) -> str | None:
        """Return one column of the table, or None if none is meant."""

        def read(text: str) -> str | None:
            if none and text == NONE:
                return None
            if text not in look.names:
                raise click.UsageError(harmless(f"the table has no column {text!r}: {way_out(text, look.names)}"))
            return text

        if not self.can_ask and not likely:
            raise click.UsageError(f"No column of the table looks right, so give {option} COLUMN: {words.lower()}.")
        found = self._asked(words, likely[0] if likely else None, read)
        self._say(option, found)
        return found

    def shown(self, look: "FirstSight", population: "Population", options: dict[str, Any]) -> None:
        """Name what labelers see, and the question in words."""
        from fewlabels.cli.new_study import check_shown
        from fewlabels.nouns.sheet import parse_shown

        def read(text: str) -> tuple[str, ...]:
            named = () if text == NONE else tuple(part.strip() for part in text.split(",") if part.strip())
            check_shown(population, look.columns, [parse_shown(one).column for one in named])
            return named

        if options["show"]:
            check_shown(population, look.columns, [parse_shown(one).column for one in options["show"]])
        else:
            likely = [name for name in look.shown if name not in population.hidden_columns and name != population.id and "," not in name]
            default = ", ".join(likely) or NONE
            options["show"] = self._asked(f"What labelers see: columns, separated by commas ({NONE}: the id alone)", default, read)
            self._say("--show", ", ".join(options["show"]) or "the id alone")
        if options["ask"] is None and self.can_ask:
            options["ask"] = self._asked("The question they answer with yes or no, in words (Enter: none)", "", str.strip) or None

    def goals(self, options: dict[str, Any], read: "Callable[[str], Goal]", *, default: str) -> "list[Goal]":
        """Return the goals, and put them into the options as they were written."""
        if options["goals"]:
            options["goals"] = clear_goals(options["goals"], ask=self.can_ask)
            return [read(text) for text in options["goals"]]
        if self.can_ask:
            note(
                "What must hold? A target such as precision >= 0.8 or recall >= 0.9 can fail; precision +-0.05 only says how precisely you "
                "want to know it, and is met whatever the value"
            )

        def cleared(text: str) -> "tuple[str, Goal]":
            clear = clear_goal(text, ask=self.can_ask)
            return clear, read(clear)

        found = [self._asked('A goal, such as "precision >= 0.8", "recall >= 0.9" or "precision +-0.05"', default, cleared)]
        while self.can_ask:
            more = self._asked("Another goal (Enter: none)", "", lambda text: cleared(text) if text.strip() else None)
            if more is None:
                break
            found.append(more)
        options["goals"] = tuple(text for text, _ in found)
        say_reading(options["goals"])
        self._say("--goal", "; ".join(options["goals"]))
        return [goal for _, goal in found]

    def about(self, options: dict[str, Any], population: "Population", profile: "Profile", *, default: "About") -> None:
        """Say what numbers are about: the units of the table, or units like these."""

        def read(text: str) -> str:
            if text.strip() not in ABOUT:
                raise click.UsageError(f"numbers are about the {' or the '.join(ABOUT)}, got {text!r}: choose one of these")
            return text.strip()

        if options["about"] is None and not population.is_joint:
            words = f"What are the numbers about: table (these {profile.N:,} units) or process (units like these, such as next month's)?"
            options["about"] = "process" if population.cluster is not None else self._asked(words, default, read)
            self._say("--about", options["about"])

    def budget(self, options: dict[str, Any], likely: int | None, check: Callable[[int, int | None], None]) -> None:
        """Set the labels to spend, and how many it may grow to."""

        def read(text: str) -> int:
            number = int(text.replace(",", ""))
            check(number, options["grow_to"])
            return number

        def grown(text: str) -> int | None:
            number = None if text.strip().lower() in ("", "n", "no", NONE) else int(text.replace(",", ""))
            check(options["budget"], number)
            return number

        if options["budget"] is not None:
            check(options["budget"], options["grow_to"])
            return
        if likely is None and not self.can_ask:
            raise click.UsageError("Not even all units would settle these goals, so set what to spend: --budget N.")
        words = "Labels to spend" if likely is None else "Labels to spend: what settles all goals with a chance of 80%"
        options["budget"] = self._asked(words, None if likely is None else str(likely), read)
        self._say("--budget", options["budget"])
        if self.can_ask and options["grow_to"] is None:
            options["grow_to"] = self._asked("May it grow later, and to how many labels? (costs little if declared now)", "no", grown)

    def spends(self, budget: int, short: list[str], *, given: bool) -> bool:
        """Return whether a budget is kept; if it is not expected to be enough, ask a person unless an option gave it."""
        if not short:
            return True
        note(f"{budget:,} labels are not expected to be enough for {'; '.join(short)}")
        return given or not self.can_ask or self.confirm(f"Spend {budget:,} labels anyway?", default=False)

    def fixes(self, budget: int, sizing: "Sizing") -> bool:
        """Return whether to lock the plan; Enter does not lock one that is not expected to be enough."""
        enough = sizing.expected != "open"
        words = f"Lock this plan of {budget:,} labels now, before the first label?"
        return self.confirm(words, default=enough or not self.can_ask)

    def study(self, options: dict[str, Any], default: str, check: Callable[[str], None]) -> None:
        """Set the study's name, which no other study has."""

        def read(text: str) -> str:
            if not text.strip():
                raise click.UsageError("--study needs a name, got an empty one.")
            check(text.strip())
            return text.strip()

        if options["study"] is not None:
            options["study"] = read(options["study"])
            return
        options["study"] = self._asked("Name of the study", default, read)
        self._say("--study", options["study"])

    def text(self, words: str, default: str | None) -> str:
        """Return a text that is not empty."""

        def read(text: str) -> str:
            if not text.strip():
                raise click.UsageError("it must not be empty")
            return text.strip()

        return self._asked(words, default, read)

    def confirm(self, words: str, *, default: bool = True) -> bool:
        """Return yes or no."""
        return click.confirm(words, default=default, err=True) if self.can_ask else default

    def _asked(self, words: str, default: str | None, read: Callable[[str], Answer]) -> Answer:
        """Return a person's answer, asking again until it can be read; else the default."""

        def reread(text: str) -> Answer:
            try:
                return read(text)
            except ValueError:
                raise click.UsageError(f"expected a number, got {text!r}") from None
            except FewlabelsError as error:
                raise click.UsageError(harmless(str(error))) from None

        if not self.can_ask:
            assert default is not None
            return read(default)
        said = f"{words} [{harmless(default)}]" if default else words
        return click.prompt(said, default=default, show_default=False, value_proc=reread, err=True)

    def _say(self, option: str, value: object) -> None:
        """Print what was taken if nobody was asked."""
        if not self.can_ask:
            note(f"taken: {option} {harmless(str(value))}")
