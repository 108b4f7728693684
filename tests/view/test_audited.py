"""The audit rows of a run: a sample of its different answers that nobody judged before."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.core.run import Episode, RunHeader
from simulator.core.verdict import Audit, Sampled, Verdict, Word
from simulator.store.store import Store
from simulator.view.stored_run import CorrectedTally, audited
from tests.compare.stored import keep
from tests.execution.scored import episode, rated, turn

LOW, HIGH = turn(rated(2)), turn(rated(5))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as opened:
        yield opened


def talks(scenarios: int, *, weak: int = 0) -> list[Episode]:
    """Two personas ask of each scenario and are answered the same; one is flagged on `weak`."""
    return [
        episode(LOW if n < weak and persona == "calm" else HIGH, scenario=f"s{n}", persona=persona)
        for n in range(scenarios)
        for persona in ("angry", "calm")
    ]


def run(store: Store, name: str, share: float, made: list[Episode], at: int = 0) -> RunHeader:
    return audited(store, keep(store, name, made, at, audit=Audit(share, at)))


def shown(head: RunHeader, made: list[Episode], kind: Sampled = Sampled.AUDIT) -> set[str]:
    return {e.cell.key for e in made if head.sampled(e, e.turns[0]) is kind}


@pytest.mark.slow
def test_equal_answers_are_drawn_and_shown_once(store: Store) -> None:
    made = talks(300)
    head = run(store, "run1", 0.3, made)
    rows = shown(head, made)
    assert {key for key in rows if key.endswith("/angry/1")} == rows
    assert len(rows) == pytest.approx(90, abs=40)  # five standard errors


def test_the_probability_is_kept_and_holds_for_every_equal_answer(store: Store) -> None:
    made = talks(40)
    head = run(store, "run1", 0.3, made)
    rows = {key.split("/")[0] for key in shown(head, made)}
    drawn = [(e.cell.scenario in rows, head.drawn(e, e.turns[0])) for e in made]
    assert {(True, (Sampled.AUDIT, 0.3)), (False, (Sampled.AUDIT, None))} == set(drawn)


def test_what_was_judged_before_is_not_drawn_and_counts_as_known(store: Store) -> None:
    made = talks(40)
    keep(store, "run1", made, 1)
    store.add_verdicts("run1", [Verdict(f"s{n}/calm/1", 1, Word.OK) for n in range(20)])
    head = run(store, "run2", 1.0, made, 2)
    assert {f"s{n}/angry/1" for n in range(20, 40)} == shown(head, made)
    assert (Sampled.KNOWN, 1.0) == head.drawn(made[0], made[0].turns[0])


def test_an_answer_that_is_shown_for_a_flag_is_not_drawn_as_well(store: Store) -> None:
    made = talks(10, weak=4)
    head = run(store, "run1", 1.0, made)
    assert {f"s{n}/calm/1" for n in range(4)} == shown(head, made, Sampled.FLAGGED)
    assert {f"s{n}/angry/1" for n in range(4, 10)} == shown(head, made)
    assert (Sampled.FLAGGED, 1.0) == head.drawn(made[0], made[0].turns[0])


def test_two_runs_draw_each_for_themselves(store: Store) -> None:
    made = talks(100)
    first, second = (run(store, f"run{n}", 0.5, made, n) for n in (1, 2))
    assert shown(first, made) != shown(second, made)


def test_a_run_that_ends_again_keeps_what_it_drew(store: Store) -> None:
    made = talks(100)
    head = run(store, "run1", 0.5, made[:120])
    rows = shown(head, made)
    store.add_verdicts("run1", [Verdict(key, 1, Word.OK) for key in rows])
    store.finish(head, {})
    assert store.header("run1") == head
    again = audited(store, keep(store, "run1", made, audit=head.audit))
    assert rows == shown(again, made[:120])
    assert rows < shown(again, made)


def test_people_who_judge_the_audit_rows_speak_for_all(store: Store) -> None:
    made = talks(200, weak=50)
    head = run(store, "run1", 0.4, made)
    said = [Verdict(key, 1, Word.NG) for key in shown(head, made, Sampled.FLAGGED)]
    said += [Verdict(key, 1, Word.OK) for key in shown(head, made)]
    store.add_verdicts("run1", said)
    tally = CorrectedTally(head)
    for each, given in store.reviewed("run1"):
        tally.add(each, given)
    found = tally.summary()
    assert found is not None
    assert 0.75 == pytest.approx(found.value.mean)
    assert (len(said), len(said) - 50) == (found.n, found.audited)
