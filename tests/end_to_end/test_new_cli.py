"""`fewlabels new`: asks on a real terminal, takes options without one, writes fewlabels.toml, locks the plan, and refuses in words."""

import csv
import random
from pathlib import Path

import pytest

from fewlabels.cli.configuration_file import read_configuration
from fewlabels.cli.new_study import free_name
from fewlabels.desk.desk import Desk
from fewlabels.nouns.sheet import FormColumn
from fewlabels.study.population.first_sight import look_at
from fewlabels.study.study import Study
from tests.end_to_end.commands import fewlabels, ok, real
from tests.end_to_end.terminals import Terminal

COLUMNS = ("message_id", "spam_score", "text", "country", "amount", "label")
SAID = ("--score", "spam_score", "--threshold", "0.5", "--goal", "precision +-0.1", "--budget", "30", "--show", "text")


def rows(count: int = 400) -> list[list[object]]:
    """Made-up messages."""
    rng = random.Random(5)
    found: list[list[object]] = []
    for i in range(count):
        score = round(rng.betavariate(0.4, 1.5), 4)
        found.append([f"m{i}", score, f"message {i}", rng.choice(["BR", "DE"]), round(rng.random() * 90, 2), int(rng.random() < score)])
    return found


def write(path: Path, table: list[list[object]], columns: tuple[str, ...] = COLUMNS) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *table])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, to be in."""
    monkeypatch.chdir(tmp_path)
    for name in ("FEWLABELS_LEDGER", "FEWLABELS_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    write(tmp_path / "scored.csv", rows())
    return tmp_path


# ---------------------------------------------------------------- what a table suggests


def test_a_table_suggests_its_columns(folder: Path) -> None:
    look = look_at("scored.csv")
    assert look.ids[0] == "message_id"
    assert look.scores == ("spam_score",)  # amount is not in [0, 1]
    assert look.shown == ("text",)
    assert "label" not in look.shown


def test_an_id_that_repeats_is_not_suggested_first(folder: Path) -> None:
    table = [[i % 7, *row] for i, row in enumerate(rows(50))]
    write(folder / "twice.csv", table, ("id", *COLUMNS))
    assert look_at("twice.csv").ids[0] == "message_id"


def test_text_that_sounds_like_an_answer_is_not_proposed_for_labelers(folder: Path) -> None:
    write(
        folder / "t.csv", [[i, i / 50, f"note {i}", "spam", "ham"] for i in range(50)], ("id", "score", "notes", "truth", "predicted_class")
    )
    assert look_at("t.csv").shown == ("notes",)


def test_no_more_labels_are_proposed_than_serve(folder: Path) -> None:
    write(folder / "t.csv", [[i, i / 50, f"note {i}"] for i in range(50)], ("id", "score", "notes"))
    found = ok("new", "t.csv", "--yes", "--json").json
    assert found["budget"] == found["together"] <= found["flagged"]


def test_a_decision_is_found_where_there_is_no_score(folder: Path) -> None:
    write(folder / "flags.csv", [[i, i % 3 == 0, f"text {i}"] for i in range(50)], ("id", "flagged", "text"))
    look = look_at("flags.csv")
    assert (look.scores, look.decisions) == ((), ("flagged",))
    found = ok("new", "flags.csv", "--yes", "--no-plan")
    assert "taken: --predicted flagged" in found.err
    assert read_configuration(Path("fewlabels.toml")).predicted == "flagged"


def test_names_that_are_free(folder: Path) -> None:
    assert free_name("data/scored.week-46.csv", ledger="sqlite:///fewlabels.db") == "scored"
    assert free_name("postgresql://db/risk#my table", ledger="sqlite:///fewlabels.db") == "my-table"
    assert free_name("...", ledger="sqlite:///fewlabels.db") == "study"
    assert not (folder / "fewlabels.db").exists()
    ok("new", "scored.csv", *SAID, "--yes")
    assert free_name("scored.csv", ledger="sqlite:///fewlabels.db") == "scored-2"


# ---------------------------------------------------------------- without a terminal


def test_everything_by_options(folder: Path) -> None:
    found = ok("new", "scored.csv", *SAID, "--study", "w46", "--ask", "Is this spam?", "--slice", "country", "--yes")
    assert found.err.splitlines()[-1] == "next: fewlabels label"
    said = read_configuration(Path("fewlabels.toml")).said
    assert said == {
        "study": "w46", "population": "scored.csv", "ledger": "sqlite:///fewlabels.db", "id": "message_id", "score": "spam_score",
        "threshold": 0.5, "slices": ("country",), "goals": ("precision +-0.1",), "level": 0.95, "budget": 30, "show": ("text",),
        "ask": "Is this spam?",
    }  # fmt: skip
    study = Study.load("w46")
    assert study.standing.plan.budget == 30
    assert (Desk(study).sheet.show, Desk(study).sheet.ask) == ((FormColumn("text"),), "Is this spam?")
    assert "is planned already: 30 labels" in ok("plan").out


def test_the_file_alone_plans_the_same(folder: Path) -> None:
    ok("new", "scored.csv", *SAID, "--yes", "--no-plan")
    assert not (folder / "fewlabels.db").exists()
    ok("plan")
    (folder / "fewlabels.toml").unlink()
    found = ok("new", "scored.csv", *SAID, "--study", "scored", "--yes", "--json").json
    assert found["plan"]["number"] == 1  # the same study and the same plan, or it would be refused


def test_several_labels_are_named_by_options(folder: Path) -> None:
    rng = random.Random(8)
    table = [[i, round(rng.random() ** 3, 4), round(rng.random() ** 3, 4), f"text {i}"] for i in range(300)]
    write(folder / "several.csv", table, ("id", "joy", "anger", "text"))
    said = ("--label", "joy=joy@0.4", "--label", "anger=anger@0.4", "--goal", "micro[f1] +-0.2", "--budget", "40", "--yes", "--study", "s")
    ok("new", "several.csv", *said, "--no-plan")
    ok("plan")
    assert ok("new", "several.csv", *said, "--force", "--json").json["plan"]["hash"] == Study.load("s").standing.plan.hash


def test_json_is_one_object_with_the_file_and_the_plan(folder: Path) -> None:
    found = ok("new", "scored.csv", "--goal", "precision +-0.2", "--yes", "--json").json
    assert (found["file"], found["study"], found["configuration"]["population"]) == ("fewlabels.toml", "scored", "scored.csv")
    assert found["plan"]["budget"] == found["configuration"]["budget"] == found["budget"]
    assert found["together"] <= found["for_all"] == found["budget"]
    assert Study.load("scored").standing.plan.hash == found["plan"]["hash"]


def test_without_a_terminal_the_missing_options_are_named(folder: Path) -> None:
    found = real("new", "scored.csv", cwd=folder)
    assert found.code == 2
    assert all(option in found.err for option in ("--score COLUMN", "--goal GOAL", "--budget N", "--yes"))
    found = fewlabels("new", "scored.csv", "--score", "spam_score", "--goal", "precision +-0.1")
    assert (found.code, "--threshold T" in found.err, "--goal" in found.err) == (2, True, False)
    assert "POPULATION" in fewlabels("new", "--yes").err
    assert not (folder / "fewlabels.toml").exists()
    ok("new", "scored.csv", *SAID)  # nothing that is needed is missing


def test_where_no_column_can_be_a_score_it_is_asked_for_by_name(folder: Path) -> None:
    write(folder / "bare.csv", [["a", "x"], ["b", "y"]], ("id", "text"))
    found = fewlabels("new", "bare.csv", "--yes")
    assert found.code == 2
    assert "give --score COLUMN" in found.err
    assert "--score-range" in found.err


def test_a_bad_table_ends_with_the_findings_of_the_doctor(folder: Path) -> None:
    write(folder / "bad.csv", [*rows(40), *rows(2)])
    found = fewlabels("new", "bad.csv", *SAID, "--id", "message_id", "--yes")
    doctor = fewlabels("doctor", "bad.csv", "--id", "message_id", *SAID[:4])
    assert found.code == doctor.code == 5
    blocks = [line for line in doctor.out.splitlines() if line.startswith("blocks: ")]
    assert blocks
    assert blocks == [line for line in found.out.splitlines() if line.startswith("blocks: ")]
    assert not (folder / "fewlabels.toml").exists()
    assert fewlabels("new", "bad.csv", *SAID, "--id", "message_id", "--yes", "--json").json["passed"] is False


def test_a_score_out_of_its_range_is_the_doctors_to_judge(folder: Path) -> None:
    write(folder / "points.csv", [[i, 2 * i, f"text {i}"] for i in range(50)], ("id", "score", "text"))
    found = fewlabels("new", "points.csv", "--yes")
    assert found.code == 5
    assert "blocks: all units need a score in 'score' within [0, 1]" in found.out
    ok("new", "points.csv", "--score", "score", "--score-range", 0, 100, "--threshold", 50, "--goal", "precision +-0.2", "--yes")
    assert read_configuration(Path("fewlabels.toml")).score_range == (0.0, 100.0)
    assert "planned already" in ok("plan").out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--show", "spam_score"), "labelers see no score"),
        (("--show", "txt"), "did you mean 'text'"),
        (("--goal", "precison +-0.1"), "no metric 'precison': did you mean precision?"),
        (("--goal", "f1 0.8"), 'got \'f1 0.8\': write "f1 >= 0.8" or "f1 +-0.8"'),
        (("--goal", "precision >= 0.8 by contry"), "'contry' is not one and the population has none: name it with --slice"),
        (("--budget", "100000"), "at most the"),
    ],
)
def test_what_could_not_be_planned_is_not_written(folder: Path, more: tuple[str, ...], said: str) -> None:
    given = [part for part in zip(SAID[::2], SAID[1::2], strict=True) if part[0] != more[0]]
    found = fewlabels("new", "scored.csv", *(word for part in given for word in part), *more, "--yes")
    assert found.code == 5
    assert said in found.err
    assert sorted(path.name for path in folder.iterdir()) == ["scored.csv"]


def test_a_file_is_not_written_over_unless_forced(folder: Path) -> None:
    (folder / "fewlabels.toml").write_text("broken")
    found = fewlabels("new", "scored.csv", *SAID, "--yes")
    assert found.code == 5
    assert "--force" in found.err
    assert (folder / "fewlabels.toml").read_text() == "broken"
    ok("new", "scored.csv", *SAID, "--yes", "--force")
    assert read_configuration(Path("fewlabels.toml")).study == "scored"


def test_a_file_elsewhere_finds_its_table(folder: Path) -> None:
    (folder / "deep").mkdir()
    ok("--config", "deep/fewlabels.toml", "new", "scored.csv", *SAID, "--yes")
    found = read_configuration(folder / "deep" / "fewlabels.toml")
    assert (found.population, found.ledger) == (str(folder / "scored.csv"), f"sqlite:///{folder / 'fewlabels.db'}")
    assert ok("--config", "deep/fewlabels.toml", "status", "--json").json["study"] == "scored"


def test_a_password_is_not_written_down(folder: Path) -> None:
    found = ok("new", "scored.csv", *SAID, "--yes", "--no-plan", "--study", "s", "--ledger", "sqlite:///x.db?password=hush")
    assert "FEWLABELS_LEDGER" in found.err
    assert "hush" not in (folder / "fewlabels.toml").read_text()


def test_hostile_columns_are_seen_and_not_obeyed(folder: Path) -> None:
    name = "te\x1b[2Jxt"
    write(folder / "scored.csv", rows(), ("message_id", "spam_score", name, "country", "amount", "label"))
    found = ok("new", "scored.csv", *SAID[:-2], "--show", name, "--yes")
    assert "\x1b" not in found.out + found.err
    assert "te\\x1b[2Jxt" in found.out
    assert read_configuration(Path("fewlabels.toml")).show == (name,)


def test_a_goal_the_scores_contradict_is_said_to_fail(folder: Path) -> None:
    given = ("scored.csv", "--score", "spam_score", "--threshold", "0.9", "--goal", "recall >= 60%", "--goal", "recall >= 0.9")
    met = ok("plan", *given[:3], "--threshold", "0.3", "--id", "message_id", "--goal", "recall >= 0.3").out
    assert "expected to show that it holds" in met
    assert "FAILS" not in met
    expected = "recall >= 0.9: the scores themselves say 0.047"
    for found in (ok("plan", *given, "--id", "message_id", "--budget", "90"), ok("new", *given, "--budget", "90", "--yes")):
        assert expected in found.out
        assert "expected to show that it FAILS (do not ship)" in found.out
        assert "recall >= 0.6 is implied by recall >= 0.9" in found.out
        assert "no goal has a target" not in found.out


def test_the_middle_of_the_range_is_the_threshold_proposed(folder: Path) -> None:
    write(folder / "points.csv", [[f"u{i}", i, f"text {i}"] for i in range(101)], ("id", "score", "text"))
    ok("new", "points.csv", "--score-range", 0, 100, "--goal", "precision +-0.3", "--yes", "--no-plan")
    found = read_configuration(Path("fewlabels.toml"))
    assert (found.score, found.threshold, found.score_range) == ("score", 50.0, (0.0, 100.0))


@pytest.mark.parametrize(("threshold", "said"), [("0", "flags every unit of 400: choose a higher"), ("1", "flags no unit of 400")])
def test_a_threshold_with_nothing_on_one_side_is_refused(folder: Path, threshold: str, said: str) -> None:
    found = fewlabels("new", "scored.csv", "--score", "spam_score", "--threshold", threshold, "--yes")
    assert (found.code, said in found.err) == (5, True), found
    assert not (folder / "fewlabels.toml").exists()


def test_a_name_that_is_taken_is_refused_before_anything_is_written(folder: Path) -> None:
    ok("new", "scored.csv", *SAID, "--study", "w46", "--yes")
    (folder / "fewlabels.toml").unlink()
    found = fewlabels("new", "scored.csv", *SAID[:-4], "--budget", "31", "--study", "w46", "--yes")
    assert found.code == 5
    assert "'w46-2'" in found.err
    assert "fewlabels status w46" in found.err
    assert not (folder / "fewlabels.toml").exists()
    ok("new", "scored.csv", *SAID, "--study", "w46", "--yes")  # the same once more


def test_a_budget_that_is_too_small_is_said_to_be(folder: Path) -> None:
    found = ok("new", "scored.csv", "--goal", "precision +-0.05", "--budget", "12", "--grow-to", "40", "--yes")
    assert "what a budget of 12 should show" in found.out
    assert "12 labels are not expected to be enough for precision +-0.05" in found.err
    assert Study.load("scored").standing.plan.grow_to == 40


# ---------------------------------------------------------------- on a real terminal


def answered(terminal: Terminal, *steps: tuple[str, str]) -> None:
    """Waits for each text among what came since the one before, and presses its keys."""
    at = 0
    for text, keys in steps:
        terminal.until(text, terminal.seen[:at].count(text) + 1)
        at = terminal.seen.index(text, at) + len(text)
        terminal.press(keys)


def test_a_person_is_asked_and_asked_again_where_it_cannot_be(folder: Path) -> None:
    terminal = Terminal(folder, "new", "scored.csv", NO_COLOR="1")
    answered(
        terminal,
        ("names a unit [message_id]", "wrong\n"),
        ("no column 'wrong'", "country\n"),  # which repeats
        ("of the score, a number from 0 to 1 [spam_score]", "text\n"),  # which is no number
        ("is at least [0.5]", "\n"),
        ("name the columns again", ""),
        ("names a unit [message_id]", "\n"),
        ("of the score, a number from 0 to 1 [spam_score]", "\n"),
        ("is at least [0.5]", "high\n"),
        ("expected a number, got 'high'", "1\n"),
        ("1 flags no unit of 400: choose a lower one", ""),
        ("names a unit [message_id]", "\n"),
        ("of the score, a number from 0 to 1 [spam_score]", "\n"),
        ("is at least [0.5]", "0.4\n"),
        ("of 400 units", ""),
        ("the scores claim about", ""),
        ("What labelers see", "spam_score\n"),
        ("labelers see no score", "\n"),
        ("The question they answer", "Is this spam?\n"),
        ("What must hold?", ""),
        ("A goal, such as", "precison +-0.1\n"),
        ("no metric 'precison': did you mean precision?", "ppv 0.1\n"),
        ("ppv 0.1: at least 0.1, or +-0.1?", "yes\n"),
        ("answer at least 0.1, or +-0.1", "+-\n"),
        ("Another goal", "\n"),
        ("What are the numbers about: table (these 400 units) or process", "both\n"),
        ("numbers are about the table or the process, got 'both'", "\n"),
        ("no goal has a target", ""),
        ("Labels to spend", "14\n"),
        ("May it grow later", "\n"),
        ("what a budget of 14 should show", ""),
        ("14 labels are not expected to be enough for precision +-0.1", ""),
        ("Spend 14 labels anyway? [y/N]", "\n"),
        ("Labels to spend", "12\n"),
        ("May it grow later", "60\n"),
        ("Spend 12 labels anyway? [y/N]", "y\n"),
        ("Name of the study [scored]", "w46\n"),
        ("Lock this plan of 12 labels now, before the first label? [y/N]", "y\n"),
    )
    assert terminal.ended() == 0, terminal.seen
    assert "next: fewlabels label" in terminal.seen
    found = read_configuration(folder / "fewlabels.toml")
    assert (found.study, found.threshold, found.budget, found.ask, found.show) == ("w46", 0.4, 12, "Is this spam?", ("text",))
    assert found.grow_to == 60
    assert (Study.load("w46").standing.plan.budget, Study.load("w46").standing.plan.grow_to) == (12, 60)

    labeling = Terminal(folder, "label", "--labeler", "ada")
    labeling.until("Is this spam?")
    for number in range(1, 13):
        labeling.until("1 yes  2 no  3 cannot_tell", number)
        labeling.press("12"[number % 2])
    assert labeling.ended() == 0
    assert "| message " in labeling.seen
    assert "next: fewlabels decide" in labeling.seen
    assert ok("decide").out


def test_a_person_gives_the_limits_of_a_score(folder: Path) -> None:
    write(folder / "points.csv", [[f"u{i}", i, f"text {i}"] for i in range(101)], ("id", "score", "text"))
    terminal = Terminal(folder, "new", "points.csv", "--goal", "precision +-0.3", "--show", "text", "--ask", "Spam?", NO_COLOR="1")
    answered(
        terminal,
        ("names a unit [id]", "\n"),
        ("no column has all its values in 0 to 1", ""),
        ("of the score, a number from 0 to 1: ", "score\n"),
        ("The lowest and highest possible score", "0, 100\n"),
        ("is at least [50]", "\x03"),
    )
    assert terminal.ended() == 130
    assert "stopped; nothing was written" in terminal.seen
    assert sorted(path.name for path in folder.iterdir()) == ["points.csv", "scored.csv"]


def test_a_person_may_keep_the_file_and_leave_the_plan(folder: Path) -> None:
    (folder / "fewlabels.toml").write_text('study = "old"\n')
    terminal = Terminal(folder, "new", "scored.csv", *SAID)
    terminal.until("Overwrite it? [y/N]")
    terminal.press("\n")
    assert terminal.ended() == 5
    assert (folder / "fewlabels.toml").read_text() == 'study = "old"\n'
    terminal = Terminal(folder, "new", "scored.csv", *SAID, "--force", "--ask", "Spam?", "--study", "new", "--id", "message_id")
    terminal.until("What are the numbers about")
    terminal.press("\n")
    terminal.until("Lock this plan of 30 labels now, before the first label? [y/N]")  # they are too few
    terminal.press("\n")
    assert terminal.ended() == 0
    assert "next: fewlabels plan" in terminal.seen
    assert not (folder / "fewlabels.db").exists()
