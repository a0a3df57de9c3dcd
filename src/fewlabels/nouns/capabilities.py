"""What works with what: the one table that every refusal of a combination reads.

A study has traits (a pilot, planned looks, several questions), and so has a metric or a goal. A feature works with a trait, or is refused
with the reason and a way out. docs/reference/works-with.md is written from this table, and a test asks the product for every cell.
To make a combination work, build it and take its entry out of the table.
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
    """Something a study can be asked for.

    about     what it does, in a line
    rule      what it is made for: how a refusal begins
    instead   the way out: how a refusal ends
    refused   the traits it does not work with, each with the reason
    error     what a refusal raises
    metrics   whether it is asked about a metric or a goal, so that traits of metrics concern it
    """

    about: str
    rule: str = ""
    instead: str = ""
    refused: Mapping[Trait, str] = {}
    error: type[FewlabelsError] = StudyError
    metrics: bool = False


_ANYTIME = "it shows the confidence sequences of its goals, and nothing else was shown to hold at every look"
_ONE_DRAW = {
    Trait.QUESTIONS: "the draw serves several questions at once",
    Trait.PILOT: "the labels of two phases are read together, not as one draw",
    Trait.POISSON: "the number of labels in each band is left to chance",
}
_OF_UNITS = {
    Trait.JOINT: "it joins the totals of several classifiers",
    Trait.WEIGHT: "it sums a column in place of units",
}

FEATURES: dict[str, Feature] = {
    # ---------------------------------------------------------------- planning
    "larger budget": Feature(
        "`plan` again with more labels; every label is kept",
        rule="the looks were planned for the first budget, and none may be added",
        instead="start a new study for more labels",
        refused={Trait.LOOKS: "each look spends a share of the error that was fixed with the first plan"},
        error=PlanError,
    ),
    "growth": Feature(
        "`plan(grow_to=...)`, `--grow-to`: a larger budget declared with the first plan",
        rule="growth is declared for a plan with one look",
        instead="leave grow_to out",
        refused={
            Trait.ONLINE: "its budget may be raised at any time without being declared",
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
            Trait.POISSON: "only bands are drawn anew from a fitted guide",
            Trait.DESIGN: "only bands are drawn anew from a fitted guide",
            Trait.GROWTH: "what follows a pilot is planned from its labels",
            Trait.DIFFERENCE: "a guide is fitted for one classifier",
        },
        error=PlanError,
        metrics=True,
    ),
    "planned looks": Feature(
        '`plan(stopping="5 looks")`, `--stopping`: looks named before the first label',
        rule="planned looks are of a draw by bands or strata, fixed before the first label",
        instead="leave it out, or plan one look",
        refused={
            Trait.PILOT: "the second round is drawn by the answers to the first",
            Trait.POISSON: "the number of labels at a look is left to chance",
            Trait.QUESTIONS: "the draw serves several questions at once",
            Trait.GROWTH: "all looks are planned for the first budget",
            **_OF_UNITS,
        },
        error=PlanError,
        metrics=True,
    ),
    "online": Feature(
        '`plan(stopping="decision")`, `--stopping`: look as often as you like',
        rule="a study that may be looked at at any time draws and reads in its own way",
        instead="leave that out, or plan one look",
        refused={
            Trait.PILOT: "it learns from every answer",
            Trait.GROWTH: "its budget may be raised at any time",
            Trait.FOLLOWS: "answers carried over were not drawn step by step",
            Trait.DESIGN: "its design is its own",
            Trait.POISSON: "its design is its own",
            Trait.VOICES: "a step is settled by one answer",
            Trait.QUESTIONS: "a bet is about one answer",
            **_OF_UNITS,
        },
        error=PlanError,
        metrics=True,
    ),
    "extension": Feature(
        "`extend`, `preview_extension`, `plan --add-classifier`: classifiers and goals that came later",
        rule="classifiers and goals are added to a draw by bands or strata with one look",
        instead="make a study of its own",
        refused={Trait.ONLINE: _ANYTIME, Trait.LOOKS: "the looks were planned for the goals it has", **_ONE_DRAW},
        error=PlanError,
    ),
    # ---------------------------------------------------------------- draw and labels
    "queries": Feature(
        "`sql`, `draw_from`, `draw --candidates-file`: drawn where fewlabels does not connect",
        rule="a draw is made from a file where it is made once",
        instead="plan one look",
        refused={Trait.ONLINE: "it asks its engine for the next units again and again"},
        error=PlanError,
    ),
    "gold": Feature(
        "`adjudicate`, `tell_gold`, `draw --gold`: adjudicated answers that correct the labels",
        rule="gold answers correct one draw with one look",
        instead="make a study of its own for gold",
        refused={Trait.ONLINE: _ANYTIME, Trait.PILOT: _ONE_DRAW[Trait.PILOT]},
        error=PlanError,
    ),
    "close": Feature("`close`: units without an answer are recorded as never answered"),
    # ---------------------------------------------------------------- estimate
    "estimate": Feature("`estimate`: every metric the draw can answer for"),
    "running": Feature(
        "`running`, `status --watch`: confidence sequences, valid at every look",
        rule="a confidence sequence is of a study planned to be looked at at any time",
        instead="see its status, or its estimate",
        refused={kind: "its intervals are valid at the looks its plan names" for kind in (Trait.ONE_LOOK, Trait.GROWTH, Trait.LOOKS)},
    ),
    "slices": Feature(
        "`slices`: a metric in every slice of a column",
        rule="estimates by slice are of one classifier and one draw",
        instead="name a goal in the slice instead",
        refused={Trait.ONLINE: _ANYTIME, Trait.PILOT: _ONE_DRAW[Trait.PILOT], Trait.JOINT: _OF_UNITS[Trait.JOINT]},
        metrics=True,
    ),
    "comparison": Feature(
        "`compare`, `rank`: the paired difference of two classifiers",
        rule="classifiers are compared on a draw by bands or strata of one question",
        instead="make a study for it",
        refused={Trait.ONLINE: _ANYTIME, **_ONE_DRAW, Trait.JOINT: _OF_UNITS[Trait.JOINT]},
        metrics=True,
    ),
    "thresholds": Feature(
        "`curves`, `find_threshold`: precision and recall at every threshold",
        rule="thresholds are read from one draw by bands or strata about one question",
        instead="make a study for it",
        refused={Trait.ONLINE: _ANYTIME, **_ONE_DRAW},
    ),
    "periods": Feature(
        "`change`, `window`, `alarm`: a metric over several studies",
        rule="periods are compared in metrics of units, of one question and one draw",
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
        rule="the first units asked are a plan of their own in one draw by bands",
        instead="read its estimates",
        refused={
            Trait.LOOKS: "its looks have shares of the error of their own",
            **_ONE_DRAW,
            Trait.EXTENSION: "units were added for goals that came later",
            Trait.GOLD: "gold answers correct all labels together",
        },
    ),
    "calibration": Feature(
        "the calibration picture: what was found beside what the scores claimed",
        rule="the calibration is that of one guide in one draw by bands",
        instead="read its estimates",
        refused={Trait.ONLINE: "units were drawn where answers said", **_ONE_DRAW},
    ),
    # ---------------------------------------------------------------- decision and report
    "decide": Feature("`decide`: ship, do not ship, or label more"),
    "forecast": Feature(
        "`decide` and `gate` name how many labels more should settle what is open",
        rule="labels still needed are forecast for one look at one draw",
        instead="plan a larger study",
        refused={
            Trait.ONLINE: "it says how many labels it should take to the end (`running`)",
            Trait.LOOKS: "no look may be added",
            Trait.PILOT: "the rest of the units would be drawn by a guide that is not fitted yet",
            Trait.GOLD: "the gold answers still to come are not forecast",
        },
    ),
    "gate": Feature("`gate`: a policy held against the study"),
    "self-test": Feature(
        "`gate --self-test`: how often the gate would err on this plan",
        rule="the self-test simulates one draw by bands or strata",
        instead="see docs/maths/gating.md",
        refused={
            Trait.ONLINE: "its bets err at their level by construction",
            Trait.LOOKS: "its looks are not simulated",
            **_ONE_DRAW,
            Trait.EXTENSION: "units are held from an earlier plan",
        },
        error=PlanError,
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
        rule="a score is of one label and counts units",
        instead="make a study for it",
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
    """Why a feature does not work with one of these traits, the first of them; None: it works with all."""
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
