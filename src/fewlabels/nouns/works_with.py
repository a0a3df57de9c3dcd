"""What works with what: the table from which refusals of a feature with a kind of study, metric or goal are made.

A study has traits (a pilot, planned looks, several questions), and so has a metric or a goal. A feature either works with a trait or is
refused with a reason and a way out. docs/reference/works-with.md is generated from this table, and a test checks every cell of it.
To support a combination, implement it and remove its entry from the table. Which goals a draw can answer is not a combination of
features: see study/estimate/answerable.py.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from fewlabels.errors import FewlabelsError, LabelError, PlanError, StudyError


class Trait(StrEnum):
    """What sets a study, a metric or a goal apart from one look at a draw by bands about one yes-or-no question."""

    ONLINE = "an online plan"
    LOOKS = "planned looks"
    QUESTIONS = "several questions"
    PILOT = "a pilot"
    DESIGN = "a design other than bands"
    POISSON = "a Poisson draw"
    GROWTH = "declared growth"
    EXTENSION = "an extension"
    GOLD = "gold answers"
    VOICES = "a rule that counts voices"
    FOLLOWS = "an earlier study that it follows"
    PROCESS = "a question about units like these"
    CLUSTERS = "units in clusters"
    LATE = "answers that arrive by themselves"
    ELSEWHERE = "a sample drawn elsewhere"
    KNOWN = "labels already owned"
    ONE_LOOK = "one look"
    JOINT = "a metric of several labels together"
    WEIGHT = "a metric by weight"
    DIFFERENCE = "a difference of two classifiers"
    GAP = "a gap between slices"


OF_METRICS = (Trait.JOINT, Trait.WEIGHT, Trait.DIFFERENCE, Trait.GAP)


class Feature(NamedTuple):
    """A feature of a study.

    about     what it does, in one line
    rule      what it is for: the beginning of a refusal
    instead   the way out: the end of a refusal
    refused   the traits it does not work with, each with the reason
    error     the exception that a refusal raises
    metrics   whether it applies to a metric or a goal, so that traits of metrics matter
    """

    about: str
    rule: str = ""
    instead: str = ""
    refused: Mapping[Trait, str] = {}
    error: type[FewlabelsError] = StudyError
    metrics: bool = False


_ANYTIME = "it shows the confidence sequences of its goals, and nothing else is known to be valid at every look"
_ARRIVING = "answers arrive by themselves, and it was not tested with that"
_GAP = "its slices are read one by one, and it was not tested with that"
_ONE_DRAW = {
    Trait.QUESTIONS: "the draw serves several questions at once",
    Trait.PILOT: "its two phases are combined, not drawn at once",
    Trait.POISSON: "the number of labels in each band is random",
}
_OF_UNITS = {
    Trait.JOINT: "it combines the totals of several classifiers",
    Trait.WEIGHT: "it sums a column instead of counting units",
}

FEATURES: dict[str, Feature] = {
    # ---------------------------------------------------------------- planning
    "larger budget": Feature(
        "`plan` again with more labels; every label is kept",
        rule="more labels come from a draw that is open to more of them",
        instead="start a new study for more labels",
        refused={
            Trait.ELSEWHERE: "whoever drew it did so once",
            Trait.LOOKS: "each look spends a share of the error that was locked with the first plan",
            Trait.LATE: _ARRIVING,
        },
        error=PlanError,
    ),
    "growth": Feature(
        "`plan(grow_to=...)`, `--grow-to`: a larger budget declared with the first plan",
        rule="growth can be declared for a plan with one look",
        instead="leave grow_to out",
        refused={
            Trait.ELSEWHERE: "whoever drew it did so once",
            Trait.ONLINE: "its budget may be raised at any time without a declaration",
            Trait.LOOKS: "all looks are planned for the first budget",
            Trait.PILOT: "what follows a pilot is planned from its labels",
            Trait.LATE: _ARRIVING,
        },
        error=PlanError,
    ),
    "pilot": Feature(
        "`plan(pilot=...)`, `--pilot`: a first round that teaches the second where to look",
        rule="a pilot is for bands, one classifier, one question and one look",
        instead="leave the pilot out",
        refused={
            Trait.ELSEWHERE: "it is drawn already",
            Trait.ONLINE: "an online plan learns from every answer",
            Trait.LOOKS: "looks are planned for one draw, fixed before the first label",
            Trait.QUESTIONS: "a guide is fitted to the answers to one question",
            Trait.JOINT: "a guide is fitted to the answers to one question",
            Trait.POISSON: "only bands can be redrawn with a fitted guide",
            Trait.DESIGN: "only bands can be redrawn with a fitted guide",
            Trait.GROWTH: "what follows a pilot is planned from its labels",
            Trait.DIFFERENCE: "a guide is fitted for one classifier",
            Trait.CLUSTERS: "pairs of units in one cluster are counted in one draw",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers teach no guide",
            Trait.GAP: _GAP,
        },
        error=PlanError,
        metrics=True,
    ),
    "planned looks": Feature(
        '`plan(stopping="5 looks")`, `--stopping`: looks named before the first label',
        rule="planned looks need a draw by bands or strata that is fixed before the first label",
        instead="leave it out, or plan one look",
        refused={
            Trait.ELSEWHERE: "it is drawn already, and in no order",
            Trait.PILOT: "the second round depends on the answers to the first",
            Trait.POISSON: "the number of labels at a look is random",
            Trait.QUESTIONS: "the draw serves several questions at once",
            Trait.GROWTH: "all looks are planned for the first budget",
            **_OF_UNITS,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "looks were not shown to hold beside known answers",
            Trait.GAP: _GAP,
        },
        error=PlanError,
        metrics=True,
    ),
    "online": Feature(
        '`plan(stopping="decision")`, `--stopping`: look as often as you like',
        rule="a study that allows a look at any time has its own design and intervals",
        instead="leave that out, or plan one look",
        refused={
            Trait.ELSEWHERE: "it is drawn already",
            Trait.PILOT: "it learns from every answer",
            Trait.GROWTH: "its budget may be raised at any time",
            Trait.FOLLOWS: "answers carried over were not drawn step by step",
            Trait.DESIGN: "it uses a design of its own",
            Trait.POISSON: "it uses a design of its own",
            Trait.VOICES: "each step is settled by a single answer",
            Trait.QUESTIONS: "a bet is about one answer",
            Trait.PROCESS: "its bets are about the units of the table",
            **_OF_UNITS,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "its bets are about units drawn step by step",
            Trait.GAP: "a bet is about one metric",
        },
        error=PlanError,
        metrics=True,
    ),
    "units like these": Feature(
        '`Study.create(about="process")`, `--about process`, `--cluster`: numbers about units like these, not about the table alone',
        rule="numbers about units like these are those of one question",
        instead="leave about out, or make a study for each question",
        refused={
            Trait.QUESTIONS: "their metrics combine several answers about a unit",
            Trait.JOINT: _OF_UNITS[Trait.JOINT],
            Trait.GAP: _GAP,
        },
        error=PlanError,
        metrics=True,
    ),
    "late answers": Feature(
        "`Study.create(late=...)`, `--answers-until`: answers that arrive by themselves until a day, such as chargebacks",
        rule="answers that arrive by themselves are read at one look at one draw about one question",
        instead="leave answers-until out, or start a study for them",
        refused={
            Trait.VOICES: "nobody votes on what arrives by itself",
            Trait.KNOWN: "it was not tested",
            Trait.FOLLOWS: "the answers carried over arrived at another time",
            Trait.PROCESS: "it was not tested",
            Trait.QUESTIONS: "what a missing answer means is said for one question",
            **_OF_UNITS,
            Trait.DIFFERENCE: "it was not tested",
            Trait.GAP: _GAP,
        },
        error=PlanError,
        metrics=True,
    ),
    "extension": Feature(
        "`extend`, `preview_extension`, `plan --add-classifier`: classifiers and goals added later",
        rule="classifiers and goals can be added to a draw by bands or strata with one look",
        instead="start a new study for them",
        refused={
            Trait.ELSEWHERE: "units beyond the sample are not known",
            Trait.ONLINE: _ANYTIME,
            Trait.LOOKS: "the looks were planned for the goals it has",
            **_ONE_DRAW,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "units with known answers would have to be counted for what is added",
        },
        error=PlanError,
    ),
    "known answers": Feature(
        "`Study.create(known=..., known_positive=...)`, `--known`, `--known-positive`: labels already owned, counted and never drawn",
        rule="known answers are for metrics that count the units of this table, by one question at one look at a draw by bands",
        instead="leave the known answers out",
        refused={
            Trait.ELSEWHERE: "it came with its answers",
            Trait.ONLINE: "its bets are about units drawn step by step",
            Trait.LOOKS: "its looks were not shown to hold beside known answers",
            **_ONE_DRAW,
            Trait.EXTENSION: "units were drawn for classifiers added later",
            Trait.GOLD: "`known_check` (--known-check) corrects known answers",
            Trait.VOICES: "a known answer is a single one",
            Trait.FOLLOWS: "its salt was made before the answers were recorded",
            Trait.LATE: _ARRIVING,
            Trait.PROCESS: "units with known answers were not drawn from the process",
            Trait.CLUSTERS: "pairs of units in one cluster are counted in one draw",
            Trait.DIFFERENCE: "two classifiers are counted unit by unit",
            **_OF_UNITS,
            Trait.GAP: _GAP,
        },
        error=PlanError,
        metrics=True,
    ),
    # ---------------------------------------------------------------- draw and labels
    "queries": Feature(
        "`sql`, `draw_from`, `draw --candidates-file`: draw from a database that fewlabels does not connect to",
        rule="a draw from a file happens only once",
        instead="plan one look",
        refused={
            Trait.ELSEWHERE: "it is drawn already",
            Trait.ONLINE: "it keeps asking its engine for the next units",
            Trait.CLUSTERS: "the printed queries do not return clusters",
            Trait.KNOWN: "the printed queries draw from all units",
        },
        error=PlanError,
    ),
    "gold": Feature(
        "`adjudicate`, `tell_gold`, `draw --gold`: adjudicated answers that correct the labels",
        rule="gold answers correct a single draw with one look",
        instead="start a new study for gold answers",
        refused={
            Trait.ELSEWHERE: "the correction does not allow for sizes that a sample estimates",
            Trait.ONLINE: _ANYTIME,
            Trait.PILOT: _ONE_DRAW[Trait.PILOT],
            Trait.CLUSTERS: "pairs of units in one cluster are counted by the labels as recorded",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "the check (--known-check) corrects known answers, gold was not shown to",
        },
        error=PlanError,
    ),
    "close": Feature("`close`: units without an answer are recorded as never answered"),
    # ---------------------------------------------------------------- estimate
    "estimate": Feature("`estimate`: every metric the draw can answer for"),
    "running": Feature(
        "`running`, `status --watch`: confidence sequences, valid at every look",
        rule="a confidence sequence needs a study planned to be looked at at any time",
        instead="see its status, or its estimate",
        refused={kind: "its intervals are valid at the looks its plan names" for kind in (Trait.ONE_LOOK, Trait.GROWTH, Trait.LOOKS)},
    ),
    "answers": Feature(
        "`answers`, `Study.answers`: every answer with its inclusion probability and weight, for survey packages",
        rule="answers have weights where a draw by bands or strata has one probability for each unit",
        instead="read its estimates",
        refused={
            Trait.ELSEWHERE: "it came with its weights",
            Trait.ONLINE: "the answers decided which units were drawn",
            Trait.PILOT: _ONE_DRAW[Trait.PILOT],
            Trait.POISSON: _ONE_DRAW[Trait.POISSON],
            Trait.LATE: "its estimates are corrected by how earlier answers arrived, and weights cannot say so",
        },
    ),
    "slices": Feature(
        "`slices`: a metric in every slice of a column",
        rule="estimates by slice need one classifier and one draw",
        instead="name a goal in the slice instead",
        refused={
            Trait.ELSEWHERE: "the sizes of slices are not known",
            Trait.ONLINE: _ANYTIME,
            Trait.PILOT: _ONE_DRAW[Trait.PILOT],
            Trait.JOINT: _OF_UNITS[Trait.JOINT],
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers are counted for the whole table",
            Trait.GAP: "it is between slices already",
        },
        metrics=True,
    ),
    "comparison": Feature(
        "`compare`, `rank`: the paired difference of two classifiers",
        rule="classifiers are compared on a draw by bands or strata about one question",
        instead="start a study for it",
        refused={
            Trait.ELSEWHERE: "it holds one classifier",
            Trait.ONLINE: _ANYTIME,
            **_ONE_DRAW,
            Trait.JOINT: _OF_UNITS[Trait.JOINT],
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "two classifiers are counted unit by unit",
            Trait.GAP: _GAP,
        },
        metrics=True,
    ),
    "thresholds": Feature(
        "`curves`, `find_threshold`: precision and recall at every threshold",
        rule="thresholds are read from one draw by bands or strata about one question",
        instead="start a study for it",
        refused={
            Trait.ELSEWHERE: "the units at each threshold are not known",
            Trait.ONLINE: _ANYTIME,
            **_ONE_DRAW,
            Trait.PROCESS: "its guarantee is about the units of the table",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers were not chosen at random at any threshold",
        },
    ),
    "periods": Feature(
        "`change`, `window`, `alarm`: a metric over several studies",
        rule="periods are compared by metrics that count units, on one question and one draw",
        instead="name another metric or study",
        refused={
            Trait.ELSEWHERE: "their variance does not allow for sizes that a sample estimates",
            Trait.ONLINE: _ANYTIME,
            Trait.QUESTIONS: _ONE_DRAW[Trait.QUESTIONS],
            Trait.PILOT: _ONE_DRAW[Trait.PILOT],
            Trait.PROCESS: "periods are compared as tables",
            **_OF_UNITS,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers are not compared between studies",
            Trait.GAP: _GAP,
        },
        metrics=True,
    ),
    "convergence": Feature(
        "`convergence`: how the interval of each goal narrowed",
        rule="how an interval narrowed can be shown for a single draw by bands",
        instead="read its estimates",
        refused={
            Trait.ELSEWHERE: "its units have no order",
            Trait.LOOKS: "each of its looks spends its own share of the error",
            **_ONE_DRAW,
            Trait.EXTENSION: "units were added for later goals",
            Trait.GOLD: "gold answers correct all labels together",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers count from the start",
        },
    ),
    "calibration": Feature(
        "the calibration plot: observed shares beside those the scores predict",
        rule="calibration is shown for one guide and one draw by bands",
        instead="read its estimates",
        refused={
            Trait.ELSEWHERE: "its scores guided no draw that is known",
            Trait.ONLINE: "the answers decided which units were drawn",
            **_ONE_DRAW,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "units with known answers were not drawn",
        },
    ),
    "other columns": Feature(
        "`candidates=`, `--candidate`: columns that make estimates steadier without being trusted",
        rule="other columns steady the estimates of one draw by bands about one question",
        instead="read its estimates, which do without them",
        refused={
            Trait.ELSEWHERE: "their values for other units are not known",
            Trait.ONLINE: "it has confidence sequences of its own",
            **_ONE_DRAW,
            Trait.PILOT: "a guide is fitted from the same columns",
            Trait.DESIGN: "it was not tested",
            Trait.GOLD: "the labels are corrected",
            Trait.DIFFERENCE: "two classifiers are counted unit by unit",
            **_OF_UNITS,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "what they predict of known answers is not known",
            Trait.GAP: _GAP,
        },
        metrics=True,
    ),
    # ---------------------------------------------------------------- decision and report
    "decide": Feature("`decide`: ship, do not ship, or label more"),
    "forecast": Feature(
        "`decide` and `gate` tell how many more labels should settle what is open",
        rule="labels still needed are forecast for one look at one draw",
        instead="plan a larger study",
        refused={
            Trait.ELSEWHERE: "units beyond the sample are not known",
            Trait.ONLINE: "`running` forecasts how many labels it still needs",
            Trait.LOOKS: "no look may be added",
            Trait.PILOT: "the remaining units would be drawn by a guide that is not fitted yet",
            Trait.GOLD: "the gold answers still to come are not forecast",
            Trait.LATE: _ARRIVING,
        },
    ),
    "gate": Feature("`gate`: a policy checked against the study"),
    "self-test": Feature(
        "`gate --self-test`: how often the gate would err on this plan",
        rule="the self-test simulates one draw by bands or strata",
        instead="see docs/maths/gating.md",
        refused={
            Trait.ELSEWHERE: "how it was drawn is not simulated",
            Trait.ONLINE: "its bets err at their level by construction",
            Trait.LOOKS: "its looks are not simulated",
            **_ONE_DRAW,
            Trait.EXTENSION: "it keeps units of an earlier plan",
            Trait.CLUSTERS: "how errors cluster is not simulated",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "what is wrong among known answers is not simulated",
        },
        error=PlanError,
    ),
    "tipping point": Feature(
        "how many positives may hide where the scores see none before a target falls",
        rule="a tipping point is about units counted at one look at a draw by bands or strata",
        instead="see decide",
        refused={
            Trait.ELSEWHERE: "no score sets units apart",
            Trait.ONLINE: "its confidence sequences count the units below no score apart",
            Trait.LOOKS: "it would have to hold at every look",
            **_ONE_DRAW,
            Trait.GOLD: "the labels that it counts are corrected",
            Trait.DIFFERENCE: "a positive that hides counts for both classifiers",
            Trait.PROCESS: "what hides is counted among the units of the table",
            **_OF_UNITS,
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "units with known answers were not drawn",
            Trait.GAP: "a positive that hides may widen a gap or narrow it",
        },
        metrics=True,
    ),
    "other budgets": Feature(
        "the report's curve of half-widths over budgets",
        rule="other budgets are forecast for one look at a draw by bands about one question",
        instead="see decide",
        refused={
            Trait.ELSEWHERE: "units beyond the sample are not known",
            Trait.ONLINE: "its interval is valid at every look, not at one",
            Trait.LOOKS: "no look may be added",
            **_ONE_DRAW,
            Trait.GOLD: "the gold answers still to come are not forecast",
            Trait.LATE: _ARRIVING,
            Trait.KNOWN: "known answers cost no label",
        },
    ),
    "report": Feature("`report`: one self-contained page"),
    "verify": Feature("`verify`: everything recomputed from the ledger"),
    # ---------------------------------------------------------------- without a study
    "simulate": Feature(
        "`simulate`: designs replayed against known labels",
        rule="a simulation counts the units of one classifier",
        instead="name another metric",
        refused={**_OF_UNITS, Trait.GAP: _GAP},
        error=PlanError,
        metrics=True,
    ),
    "scorer": Feature(
        "scikit-learn scorers: a score that carries its interval",
        rule="a scorer counts the units of one label",
        instead="start a study for it",
        refused={**_OF_UNITS, Trait.GAP: "it knows no slices"},
        error=LabelError,
        metrics=True,
    ),
}


class Refusal(NamedTuple):
    """Why a feature does not work with a trait."""

    trait: Trait
    why: str


def refusal_of(feature: str, traits: Iterable[Trait]) -> Refusal | None:
    """Why a feature does not work with the first of these traits that it refuses; None if it works with all."""
    refused = FEATURES[feature].refused
    return next((Refusal(trait, refused[trait]) for trait in traits if trait in refused), None)


def require(feature: str, traits: Iterable[Trait], *, subject: str = "this study has") -> None:
    """Raise the feature's error unless it works with all these traits.

    subject   what has the traits, with its verb: "this study has", "macro[f1] is"
    """
    found = refusal_of(feature, traits)
    if found is not None:
        asked = FEATURES[feature]
        raise asked.error(f"{asked.rule}, but {subject} {found.trait} ({found.why}): {asked.instead}")
