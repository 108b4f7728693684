"""`mogi agreement` and the corrected score: from a run and people's verdicts to the figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from tests.e2e.conftest import Done, Mogi
from tests.expecting import as_its_schema_says

Says = Callable[[Turn], Word]


def reviewed(
    cwd: Path,
    *people: str,
    says: Says | None = None,
    only_flagged: bool = False,
    only_unflagged: bool = False,
) -> None:
    """People judge every turn of the latest run that they are shown."""
    with Store.create(f"sqlite:///{cwd / 'mogi.db'}") as store:
        header = store.header(store.resolve("latest"))
        store.add_verdicts(
            header.id,
            [
                Verdict(episode.cell.key, turn.exchange.turn, (says or agrees)(turn), person)
                for episode in store.episodes(header.id)
                for turn in shown(header, episode, only_flagged=only_flagged)
                for person in people
                if not (only_unflagged and turn.flagged)
            ],
        )


def shown(header: RunHeader, episode: Episode, *, only_flagged: bool) -> list[Turn]:
    turns = [turn for turn in episode.turns if header.sampled(episode, turn)]
    return [turn for turn in turns if turn.flagged or not only_flagged]


def agrees(turn: Turn) -> Word:
    """As `lexical` does, whatever else flags it."""
    return Word.NG if "lexical" in turn.flags else Word.OK


def strict(turn: Turn) -> Word:
    """NG also where the answer is of odd length."""
    return Word.NG if turn.flagged or len(turn.exchange.assistant) % 2 else Word.OK


PLAYED: dict[tuple[str, ...], bytes] = {}  # the stores of runs that several tests begin with


def run(mogi: Mogi, *args: str) -> Done:
    """Play the demo in an empty folder."""
    return mogi("run", "demo-en", "--limit", "40", "--quiet", *args)


def run_once(mogi: Mogi, *args: str) -> None:
    """As `run`, or put a copy of such a run there."""
    store = Path("mogi.db")
    if args in PLAYED:
        store.write_bytes(PLAYED[args])
    else:
        run(mogi, *args)
        PLAYED[args] = store.read_bytes()


def figures(mogi: Mogi, *args: str) -> Any:
    return mogi("agreement", "demo-en", "--json", *args).json


def test_without_verdicts_it_says_how_to_begin(mogi: Mogi) -> None:
    run_once(mogi)
    done = mogi("agreement", "demo-en")
    assert 0 == done.status
    assert "mogi run demo-en --audit 0.1 --report xlsx=review.xlsx" in done.out
    assert {"client": "demo-en", "metrics": {}, "without": {}, "faults": None} == figures(mogi)


def test_a_metric_stands_beside_people_and_people_beside_each_other(
    mogi: Mogi, tmp_path: Path
) -> None:
    run_once(mogi, "--audit", "1")
    reviewed(tmp_path, "Sato", "Tanaka")
    whole = figures(mogi)
    as_its_schema_says("agreement", whole)
    found = whole["metrics"]["lexical"]
    assert (0.5, "all", 2) == (found["threshold"], found["speaks_of"], found["people"])
    assert 1.0 == found["with_people"]["agreement"]["mean"] == found["with_people"]["kappa"]["mean"]
    assert 1.0 == found["among_people"]["kappa"]["mean"] == found["among_people"]["alpha"]["mean"]
    assert 0 == found["counts"]["OK"]["NG"] == found["counts"]["NG"]["OK"]
    assert {"angry", "beginner", "calm"} == found["personas"].keys()
    assert "login" in found["tags"]
    assert [["Sato", "Tanaka"]] == [pair["reviewers"] for pair in found["pairs"]]


def test_drawn_turns_stand_for_those_nobody_saw(mogi: Mogi, tmp_path: Path) -> None:
    """`lexical` calls the unflagged turns OK, and so do people: their share is that of the run."""
    started = run(mogi, "--audit", "0.8", "--json")  # who is drawn is left to chance
    reviewed(tmp_path, "Sato")
    found = figures(mogi)["metrics"]["lexical"]["with_people"]["ok_metric"]
    whole = started.json
    lexical = whole["metrics"]["lexical"]
    assert pytest.approx(1 - lexical["flagged"] / lexical["scored"], abs=0.15) == found["mean"]
    raw = figures(mogi)["metrics"]["lexical"]["counts"]["OK"]["OK"]
    assert raw < 0.7 * (whole["turns"] - whole["flagged"])


def test_verdicts_on_flagged_turns_alone_are_told_apart(mogi: Mogi, tmp_path: Path) -> None:
    run_once(mogi)
    reviewed(tmp_path, "Sato", says=lambda turn: Word.NG)
    found = figures(mogi)["metrics"]["lexical"]
    assert "flagged" == found["speaks_of"]
    assert found["with_people"]["kappa"]["mean"] is None
    shown = mogi("agreement", "demo-en").out
    assert "Only flagged turns were reviewed" in shown
    assert "Kappa is undefined: one side gave only one kind of verdict." in shown


def test_a_metric_without_a_threshold_has_an_order(mogi: Mogi, tmp_path: Path) -> None:
    run_once(mogi, "--audit", "1")
    reviewed(tmp_path, "Sato")
    found = figures(mogi, "--metric", "elements_lexical")["metrics"]["elements_lexical"]
    assert found["threshold"] is None
    assert found["with_people"]["kappa"]["mean"] is None
    assert found["with_people"]["spearman"]["mean"] > 0.5


def test_an_unknown_metric_is_complained_about(mogi: Mogi, tmp_path: Path) -> None:
    run_once(mogi)
    reviewed(tmp_path, "Sato")
    done = mogi("agreement", "demo-en", "--metric", "lexica")
    assert 2 == done.status
    assert "no reviewed run has a metric 'lexica'; did you mean lexical?" in done.err


@pytest.mark.parametrize(
    ("client", "words"), [("demo", "人どうし"), ("demo-en", "between reviewers")]
)
def test_it_fits_the_screen_in_the_clients_language(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str, words: str
) -> None:
    mogi("run", client, "--limit", "40", "--audit", "0.5", "--quiet")
    reviewed(tmp_path, "Sato", "佐藤 花子", says=strict)
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        shown = mogi("agreement", client).out
        assert words in shown
        assert [] == [line for line in shown.splitlines() if cell_len(line) > width]


def test_the_corrected_score_stands_beside_the_raw_one(mogi: Mogi, tmp_path: Path) -> None:
    run(mogi, "--audit", "0.9", "--limit", "96")  # with 20 different answers that were drawn
    reviewed(tmp_path, "Sato", says=strict)
    found = mogi("report", "latest", "--report", "json=run.json")
    assert 0 == found.status
    shown = mogi("report", "latest").out
    assert "Corrected" in shown
    corrected = json.loads((tmp_path / "run.json").read_text("utf-8"))["score_corrected"]
    assert {"mean", "low", "high", "n", "audited", "lambda"} == corrected.keys()
    assert corrected["low"] < corrected["mean"] < corrected["high"]
    assert f"{corrected['mean']:.2f}" in shown


def test_where_all_turns_were_judged_it_is_what_people_said(mogi: Mogi, tmp_path: Path) -> None:
    run_once(mogi, "--audit", "1")
    reviewed(tmp_path, "Sato", says=strict)
    means = []
    with Store.read(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        for episode in store.episodes(store.resolve("latest")):
            said = [strict(turn) is Word.OK for turn in episode.turns]
            means.append(sum(said) / len(said))
    mogi("report", "latest", "--report", "json=run.json")
    corrected = json.loads((tmp_path / "run.json").read_text("utf-8"))["score_corrected"]
    assert pytest.approx(sum(means) / len(means)) == corrected["mean"]


@pytest.mark.parametrize("audit", [[], ["--audit", "0.7"]])
def test_verdicts_on_flagged_turns_alone_correct_nothing(
    mogi: Mogi, tmp_path: Path, audit: list[str]
) -> None:
    run(mogi, *audit)
    reviewed(tmp_path, "Sato", only_flagged=True)
    mogi("report", "latest", "--report", "json=run.json")
    assert '"score_corrected": null' in (tmp_path / "run.json").read_text("utf-8")


def test_verdicts_on_drawn_turns_alone_are_said_to_tell_nothing_of_flags(
    mogi: Mogi, tmp_path: Path
) -> None:
    run_once(mogi, "--audit", "1")
    reviewed(tmp_path, "Sato", only_unflagged=True)
    assert "unflagged" == figures(mogi)["metrics"]["lexical"]["speaks_of"]
    shown = mogi("agreement", "demo-en").out
    assert "Only unflagged turns (sampled by --audit) were judged" in shown
    assert "Only flagged turns" not in shown
    tuned = mogi("tune", "demo-en").out
    assert "mogi can't recommend a threshold" in " ".join(tuned.split())
    assert "mogi report" in tuned


def test_a_kappa_that_never_varied_says_so_and_asks_for_no_number(
    mogi: Mogi, tmp_path: Path
) -> None:
    run_once(mogi, "--audit", "1")
    reviewed(tmp_path, "Sato")
    shown = mogi("agreement", "demo-en", "--metric", "lexical").out
    assert "it's the same in every resample" in shown
    assert "more verdicts would narrow that" not in shown
