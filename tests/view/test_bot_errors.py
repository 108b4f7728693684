"""A bot that fails is a cause of its own, by its name, in one group."""

from dataclasses import replace
from pathlib import Path

from simulator.core.talk import Stop, StopReason
from simulator.store.store import Store
from simulator.view.faults import BOT_ERROR, Remedy, faults_of
from simulator.view.run_view import view_of
from simulator.view.stored_run import stored_run
from simulator.words import Words
from tests.compare.stored import keep, talk
from tests.execution.scored import failed, rated


def test_a_bots_errors_are_one_cause(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        talks = [talk(f"s{n}", rated(5), assistant="yes") for n in range(4)]
        stop = Stop(StopReason.TARGET_FAILED, "raised: boom")
        broken = [replace(each, turns=(failed(),), stop=stop) for each in talks[:2]]
        run = stored_run(store, keep(store, "aaaa1111", [*broken, *talks[2:]]))
    [group] = view_of(run, Words("en", "report")).fix_first
    assert (BOT_ERROR, "", 2) == (group.blame, group.entry, group.conversations)
    assert [(BOT_ERROR, Remedy.MEND)] == [(f.blame, f.remedy) for f in faults_of(run)]
    names = [Words(lang, "report").name("fault", BOT_ERROR) for lang in ("en", "ja")]
    assert ["Bot error", "ボットのエラー"] == names
