"""Proofs are kept beside the store until they are accepted."""

from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from simulator.core.errors import InputError
from simulator.core.result import Result
from simulator.improve import stored as room
from simulator.improve.decision import DecidingRule, Decision, Gain, Played, Proof, Proven
from simulator.improve.diffs import Diff, file_states
from simulator.improve.pairs import Choice, Pair, Right
from simulator.improve.proof import BeforeAfter
from simulator.improve.stored import (
    StoredFix,
    StoredProof,
    as_written,
    keep,
    keep_choices,
    keep_pairs,
    place_of,
    read,
    read_choices,
)

GAIN = Gain(6, 6, 5, 0, 0.8, 0.01, 0.01)
CELL = Played("a", (Result.FAILED, Result.PASSED))
PROOF = Proof("a.diff", Decision(Proven.ACCEPTED, DecidingRule.GAIN, GAIN), (CELL,))
FIX = StoredFix(
    Diff("a.diff", "--- a\n", {"reason": "r"}), PROOF, (BeforeAfter("q", "b", "c", True),)
)


def test_what_is_kept_is_read_as_it_was(tmp_path: Path) -> None:
    stored = StoredProof("1234abcd", {"faq.csv": "x"}, (FIX,))
    path = keep(stored, tmp_path)
    assert 0o600 == path.stat().st_mode & 0o777
    assert stored == read("1234abcd", tmp_path)


def test_pairs_of_a_named_diff_stand_beside_what_was_proved(tmp_path: Path) -> None:
    pair = Pair("q", "b", "a", "why")
    keep_pairs("r", [pair], tmp_path)
    assert (pair,) == read("r", tmp_path).pairs
    keep(StoredProof("r", {"faq.csv": "x"}, (FIX,)), tmp_path)
    keep_pairs("r", [pair], tmp_path)
    stored = read("r", tmp_path)
    assert ((FIX,), {"faq.csv": "x"}, (pair,)) == (stored.fixes, stored.files, stored.pairs)


def test_without_a_proof_the_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mogi improve 1234abcd --fix"):
        read("1234abcd", tmp_path)
    keep(StoredProof("1234abcd", {}, ()), tmp_path)
    place_of("1234abcd", tmp_path).write_text("{", "utf-8")
    with pytest.raises(InputError, match="is damaged; verify the fixes"):
        read("1234abcd", tmp_path)


def test_files_that_changed_since_are_named(tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text("a", "utf-8")
    (tmp_path / "same.csv").write_text("a", "utf-8")
    stored = StoredProof("r", file_states(tmp_path), (FIX,))
    assert () == stored.changed(tmp_path)
    (tmp_path / "faq.csv").write_text("b", "utf-8")
    (tmp_path / "new.csv").write_text("b", "utf-8")
    assert ("faq.csv", "new.csv") == stored.changed(tmp_path)
    assert () == as_written(stored, ["a.diff"], tmp_path).changed(tmp_path)


def test_its_own_file_changes_no_folder_that_holds_the_store(tmp_path: Path) -> None:
    stored = StoredProof("r", file_states(tmp_path), (FIX,))
    keep(stored, tmp_path)
    assert () == stored.changed(tmp_path)


def test_what_two_people_choose_at_the_same_time_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, yours = (Choice(Pair(q, "b", "a", "why"), Right.AFTER) for q in "mn")
    second = Thread(target=keep_choices, args=("r", [yours], tmp_path))

    def read_while_another_writes(run: str, beside: Path) -> Sequence[Choice]:
        kept = read_choices(run, beside)
        monkeypatch.setattr(room, "read_choices", read_choices)
        second.start()
        second.join(0.5)  # without a lock it is done by then
        return kept

    monkeypatch.setattr(room, "read_choices", read_while_another_writes)
    keep_choices("r", [mine], tmp_path)
    second.join()
    assert {mine, yours} == set(read_choices("r", tmp_path))
