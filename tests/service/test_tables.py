"""Tables of new studies: the data folder, uploads that are hostile, large, foreign or alike, previews, and goals as they are typed."""

import io
import os
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.testclient import TestClient

from fewlabels.service.app import create_app
from fewlabels.service.settings import Settings
from fewlabels.service.uploads import ARRIVING, cleaned, sweep, uploads
from tests.service.workbench import Bench

ROWS = "".join(f"u{i},{i / 50},text {i}\n" for i in range(50))
TABLE = f"id,score,text\n{ROWS}".encode()
GOALS = ["precision +-0.2"]


def upload(client: TestClient, name: str, body: bytes) -> httpx.Response:
    return client.post("/api/uploads", params={"name": name}, content=body, headers={"content-type": "application/octet-stream"})


def kept(bench: Bench) -> list[str]:
    """Every file that uploads left, those on their way too."""
    folder = bench.folder / "data" / "uploads"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) if folder.exists() else []


def make_study(client: TestClient, name: str, source: str) -> None:
    body = {"name": name, "population": {"source": source, "score": "score", "threshold": 0.5}, "goals": GOALS}
    answer = client.post("/api/studies", json=body)
    assert answer.status_code == 201, answer.text


def use(bench: Bench, **settings: Any) -> None:
    """Changes the settings of a server that runs."""
    held = bench.app.state.bench
    held.settings = replace(held.settings, **settings)


# ---------------------------------------------------------------- the data folder


def test_the_data_folder_is_listed_without_what_lies_outside_or_is_hidden(bench: Bench) -> None:
    data = bench.folder / "data"
    (data / "deep" / "er").mkdir(parents=True)
    for name in ("deep/t.csv", ".secret.csv", "notes.txt", "book.xlsx", "odd[1].csv", "deep/er/x.tsv.gz"):
        (data / name).write_bytes(b"id\n1\n")
    (bench.folder / "payroll.csv").write_text("id\n1\n")
    (data / "link.csv").symlink_to(bench.folder / "payroll.csv")
    (data / "out").symlink_to(bench.folder)
    (data / "round.csv").symlink_to(data / "round.csv")
    owner = bench.browser()
    found = owner.get("/api/files").json()
    assert found["folders"] == ["deep"]
    assert [(one["name"], one["kind"]) for one in found["files"]] == [("book.xlsx", "Excel"), ("scored.parquet", "Parquet")]
    below = owner.get("/api/files", params={"folder": "deep"}).json()
    assert (below["folders"], [one["source"] for one in below["files"]]) == (["er"], ["deep/t.csv"])


@pytest.mark.parametrize("folder", ["..", "deep/../..", "/etc", "out", "missing", "scored.parquet", "de*", "postgresql://x/", "~"])
def test_no_other_folder_is_listed(shared: Bench, folder: str) -> None:
    (shared.folder / "data" / "out").unlink(missing_ok=True)
    (shared.folder / "data" / "out").symlink_to("/etc")
    answer = shared.browser().get("/api/files", params={"folder": folder})
    assert answer.status_code == 400
    assert "passwd" not in answer.text


def test_allowed_sources_are_listed_without_passwords(bench: Bench) -> None:
    use(bench, sources=("postgresql://etl:word@warehouse/risk", "spark:lake."))
    assert bench.browser().get("/api/files").json()["allowed"] == ["postgresql://warehouse/risk", "spark:lake."]


# ---------------------------------------------------------------- uploads


def test_an_upload_is_kept_listed_previewed_and_makes_a_study(bench: Bench) -> None:
    owner = bench.browser()
    answer = upload(owner, "week 46.csv", TABLE)
    assert answer.json() == {"name": "week 46.csv", "source": "uploads/week 46.csv", "changed": None}
    assert (bench.folder / "data" / "uploads" / "week 46.csv").read_bytes() == TABLE
    shown = owner.post("/api/preview", json={"source": "uploads/week 46.csv"}).json()
    assert (shown["units"], shown["source"], shown["name"]) == (50, "uploads/week 46.csv", "week-46")
    make_study(owner, "mine", shown["source"])
    (listed,) = owner.get("/api/uploads").json()["uploads"]
    assert (listed["name"], listed["bytes"], listed["studies"], listed["kind"]) == ("week 46.csv", len(TABLE), ["mine"], "CSV")
    assert owner.get("/api/files").json()["folders"] == [], "uploads have a list of their own"


def test_two_uploads_of_one_name_are_two_files(bench: Bench) -> None:
    owner = bench.browser()
    names = [upload(owner, "t.csv", body).json()["name"] for body in (TABLE, TABLE.replace(b"text", b"word"), TABLE)]
    assert names == ["t.csv", "t-2.csv", "t-3.csv"]
    assert (bench.folder / "data" / "uploads" / "t.csv").read_bytes() == TABLE


@pytest.mark.parametrize(
    ("name", "kept_as"),
    [
        ("../../escape.csv", "escape.csv"),
        ("..\\..\\escape.csv", "escape.csv"),
        ("/etc/cron.d/x.csv", "x.csv"),
        (".hidden.csv", "hidden.csv"),
        ("glob[1]*?.csv", "glob-1.csv"),
        ("a#b%2e%2e.csv", "a-b-2e-2e.csv"),
        ("....csv", "table.csv"),
        ("\u202egnp.csv", "gnp.csv"),
        ("<img src=x>.CSV", "img src-x.csv"),
        ("Übersicht – März.csv", "Übersicht - März.csv"),  # noqa: RUF001 - a dash as people type it
        ("é" * 200 + ".csv", "é" * 50 + ".csv"),
    ],
)
def test_a_hostile_name_becomes_a_plain_one_inside_the_folder(bench: Bench, name: str, kept_as: str) -> None:
    answer = upload(bench.browser(), name, TABLE)
    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == kept_as == cleaned(name)
    assert kept(bench) == [kept_as]
    assert not list(bench.folder.glob("*.csv"))


@pytest.mark.parametrize("name", ["x.exe", "x", "x.csv.gz", "csv", ".csv.html", "x.xls"])
def test_only_tables_are_taken(bench: Bench, name: str) -> None:
    answer = upload(bench.browser(), name, TABLE)
    assert answer.status_code == 400
    assert ".parquet" in answer.json()["error"]
    assert kept(bench) == []


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("x.parquet", b"PAR1 but nothing else PAR1"),
        ("x.parquet", TABLE),
        ("x.csv", b""),
        ("x.csv", b"id,score\n"),
        ("x.csv", b"\xff\xfea"),
        ("x.xlsx", TABLE),
        ("x.xlsx", b"PK\x03\x04"),
    ],
)
def test_what_cannot_be_read_as_a_table_is_deleted_and_said_why(bench: Bench, name: str, body: bytes) -> None:
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    answer = upload(bench.browser(), name, body)
    assert answer.status_code == 400, answer.text
    assert str(bench.folder) not in answer.text
    assert ARRIVING not in answer.text
    assert kept(bench) == []


def test_a_file_that_is_too_large_is_refused_before_and_while_it_arrives(bench: Bench) -> None:
    use(bench, upload_bytes=2_000_000)
    owner = bench.browser()
    large = b"id,score\n" + b"1,0.5\n" * 400_000
    assert upload(owner, "large.csv", large).status_code == 413

    def parts() -> Iterator[bytes]:
        for at in range(0, len(large), 100_000):
            yield large[at : at + 100_000]

    answer = owner.post("/api/uploads", params={"name": "large.csv"}, content=parts())  # without a length
    assert answer.status_code == 413
    assert kept(bench) == []
    fine = b"id,score\n" + b"1,0.5\n" * 300_000
    assert upload(owner, "fine.csv", fine).status_code == 201, "larger than other requests may be"
    assert owner.post("/api/goals", content=fine).status_code == 413, "the limit is that of uploads alone"
    assert owner.put("/api/uploads", content=fine).status_code == 413


def test_uploads_can_be_switched_off(bench: Bench) -> None:
    use(bench, upload_bytes=0)
    owner = bench.browser()
    assert upload(owner, "t.csv", TABLE).status_code == 409
    assert owner.get("/api/uploads").json()["most_bytes"] == 0
    assert kept(bench) == []


def test_only_owners_upload_and_only_with_the_token_of_their_page(bench: Bench) -> None:
    for person in ("ann", "adi", "vic", "bob"):
        client = bench.browser(person)
        assert upload(client, "t.csv", TABLE).status_code == 403
        assert client.get("/api/uploads").status_code == client.get("/api/files").status_code == 403
    owner = bench.browser()
    assert upload(bench.anonymous(), "t.csv", TABLE).status_code == 401
    del owner.headers["X-CSRF-Token"]
    assert upload(owner, "t.csv", TABLE).status_code == 403
    assert kept(bench) == []


def test_uploads_do_not_follow_a_link_out_of_the_data_folder(bench: Bench) -> None:
    elsewhere = bench.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "own.csv").write_bytes(TABLE)
    (bench.folder / "data" / "uploads").symlink_to(elsewhere)
    owner = bench.browser()
    assert upload(owner, "t.csv", TABLE).status_code == 400
    assert owner.get("/api/uploads").status_code == 400
    assert owner.delete("/api/uploads/own.csv").status_code == 400
    assert [path.name for path in elsewhere.iterdir()] == ["own.csv"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "utf-8"])
def test_text_of_another_encoding_with_semicolons_is_kept_in_utf_8(bench: Bench, encoding: str) -> None:
    body = "id;score;text\n" + "".join(f"u{i};{i / 50};Grüße, «{i}»\n" for i in range(50))
    answer = upload(bench.browser(), "deutsch.csv", body.encode(encoding))
    assert answer.status_code == 201, answer.text
    assert (answer.json()["changed"] is None) == encoding.startswith("utf-8")
    shown = bench.browser().post("/api/preview", json={"source": "uploads/deutsch.csv"}).json()
    assert [one["name"] for one in shown["columns"]] == ["id", "score", "text"]
    assert shown["rows"][1] == ["u1", "0.02", "Grüße, «1»"]
    assert shown["scores"][0]["column"] == "score"


def test_an_upload_that_a_study_reads_is_deleted_only_when_asked_twice(bench: Bench) -> None:
    owner = bench.browser()
    for name in ("read.csv", "free.csv"):
        upload(owner, name, TABLE)
    make_study(owner, "mine", "uploads/read.csv")
    refused = owner.delete("/api/uploads/read.csv")
    assert refused.status_code == 409
    assert "mine" in refused.json()["error"]
    assert owner.delete("/api/uploads/free.csv").status_code == 200
    assert kept(bench) == ["read.csv"]
    assert owner.delete("/api/uploads/free.csv").status_code == 404
    assert owner.delete("/api/uploads/read.csv", params={"although_read": True}).status_code == 200
    assert kept(bench) == []
    for name in ("..%2Fscored.parquet", "..", ".", "%2e%2e%2fscored.parquet", "sheets", "x%00.csv"):
        assert owner.delete(f"/api/uploads/{name}").status_code in (404, 405), name
    assert (bench.folder / "data" / "scored.parquet").exists()


def test_a_folder_of_uploads_that_is_a_table_counts_as_reading_each(bench: Bench) -> None:
    owner = bench.browser()
    upload(owner, "t.csv", TABLE)
    make_study(owner, "whole", "uploads")
    assert owner.get("/api/uploads").json()["uploads"][0]["studies"] == ["whole"]


def test_old_uploads_that_no_study_reads_are_deleted_when_a_server_starts(bench: Bench) -> None:
    owner = bench.browser()
    for name in ("read.csv", "old.csv", "new.csv"):
        upload(owner, name, TABLE)
    make_study(owner, "mine", "uploads/read.csv")
    folder, now = bench.folder / "data" / "uploads", bench.app.state.bench.clock()
    (folder / f"{ARRIVING}left.csv").write_text("given up")
    for name in ("read.csv", "old.csv", f"{ARRIVING}left.csv"):
        os.utime(folder / name, (now - 40 * 86_400,) * 2)
    settings = Settings(data=bench.folder / "data")
    assert sweep(settings, bench.app.state.bench.ledger, now=now) == [], "they are kept unless a time is set"
    assert kept(bench) == ["new.csv", "old.csv", "read.csv"], "but what was given up is not"
    create_app(bench.address, settings=replace(settings, upload_days=30.0))
    assert [one.name for one in uploads(settings, bench.app.state.bench.ledger)] == ["new.csv", "read.csv"]


# ---------------------------------------------------------------- Excel


def book(**sheets: list[list[object]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    made, out = openpyxl.Workbook(), io.BytesIO()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(out)
    return out.getvalue()


SCORED: list[list[object]] = [["id", "score", "text"], *[[f"u{i}", i / 50, f"text {i}"] for i in range(50)]]


def test_a_sheet_of_an_excel_file_makes_a_study_and_is_deleted_with_it(bench: Bench) -> None:
    owner = bench.browser()
    answer = upload(owner, "scores.xlsx", book(Scored=SCORED, Notes=[["note"], ["of a person"]]))
    assert answer.status_code == 201, answer.text
    first = owner.post("/api/preview", json={"source": "uploads/scores.xlsx"}).json()
    assert (first["sheets"], first["sheet"], first["units"], first["name"]) == (["Scored", "Notes"], "Scored", 50, "scores")
    other = owner.post("/api/preview", json={"source": "uploads/scores.xlsx", "sheet": "Notes"}).json()
    assert (other["sheet"], other["rows"]) == ("Notes", [["of a person"]])
    refused = owner.post("/api/preview", json={"source": "uploads/scores.xlsx", "sheet": "Nope"})
    assert (refused.status_code, refused.json()["field"]) == (400, "source")
    make_study(owner, "mine", first["source"])
    assert owner.get("/api/uploads").json()["uploads"][0]["studies"] == ["mine"]
    assert len(kept(bench)) == 3
    assert owner.delete("/api/uploads/scores.xlsx").status_code == 409
    assert owner.delete("/api/uploads/scores.xlsx", params={"although_read": True}).status_code == 200
    assert kept(bench) == []


def test_an_excel_file_that_unpacks_to_too_much_is_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openpyxl")
    monkeypatch.setattr("fewlabels.engines.excel.MOST_UNPACKED", 10_000_000)
    plain, bomb = io.BytesIO(book(Scored=SCORED)), io.BytesIO()
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        for part in source.infolist():
            made.writestr(part, source.read(part))
        made.writestr("xl/media/zeros.bin", bytes(20_000_000))
    assert len(bomb.getvalue()) < 200_000
    answer = upload(bench.browser(), "bomb.xlsx", bomb.getvalue())
    assert answer.status_code == 400
    assert "unpack" in answer.json()["error"]
    assert kept(bench) == []


def test_a_sheet_with_far_away_cells_is_refused_soon(bench: Bench) -> None:
    plain, bomb = io.BytesIO(book(Scored=SCORED)), io.BytesIO()
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        for part in source.infolist():
            text = source.read(part)
            made.writestr(part, text.replace(b'<row r="50"', b'<row r="500000000"') if part.filename.endswith("sheet1.xml") else text)
    answer = upload(bench.browser(), "far.xlsx", bomb.getvalue())
    assert answer.status_code == 400, answer.text
    assert "1,048,576 rows" in answer.json()["error"]
    assert kept(bench) == []


# ---------------------------------------------------------------- goals as they are typed


def test_goals_are_read_as_they_are_typed_with_the_nearest_name(shared: Bench) -> None:
    typed = ["recall at least 90% in every country", "precison +-0.05", "f1 0.8", "recall >= 0.9 in every contry", ""]
    read = shared.browser().post("/api/goals", json={"goals": typed, "slices": ["country"]}).json()["goals"]
    assert (read[0]["goal"], read[0]["error"]) == ("recall >= 0.9 by country", None)
    assert read[0]["words"] == (
        "Show at level 0.95 that recall is at least 0.9 in every country, each by itself, among the units of this table."
    )
    assert "did you mean precision" in read[1]["error"]
    assert read[2]["ways"] == ["f1 >= 0.8", "f1 +-0.8"]
    assert "country" in read[3]["error"]
    assert "--" not in " ".join(one["error"] or "" for one in read)
    assert read[4]["error"]


def test_goals_know_the_classifiers_and_the_weight_of_the_page(shared: Bench) -> None:
    asked = {"goals": ["recall by amount >= 0.5 for new", "f1 >= 0 for new over old"], "classifiers": ["old", "new"], "weight": "amount"}
    read = shared.browser().post("/api/goals", json=asked | {"about": "table", "level": 0.9}).json()["goals"]
    assert [one["error"] for one in read] == [None, None]
    assert "at level 0.9 " in read[0]["words"]
    refused = shared.browser().post("/api/goals", json=asked | {"classifiers": ["a=b"]})
    assert (refused.status_code, refused.json()["field"]) == (400, "classifiers")


def test_a_preview_is_of_allowed_tables_only(shared: Bench, tmp_path: Path) -> None:
    (tmp_path / "payroll.csv").write_bytes(TABLE)
    for source in (str(tmp_path / "payroll.csv"), "../../etc/passwd", "*.parquet", "nowhere.csv", "postgresql://h/d#t"):
        answer = shared.browser().post("/api/preview", json={"source": source})
        assert (answer.status_code, answer.json()["field"]) == (400, "source"), source
        assert "--" not in answer.json()["error"]
    assert shared.browser("ann").post("/api/preview", json={"source": "scored.parquet"}).status_code == 403


def test_a_preview_proposes_and_cuts_long_texts(bench: Bench) -> None:
    upload(bench.browser(), "long.csv", TABLE.replace(b"text 0", b"x" * 5_000))
    shown = bench.browser().post("/api/preview", json={"source": "uploads/long.csv"}).json()
    assert len(shown["rows"]) == 8
    assert len(shown["rows"][0][2]) == 2_001
    assert shown["ids"][0] == {"column": "id", "reason": "a different value in each of the 50 rows", "chosen": True}
    assert [one["column"] for one in shown["shown"]] == ["text"]
