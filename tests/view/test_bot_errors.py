"""Fix first: a bot's errors by their message, and what is found only when asked again."""

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.errors import TargetFault
from simulator.core.plan import Cell
from simulator.core.result import Result
from simulator.core.run import Episode
from simulator.core.scenario import Expected
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.results.verdict import finding_of
from simulator.store.store import Store
from simulator.view.faults import BOT_ERROR, FaultGroups, Remedy, faults_of
from simulator.view.run_view import view_of
from simulator.view.stored_run import stored_run
from simulator.view.summary import nothing_scored
from simulator.words import Words
from tests.compare.stored import keep, talk
from tests.execution.scored import failed, header, rated, summary
from tests.results.made import UNMET, answer, readings, rules
from tests.results.made import talk as made_talk


def test_a_bots_errors_are_a_cause_each_by_their_message(tmp_path: Path) -> None:
    def broken(made: Episode, message: str) -> Episode:
        turn = failed()
        reply = TargetFailure(TargetFault.RAISED, message)
        turn = replace(turn, exchange=replace(turn.exchange, reply=reply))
        return replace(made, turns=(turn,), stop=Stop(StopReason.TARGET_FAILED, message))

    messages = ["the index is broken", "HTTP 500, id 7f64a5d2e1", "HTTP 500, id 0d1e2f3a4b", ""]
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        talks = [talk(f"s{n}", rated(5), assistant="yes") for n in range(5)]
        ended = [broken(each, said) for each, said in zip(talks, messages, strict=False)]
        run = stored_run(store, keep(store, "aaaa1111", [*ended, talks[4]]))
    groups = view_of(run, Words("en", "report")).fix_first
    shown = [(group.blame, group.entry, group.conversations) for group in groups]
    assert [
        (BOT_ERROR, "HTTP 500, id #", 2),
        (BOT_ERROR, "raised", 1),
        (BOT_ERROR, "the index is broken", 1),
    ] == shown
    assert [(BOT_ERROR, Remedy.MEND)] * 3 == [(f.blame, f.remedy) for f in faults_of(run)]
    names = [Words(lang, "report").name("fault", BOT_ERROR) for lang in ("en", "ja")]
    assert ["Bot error", "ボットのエラー"] == names


@pytest.mark.parametrize(("finds", "later"), [(1, 2), (0, 0)])
def test_what_is_answered_only_when_asked_again_is_to_be_fixed(finds: int, later: int) -> None:
    expected = Expected(elements=(("30 minutes",),), documents=("faq-9",))
    refused = answer(*readings(expected, UNMET, UNMET), blames=("retrieval_miss",) * finds)
    fine = answer(*readings(expected))
    groups = FaultGroups()
    for persona in ("calm", "angry"):
        made = made_talk(expected, refused, fine, cell=Cell("receipt", persona))
        groups.add(made, finding_of(made, rules()))
    shown = [(g.blame, g.entry, g.conversations, g.later, g.question) for g in groups.groups()]
    assert [("retrieval_miss", "faq-9", 0, later, "How long?")] * finds == shown


def test_what_failed_goes_before_what_was_answered_when_asked_again() -> None:
    groups = FaultGroups()

    def add(entry: str, n: int, *, failing: bool) -> None:
        expected = Expected(elements=(("30 minutes",),), documents=(entry,))
        refused = answer(*readings(expected, UNMET, UNMET), blames=("retrieval_miss",))
        turns = (refused,) if failing else (refused, answer(*readings(expected)))
        for at in range(n):
            made = made_talk(expected, *turns, cell=Cell(f"{entry}-{at}", "calm"))
            groups.add(made, finding_of(made, rules()))

    add("often", 6, failing=False)
    add("one", 1, failing=True)
    add("four", 4, failing=True)
    assert [("four", 4), ("one", 1), ("often", 6)] == [(g.entry, g.weight) for g in groups.groups()]


def test_a_run_in_which_the_bot_only_failed_tells_nothing() -> None:
    reply = TargetFailure(TargetFault.RAISED, "down")
    turn = failed()
    turn = replace(turn, exchange=replace(turn.exchange, reply=reply))
    stop = Stop(StopReason.TARGET_FAILED, "down")
    found = summary(header(score_by="lexical"), replace(made_talk(Expected(), turn), stop=stop))
    assert found.results[Result.FAILED] == 1
    assert nothing_scored(found)
