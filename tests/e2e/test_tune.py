"""`mogi tune` from end to end: verdicts of a file, the table, client.yaml, the next run."""

import difflib
import shutil
from pathlib import Path
from typing import Any

import pytest

from simulator.core.clean import spoken
from simulator.core.outcome import Score
from simulator.core.run import Turn
from simulator.core.verdict import Verdict, Word
from simulator.files.catalog import shipped
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.expecting import as_its_schema_says
from tests.loopback.server import ChatServer

# What the bot said, what is right, and what people say: eight answers, five times over.
ANSWERS = [
    ("Delivery costs 5 euros.", "Delivery costs 5 euros.", "OK"),
    ("It costs 5 euros to deliver.", "Delivery costs 5 euros.", "OK"),
    ("Delivery costs 5 euros, and it takes three days.", "Delivery costs 5 euros.", "OK"),
    ("The shop opens at 9.", "The shop opens at 9.", "OK"),
    ("You can return it within 30 days.", "You can return articles within 30 days.", "OK"),
    ("I do not know.", "You can pay by card.", "NG"),
    ("We sell pens and paper.", "The shop closes at 18.", "NG"),
    ("Please ask our staff.", "Returns are free.", "NG"),
]


def reviewed(folder: Path, times: int = 5, **words: str) -> None:
    """answers.csv with a verdict in each row."""
    rows = [f"q{n},{a!r},{t!r},{words.get(v, v)}" for n, (a, t, v) in enumerate(ANSWERS * times)]
    text = "\n".join(["question,answer,ground_truth,verdict", *rows])
    (folder / "answers.csv").write_text(text.replace("'", '"'), "utf-8")


@pytest.fixture
def shop(mogi: Mogi, tmp_path: Path) -> Path:
    """A client `shop` whose answers in a file were scored and judged by people."""
    assert 0 == mogi("init", "shop", "--language", "en").status
    reviewed(tmp_path)
    done = mogi("score", "answers.csv", "--client", "shop", "--metric", "sudachi_f1", "--quiet")
    assert 0 == done.status, done.err
    return tmp_path / "scenarios" / "shop" / "client.yaml"


def changed(before: str, after: str) -> list[str]:
    shown = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
    return [line for line in shown[2:] if not line.startswith("@@")]


@pytest.mark.usefixtures("shop")
def test_the_table_says_what_each_threshold_would_do(mogi: Mogi) -> None:
    done = mogi("tune", "shop", "--metric", "sudachi_f1")
    assert (0, "") == (done.status, done.err)
    assert "shop: threshold for sudachi_f1, optimized for f2" in done.out
    assert "40 verdicts (OK 25, NG 15) on 40 conversations in 1 run" in done.out
    marked = [line for line in done.out.splitlines() if line.startswith("→ ")]
    assert 2 == len(marked)  # the row, and what the mark means
    assert "100 %" in marked[0]
    assert "mogi tune shop --metric sudachi_f1 --write" in done.out


@pytest.mark.usefixtures("shop")
def test_one_json_object_holds_all_of_it(mogi: Mogi) -> None:
    found = mogi("tune", "shop", "--metric", "sudachi_f1", "--json").json
    as_its_schema_says("tune", found)
    assert {"used": 40, "ok": 25, "ng": 15} == found["verdicts"]
    assert {"verdicts": 0, "ok": 0, "ng": 0} == found["needed"]
    best = found["recommended"]
    assert (1.0, 1.0, 0.0) == (
        best["recall"]["mean"],
        best["precision"]["mean"],
        best["miss_rate"],
    )
    assert best["threshold"] in [row["threshold"] for row in found["candidates"]]
    assert (None, [], None) == (found["today"], found["obstacles"], found["written"])
    assert 1.0 == found["cross_fitted"]["recall"]["mean"]


def test_writing_changes_that_one_key_and_the_next_run_goes_by_it(mogi: Mogi, shop: Path) -> None:
    before = shop.read_text("utf-8")
    done = mogi("tune", "shop", "--metric", "sudachi_f1", "--write", "--json")
    assert 0 == done.status
    assert "wrote thresholds.sudachi_f1 in scenarios/shop/client.yaml" in done.err
    threshold = done.json["recommended"]["threshold"]
    lines = changed(before, shop.read_text("utf-8"))
    assert "+thresholds:" == lines[0]
    assert lines[1].startswith(f"+  sudachi_f1: {{value: {threshold:g}, verdicts: 40, date: ")
    assert 2 == len(lines)
    args = ("--client", "shop", "--metric", "sudachi_f1", "--json")
    run = mogi("score", "answers.csv", *args).json
    assert (threshold, 15) == (run["metrics"]["sudachi_f1"]["threshold"], run["flagged"])
    assert [] == run["notes"]
    again = mogi("tune", "shop", "--metric", "sudachi_f1", "--json").json
    assert (40, threshold) == (again["verdicts"]["used"], again["today"]["threshold"])


def test_after_writing_it_says_what_was_put_where_and_no_more(mogi: Mogi, shop: Path) -> None:
    args = ("tune", "shop", "--metric", "sudachi_f1", "--write")
    first, second = mogi(*args), mogi(*args)
    threshold = mogi(*args, "--json").json["recommended"]["threshold"]
    for done, old in ((first, "(none)"), (second, f"{threshold:g}")):
        text = " ".join(done.out.split())
        put = f"thresholds.sudachi_f1: {old} → {threshold:g} in scenarios/shop/client.yaml"
        assert (0, "", True) == (done.status, done.err, put in text)
        assert [] == [word for word in ("--write", "Next steps", "Flagged") if word in text]
    told = "The threshold hasn't changed"
    assert [False, True] == [told in done.out for done in (first, second)]
    assert f"value: {threshold:g}" in shop.read_text("utf-8")


@pytest.mark.usefixtures("shop")
def test_a_recommendation_of_todays_threshold_is_said_to_be_one(mogi: Mogi) -> None:
    args = ("tune", "shop", "--metric", "sudachi_f1")
    told = "The recommended threshold is the current one"
    before = mogi(*args).out
    mogi(*args, "--write")
    after = mogi(*args).out
    assert [False, True] == [told in before, told in after]
    assert [True, False] == ["Next steps" in before, "Next steps" in after]


def test_too_few_verdicts_are_told_and_not_written(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "mogi.db").unlink()
    reviewed(tmp_path, times=2)
    mogi("score", "answers.csv", "--client", "shop", "--metric", "sudachi_f1", "--quiet")
    told = "14 more verdicts needed (30 in total)"
    done = mogi("tune", "shop", "--metric", "sudachi_f1")
    assert (0, True) == (done.status, told in " ".join(done.out.split()))
    before = shop.read_text("utf-8")
    refused = mogi("tune", "shop", "--metric", "sudachi_f1", "--write")
    assert (3, before) == (refused.status, shop.read_text("utf-8"))
    assert f"nothing written: Not enough yet: {told}" in refused.err


def test_a_client_that_nobody_reviewed_says_how_to_begin(mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    done = mogi("tune", "demo")
    assert 0 == done.status
    assert "まだ人の判定がありません" in done.out
    assert "mogi run demo --audit 0.1 --report xlsx=review.xlsx" in done.out


def test_a_shipped_client_is_not_written(mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    done = mogi("tune", "demo", "--write")
    assert 2 == done.status
    assert "is built in, so mogi never changes it;" in done.err


def word(turn: Turn) -> Word:
    """What a person says who reads as `lexical` does."""
    score = turn.outcomes["lexical"]
    return Word.OK if isinstance(score, Score) and score.value >= 0.5 else Word.NG


def test_the_copy_of_a_shipped_client_takes_its_verdicts_along(mogi: Mogi, tmp_path: Path) -> None:
    run = mogi("run", "demo", "--audit", "1", "--json").json["run"]
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        given = [
            Verdict(key, n, word(turn), "田中", "x", "2026-11-21T06:00:00+00:00")
            for key, episode in ((e.cell.key, e) for e in store.episodes(run))
            for n, turn in enumerate(episode.turns, 1)
        ]
        store.add_verdicts(run, given)
        scored = {
            spoken(episode, n)
            for episode in store.episodes(run)
            for n, turn in enumerate(episode.turns, 1)
            if isinstance(turn.outcomes["lexical"], Score)
        }
    shutil.copytree(shipped() / "scenarios" / "demo", tmp_path / "scenarios" / "demo")
    done = mogi("tune", "demo", "--write", "--json")
    assert len(scored) >= 30
    assert ("lexical", len(scored)) == (done.json["metric"], done.json["verdicts"]["used"])
    assert "scenarios/demo/client.yaml" == done.json["written"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--metric", "sudachi"], 'no metric "sudachi"; did you mean sudachi_f1'),
        (["--objective", "best"], "'best' isn't valid; use f2, youden or miss-rate=0.1"),
        (["--objective", "miss-rate=2"], "use f2, youden or miss-rate=0.1"),
        (["--objective", "f0"], "use f2, youden or miss-rate=0.1"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_wrong_input_says_what_is_right(mogi: Mogi, args: list[str], says: str) -> None:
    done = mogi("tune", "shop", *args)
    assert 2 == done.status
    assert says in done.err


@pytest.mark.parametrize(("judge", "is_stale"), [("gpt-4.1", True), ("mock", False)])
def test_a_run_with_another_judge_says_that_the_threshold_is_stale(
    mogi: Mogi, acme: Path, model: ChatServer, judge: str, is_stale: bool
) -> None:
    entry = f"thresholds: {{overall: {{value: 0.6, judge: {judge}, verdicts: 40}}}}\n"
    with (acme / "client.yaml").open("a", encoding="utf-8") as file:
        file.write(entry)
    assert model.base_url in (acme / "client.yaml").read_text("utf-8")
    found: Any = mogi("run", "acme", "--limit", "1", "--json").json
    told = f"決めたときは採点役 {judge}、この実行は採点役 mockです"
    assert is_stale == any(told in note for note in found["notes"])
    shown = "".join(mogi("show", "latest", "--warnings").out.split())
    assert is_stale == ("は古くなっています。決めたときは採点役" in shown)
    checked = mogi("check", "acme")
    assert (0, is_stale) == (checked.status, "今は採点役 mock" in checked.err)
