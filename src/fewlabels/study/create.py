"""Begin a study: its population, known answers and settings go into the ledger, and the salt is made between them and the plan."""

from dataclasses import dataclass
from shlex import quote

from fewlabels.errors import StudyError
from fewlabels.estimators.agreement import TruthRule
from fewlabels.ledgers.base import Ledger
from fewlabels.nouns.canonical import Json
from fewlabels.nouns.goal import Goal
from fewlabels.nouns.known import KnownLabels
from fewlabels.nouns.late import Late
from fewlabels.nouns.population import Population
from fewlabels.nouns.process import About
from fewlabels.nouns.profile import Profile
from fewlabels.nouns.works_with import Trait
from fewlabels.planning.goal_scope import expand
from fewlabels.randomness import NumberRule, new_salt
from fewlabels.study.labels.known import KnownAnswers, found_known, hash_of, refuse_later
from fewlabels.study.population.profile import about_of, about_which, check_goals, check_late, number_rule_of, profile_for
from fewlabels.study.state.following import leader_of
from fewlabels.study.state.standing import COUNTING_RULES, Standing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Settings:
    """What a new study is asked for, as `Study.create` describes it."""

    goals: tuple[Goal, ...]
    rule: TruthRule | None
    follows: str | None
    number_rule: NumberRule | None
    about: About | None
    late: Late | None
    profile: Profile | None
    known: KnownAnswers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Begun:
    """A study as it was begun: what has to be found in one of the same name."""

    asked: Settings
    goals: tuple[Goal, ...]
    about: About
    owned: KnownLabels | None

    def refuse_other(self, standing: Standing) -> None:
        """Raise StudyError if the study that has the name was begun otherwise."""
        asked = self.asked
        kept_rules = asked.rule in (None, standing.rule) and asked.number_rule in (None, standing.number_rule)
        settings = (standing.goals, standing.follows, standing.about, standing.late)
        if settings != (self.goals, asked.follows, self.about, asked.late) or not kept_rules:
            raise StudyError(
                f"a study named {standing.name!r} exists with the goals {', '.join(map(str, standing.goals))}, about the {standing.about}, "
                f"the rule {standing.rule} and numbers by {standing.number_rule}: choose another name, or load it: fewlabels status "
                f"{quote(standing.name)}"
            )
        refuse_later(standing.name, standing.owned, self.owned)


def begin(book: Ledger, name: str, population: Population, asked: Settings) -> Begun:
    """Record population, known answers and study, each unless it is there; raise if they are not possible, or another has the name."""
    if asked.rule is not None and asked.rule not in COUNTING_RULES:
        raise StudyError(
            f"the answer that counts must be chosen by the rule {' or '.join(COUNTING_RULES)}, got {asked.rule!r}: choose one of these"
        )
    leader, profile = None if asked.follows is None else leader_of(book, name, asked.follows), asked.profile
    about = about_of(population, asked.goals, asked.about)
    if profile is None:
        population, profile = profile_for(population, asked.goals, about)
    elif profile.process is None:
        profile = about_which(population, profile, about)
    check_goals(population, asked.goals)
    owned = _owned(population, profile, asked, about)
    numbers = number_rule_of(population, profile, asked.number_rule, leader)
    goals = expand(profile, asked.goals, slices=population.slices, names=[c.name for c in population.classifiers])
    with book.writing(name) as act:
        act.append("population", key="population", body=population_body(population, profile))
        kept = next(iter(act.since(0))).body
    if kept["fingerprint"] != profile.fingerprint or kept["population"] != population.as_json():
        raise StudyError(
            f"a study named {name!r} exists on another population: choose another name, or load it: fewlabels status {quote(name)}"
        )
    if owned is not None:
        with book.writing(name) as act:  # before the salt is made: no answer can depend on the draw
            act.append("known", key="known", body=owned.as_json())
    body: dict[str, Json] = {
        "salt": new_salt() if leader is None else leader.salt, "goals": [g.as_json() for g in goals], "rule": asked.rule or "first"
    }  # fmt: skip
    some: dict[str, tuple[Json, Json]] = {
        "follows": (asked.follows, None), "number_rule": (numbers, "md5"), "about": (about, "table"),
        "late": (None if asked.late is None else asked.late.as_json(), None), "known": (hash_of(owned), None),
    }  # fmt: skip
    body |= {key: value for key, (value, usual) in some.items() if value != usual}  # written only where a study has it
    with book.writing(name) as act:
        act.append("study", key="study", body=body)
    return Begun(asked=asked, goals=goals, about=about, owned=owned)


def _owned(population: Population, profile: Profile, asked: Settings, about: About) -> KnownLabels | None:
    """The known answers; None if there are none. Raise if they, or answers that arrive by themselves, do not work with the study."""
    late = asked.late
    read = found_known(
        population, profile, asked.goals, asked.known, about=about, follows=asked.follows, rule=asked.rule, late=late is not None
    )  # fmt: skip
    has = {
        Trait.VOICES: asked.rule not in (None, "first"), Trait.FOLLOWS: asked.follows is not None, Trait.PROCESS: about == "process",
        Trait.KNOWN: read is not None,
    }  # fmt: skip
    check_late(population, asked.goals, late, has=has)
    return None if read is None else read.labels


def population_body(population: Population, profile: Profile) -> dict[str, Json]:
    """The ledger entry of a population."""
    clusters = None if profile.process is None else profile.process.clusters
    return {
        "population": population.as_json(),
        "profile": profile.as_json(),
        "fingerprint": profile.fingerprint,
        **({} if clusters is None else {"clusters": clusters._asdict()}),
    }
