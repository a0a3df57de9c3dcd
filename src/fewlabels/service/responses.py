"""The bodies of responses; the OpenAPI document is made from these."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from fewlabels.ledgers.people import Role
from fewlabels.service.requests import ShownColumn

Data = dict[str, Any]  # as the command line prints it with --json


class Error(BaseModel):
    """Why a request was refused, and what to do."""

    error: str


REFUSALS: dict[int | str, Data] = {
    400: {"model": Error, "description": "The request cannot be carried out; the text says why"},
    401: {"model": Error, "description": "Nobody is signed in"},
    403: {"model": Error, "description": "No permission, or a change without the token of its page"},
    404: {"model": Error, "description": "Not found, or this person has no access to it"},
    408: {"model": Error, "description": "The request did not arrive in time"},
    409: {"model": Error, "description": "Conflict; the text says what stands in the way"},
    413: {"model": Error, "description": "Too large"},
    422: {"model": Error, "description": "The request does not match this document"},
    429: {"model": Error, "description": "Too many requests; Retry-After says how long to wait"},
    503: {"model": Error, "description": "The ledger cannot be reached now: try again"},
}


class Done(BaseModel):
    """Confirmation that it is done."""

    done: bool


class Membership(BaseModel):
    """A person's role in a study."""

    study: str
    role: Role


class PersonShown(BaseModel):
    """A person who may sign in."""

    name: str
    is_owner: bool
    studies: list[Membership]
    groups: list[str] = []
    seen: float | None = None


class Everyone(BaseModel):
    """All people."""

    people: list[PersonShown]


class GroupShown(BaseModel):
    """A group and its members."""

    name: str
    people: list[str]


class Groups(BaseModel):
    """All groups."""

    groups: list[GroupShown]


class InviteLine(BaseModel):
    """What a line of a list does. A refused name that has answers has them in `answers`: the same person may come back."""

    line: int
    name: str
    becomes: Literal["new", "returns", "changes", "nothing", "refused"]
    why: str
    answers: int = 0
    link: str | None = None
    until: float | None = None


class InviteLines(BaseModel):
    """What every line of a list does; the links of those invited are never shown again."""

    lines: list[InviteLine]


class InviteLink(BaseModel):
    """A link for one person, to be used once. It is never shown again."""

    person: str
    link: str
    until: float


class Token(BaseModel):
    """A token, without its secret."""

    id: str
    person: str
    note: str
    at: float
    until: float


class FreshToken(Token):
    """A token with its secret, shown once."""

    token: str


class Tokens(BaseModel):
    """The person's own tokens, or everybody's."""

    tokens: list[Token]


class StudyShown(BaseModel):
    """A study in a list. Labelers see only its name and their role."""

    name: str
    role: Literal["owner", "labeler", "adjudicator", "viewer"]
    state: Literal["no plan", "labeling", "waiting for gold", "ready", "decided"] | None = None
    goals: list[str] | None = None
    progress: Data | None = None


class Studies(BaseModel):
    """The studies a person may see; `not_served` are those whose names cannot be part of an address."""

    studies: list[StudyShown]
    not_served: list[str]


class Made(BaseModel):
    """The study that was created."""

    study: str
    units: int
    flagged: int
    goals: list[str]


class PlanShown(BaseModel):
    """A locked plan."""

    number: int
    hash: str
    budget: int
    grow_to: int | None
    promise: str
    about: str
    stopping: str | None


class Closed(BaseModel):
    """How many units were recorded as never answered."""

    never_answered: int


class OfStudy(BaseModel):
    """Data about one study, as the command line prints it with --json."""

    model_config = ConfigDict(extra="allow")

    study: str


class StatusShown(OfStudy):
    """Where a study stands; no interval."""

    state: str
    goals: list[str]
    classifiers: list[str]
    slices: list[str]
    units: int
    about: str
    plan: Data | None
    progress: Data
    missing: Data
    warnings: list[str]


class PictureShown(OfStudy):
    """What the goals need, and the planning picture; if there is none, `why` says why."""

    sizes: Data
    picture: Data | None
    why: str | None


class EstimatesShown(OfStudy):
    """Every metric with its interval; no estimate before the planned look."""

    progress: Data
    certified: bool
    promise: str
    about: str
    estimates: list[Data]
    tipping: list[Data]
    missing: Data
    agreement: Data | None
    warnings: list[str]


class DecisionShown(OfStudy):
    """The verdict and its reasons; null before the planned look."""

    progress: Data
    decision: Data | None
    warnings: list[str]


class RunningShown(OfStudy):
    """Where an online study stands."""

    outcome: str
    labels: int
    goals: list[Data]


class SlicesShown(OfStudy):
    """A metric in every slice."""

    by: list[str]
    level: float
    estimates: list[Data]


class ComparisonShown(OfStudy):
    """A paired difference."""

    first: str
    second: str
    better: str | None
    estimate: Data


class AuditShown(OfStudy):
    """What was recorded, and, if requested, whether it can be recomputed."""

    entries: int
    recorded: list[Data]
    counts: dict[str, int]
    verification: Data | None


class SheetShown(BaseModel):
    """The labeling form: what labelers see and read, the questions, and the answers besides cannot_tell and skipped.

    check_every is for owners: a labeler who knew would know which units are checks.
    """

    show: list[ShownColumn]
    instructions: str
    ask: str
    questions: list[str]
    answers: list[str]
    check_every: int | None = None


class RouteShown(BaseModel):
    """A value that decides who labels a unit: units planned and still open, who may label them, and whether nobody can.

    drawn   whether the units are drawn yet: before, there is nothing to count
    """

    value: str
    planned: int
    open: int
    names: list[str]
    people: list[str]
    drawn: bool
    stranded: bool


class RoutesShown(BaseModel):
    """Who labels which units; `columns`: those that could decide, with their values."""

    route_by: str | None
    routes: list[RouteShown]
    columns: dict[str, list[str]]
    waiting: list[str]


class StudyPerson(BaseModel):
    """Somebody who has access to a study, or has answered in it (role null): units answered, on their screen now, and answered in 24 hours.

    card   how they work; null if they have not answered, or if there are no scorecards
    """

    name: str
    role: Literal["owner", "labeler", "adjudicator", "viewer"] | None
    groups: list[str]
    seen: float | None
    units: int
    held: int
    lately: int
    card: Data | None


class StudyPeople(OfStudy):
    """The people of a study; `hidden`: why there are no scorecards."""

    people: list[StudyPerson]
    hidden: str | None
    disputed: int | None


class AnswerOf(BaseModel):
    """A unit that somebody answered: what they and others said, and the gold answer if there is one."""

    unit: str
    question: str
    answer: str
    at: str | None
    others: dict[str, str]
    gold: str | None
    differs: bool
    content: dict[str, str | None]


class AnswersOf(OfStudy):
    """A page of somebody's answers; `count`: of all of them."""

    person: str
    answers: list[AnswerOf]
    page: int
    pages: int
    count: int


class LabelerTurn(BaseModel):
    """A unit reserved for a labeler, until a time (seconds since 1970)."""

    unit: str
    content: dict[str, str | None]
    until: float


class DeskProgress(BaseModel):
    """How far the labeling is; nothing about answers."""

    told: int
    resolved: int
    planned: int
    waiting: int


class Turns(BaseModel):
    """Units handed out."""

    turns: list[LabelerTurn]
    progress: DeskProgress


class GivenBack(BaseModel):
    """How many units were released."""

    given_back: int


class AcknowledgedShown(BaseModel):
    """What became of one answer. Unless refused, it is on disk when this is read."""

    unit: str
    status: Literal["recorded", "known", "corrected", "refused"]
    why: str | None = None


class Acknowledgements(BaseModel):
    """What became of the answers."""

    acknowledged: list[AcknowledgedShown]
    progress: DeskProgress
