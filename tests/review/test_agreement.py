"""Which turns the figures speak of, how many more verdicts it takes, and what has no figure."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.run import Episode
from simulator.core.verdict import Audit, Word
from simulator.review.agreement import Agreement, NoAgreement, agreement, faults_named
from simulator.review.verdict_labels import Exclusion
from simulator.store.store import Store
from tests.execution.clients import client
from tests.review.labelled import JUDGED, LEXICAL, OVERALL, kept, run_of, said, talk

MIXED = [(0.2, "NG"), (0.8, "OK"), (0.9, "OK"), (0.3, "OK"), (0.1, "NG"), (0.7, "NG")] * 6


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as opened:
        yield opened


async def agreed(
    store: Store, cwd: Path, answers: list[tuple[float, str]], *metrics: str, **changes: Any
) -> list[Agreement | NoAgreement]:
    """A run of conversations of one turn each: a value, and a word unless it is empty."""
    loaded = client(cwd, "thresholds: {lexical: 0.5}\n")
    talks = [talk(f"s{n}", [value]) for n, (value, _) in enumerate(answers)]
    given = [said(f"s{n}", 1, word) for n, (_, word) in enumerate(answers) if word]
    await kept(store, run_of("run1", client=loaded.client.name, **changes), talks, given)
    return agreement(store, loaded, metrics)


async def only(store: Store, cwd: Path, answers: list[tuple[float, str]], **more: Any) -> Agreement:
    (found,) = await agreed(store, cwd, answers, **more)
    assert isinstance(found, Agreement)
    return found


async def test_counts_are_those_of_the_verdicts(store: Store, tmp_path: Path) -> None:
    found = await only(store, tmp_path, [*MIXED, (0.9, "unsure"), (0.9, "")])
    assert {
        (Word.OK, Word.OK): 12,
        (Word.OK, Word.NG): 6,
        (Word.OK, Word.UNSURE): 1,
        (Word.NG, Word.OK): 6,
        (Word.NG, Word.NG): 12,
        (Word.NG, Word.UNSURE): 0,
    } == found.counts
    assert (37, 1, ("run1",)) == (found.turns, found.people, found.runs)


async def test_what_people_called_wrong_stands_beside_the_newest_blame(
    store: Store, tmp_path: Path
) -> None:
    loaded = client(tmp_path, "thresholds: {lexical: 0.5}\n")
    name = loaded.client.name
    assert faults_named(store, loaded.client) is None

    def blamed(scenario: str, fault: str) -> Episode:
        made = talk(scenario, [0.2])
        return replace(made, turns=tuple(replace(t, blames=(fault,)) for t in made.turns))

    given = [said(s, 1, "NG", error_type="unsupported") for s in ("a", "b", "c")]
    talks = [blamed(s, "unsupported") for s in ("a", "b", "c")]
    await kept(store, run_of("run1", client=name), talks, given)
    again = run_of("run2", client=name, kind="rejudge", of="run1")
    await kept(store, again, [blamed("b", "style")])
    # The identical answers count once.
    await kept(store, run_of("run3", client=name), [blamed("c", "unsupported")])
    found = faults_named(store, loaded.client)
    assert found is not None
    assert {("unsupported", "unsupported"): 2, ("unsupported", "style"): 1} == found.counts
    assert (3, 2) == (found.n, found.agreed)


async def test_a_wide_kappa_asks_for_more_verdicts(store: Store, tmp_path: Path) -> None:
    found = await only(store, tmp_path, MIXED)
    kappa = found.sides.metric.figures["kappa"].value
    assert kappa.low is not None
    assert kappa.high is not None
    half = (kappa.high - kappa.low) / 2
    assert found.more is not None
    assert 0.15 == pytest.approx(half * (36 / (36 + found.more)) ** 0.5, abs=0.005)


async def test_a_narrow_one_asks_for_none(store: Store, tmp_path: Path) -> None:
    assert 0 == (await only(store, tmp_path, MIXED * 6)).more


async def test_below_five_pairs_it_asks_for_those(store: Store, tmp_path: Path) -> None:
    assert 2 == (await only(store, tmp_path, MIXED[:3])).more


async def test_drawn_turns_that_are_few_are_told(store: Store, tmp_path: Path) -> None:
    flagged = [(0.2, "NG")] * 30
    unflagged = [(0.9, "OK") if n % 10 == 0 else (0.9, "") for n in range(100)]
    found = await only(store, tmp_path, [*flagged, *unflagged])
    assert found.whole
    assert 10 == found.few_drawn


async def test_drawn_turns_are_those_that_were_drawn_whatever_a_later_run_flags(
    store: Store, tmp_path: Path
) -> None:
    loaded = client(tmp_path, "thresholds: {lexical: 0.5}\n")
    name = loaded.client.name
    flagged = [talk(f"f{n}", [0.2]) for n in range(30)]
    others = [talk(f"s{n}", [0.9]) for n in range(100)]
    given = [said(f"f{n}", 1, "NG") for n in range(30)]
    given += [said(f"s{n}", 1, "OK") for n in range(10)]
    await kept(store, run_of("run1", client=name), [*flagged, *others], given)
    lenient = [talk(f"f{n}", [0.8]) for n in range(30)]
    again = run_of("run2", client=name, kind="rejudge", of="run1", audit=Audit(0.0, 42))
    await kept(store, again, [*lenient, *others])
    (found,) = agreement(store, loaded)
    assert isinstance(found, Agreement)
    assert ("run2",) == found.runs
    assert 10 == found.few_drawn


async def test_where_all_were_judged_few_are_enough(store: Store, tmp_path: Path) -> None:
    assert (await only(store, tmp_path, MIXED[:6])).few_drawn is None


async def test_flagged_turns_alone_do_not_speak_of_all(store: Store, tmp_path: Path) -> None:
    answers = [(value, word if value < 0.5 else "") for value, word in MIXED]
    found = await only(store, tmp_path, answers, audit=Audit(0.0, 42))
    assert not found.whole
    assert found.sides.metric.figures["kappa"].value.mean is None


async def test_verdicts_of_flagged_turns_alone_stand_aside_where_others_speak_of_all(
    store: Store, tmp_path: Path
) -> None:
    await only(store, tmp_path, MIXED)
    loaded = client(tmp_path, "thresholds: {lexical: 0.5}\n")
    head = run_of("run2", client=loaded.client.name, audit=Audit(0.0, 42))
    await kept(store, head, [talk("x", [0.1, 0.9])], [said("x", 1, "NG")])
    (found,) = agreement(store, loaded)
    assert isinstance(found, Agreement)
    assert (37, 1) == (found.turns, found.aside)
    assert 36 == found.sides.metric.turns


async def test_another_judge_is_left_out_and_named(store: Store, tmp_path: Path) -> None:
    loaded = client(tmp_path, "judge: {model: gpt-4.1-mini}\n")
    head = run_of("run1", client=loaded.client.name, metrics=(OVERALL, LEXICAL), snapshot=JUDGED)
    await kept(store, head, [talk("s1", [0.4], metric="overall")], [said("s1", 1, "NG")])
    (found,) = agreement(store, loaded, ["overall"])
    assert isinstance(found, NoAgreement)
    assert [("run1", Exclusion.JUDGE)] == [(one.run, one.why) for one in found.left_out]


async def test_an_unknown_metric_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no reviewed run has a metric 'lexicl'; did you mean"):
        await agreed(store, tmp_path, MIXED, "lexicl")


async def test_without_verdicts_there_is_nothing(store: Store, tmp_path: Path) -> None:
    assert [] == await agreed(store, tmp_path, [(0.9, "")])
