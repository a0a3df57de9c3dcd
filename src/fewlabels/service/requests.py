"""The bodies of requests, with the limits of each part; the OpenAPI document is made from these."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from fewlabels.ledgers.people import Role
from fewlabels.nouns.design import DesignName
from fewlabels.nouns.note import MOST_COMMENT
from fewlabels.nouns.process import About
from fewlabels.nouns.sheet import FormColumn, Sheet, ShownKind

PLAIN = r"^[^\x00-\x1f\x7f/]+$"  # one part of a path: no slash, no unprintable characters
NO_NULL = r"^[^\x00]*$"
StudyName = Annotated[str, Field(min_length=1, max_length=128, pattern=PLAIN)]
PersonName = Annotated[str, Field(min_length=1, max_length=64, pattern=PLAIN)]
Column = Annotated[str, Field(min_length=1, max_length=256, pattern=NO_NULL)]
UnitId = Annotated[str, Field(min_length=1, max_length=1024, pattern=NO_NULL)]
Text = Annotated[str, Field(max_length=20_000, pattern=NO_NULL)]
Line = Annotated[str, Field(max_length=500, pattern=NO_NULL)]
Value = Annotated[str, Field(max_length=1024, pattern=NO_NULL)]
Word = Annotated[str, Field(min_length=1, max_length=128, pattern=NO_NULL)]
Labels = Annotated[int, Field(ge=1, le=10_000_000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Level = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]
Score = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]
Filter = Annotated[str, Field(max_length=300, pattern=NO_NULL)]
Goals = Annotated[list[Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NULL)]], Field(min_length=1, max_length=64)]
Stopping = Annotated[str, Field(min_length=1, max_length=100, pattern=NO_NULL)]


class Body(BaseModel):
    """The body of a request: no fields beyond those named here."""

    model_config = ConfigDict(extra="forbid")


class Wanted(Body):
    """Which of many rows, and in what order. part: COLUMN=VALUE of a slice; find: text in an id; a page has fifty rows."""

    labeler: Filter = ""
    answer: Filter = ""
    part: Filter = ""
    find: Filter = ""
    descending: bool = False
    page: Annotated[int, Field(ge=1, le=1_000_000)] = 1


class ErrorsWanted(Wanted):
    """Which errors of a classifier."""

    classifier: Filter = ""
    kind: Literal["", "false positive", "false negative"] = ""
    sort: Literal["asked", "score", "unit", "answer", "labeler", "kind", "slices"] = "asked"


class AnswersWanted(Wanted):
    """Which answers; disputed: only those about units on which labelers differ."""

    disputed: bool = False
    sort: Literal["asked", "unit", "answer", "labeler", "at", "slices"] = "asked"


class NewPerson(Body):
    """A person to invite; the response has a link for them. `returns`: the same person who answered under this name before."""

    name: PersonName
    is_owner: bool = False
    returns: bool = False


class InviteList(Body):
    """A pasted list of people to invite, `name, role, study, group` or less in each line; `returns`: names of people who come back."""

    text: Text
    returns: Annotated[list[PersonName], Field(max_length=500)] = []


class RoleOf(Body):
    """The role a person gets in a study."""

    role: Role


class NewToken(Body):
    """A token for programs: what it is for, and for how long."""

    note: Annotated[str, Field(max_length=200, pattern=NO_NULL)] = ""
    days: Annotated[float, Field(gt=0, le=366, allow_inf_nan=False)] = 90


class ClassifierBody(Body):
    """A classifier: a score column and a threshold, or a column of decisions; `value`: one class of several; `of`: a vote."""

    name: Word
    score: Column | None = None
    threshold: Score | None = None
    predicted: Column | None = None
    score_range: tuple[Score, Score] = (0.0, 1.0)
    question: Word = "positive"
    value: Word | None = None
    of: Annotated[list[Column], Field(max_length=64)] = []
    at_least: Annotated[int, Field(ge=1, le=64)] = 1


class NewClassifiers(Body):
    """Classifiers and goals to add to a study that has labels. `budget`: units drawn so far plus those to add."""

    classifiers: Annotated[list[ClassifierBody], Field(max_length=16)] = []
    goals: Annotated[list[Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NULL)]], Field(max_length=64)] = []
    budget: Labels | None = None


class PopulationBody(Body):
    """A table and how it is read. `source` is a path below the server's data folder, or a source that the server allows."""

    source: Annotated[str, Field(min_length=1, max_length=1024, pattern=NO_NULL)]
    id: Column = "id"
    score: Column | None = None
    threshold: Score | None = None
    predicted: Column | None = None
    classifiers: Annotated[list[ClassifierBody], Field(max_length=64)] | None = None
    slices: Annotated[list[Column], Field(max_length=16)] = []
    weight: Column | None = None
    cluster: Column | None = None
    guide: Column | None = None


class ShownColumn(Body):
    """A column labelers see, and how."""

    column: Column
    kind: ShownKind = "text"


class SheetBody(Body):
    """The labeling form: what labelers see and read, and after how many answers a unit with a known answer checks them (0: never)."""

    show: Annotated[list[ShownColumn], Field(max_length=50)] = []
    instructions: Text = ""
    ask: Line = ""
    check_every: Annotated[int, Field(ge=0, le=10_000)] = 0


def sheet_of(body: SheetBody) -> Sheet:
    """Return the labeling form a request describes."""
    shown = tuple(FormColumn(one.column, one.kind) for one in body.show)
    return Sheet(show=shown, instructions=body.instructions, ask=body.ask, check_every=body.check_every)


class NewStudy(Body):
    """A study to create, with its labeling form. The stopping rule is only checked here; the plan locks it.

    `follows` is an earlier study whose permanent numbers it takes over: units in both tables are drawn in both.
    """

    name: StudyName
    population: PopulationBody
    goals: Goals
    level: Level = 0.95
    rule: Literal["first", "majority", "unanimous"] | None = None
    about: About | None = None
    stopping: Stopping | None = None
    follows: StudyName | None = None
    sheet: SheetBody | None = None


class PreviewBody(Body):
    """A table to look at before a study is made of it; of an Excel file a sheet, or the first."""

    source: Annotated[str, Field(min_length=1, max_length=1024, pattern=NO_NULL)]
    sheet: Annotated[str, Field(min_length=1, max_length=128, pattern=NO_NULL)] | None = None


class GoalsBody(Body):
    """Goals to read, and what a study will have that they may name."""

    goals: Annotated[list[Annotated[str, Field(max_length=200, pattern=NO_NULL)]], Field(max_length=64)]
    classifiers: Annotated[list[Word], Field(max_length=64)] = []
    slices: Annotated[list[Column], Field(max_length=16)] = []
    weight: Column | None = None
    level: Level = 0.95
    about: About = "table"


class Archived(Body):
    """Whether a study is archived."""

    archived: bool


class NewPlan(Body):
    """A budget of labels to lock. `double` is the share of units that two labelers see; 0: none."""

    budget: Labels
    grow_to: Labels | None = None
    stopping: Stopping | None = None
    design: DesignName | None = None
    double: Share | None = None


class RoutesBody(Body):
    """Who labels which units: the slice column that decides, and for each value the people and groups; without any, anybody may."""

    route_by: Column | None = None
    routes: Annotated[dict[Value, Annotated[list[PersonName], Field(max_length=200)]], Field(max_length=1_000)] = {}


class TakeTurns(Body):
    """A request for units to label; adjudicates: those whose labelers disagree."""

    units: Annotated[int, Field(ge=1, le=200)] = 20
    adjudicates: bool = False


class NamedUnits(Body):
    """A list of units."""

    units: Annotated[list[UnitId], Field(max_length=500)]


class CommentBody(Body):
    """A labeler's comment on a unit, in place of an earlier one; an empty text deletes it."""

    unit: UnitId
    text: Annotated[str, Field(max_length=MOST_COMMENT, pattern=NO_NULL)]


class SaidBody(Body):
    """A labeler's answers to one unit, one per question. correct=true replaces earlier ones; `note` is why the unit is left out."""

    unit: UnitId
    answers: Annotated[dict[Word, Word], Field(min_length=1, max_length=100)]
    at: Annotated[str, Field(max_length=64, pattern=NO_NULL)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] | None = None
    correct: bool = False
    note: Line | None = None


class TellAnswers(Body):
    """Answers to record."""

    answers: Annotated[list[SaidBody], Field(min_length=1, max_length=500)]
