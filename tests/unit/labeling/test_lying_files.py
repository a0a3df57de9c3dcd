"""Files that lie: one name for two columns, another question, a gold column, a reserved name. Refused by name, never guessed."""

import json
import random
from pathlib import Path

import pytest

from fewlabels.errors import LabelError
from fewlabels.labeling.flat import Answerable, read_answers
from fewlabels.nouns.label import CLOSER, GOLD, Label
from tests.unit.study.made import create

FILES = 600
LIES = ("twice", "question", "gold", "reserved", "two answers")
ASKED = Answerable({"is it spam?": ("answer", "label")})


def read(path: Path) -> list[Label]:
    return read_answers(path, unit_columns=("unit",), asked=ASKED).labels


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("unit,answer,answer\na,yes,no\n", "'answer' more than once"),
        ("unit,answer, answer\na,yes,no\n", "'answer' more than once"),
        ("unit,unit,answer\na,b,no\n", "'unit' more than once"),
        ("unit,answer,question\na,yes,is it fraud?\n", "'is it fraud?'"),
        ("unit,answer,gold\na,yes,1\n", "column gold"),
        ("unit,answer,gold\na,yes,\n", "column gold"),
        (f"unit,answer,labeler\na,yes,{CLOSER}\n", CLOSER),
        (f"unit,answer,labeler\na,yes,{GOLD}\n", GOLD),
        ("unit,answer,label\na,yes,no\n", "two answers"),
    ],
)
def test_a_table_that_could_be_read_in_two_ways_is_refused(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "told.csv"
    path.write_text(text)
    with pytest.raises(LabelError) as refused:
        read(path)
    assert named in str(refused.value)


def test_a_field_that_comes_twice_in_an_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "told.jsonl"
    path.write_text('{"unit": "a", "answer": "yes", "answer": "no"}\n')
    with pytest.raises(LabelError, match="'answer' more than once"):
        read(path)


def test_the_same_said_twice_is_no_contradiction(tmp_path: Path) -> None:
    path = tmp_path / "told.csv"
    path.write_text("unit,answer,label,question\na,yes,yes,is it spam?\n")
    assert [(label.unit, label.answer) for label in read(path)] == [("a", "yes")]


@pytest.mark.parametrize("labeler", [CLOSER, GOLD])
def test_nobody_answers_under_a_reserved_name(tmp_path: Path, labeler: str) -> None:
    study = create(tmp_path)
    study.plan(10)
    batch = study.ask(10)
    assert batch is not None
    unit = batch.units[0]
    for answers in ([Label(unit=unit, answer="yes", labeler=labeler)], [{"unit": unit, "answer": "yes", "labeler": labeler}]):
        with pytest.raises(LabelError, match="reserved"):
            study.tell(answers)
    with pytest.raises(LabelError, match="column gold"):
        study.tell([{"unit": unit, "answer": "yes", "gold": True}])
    assert study.status().progress.labels == 0


def written(rng: random.Random, folder: Path, lie: str | None) -> tuple[Path, list[tuple[str, str]], str]:
    """A file with or without a lie; the answers an honest one means; the word by which a refusal has to name the lie."""
    rows = [(f"u{i}", rng.choice(("yes", "no"))) for i in range(rng.randint(1, 6))]
    wrong = rng.randrange(len(rows))
    extra: list[tuple[str, list[str]]] = [("note", [rng.choice(("", "x", "gold", "yes")) for _ in rows])] if rng.random() < 0.5 else []
    named = ""
    if lie == "twice":
        named = rng.choice(("unit", "answer", *(["note"] if extra else [])))
        extra.append((named, [rng.choice(("yes", "no", "u1", "")) for _ in rows]))
    elif lie == "question":
        named = rng.choice(("is it fraud?", "positive", "Is it spam?"))
        extra.append(("question", [named if i == wrong else rng.choice(("", "is it spam?")) for i in range(len(rows))]))
    elif lie == "gold":
        named = "gold"
        extra.append(("gold", [rng.choice(("", "1", "true", "no")) for _ in rows]))
    elif lie == "reserved":
        named = rng.choice((CLOSER, GOLD))
        extra.append(("labeler", [named if i == wrong else "ada" for i in range(len(rows))]))
    elif lie == "two answers":
        named = "label"
        opposite = {"yes": "no", "no": "yes"}
        extra.append(("label", [opposite[said] if i == wrong else said for i, (_, said) in enumerate(rows)]))
    columns = [("unit", [unit for unit, _ in rows]), ("answer", [said for _, said in rows]), *extra]
    rng.shuffle(columns)
    suffix = rng.choice((".csv", ".tsv", ".jsonl"))
    path = folder / f"told{suffix}"
    if suffix == ".jsonl":
        lines = [
            "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(values[i])}" for name, values in columns) + "}" for i in range(len(rows))
        ]
    else:
        mark = "\t" if suffix == ".tsv" else ","
        lines = [mark.join(name for name, _ in columns), *(mark.join(values[i] for _, values in columns) for i in range(len(rows)))]
    path.write_text("\n".join(lines) + "\n")
    return path, rows, named


def test_no_variant_of_a_lie_is_believed(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    honest = 0
    for _ in range(FILES):
        lie = rng.choice((None, *LIES))
        path, rows, named = written(rng, tmp_path, lie)
        if lie is None:
            assert [(label.unit, label.answer) for label in read(path)] == rows
            honest += 1
            continue
        with pytest.raises(LabelError) as refused:
            read(path)
        assert named in str(refused.value), path.read_text()
    assert 0 < honest < FILES / 3
