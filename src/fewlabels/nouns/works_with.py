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
    ONE_LOOK = "one look"
    JOINT = "a metric of several labels together"
    WEIGHT = "a metric by weight"
    DIFFERENCE = "a difference of two classifiers"


OF_METRICS = (Trait.JOINT, Trait.WEIGHT, Trait.DIFFERENCE)


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
        rule="the looks were planned for the first budget, and none may be added",
        instead="start a new study for more labels",
        refused={Trait.LOOKS: "each look spends a share of the error that was locked with the first plan"},
        error=PlanError,
    ),
    "growth": Feature(
        "`plan(grow_to=...)`, `--grow-to`: a larger budget declared with the first plan",
        rule="growth can be declared for a plan with one look",
        instead="leave grow_to out",
        refused={
            Trait.ONLINE: "its budget may be raised at any time without a declaration",
            Trait.LOOKS: "all looks are planned for the first budget",
            Trait.PILOT: "what follows a pilot is planned from its labels",
        },
        error=PlanError,
    ),
    "pilot": Feature(
        "`plan(pilot=...)`, `--pilot`: a first round that teaches the second where to look",
        rule="a pilot is for bands, one classifier, one question and one look",
        instead="leave the pilot out",
        refused={
            Trait.ONLINE: "an online plan learns from every answer",
            Trait.LOOKS: "looks are planned for one draw, fixed before the first label",
            Trait.QUESTIONS: "a guide is fitted to the answers to one question",
            Trait.JOINT: "a guide is fitted to the answers to one question",
            Trait.POISSON: "only bands can be redrawn with a fitted guide",
            Trait.DESIGN: "only bands can be redrawn with a fitted guide",
            Trait.GROWTH: "what follows a pilot is planned from its labels",
            Trait.DIFFERENCE: "a guide is fitted for one classifier",
        },
        error=PlanError,
        metrics=True,
    ),
    "planned looks": Feature(
        '`plan(stopping="5 looks")`, `--stopping`: looks named before the first label',
        rule="planned looks need a draw by bands or strata that is fixed before the first label",
        instead="leave it out, or plan one look",
        refused={
            Trait.PILOT: "the second round depends on the answers to the first",
            Trait.POISSON: "the number of labels at a look is random",
            Trait.QUESTIONS: "the draw serves several questions at once",
            Trait.GROWTH: "all looks are planned for the first budget",
            **_OF_UNITS,
        },
        error=PlanError,
        metrics=True,
    ),
    "online": Feature(
        '`plan(stopping="decision")`, `--stopping`: look as often as you like',
        rule="a study that allows a look at any time has its own design and intervals",
        instead="leave that out, or plan one look",
        refused={
            Trait.PILOT: "it learns from every answer",
            Trait.GROWTH: "its budget may be raised at any time",
            Trait.FOLLOWS: "answers carried over were not drawn step by step",
            Trait.DESIGN: "it uses a design of its own",
            Trait.POISSON: "it uses a design of its own",
            Trait.VOICES: "each step is settled by a single answer",
            Trait.QUESTIONS: "a bet is about one answer",
            **_OF_UNITS,
        },
        error=PlanError,
        metrics=True,
    ),
    "extension": Feature(
        "`extend`, `preview_extension`, `plan --add-classifier`: classifiers and goals added later",
        rule="classifiers and goals can be added to a draw by bands or strata with one look",
        instead="start a new study for them",
        refused={Trait.ONLINE: _ANYTIME, Trait.LOOKS: "the looks were planned for the goals it has", **_ONE_DRAW},
        error=PlanError,
    ),
    # ---------------------------------------------------------------- draw and labels
    "queries": Feature(
        "`sql`, `draw_from`, `draw --candidates-file`: draw from a database that fewlabels does not connect to",
        rule="a draw from a file happens only once",
        instead="plan one look",
        refused={Trait.ONLINE: "it keeps asking its engine for the next units"},
        error=PlanError,
    ),
    "gold": Feature(
        "`adjudicate`, `tell_gold`, `draw --gold`: adjudicated answers that correct the labels",
        rule="gold answers correct a single draw with one look",
        instead="start a new study for gold answers",
        refused={Trait.ONLINE: _ANYTIME, Trait.PILOT: _ONE_DRAW[Trait.PILOT]},
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
    "slices": Feature(
        "`slices`: a metric in every slice of a column",
        rule="estimates by slice need one classifier and one draw",
        instead="name a goal in the slice instead",
        refused={Trait.ONLINE: _ANYTIME, Trait.PILOT: _ONE_DRAW[Trait.PILOT], Trait.JOINT: _OF_UNITS[Trait.JOINT]},
        metrics=True,
    ),
    "comparison": Feature(
        "`compare`, `rank`: the paired difference of two classifiers",
        rule="classifiers are compared on a draw by bands or strata about one question",
        instead="start a study for it",
        refused={Trait.ONLINE: _ANYTIME, **_ONE_DRAW, Trait.JOINT: _OF_UNITS[Trait.JOINT]},
        metrics=True,
    ),
    "thresholds": Feature(
        "`curves`, `find_threshold`: precision and recall at every threshold",
        rule="thresholds are read from one draw by bands or strata about one question",
        instead="start a study for it",
        refused={Trait.ONLINE: _ANYTIME, **_ONE_DRAW},
    ),
    "periods": Feature(
        "`change`, `window`, `alarm`: a metric over several studies",
        rule="periods are compared by metrics that count units, on one question and one draw",
        instead="name another metric or study",
        refused={
            Trait.ONLINE: _ANYTIME,
            Trait.QUESTIONS: _ONE_DRAW[Trait.QUESTIONS],
            Trait.PILOT: _ONE_DRAW[Trait.PILOT],
            **_OF_UNITS,
        },
        metrics=True,
    ),
    "convergence": Feature(
        "`convergence`: how the interval of each goal narrowed",
        rule="how an interval narrowed can be shown for a single draw by bands",
        instead="read its estimates",
        refused={
            Trait.LOOKS: "each of its looks spends its own share of the error",
            **_ONE_DRAW,
            Trait.EXTENSION: "units were added for later goals",
            Trait.GOLD: "gold answers correct all labels together",
        },
    ),
    "calibration": Feature(
        "the calibration plot: observed shares beside those the scores predict",
        rule="calibration is shown for one guide and one draw by bands",
        instead="read its estimates",
        refused={Trait.ONLINE: "the answers decided which units were drawn", **_ONE_DRAW},
    ),
    "other columns": Feature(
        "`candidates=`, `--candidate`: columns that make estimates steadier without being trusted",
        rule="other columns steady the estimates of one draw by bands about one question",
        instead="read its estimates, which do without them",
        refused={
            Trait.ONLINE: "it has confidence sequences of its own",
            **_ONE_DRAW,
            Trait.PILOT: "a guide is fitted from the same columns",
            Trait.DESIGN: "it was not tested",
            Trait.GOLD: "the labels are corrected",
            Trait.DIFFERENCE: "two classifiers are counted unit by unit",
            **_OF_UNITS,
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
            Trait.ONLINE: "`running` forecasts how many labels it still needs",
            Trait.LOOKS: "no look may be added",
            Trait.PILOT: "the remaining units would be drawn by a guide that is not fitted yet",
            Trait.GOLD: "the gold answers still to come are not forecast",
        },
    ),
    "gate": Feature("`gate`: a policy checked against the study"),
    "self-test": Feature(
        "`gate --self-test`: how often the gate would err on this plan",
        rule="the self-test simulates one draw by bands or strata",
        instead="see docs/maths/gating.md",
        refused={
            Trait.ONLINE: "its bets err at their level by construction",
            Trait.LOOKS: "its looks are not simulated",
            **_ONE_DRAW,
            Trait.EXTENSION: "it keeps units of an earlier plan",
        },
        error=PlanError,
    ),
    "tipping point": Feature(
        "how many positives may hide where the scores see none before a target falls",
        rule="a tipping point is about units counted at one look at a draw by bands or strata",
        instead="see decide",
        refused={
            Trait.ONLINE: "its confidence sequences count the units below no score apart",
            Trait.LOOKS: "it would have to hold at every look",
            **_ONE_DRAW,
            Trait.GOLD: "the labels that it counts are corrected",
            Trait.DIFFERENCE: "a positive that hides counts for both classifiers",
            **_OF_UNITS,
        },
        metrics=True,
    ),
    "other budgets": Feature(
        "the report's curve of half-widths over budgets",
        rule="other budgets are forecast for one look at a draw by bands about one question",
        instead="see decide",
        refused={
            Trait.ONLINE: "its interval is valid at every look, not at one",
            Trait.LOOKS: "no look may be added",
            **_ONE_DRAW,
            Trait.GOLD: "the gold answers still to come are not forecast",
        },
    ),
    "report": Feature("`report`: one self-contained page"),
    "verify": Feature("`verify`: everything recomputed from the ledger"),
    # ---------------------------------------------------------------- without a study
    "simulate": Feature(
        "`simulate`: designs replayed against known labels",
        rule="a simulation counts the units of one classifier",
        instead="name another metric",
        refused=_OF_UNITS,
        error=PlanError,
        metrics=True,
    ),
    "scorer": Feature(
        "scikit-learn scorers: a score that carries its interval",
        rule="a scorer counts the units of one label",
        instead="start a study for it",
        refused=_OF_UNITS,
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
