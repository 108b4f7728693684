"""Talks of a run judged again: by other metrics, by what the client's files say now."""

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.run import Episode, Run
from simulator.core.verdict import Verdict, Word
from simulator.execution.answer_file import answers_to_score, without_client
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest
from simulator.execution.stored_talks import answers_to_rejudge
from simulator.files.catalog import Catalog
from simulator.store.store import Store
from tests.execution.clients import client
from tests.execution.played import LINES, SCENARIOS, Bot, played, requested, url
from tests.execution.recordings import FILE, answers, by_scenario, done, scored, to_rejudge


async def a_run(cwd: Path) -> Run:
    return await played(requested(cwd, limit=3))


async def test_the_bot_is_not_asked_and_both_sets_of_scores_stay(tmp_path: Path) -> None:
    bot = Bot()
    first = await played(requested(tmp_path, bot=bot))
    asked = list(bot.asked)
    again = await done(to_rejudge(tmp_path, first.header.id, metrics=("elements_lexical",)))
    assert asked == bot.asked
    assert ("rejudge", first.header.id) == (again.header.kind, again.header.of)
    assert "elements_lexical" == next(iter(again.summary.metrics))
    with Store.read(url(tmp_path)) as store:
        kept = [replace(episode, finding=None) for episode in first.episodes()]
        assert kept == list(store.episodes(first.header.id))
        assert {first.header.id, again.header.id} == {row.id for row in store.runs()}


async def test_the_talks_are_the_same_word_for_word(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    again = await done(to_rejudge(tmp_path, first.header.id))
    assert [(e.cell, e.stop, [t.exchange for t in e.turns]) for e in first.episodes()] == [
        (e.cell, e.stop, [t.exchange for t in e.turns]) for e in again.episodes()
    ]


async def test_with_the_same_metrics_the_scores_are_the_same(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    again = await done(to_rejudge(tmp_path, first.header.id))
    assert list(first.episodes()) == _as_fast(first, again)
    assert first.summary.score == again.summary.score
    assert () == again.header.notes


def _as_fast(first: Run, again: Run) -> list[Episode]:
    """The second run's episodes, as if judging had taken the time that it took in the first."""
    found = []
    for one, other in zip(first.episodes(), again.episodes(), strict=True):
        pairs = zip(one.turns, other.turns, strict=True)
        turns = tuple(replace(b, judge_ms=a.judge_ms) for a, b in pairs)
        found.append(replace(other, turns=turns))
    return found


async def test_what_is_expected_is_read_anew_and_the_change_is_told(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    changed = client(tmp_path, LINES, scenarios=SCENARIOS.replace("[500円]", "[700円]", 1))
    again = await done(to_rejudge(tmp_path, first.header.id, changed))
    outcome = by_scenario(again)["shipping"].turns[0].outcomes["elements_lexical"]
    assert 0.0 == outcome.value if isinstance(outcome, Score) else None
    assert (
        f"実行 {first.header.id} のあとで変わったため、今の内容で採点したシナリオ: shipping",
    ) == again.header.notes


async def test_changed_guidelines_are_told(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    changed = client(tmp_path, LINES + "guidelines: [丁寧に]\n", scenarios=SCENARIOS)
    again = await done(to_rejudge(tmp_path, first.header.id, changed))
    assert "のあとで指針が変わったため" in " ".join(again.header.notes)


async def test_talks_of_what_is_gone_are_left_out_and_told(tmp_path: Path) -> None:
    first = await played(requested(tmp_path))
    fewer = client(tmp_path, LINES, scenarios=SCENARIOS.splitlines()[0] + "\n")
    again = await done(to_rejudge(tmp_path, first.header.id, fewer))
    assert ["shipping"] == sorted(by_scenario(again))
    (told,) = again.header.notes
    assert told == (
        f"実行 {first.header.id} のうち会話 2 件を除きました。"
        "returns がクライアントにもうありません"
    )


async def test_nothing_left_to_judge_is_wrong_input(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    other = client(tmp_path, LINES, scenarios="- {id: other, query: 別の質問}\n")
    with pytest.raises(InputError, match="none of its 3 conversations can be judged"):
        to_rejudge(tmp_path, first.header.id, other)


async def test_a_limit_leaves_out_the_rest(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    again = await done(to_rejudge(tmp_path, first.header.id, limit=1))
    assert 1 == again.summary.conversations == again.header.planned


async def test_it_can_be_judged_again_and_again(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    second = await done(to_rejudge(tmp_path, first.header.id))
    third = await done(to_rejudge(tmp_path, second.header.id, metrics=("refusal",)))
    assert (second.header.id, 3) == (third.header.of, third.summary.conversations)


async def test_what_people_said_of_the_answers_holds_for_them_again(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    key = next(iter(first.episodes())).cell.key
    given = Verdict(key, 1, Word.NG, "田中", "sheet", "2026-11-21T00:00:00+00:00")
    with Store.create(url(tmp_path)) as store:
        store.add_verdicts(first.header.id, [given])
    again = await done(to_rejudge(tmp_path, first.header.id))
    with Store.read(url(tmp_path)) as store:
        assert [] == list(store.verdicts(again.header.id))
        told = replace(given, run=first.header.id)
        assert (told,) == {e.cell.key: v for e, v in store.reviewed(again.header.id)}[key]
    assert again.summary.verdicts is not None
    assert 1 == again.summary.verdicts.ng


async def test_the_run_says_with_which_bot_it_was_held(tmp_path: Path) -> None:
    first = await a_run(tmp_path)
    again = await done(to_rejudge(tmp_path, first.header.id))
    of_bot = {k: v for k, v in first.header.snapshot.items() if k.startswith("client.target.")}
    assert of_bot.items() <= again.header.snapshot.items()
    assert of_bot


async def test_scored_answers_are_judged_again_from_their_file(tmp_path: Path) -> None:
    first = await scored(tmp_path, answers(tmp_path))
    again = await done(_rescored(tmp_path, first, FILE))
    assert ("rejudge", first.header.id, True) == (
        again.header.kind,
        again.header.of,
        again.header.is_of_rows,
    )
    assert "refusal" == next(iter(again.summary.metrics))
    assert again.summary.verdicts is not None
    assert (1, 1) == (again.summary.verdicts.ok, again.summary.verdicts.ng)


async def test_a_file_of_answers_that_changed_is_not_judged_again(tmp_path: Path) -> None:
    first = await scored(tmp_path, answers(tmp_path))
    with pytest.raises(InputError, match=r"a\.csv changed after run .* scored it"):
        _rescored(tmp_path, first, FILE.replace("500円です", "600円です"))


def _rescored(cwd: Path, run: Run, content: str) -> RunRequest:
    found = answers(cwd, content)
    loaded = without_client(found, Catalog(None, cwd))
    recorded = answers_to_rejudge(run.header, answers_to_score(found, loaded))
    return RunRequest(loaded, Options(metrics=("refusal",)), url(cwd), recorded=recorded)


async def test_the_end_of_a_script_is_no_goal_when_it_is_judged_again_either(
    tmp_path: Path,
) -> None:
    lines = f"{LINES}metrics: [lexical, turns_to_goal]\nscore_by: lexical\n"
    scenarios = "- {id: shipping, query: 送料は, turns: [ほかには], expected: {answer: 500円}}\n"
    loaded = client(tmp_path, lines, scenarios=scenarios)
    first = await done(RunRequest(loaded, Options(limit=1), url(tmp_path), target=Bot()))
    again = await done(
        to_rejudge(tmp_path, first.header.id, loaded, metrics=("lexical", "turns_to_goal"))
    )
    for run in (first, again):
        (episode,) = run.episodes()
        found = episode.outcomes["turns_to_goal"]
        assert isinstance(found, Unscored)
        assert Gap.NOT_APPLICABLE is found.reason
