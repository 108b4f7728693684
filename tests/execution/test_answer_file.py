"""Answers of a file as a run: scored, stored, taken up again, with people's verdicts."""

from pathlib import Path

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError, RunStopped
from simulator.core.events import ConversationEnded, Event
from simulator.core.outcome import Score
from simulator.core.run import Run
from simulator.core.verdict import Verdict, Word
from simulator.execution.request import RunRequest
from simulator.store.store import Store
from tests.execution.played import Watcher, requested, url
from tests.execution.recordings import FILE, answers, by_scenario, done, scored, to_score


def values(run: Run) -> dict[str, float]:
    found = {}
    for name, episode in by_scenario(run).items():
        outcome = episode.turns[0].outcomes["elements_lexical"]
        if isinstance(outcome, Score):
            found[name] = outcome.value
    return found


async def test_each_answer_is_a_talk_of_one_turn(tmp_path: Path) -> None:
    found = await scored(tmp_path, answers(tmp_path))
    assert {"a": 1.0, "b": 0.0, "c": 0.5} == values(found)
    assert ["a/-/1", "b/-/1", "c/-/1"] == [e.cell.key for e in found.episodes()]
    assert (3, 3, "finished") == (
        found.summary.conversations,
        found.summary.turns,
        found.header.status,
    )
    assert 0.5 == found.summary.score.value.mean if found.summary.score else None


async def test_the_header_says_what_was_scored(tmp_path: Path) -> None:
    read = answers(tmp_path)
    header = (await scored(tmp_path, read)).header
    assert ("score", "a.csv", True) == (header.kind, header.of, header.is_of_rows)
    assert str(tmp_path / "a.csv") == header.options["file"]
    assert read.sha == header.snapshot["file.sha"]
    assert f"mogi score --resume {header.id}" == header.resume


async def test_nobody_is_suspected_of_being_an_unsound_user(tmp_path: Path) -> None:
    content = "回答,要素\nお手伝いできます,a\n"
    found = await scored(tmp_path, answers(tmp_path, content))
    assert {} == found.summary.soundness


async def test_verdicts_are_taken_in_and_held_against_the_scores(tmp_path: Path) -> None:
    found = await scored(tmp_path, answers(tmp_path))
    with Store.read(url(tmp_path)) as store:
        assert [
            Verdict("a/-/1", 1, Word.OK, "田中", "a.csv", found.header.started),
            Verdict("b/-/1", 1, Word.NG, "", "a.csv", found.header.started),
        ] == list(store.verdicts(found.header.id))
    assert found.summary.verdicts is not None
    assert (1, 1) == (found.summary.verdicts.ok, found.summary.verdicts.ng)
    assert 1.0 == found.summary.verdicts.metrics["elements_lexical"].auc.mean


async def test_a_limit_leaves_out_the_rest(tmp_path: Path) -> None:
    found = await scored(tmp_path, answers(tmp_path), limit=2)
    assert ["a", "b"] == list(by_scenario(found))
    assert 2 == found.header.planned


async def test_a_run_that_broke_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    read = answers(tmp_path)
    halt = Halt()
    first = to_score(tmp_path, read, concurrency=1)

    class Stops(Watcher):
        def __call__(self, event: Event) -> None:
            super().__call__(event)
            if isinstance(event, ConversationEnded):
                halt.throw(HaltReason.INTERRUPTED, "enough")

    watcher = Stops()
    broken = await done(first, halt, watcher)
    assert (["a/-/1"], 2) == (watcher.ended, broken.summary.unfinished)
    again = Watcher()
    whole = await done(to_score(tmp_path, read, resume=broken.header.id), watcher=again)
    assert ["b/-/1", "c/-/1"] == sorted(again.ended)
    assert values(await scored(tmp_path, read)) == values(whole)
    assert whole.summary.verdicts is not None
    assert (1, 1) == (whole.summary.verdicts.ok, whole.summary.verdicts.ng)  # none of them twice


async def test_a_file_that_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    run = (await scored(tmp_path, answers(tmp_path))).header.id
    changed = answers(tmp_path, FILE.replace("500円です", "600円です"))
    with pytest.raises(InputError, match=r"file\.sha: "):
        await done(to_score(tmp_path, changed, resume=run))


async def test_a_run_of_another_kind_is_taken_up_by_its_own_command(tmp_path: Path) -> None:
    run = (await scored(tmp_path, answers(tmp_path))).header.id
    request: RunRequest = requested(tmp_path, resume=run)
    with pytest.raises(InputError, match=rf"to resume: mogi score --resume {run}"):
        await done(request)


async def test_what_cannot_be_scored_leaves_no_run_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only a judge can score that"):
        await scored(tmp_path, answers(tmp_path), metrics=("overall",))
    assert not (tmp_path / "mogi.db").exists()


async def test_a_file_that_changes_meanwhile_ends_the_run(tmp_path: Path) -> None:
    read = answers(tmp_path)
    request = to_score(tmp_path, read)
    answers(tmp_path, FILE + "d,a,b,c,,\n")
    with pytest.raises((InputError, RunStopped), match="changed in the meantime; start again"):
        await done(request)


async def test_rows_of_a_persona_have_its_name(tmp_path: Path) -> None:
    content = "id,回答,要素,ペルソナ\na,500円,500円,angry\na,500円,500円,\n"
    found = await scored(tmp_path, answers(tmp_path, content))
    assert ["a/angry/1", "a/-/1"] == [episode.cell.key for episode in found.episodes()]
