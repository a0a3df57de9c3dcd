"""The bodies of responses; the OpenAPI document is made from these."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from fewlabels.desk.messages import Rest
from fewlabels.ledgers.people import Role
from fewlabels.nouns.note import NoteKind
from fewlabels.service.requests import ShownColumn

Data = dict[str, Any]  # as the command line prints it with --json


class Error(BaseModel):
    """Why a request was refused, and what to do; `field` is the part of the body it is about, where that is known."""

    error: str
    field: str | None = None


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


MOVED: dict[int | str, Data] = {412: {"model": Error, "description": "The study has gone on since the page was read: read it again"}}


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
    created: str | None = None
    owner: str | None = None
    archived: bool = False


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


class FileShown(BaseModel):
    """A table below the server's data folder; `source` is what a study is made of."""

    name: str
    source: str
    kind: Literal["Parquet", "CSV", "Excel"]
    bytes: int
    at: float


class FilesShown(BaseModel):
    """What a folder holds, and which other sources are allowed; `more` if there is more than is listed."""

    folder: str
    folders: list[str]
    files: list[FileShown]
    more: bool
    allowed: list[str]


class UploadShown(FileShown):
    """An uploaded table, and the studies that read it."""

    studies: list[str]


class UploadsShown(BaseModel):
    """The uploaded tables; `most_bytes` is how large one may be (0: there are none), `days` how long those are kept that nobody reads."""

    uploads: list[UploadShown]
    most_bytes: int
    days: float | None


class UploadKept(BaseModel):
    """An upload that was kept, under a name that no other has; `changed` says what was done to it."""

    name: str
    source: str
    changed: str | None


class ColumnShown(BaseModel):
    """A column of a table: an example, and how many different values and nulls its first rows have; the limits of all its numbers.

    `telling` if its name sounds like a score or an answer.
    """

    name: str
    type: str
    example: str | None
    distinct: int
    nulls: int
    low: float | None
    high: float | None
    telling: bool


class ProposalShown(BaseModel):
    """A column that may serve as something, and why; `chosen` if it is proposed."""

    column: str
    reason: str
    chosen: bool


class ScoreProposed(BaseModel):
    """A column that may be a score, why, its limits, and a threshold."""

    column: str
    reason: str
    low: float
    high: float
    threshold: float


class ShownProposed(ShownColumn):
    """A column that labelers may see, and why."""

    reason: str


class PreviewShown(BaseModel):
    """A table before a study is made of it: `source` is what to make the study of, `name` a name for it that is free.

    `read` rows were read, of which the first are shown. Proposals begin with the likeliest.
    """

    source: str
    name: str
    sheets: list[str]
    sheet: str | None
    units: int
    read: int
    columns: list[ColumnShown]
    rows: list[list[str | None]]
    ids: list[ProposalShown]
    scores: list[ScoreProposed]
    decisions: list[ProposalShown]
    weights: list[ProposalShown]
    slices: list[ProposalShown]
    shown: list[ShownProposed]


class GoalRead(BaseModel):
    """A goal as it was understood, in words; or why it was not, and what it may have meant."""

    text: str
    goal: str | None = None
    words: str | None = None
    error: str | None = None
    ways: list[str] = []


class GoalsRead(BaseModel):
    """The goals, each as it was understood."""

    goals: list[GoalRead]


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


class HomeShown(StatusShown):
    """Where a study stands, what comes next, its pace, its labelers and what happened last; the verdict if it was shown before."""

    sentence: str
    act: Literal["plan", "label", "adjudicate", "results"]
    decision: Data | None
    labelers: list[Data]
    pace: Data | None
    now: float
    acts: list[Data]
    created: str | None
    owner: str | None
    archived: float | None


class Columns(OfStudy):
    """The columns of a study's table that may hold a score, with its limits and a threshold to begin with, or decisions."""

    scores: list[Data]
    decisions: list[str]


class ReuseShown(OfStudy):
    """What the labels at hand say about new goals: units held, units that settle all, and each goal."""

    held: int
    total: int | None
    added: int | None
    goals: list[Data]


class Extended(OfStudy):
    """The plan after classifiers or goals were added."""

    plan: int
    hash: str
    budget: int
    classifiers: list[str]


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


class ResultsShown(OfStudy):
    """Everything about a study at one moment; no estimate before the planned look. `head`: how many entries it depends on."""

    head: int
    status: Data
    estimate: Data | None
    decision: Data | None
    convergence: Data | None
    running: Data | None
    confusion: list[Data]
    tipping: list[Data]
    labelers: Data
    next_step: str
    before_end: str | None


class ThresholdsShown(OfStudy):
    """The curves over all thresholds, the present one, those found for goals that fail, and the best for all goals together.

    `why` says why there are none.
    """

    curves: Data | None
    present: float | None
    offers: list[Data]
    together: Data | None
    why: str | None


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


class ErrorShown(BaseModel):
    """A labeled unit that a classifier got wrong; `content`: what labelers see of it, each text cut to a bounded length."""

    unit: str
    classifier: str
    kind: Literal["false positive", "false negative"]
    score: float | None
    answer: str
    labeler: str
    at: str | None
    slices: dict[str, str]
    content: dict[str, str | None]


class ErrorsShown(OfStudy):
    """A page of the errors, and what they can be filtered by. `without_content` says why their content cannot be shown."""

    errors: list[ErrorShown]
    found: int
    page: int
    pages: int
    columns: list[str]
    classifiers: list[str]
    slices: list[str]
    labelers: list[str]
    without_content: str | None


class ErrorsOpened(BaseModel):
    """That somebody has opened the errors, so that their labeling in this study has ended; `first`: whether just now."""

    person: str
    first: bool


class AnswerShown(BaseModel):
    """One labeler's current answer; `disputed`: labelers differ about the unit."""

    unit: str
    question: str
    answer: str
    labeler: str
    at: str | None
    gold: bool
    disputed: bool
    slices: dict[str, str]


class AnswersShown(OfStudy):
    """A page of the answers, and what they can be filtered by; by what they say only if `shows`: once numbers may be shown."""

    answers: list[AnswerShown]
    found: int
    page: int
    pages: int
    labelers: list[str]
    said: list[str]
    slices: list[str]
    shows: bool


class AuditShown(OfStudy):
    """What was recorded, and, if requested, whether it can be recomputed."""

    entries: int
    recorded: list[Data]
    counts: dict[str, int]
    verification: Data | None


class SheetShown(BaseModel):
    """The labeling form: what labelers see and read, the questions, and the answers besides cannot_tell and skipped.

    check_every is for owners: a labeler who knew would know which units are checks. is_online: each step waits for its unit.
    """

    show: list[ShownColumn]
    instructions: str
    ask: str
    questions: list[str]
    answers: list[str]
    check_every: int | None = None
    is_online: bool = False


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
    """A unit reserved for a labeler, until a time (seconds since 1970), with the labeler's own comment."""

    unit: str
    content: dict[str, str | None]
    until: float
    comment: str = ""


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


class MovedBack(BaseModel):
    """How many units were released and moved behind all others."""

    moved: int


class RestShown(BaseModel):
    """What is left for this labeler, how many units they answered, and other studies with units for them.

    `look` is for owners: whether the numbers may be read.
    """

    rest: Rest
    told: int
    elsewhere: list[str]
    look: bool | None = None


class NoteShown(BaseModel):
    """What a labeler wrote about a unit, and when (seconds since 1970)."""

    unit: str
    labeler: str
    kind: NoteKind
    text: str
    at: float


class Notes(BaseModel):
    """A page of the notes on a study's units, the newest first."""

    notes: list[NoteShown]
    total: int
    page: int
    pages: int


class AcknowledgedShown(BaseModel):
    """What became of one answer. Unless refused, it is on disk when this is read."""

    unit: str
    status: Literal["recorded", "known", "corrected", "refused"]
    why: str | None = None


class Acknowledgements(BaseModel):
    """What became of the answers."""

    acknowledged: list[AcknowledgedShown]
    progress: DeskProgress
