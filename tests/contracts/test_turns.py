"""What every ledger promises of turns: a unit is one labeler's at a time, nobody has it twice, and a lease that is over is open."""

import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.tables import LISTING
from fewlabels.nouns.turn import Finished, Leased, Turn, TurnCounts, UnitTurns
from tests.contracts.ledgers_under_test import PARAMETERS, UnderTest

pytestmark = pytest.mark.parametrize("under", PARAMETERS)
LEASE = 100.0


@pytest.fixture
def ledger(under: UnderTest, tmp_path: Path) -> Database:
    found = open_ledger(under.address(tmp_path))
    assert isinstance(found, Database)
    return found


def add(ledger: Database, *turns: Turn, study: str = "s") -> None:
    with ledger.writing(study) as act:
        act.add_turns(turns)


def looks(*units: str) -> list[Turn]:
    return [Turn(unit, 1) for unit in units]


def take(ledger: Database, labeler: str, units: int = 10, *, now: float = 0.0, adjudicates: bool = False, study: str = "s") -> list[str]:
    held = ledger.take(study, labeler, units=units, now=now, until=now + LEASE, adjudicates=adjudicates)
    assert all(one == Leased(one.unit, now + LEASE) for one in held)
    return [one.unit for one in held]


def finish(ledger: Database, labeler: str, *units: str, at: float = 1.0, seconds: float | None = None) -> None:
    with ledger.writing("s") as act:
        act.finish([Finished(unit, labeler, at, seconds) for unit in units])


def own(ledger: Database, labeler: str, *units: str) -> set[str]:
    with ledger.writing("s") as act:
        return act.own(labeler, units)


def counts(ledger: Database, now: float = 0.0, labeler: str | None = None, *, adjudicates: bool = False) -> tuple[int, int, int]:
    found: TurnCounts = ledger.turn_counts("s", now=now, labeler=labeler, adjudicates=adjudicates)
    return found.open, found.held, found.told


def known(ledger: Database) -> dict[str, UnitTurns]:
    with ledger.writing("s") as act:
        return act.turns()


def test_units_are_leased_in_the_order_they_came(ledger: Database) -> None:
    add(ledger, *looks("z", "m", "a"))
    add(ledger, *looks("b"))
    assert take(ledger, "ada", 2) == ["z", "m"]
    assert take(ledger, "bob", 5) == ["a", "b"]
    assert take(ledger, "eve") == []
    assert counts(ledger) == (0, 4, 0)


def test_studies_have_turns_of_their_own(ledger: Database) -> None:
    add(ledger, *looks("a"))
    add(ledger, *looks("a", "b"), study="t")
    assert take(ledger, "ada") == ["a"]
    assert take(ledger, "ada", study="t") == ["a", "b"]
    assert ledger.give_back("t", "ada", ["a", "b"]) == 2
    assert counts(ledger) == (0, 1, 0)


def test_what_is_held_comes_first_and_its_lease_is_renewed(ledger: Database) -> None:
    add(ledger, *looks("a", "b", "c"))
    assert take(ledger, "ada", 2, now=0.0) == ["a", "b"]
    assert take(ledger, "ada", 2, now=90.0) == ["a", "b"]
    assert take(ledger, "bob", 3, now=150.0) == ["c"]  # the first lease would be over
    assert take(ledger, "ada", 3, now=150.0) == ["a", "b"]


def test_a_lease_that_is_over_is_open_to_others(ledger: Database) -> None:
    add(ledger, *looks("a"))
    take(ledger, "ada", now=0.0)
    assert take(ledger, "bob", now=100.0) == []  # up to its last moment it is hers
    assert take(ledger, "bob", now=100.1) == ["a"]
    assert own(ledger, "ada", "a") == set()
    assert own(ledger, "bob", "a") == {"a"}


def test_a_lease_that_is_over_stays_the_labelers_until_somebody_takes_it(ledger: Database) -> None:
    add(ledger, *looks("a", "b"))
    take(ledger, "ada", now=0.0)
    assert counts(ledger, now=500.0) == (2, 0, 0)
    assert own(ledger, "ada", "a", "b") == {"a", "b"}
    finish(ledger, "ada", "a", at=500.0)
    assert take(ledger, "bob", now=501.0) == ["b"]
    assert take(ledger, "ada", now=700.0) == ["b"]  # and the other way


def test_what_is_given_back_is_open_at_once(ledger: Database) -> None:
    add(ledger, *looks("a", "b", "c"))
    take(ledger, "ada")
    finish(ledger, "ada", "c")
    assert ledger.give_back("s", "bob", ["a", "b"]) == 0
    assert ledger.give_back("s", "ada", ["a", "b", "c", "nothing"]) == 2
    assert own(ledger, "ada", "a", "b", "c") == {"c"}
    assert take(ledger, "bob") == ["a", "b"]


def test_nobody_has_two_turns_of_one_unit(ledger: Database) -> None:
    add(ledger, Turn("a", 1), Turn("a", 2, "double"), Turn("b", 1), Turn("c", 1), Turn("c", 2, "double"))
    assert take(ledger, "ada", 2) == ["a", "b"]  # two units, though the second row is of the first unit
    assert take(ledger, "ada") == ["a", "b", "c"]
    finish(ledger, "ada", "a", "b", "c")
    assert take(ledger, "ada") == []
    assert take(ledger, "bob") == ["a", "c"]
    assert counts(ledger) == (0, 2, 3)
    finish(ledger, "bob", "a", at=50.0)
    assert take(ledger, "ada", now=1_000.0) == []  # bob's lease of c is over, but she has told it
    assert take(ledger, "eve", now=1_000.0) == ["c"]


def test_a_labeler_whose_lease_is_over_has_one_of_two_turns_again(ledger: Database) -> None:
    add(ledger, Turn("a", 1), Turn("a", 2, "double"))
    take(ledger, "ada", now=0.0)
    assert take(ledger, "bob", now=200.0) == ["a"]
    assert take(ledger, "ada", now=200.0) == ["a"]
    assert counts(ledger, now=200.0) == (0, 2, 0)
    finish(ledger, "ada", "a", at=201.0)
    assert counts(ledger, now=202.0) == (0, 1, 1)
    assert own(ledger, "bob", "a") == {"a"}


def test_adjudication_is_apart(ledger: Database) -> None:
    add(ledger, Turn("a", 1), Turn("a", 2, "double"), Turn("b", 1))
    for labeler in ("ada", "bob"):
        take(ledger, labeler, 1)
        finish(ledger, labeler, "a")
    add(ledger, Turn("a", 3, "adjudication"))
    with ledger.writing("s") as act:
        assert act.adjudicated() == {"a"}
    assert take(ledger, "eve") == ["b"]
    assert take(ledger, "ada", adjudicates=True) == []  # she gave one of the answers
    assert take(ledger, "eve", adjudicates=True) == ["a"]
    assert counts(ledger, adjudicates=True) == (0, 1, 0)
    assert counts(ledger) == (0, 1, 2)


def test_a_check_is_only_its_labelers_and_comes_first(ledger: Database) -> None:
    add(ledger, *looks("a", "b"))
    add(ledger, Turn("g", 1, "check", "ada"))
    assert take(ledger, "bob", 5) == ["a", "b"]
    assert take(ledger, "bob", 5, now=10_000.0) == ["a", "b"]
    assert take(ledger, "ada", 1) == ["g"]
    with ledger.writing("s") as act:
        assert act.checks("ada") == {"g"}
        assert act.checks("bob") == set()
    assert ledger.give_back("s", "ada", ["g"]) == 0
    finish(ledger, "ada", "g")
    with ledger.writing("s") as act:
        assert act.checks("ada") == set()


def test_a_turn_named_for_a_labeler_comes_before_open_ones(ledger: Database) -> None:
    add(ledger, *looks("a", "b"))
    add(ledger, Turn("g", 1, "check", "ada"))
    assert take(ledger, "ada", 2) == ["g", "a"]


def test_a_unit_handed_out_again_is_for_whomever(ledger: Database) -> None:
    add(ledger, *looks("a"))
    take(ledger, "ada")
    finish(ledger, "ada", "a")
    add(ledger, Turn("a", 2, "again"))
    assert take(ledger, "ada") == ["a"]
    assert take(ledger, "bob") == []
    finish(ledger, "ada", "a", at=2.0)
    assert counts(ledger) == (0, 0, 2)


def test_an_answer_ends_the_labelers_own_turn(ledger: Database) -> None:
    add(ledger, Turn("a", 1), Turn("a", 2, "double"))
    take(ledger, "ada")
    take(ledger, "bob")
    finish(ledger, "bob", "a", seconds=3.5)
    assert own(ledger, "ada", "a") == {"a"}
    assert counts(ledger, labeler="bob") == (0, 0, 1)
    assert counts(ledger, labeler="ada") == (0, 1, 0)
    assert ledger.seconds("s") == {"bob": [3.5]}


def test_an_answer_from_elsewhere_ends_a_turn_that_nobody_holds(ledger: Database) -> None:
    add(ledger, *looks("a", "b", "c"))
    take(ledger, "ada", 1)
    finish(ledger, "file", "b", "c")
    assert counts(ledger) == (0, 1, 2)
    assert take(ledger, "bob") == []


def test_an_answer_from_elsewhere_leaves_a_turn_that_somebody_holds(ledger: Database) -> None:
    add(ledger, Turn("a", 1))
    take(ledger, "ada", now=0.0)
    finish(ledger, "file", "a", at=50.0)
    assert own(ledger, "ada", "a") == {"a"}
    assert counts(ledger) == (0, 1, 1)  # both looked
    add(ledger, Turn("a", 3, "double"))
    assert take(ledger, "file", now=60.0) == []
    assert take(ledger, "bob", now=60.0) == ["a"]


def test_an_answer_from_elsewhere_ends_a_lease_that_is_over(ledger: Database) -> None:
    add(ledger, Turn("a", 1))
    take(ledger, "ada", now=0.0)
    finish(ledger, "file", "a", at=500.0)
    assert own(ledger, "ada", "a") == set()
    assert counts(ledger) == (0, 0, 1)


@pytest.mark.parametrize("together", [True, False])
def test_told_twice_ends_one_turn(ledger: Database, together: bool) -> None:
    """A correction, a repeated request, several questions of one unit: none of them takes the look of a second labeler."""
    add(ledger, Turn("a", 1), Turn("a", 2, "double"))
    take(ledger, "ada")
    for units in (["a", "a"],) if together else (["a"], ["a"]):
        finish(ledger, "ada", *units)
    assert counts(ledger) == (1, 0, 1)
    assert take(ledger, "bob") == ["a"]


def test_a_unit_without_turns_gets_none(ledger: Database) -> None:
    add(ledger, *looks("a"))
    finish(ledger, "file", "x")
    assert known(ledger) == {"a": UnitTurns(newest=1, waiting=1)}


def test_a_turn_that_was_told_elsewhere_is_told(ledger: Database) -> None:
    add(ledger, Turn("a", 1, "label", "file", 5.0), Turn("a", 2, "double"))
    assert known(ledger) == {"a": UnitTurns(newest=2, waiting=1)}
    assert take(ledger, "file") == []
    assert take(ledger, "ada") == ["a"]
    assert counts(ledger) == (0, 1, 1)


def test_many_answers_at_once_end_their_turns(ledger: Database) -> None:
    units = [f"u{i}" for i in range(1_203)]
    add(ledger, *looks(*units))
    assert len(take(ledger, "ada", 2_000)) == 1_203
    finish(ledger, "ada", *units)
    assert counts(ledger) == (0, 0, 1_203)


def test_an_act_that_raises_leaves_turns_as_they_were(ledger: Database) -> None:
    add(ledger, *looks("a"))
    take(ledger, "ada")

    def fail() -> None:
        with ledger.writing("s") as act:
            act.add_turns(looks("b"))
            act.finish([Finished("a", "ada", 1.0)])
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert counts(ledger) == (0, 1, 0)


@pytest.mark.parametrize("name", ["'; drop table turn; --", "\u202eada", "%", "\u4f60 \U0001f575", "x" * 2_000])
def test_names_and_units_may_be_any_text(ledger: Database, name: str) -> None:
    add(ledger, *looks(name, "other"))
    assert take(ledger, name, 1) == [name]
    finish(ledger, name, name)
    assert counts(ledger) == (1, 0, 1)


def test_one_labeler_who_asks_twice_at_once_has_no_unit_twice(ledger: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        for i in range(15):
            names = [f"{i}:{j}" for j in range(4)]
            add(ledger, *[Turn(unit, number) for unit in names for number in (1, 2)])
            list(pool.map(lambda _, who=f"ada{i}": take(ledger, who, 4), range(4)))
            finish(ledger, f"ada{i}", *names)
            finish(ledger, "eve", *names)  # the other turn is free for her
    assert set(known(ledger).values()) == {UnitTurns(newest=2, waiting=0)}


TAKING = """
import sys
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.tables import LISTING
from fewlabels.nouns.turn import Finished
address, who, rounds = sys.argv[1:]
ledger = open_ledger(address)
print("open", flush=True)
sys.stdin.readline()
for i in range(int(rounds)):
    units = [one.unit for one in ledger.take("s", who, units=3, now=0.0, until=1e6)]
    print(*units, flush=True)
    with ledger.writing("s") as act:
        act.finish([Finished(unit, who, 1.0) for unit in units])
"""


def leased_at_once(address: str, *, labelers: Sequence[str], rounds: int) -> dict[str, list[str]]:
    """The units that processes got which asked at the same time."""
    command = [sys.executable, "-c", TAKING, address]
    env = {"PYTHONPATH": ":".join(sys.path)}
    pipe = subprocess.PIPE
    workers = {
        who: subprocess.Popen([*command, who, str(rounds)], env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for who in labelers
    }
    for worker in workers.values():
        assert worker.stdout is not None
        assert worker.stdout.readline() == "open\n"
    for worker in workers.values():
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    found = {}
    for who, worker in workers.items():
        out, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors
        found[who] = out.split()
    return found


def test_processes_that_ask_at_once_never_get_the_same_turn(under: UnderTest, ledger: Database, tmp_path: Path) -> None:
    units = [f"u{i:03d}" for i in range(240)]
    add(ledger, *looks(*units))
    found = leased_at_once(under.address(tmp_path), labelers=("ada", "bob", "eve"), rounds=60)  # one alone cannot have all
    given = Counter(unit for got in found.values() for unit in got)
    assert max(given.values()) == 1
    assert set(given) == set(units)
    assert sum(bool(got) for got in found.values()) > 1
    assert counts(ledger) == (0, 0, 240)


def test_what_is_put_off_comes_after_all_others(ledger: Database) -> None:
    add(ledger, *looks("a", "b", "c", "d"))
    assert take(ledger, "ada", 2) == ["a", "b"]
    assert ledger.later("s", "bob", ["a", "b"]) == 0, "they are not his"
    assert ledger.later("s", "ada", ["a", "nothing"]) == 1
    assert counts(ledger) == (3, 1, 0)
    assert own(ledger, "ada", "a") == set()
    assert take(ledger, "ada") == ["b", "c", "d", "a"], "the last, while others are open"
    finish(ledger, "ada", "b", "c", "d")
    assert ledger.later("s", "ada", ["b", "a"]) == 1, "what was told stays"
    assert take(ledger, "ada") == ["a"], "nothing else is open"
    add(ledger, *looks("e"))
    assert ledger.later("s", "ada", ["a"]) == 1
    assert take(ledger, "bob") == ["e", "a"], "anybody may take it"


def test_several_put_off_at_once_keep_their_order(ledger: Database) -> None:
    add(ledger, *looks("a", "b", "c", "d"))
    take(ledger, "ada")
    assert ledger.later("s", "ada", ["c", "a"]) == 2
    assert ledger.give_back("s", "ada", ["b", "d"]) == 2
    assert take(ledger, "bob") == ["b", "d", "a", "c"]


def test_a_check_that_is_put_off_comes_back_like_any_other_unit(ledger: Database) -> None:
    add(ledger, *looks("a", "b"))
    add(ledger, Turn("g", 1, "check", "ada"))
    assert take(ledger, "ada", 1) == ["g"]
    assert ledger.later("s", "ada", ["g"]) == 1
    assert take(ledger, "ada", 1, now=1.0) == ["a"], "not before the others, which would give it away"
    with ledger.writing("s") as act:
        assert act.checks("ada") == {"g"}, "so no second check is mixed in"
    assert own(ledger, "ada", "g") == {"g"}
    assert take(ledger, "ada", now=1.0) == ["a", "b", "g"]


def test_a_second_look_and_a_dispute_can_be_put_off(ledger: Database) -> None:
    add(ledger, Turn("a", 1), Turn("a", 2, "double"), Turn("b", 1))
    take(ledger, "ada", 1)
    assert take(ledger, "bob") == ["a", "b"]
    assert ledger.later("s", "bob", ["a"]) == 1
    assert own(ledger, "ada", "a") == {"a"}, "hers is another look"
    assert take(ledger, "eve") == ["a"]
    add(ledger, Turn("b", 2, "adjudication"), Turn("c", 2, "adjudication"))
    assert take(ledger, "adi", 1, adjudicates=True) == ["b"]
    assert ledger.later("s", "adi", ["b"]) == 1
    assert take(ledger, "adi", adjudicates=True) == ["c", "b"]


def test_where_a_turn_waits_for_somebody(ledger: Database) -> None:
    add(ledger, *looks("a"))
    add(ledger, *looks("a"), study="t")

    def where(labeler: str, now: float = 1.0) -> list[str]:
        return ledger.open_to(labeler, ["t", "s", "none"], now=now)

    assert where("ada") == ["t", "s"]
    take(ledger, "ada")
    assert (where("ada"), where("bob"), where("bob", now=LEASE + 1)) == (["t", "s"], ["t"], ["t", "s"])
    finish(ledger, "ada", "a")
    assert (where("ada"), where("bob")) == (["t"], ["t"])
    add(ledger, Turn("a", 2, "double"))
    assert (where("ada"), where("bob")) == (["t"], ["t", "s"]), "she has looked"
    with ledger.connection() as connection:
        connection.execute(sa.insert(LISTING).values(study="t", owner=None, archived=1.0))
    assert where("bob") == ["s"]
