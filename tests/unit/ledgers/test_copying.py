"""A copy is the same study: entry by entry, number by number, from either database to either; carried on, never mixed."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from fewlabels.desk.desk import Desk, Said
from fewlabels.errors import LedgerError
from fewlabels.ledgers import copying
from fewlabels.ledgers.copying import backup, copy
from fewlabels.ledgers.database import Database
from fewlabels.ledgers.opening import open_ledger
from fewlabels.ledgers.people import People
from fewlabels.ledgers.sqlite import SqliteLedger
from fewlabels.ledgers.tables import CONTENT, MEMBER, PERSON, SECRET, SHEET, TURN
from fewlabels.nouns.sheet import FormColumn, Sheet
from fewlabels.study.study import Study
from tests.contracts.ledgers_under_test import LEDGERS, UnderTest
from tests.contracts.servers import NEEDS_POSTGRES
from tests.unit.study.made import GOALS, TRUTH, population

BOTH_WAYS = [
    pytest.param(one, other, id=f"{one}-{other}", marks=[NEEDS_POSTGRES] if "postgres" in (one.name, other.name) else [])
    for one in LEDGERS
    for other in LEDGERS
]
both_ways = pytest.mark.parametrize(("source", "target"), BOTH_WAYS)
BESIDE = (TURN, SHEET, CONTENT)


def opened(under: UnderTest, folder: Path) -> Database:
    folder.mkdir(exist_ok=True)
    ledger = open_ledger(under.address(folder))
    assert isinstance(ledger, Database)
    return ledger


def labeled(ledger: Database, name: str = "s", *, answers: int = 15) -> Study:
    """A study in the middle of its work: turns told and leased, content held, a sheet."""
    study = Study.create(name, population(), goals=list(GOALS), ledger=ledger)
    study.plan(40)
    desk = Desk(study)
    desk.set_sheet(Sheet(show=(FormColumn("text"),), instructions="Read \u4f60\u597d."))
    with ledger.connection() as connection:  # a form from before forms were entries
        connection.execute(sa.insert(SHEET).values(study=name, body="{}"))
    given = desk.take("ada", answers + 3)
    question = desk.questions[0]
    desk.tell("ada", [Said(one.unit, {question: TRUTH[one.unit]}, seconds=0.1) for one in given[:answers]])
    return study


def beside(ledger: Database, study: str = "s") -> list[list[tuple[Any, ...]]]:
    with ledger.reading() as connection:
        found = [connection.execute(sa.select(table).where(table.c.study == study)).all() for table in BESIDE]
    return [sorted(tuple(row) for row in rows) for rows in found]


def numbers(ledger: Database, study: str = "s") -> str:
    found = Study.load(study, ledger=ledger)
    found.close()
    assert found.verify().findings == ()
    return json.dumps(found.estimate().as_json())


@both_ways
def test_a_copy_is_the_same_study(source: UnderTest, target: UnderTest, tmp_path: Path) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here)
    done = copy(here, there)
    entries = here.entries("s", anew=True)
    assert there.entries("s", anew=True) == entries
    assert beside(there) == beside(here)
    assert all(beside(here))
    assert [one.as_json() for one in done] == [
        {"study": "s", "entries": len(entries), "added": len(entries), "turns": len(beside(here)[0]), "contents": 40}
    ]
    assert Study.load("s", ledger=there).verify().findings == ()
    assert numbers(there) == numbers(here)


@both_ways
def test_work_goes_on_in_the_copy(source: UnderTest, target: UnderTest, tmp_path: Path) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here)
    held = {one.unit for one in here.take("s", "ada", units=3, now=0.0, until=9e9)}
    copy(here, there)
    desk = Desk(Study.load("s", ledger=there, table=population().table))
    assert {one.unit for one in desk.take("ada", 3)} == held  # her lease came along
    assert not held & {one.unit for one in desk.take("bob", 30)}
    assert desk.tell("ada", [Said(unit, {desk.questions[0]: "yes"}) for unit in held])[0].status == "recorded"
    assert there.last("s") == here.last("s") + 3


@both_ways
def test_a_copy_is_repeated_and_carried_on(source: UnderTest, target: UnderTest, tmp_path: Path) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    study = labeled(here)
    copy(here, there)
    assert copy(here, there)[0].added == 0
    units = [one.unit for one in Desk(study).take("bob", 4)]
    study.tell({unit: TRUTH[unit] for unit in units})
    here.forget("s")
    assert copy(here, there)[0].added == 4
    assert there.entries("s") == here.entries("s")
    assert beside(there) == beside(here)
    assert beside(there)[2] == []


def test_studies_are_copied_by_name_and_others_stay(tmp_path: Path) -> None:
    here, there = opened(LEDGERS[0], tmp_path / "here"), opened(LEDGERS[0], tmp_path / "there")
    for name in ("a", "b", "c"):
        labeled(here, name)
    labeled(there, "other")
    before = there.entries("other"), beside(there, "other")
    said: list[str] = []
    done = copy(here, there, studies=["c", "a", "c"], watch=said.append)
    assert [one.study for one in done] == ["c", "a"]
    assert [line.split(":")[0] for line in said] == ["c", "a"]
    assert there.studies() == ["a", "c", "other"]
    assert (there.entries("other"), beside(there, "other")) == before
    with pytest.raises(LedgerError, match=r"no study 'z' in the ledger at .*\(it has: a, b, c\): check the name"):
        copy(here, there, studies=["b", "z"])
    assert "b" not in there.studies()


@both_ways
def test_people_and_secrets_are_not_copied(source: UnderTest, target: UnderTest, tmp_path: Path) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here)
    with here.connection() as connection:
        connection.execute(sa.insert(PERSON).values(name="ada", is_owner=True, at=1.0))
        connection.execute(sa.insert(MEMBER).values(person="ada", study="s", role="labeler"))
        connection.execute(sa.insert(SECRET).values(hash="x", kind="token", person="ada", note="", at=1.0, until=None))
    copy(here, there)
    with there.reading() as connection:
        for table in (PERSON, MEMBER, SECRET):
            assert connection.execute(sa.select(table)).all() == []
    assert isinstance(People(there), People)


@both_ways
def test_another_study_of_that_name_is_refused_and_left_alone(source: UnderTest, target: UnderTest, tmp_path: Path) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here)
    labeled(there)
    before = there.entries("s"), beside(there)
    with pytest.raises(LedgerError, match=r"in study 's' at .* entry 1 \(population, population\) differs: copy to a ledger without it"):
        copy(here, there)
    assert (there.entries("s", anew=True), beside(there)) == before


def test_a_copy_that_has_gone_on_is_refused_by_its_first_own_entry(tmp_path: Path) -> None:
    here, there = opened(LEDGERS[0], tmp_path / "here"), opened(LEDGERS[0], tmp_path / "there")
    study = labeled(here)
    copy(here, there)
    last = here.last("s")
    with there.writing("s") as act:
        act.append("answer", key="theirs", body={})
    rule = rf"entry {last + 1} \(answer, theirs\) "
    with pytest.raises(LedgerError, match=rule + "comes after the last one of the source: .*copy the other way"):
        copy(here, there)
    study.tell({study.standing.unresolved[0]: "yes"})
    with pytest.raises(LedgerError, match=rule + "differs"):
        copy(here, there)
    assert there.entries("s")[-1].key == "theirs"


DAMAGES: dict[str, Callable[[sqlite3.Connection], Any]] = {
    "changed": lambda c: c.execute("update entry set body = replace(body, 'ada', 'eve') where serial = 9 and study = 's'"),
    "removed": lambda c: c.execute("delete from entry where serial = 9 and study = 's'"),
    "no text": lambda c: c.execute("update entry set body = cast(x'ff00' as text) where serial = 9 and study = 's'"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_study_is_refused_and_the_others_are_copied(damage: str, tmp_path: Path) -> None:
    here, there = opened(LEDGERS[0], tmp_path / "here"), opened(LEDGERS[0], tmp_path / "there")
    labeled(here)
    labeled(here, "whole")
    with sqlite3.connect(tmp_path / "here" / "ledger.db") as connection:
        DAMAGES[damage](connection)
    connection.close()
    with pytest.raises(LedgerError, match=r"in study 's' at .* entry \d+ .*: see fewlabels verify, and restore it"):
        copy(open_ledger(f"sqlite:///{tmp_path}/here/ledger.db"), there)
    assert there.studies() == []
    copy(open_ledger(f"sqlite:///{tmp_path}/here/ledger.db"), there, studies=["whole"])
    assert there.studies() == ["whole"]


@both_ways
def test_a_copy_that_is_cut_short_leaves_no_part_of_a_study(
    source: UnderTest, target: UnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here)
    whole = copying._replace

    def cut(a: sa.Connection, b: sa.Connection, table: sa.Table, study: str) -> int:
        if table is CONTENT:
            raise RuntimeError("cut")
        return whole(a, b, table, study)

    with monkeypatch.context() as patched:
        patched.setattr(copying, "_replace", cut)
        with pytest.raises(RuntimeError, match="cut"):
            copy(here, there)
    assert there.studies() == []
    assert beside(there) == [[], [], []]
    assert copy(here, there)[0].added == here.last("s")


@both_ways
def test_a_copy_shows_one_moment(source: UnderTest, target: UnderTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study that somebody writes to while another is copied comes as it was when the copy began."""
    here, there = opened(source, tmp_path / "here"), opened(target, tmp_path / "there")
    labeled(here, "a")
    labeled(here, "b")
    before = here.entries("b")
    monkeypatch.setattr("fewlabels.ledgers.sqlite.WAIT_SECONDS", 0.05)  # nobody waits for who reads
    writer = open_ledger(source.address(tmp_path / "here"))

    def write(_: str) -> None:
        with writer.writing("b") as act:
            act.append("answer", key="late", body={})

    copy(here, there, watch=write)
    assert there.entries("b") == before
    assert len(here.entries("b")) == len(before) + 1


def test_a_ledger_is_not_copied_to_itself(tmp_path: Path) -> None:
    here = opened(LEDGERS[0], tmp_path)
    labeled(here)
    (tmp_path / "link.db").symlink_to(tmp_path / "ledger.db")
    for address in (
        f"sqlite:///{tmp_path}/ledger.db",
        f"sqlite:///{tmp_path}/../{tmp_path.name}/ledger.db",
        f"sqlite:///{tmp_path}/link.db",
    ):
        with pytest.raises(LedgerError, match="a ledger must be copied to a different one, but both are"):
            copy(here, open_ledger(address))


@pytest.mark.parametrize(
    "source", [pytest.param(one, id=str(one), marks=[NEEDS_POSTGRES] if one.name == "postgres" else []) for one in LEDGERS]
)
def test_a_backup_is_a_new_file_with_everything(source: UnderTest, tmp_path: Path) -> None:
    here = opened(source, tmp_path / "here")
    labeled(here)
    labeled(here, "t")
    done = backup(here, tmp_path / "kept.db")
    assert [one.study for one in done] == ["s", "t"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "kept.db"]
    there = SqliteLedger(f"sqlite:///{tmp_path}/kept.db", create=False)
    for study in ("s", "t"):
        assert there.entries(study) == here.entries(study)
        assert beside(there, study) == beside(here, study)
    assert numbers(there) == numbers(here)


def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    here = opened(LEDGERS[0], tmp_path / "here")
    labeled(here)
    (tmp_path / "kept.db").write_text("something else")
    with pytest.raises(LedgerError, match=r"a backup must be a new file, but .*kept.db exists: name another, or move it away"):
        backup(here, tmp_path / "kept.db")
    assert (tmp_path / "kept.db").read_text() == "something else"
    with pytest.raises(LedgerError, match=r"the folder .*none of the backup does not exist: make it"):
        backup(here, tmp_path / "none" / "kept.db")


def test_a_file_that_comes_while_a_backup_is_written_is_kept(tmp_path: Path) -> None:
    here = opened(LEDGERS[0], tmp_path / "here")
    labeled(here)

    def comes(_: str) -> None:
        (tmp_path / "kept.db").write_text("theirs")

    with pytest.raises(LedgerError, match=r"kept.db now exists"):
        backup(here, tmp_path / "kept.db", watch=comes)
    assert (tmp_path / "kept.db").read_text() == "theirs"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "kept.db"]


SPOILS = (
    "update entry set body = replace(body, 'ada', 'eve')",
    "delete from entry where serial > 12",
    "delete from content where rowid = 1",
    "delete from turn where number = 1 and told is null",
)


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_backup_that_does_not_read_back_is_refused_and_removed(spoil: str, tmp_path: Path) -> None:
    here = opened(LEDGERS[0], tmp_path / "here")
    labeled(here)

    def spoiled(line: str) -> None:
        if line == "reading the backup back":
            (part,) = tmp_path.glob(".kept.db.*.part")
            with sqlite3.connect(part) as connection:
                assert connection.execute(spoil).rowcount > 0
            connection.close()

    with pytest.raises(LedgerError, match="the backup of study 's' does not read back as it was written"):
        backup(here, tmp_path / "kept.db", watch=spoiled)
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_an_empty_ledger_is_backed_up(tmp_path: Path) -> None:
    assert backup(opened(LEDGERS[0], tmp_path / "here"), tmp_path / "kept.db") == []
    assert open_ledger(f"sqlite:///{tmp_path}/kept.db", create=False).studies() == []


def test_forgotten_content_is_not_left_in_the_file(tmp_path: Path) -> None:
    here = opened(LEDGERS[0], tmp_path)
    labeled(here)

    def stored() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.glob("ledger.db*"))  # the write-ahead file too

    assert b"text of u0" in stored()
    assert here.forget("s") == 40
    assert b"text of u0" not in stored()
    assert here.forget("s") == 0
