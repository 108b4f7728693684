"""The threshold that verdicts speak for: what is recommended, and when nothing is."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.screens.tune import why_not_written
from simulator.core.errors import InputError
from simulator.core.outcome import Interval
from simulator.core.run import Episode
from simulator.core.verdict import Audit, Verdict
from simulator.review.tune import Obstacle, Tuning, Unused, tune
from simulator.statistics.thresholds import FlagQuality, Objective, Spread
from simulator.store.store import Store
from tests.execution.clients import client
from tests.review.labelled import LEXICAL, OVERALL, kept, run_of, said, talk

F2 = Objective("f", 2.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as opened:
        yield opened


async def tuned(
    store: Store,
    cwd: Path,
    answers: list[tuple[float, str]],
    objective: Objective = F2,
    lines: str = "thresholds: {lexical: 0.5}\n",
    **changes: Any,
) -> Tuning:
    """A run of conversations of one turn each: a value and a word."""
    loaded = client(cwd, lines)
    talks = [talk(f"s{n}", [value]) for n, (value, _) in enumerate(answers)]
    given = [said(f"s{n}", 1, word) for n, (_, word) in enumerate(answers) if word]
    await kept(store, run_of("run1", client=loaded.client.name, **changes), talks, given)
    return tune(store, loaded, "lexical", objective)


MANY = [(0.2, "NG")] * 12 + [(0.6, "NG")] * 6 + [(0.4, "OK")] * 4 + [(0.8, "OK")] * 20


async def test_a_threshold_is_recommended_with_todays_beside_it(
    store: Store, tmp_path: Path
) -> None:
    found = await tuned(store, tmp_path, MANY)
    assert (42, 24, 18, 42, 18) == (
        found.verdicts,
        found.ok,
        found.ng,
        found.talks,
        found.ng_talks,
    )
    assert found.best is not None
    assert found.today is not None
    assert 0.7 == found.best.threshold  # catches all, at the price of four
    assert (18 / 22, 1.0) == (found.best.quality.precision.mean, found.best.quality.recall.mean)
    assert (0.5, 12 / 18) == (found.today.threshold, found.today.quality.recall.mean)
    assert [0.0, 0.3, 0.5, 0.7, 0.9] == [c.threshold for c in found.candidates]
    assert found.can_be_written
    assert (0, 0, 0) == found.lacking
    assert found.fresh is not None
    assert 1.0 == found.fresh.recall.mean
    assert found.spread is not None
    assert found.spread.same > 0.9


@pytest.mark.parametrize(
    ("answers", "lacking"),
    [
        ([], (30, 5, 5)),
        (MANY[:12] + MANY[-10:], (8, 0, 0)),
        (MANY[:2] + MANY[-20:], (8, 0, 3)),
        (MANY[:2] + MANY[-20:] * 2, (3, 0, 3)),
    ],
)
async def test_too_few_verdicts_are_not_enough_and_say_how_many_are_needed(
    store: Store, tmp_path: Path, answers: Any, lacking: tuple[int, int, int]
) -> None:
    found = await tuned(store, tmp_path, answers)
    assert lacking == found.lacking
    assert not found.can_be_written
    assert (Obstacle.FEW,) == found.obstacles


async def test_flagged_answers_alone_give_precision_up_to_the_threshold_that_flagged(
    store: Store, tmp_path: Path
) -> None:
    answers = [(v, w if v < 0.5 else "") for v, w in MANY * 2]
    found = await tuned(store, tmp_path, answers, audit=Audit(0.0, 42))
    assert not found.represents
    assert (Obstacle.NO_RECALL,) == found.obstacles
    assert None is found.best
    assert [0.0, 0.3, 0.5] == [c.threshold for c in found.candidates]
    assert found.today is not None
    assert 24 / 32 == found.today.quality.precision.mean
    assert Interval(None) == found.today.quality.recall
    assert Interval(None) == found.today.quality.flagged


async def test_precision_is_that_of_the_run_whose_flags_people_saw(
    store: Store, tmp_path: Path
) -> None:
    loaded = client(tmp_path, "thresholds: {lexical: 0.5}\n")
    name, none = loaded.client.name, Audit(0.0, 42)
    talks = [talk("low", [0.2]), talk("high", [0.9])]
    await kept(store, run_of("run1", client=name, audit=none), talks, [said("low", 1, "NG")])
    again = run_of("run2", client=name, kind="rejudge", of="run1", audit=none)
    await kept(store, again, [talk("low", [0.3]), talk("high", [0.4])])
    found = tune(store, loaded, "lexical", F2)
    assert (1, ("run1",)) == (found.verdicts, found.runs)


async def test_what_another_judge_flagged_tells_no_precision(store: Store, tmp_path: Path) -> None:
    loaded = client(tmp_path, "")
    sha = loaded.catalog.rubric("ja", "answer_quality").sha
    made: dict[str, Any] = {
        "client": loaded.client.name,
        "metrics": (OVERALL,),
        "score_by": "overall",
        "thresholds": {"overall": 0.5},
        "audit": Audit(0.0, 42),
    }
    old = {"client.judge.chat.model": "gpt-4o", "rubrics.answer_quality": sha}
    talks = [talk(name, [v], metric="overall") for name, v in (("low", 0.2), ("high", 0.9))]
    await kept(store, run_of("run1", snapshot=old, **made), talks, [said("low", 1, "NG")])
    new = old | {"client.judge.chat.model": "gpt-4.1"}
    again = run_of("run2", snapshot=new, kind="rejudge", of="run1", **made)
    await kept(store, again, [talk(n, [0.3], metric="overall") for n in ("low", "high")])
    found = tune(store, loaded, "overall", F2)
    assert (0, {Unused.OTHER_FLAG: 1}) == (found.verdicts, found.unused)
    assert () == found.candidates


async def test_a_threshold_beyond_what_people_saw_is_not_known(
    store: Store, tmp_path: Path
) -> None:
    answers = [(v, w if v < 0.5 else "") for v, w in MANY * 2]
    lines = "thresholds: {lexical: 0.7}\n"
    found = await tuned(store, tmp_path, answers, lines=lines, audit=Audit(0.0, 42))
    assert (0.7, None) == (found.own, found.today)


async def test_what_cannot_be_used_is_counted_by_reason(store: Store, tmp_path: Path) -> None:
    loaded = client(tmp_path, "")
    audit = Audit(0.3, 42)
    every = [talk(f"s{n}", [0.8]) for n in range(30)]
    talks = [talk("low", [0.2]), talk("odd", [0.3], metric="other"), *every]
    drawn = [t for t in every if audit.draws(t.cell.key, 1)]
    undrawn = [t for t in every if t not in drawn]
    given = [said("low", 1, "unsure"), said("odd", 1, "NG")]
    given += [said(t.cell.scenario, 1, "OK") for t in (*drawn[:2], *undrawn[:3])]
    await kept(store, run_of("run1", client=loaded.client.name, audit=audit), talks, given)
    flagged_only = run_of("run2", client=loaded.client.name, audit=Audit(0.0, 42))
    await kept(store, flagged_only, [talk("x", [0.2, 0.9])], [said("x", 1, "NG")])
    found = tune(store, loaded, "lexical", F2)
    expected = {
        Unused.UNSURE: 1,
        Unused.UNSCORED: 1,
        Unused.UNDRAWN: 3,
        Unused.FLAGGED_ONLY: 1,
    }
    assert expected == found.unused
    assert (2, 2) == (found.verdicts, found.ok)
    assert found.heaviest > 3


async def test_a_promise_says_how_many_conversations_it_takes(store: Store, tmp_path: Path) -> None:
    strict, possible = (Objective("miss-rate", alpha) for alpha in (0.05, 0.1))
    found = await tuned(store, tmp_path, MANY, strict)
    assert (Obstacle.FEW_TALKS,) == found.obstacles  # 18 of 19
    again = tune(store, client(tmp_path, "thresholds: {lexical: 0.5}\n"), "lexical", possible)
    assert again.best is not None
    assert 0.7 == again.best.threshold


async def test_scores_that_cannot_keep_a_promise_are_said_not_to(
    store: Store, tmp_path: Path
) -> None:
    answers = [(0.3, "NG")] * 20 + [(1.0, "NG")] * 5 + [(0.9, "OK")] * 20
    found = await tuned(store, tmp_path, answers, Objective("miss-rate", 0.1))
    assert ((Obstacle.NO_CUT,), None) == (found.obstacles, found.best)


@pytest.mark.parametrize("objective", [F2, Objective("youden"), Objective("miss-rate", 0.2)])
@pytest.mark.parametrize(
    "answers",
    [
        [(1.0, "NG")] * 20 + [(0.9, "OK")] * 20,  # the wrong way round
        [(0.1 * (n % 9), "NG" if n % 2 else "OK") for n in range(60)],
        [(0.2, "NG"), (0.2, "OK")] * 20,
    ],
)
async def test_a_metric_that_tells_nothing_is_refused_whatever_the_objective(
    store: Store, tmp_path: Path, answers: Any, objective: Objective
) -> None:
    found = await tuned(store, tmp_path, answers, objective)
    assert ((Obstacle.TELLS_NOTHING,), None) == (found.obstacles, found.best)
    assert not found.can_be_written
    assert (found.auc.low or 0) <= 0.5
    told = why_not_written(found)
    assert f"its AUC is {found.auc.mean:.2f}" in told
    assert "use another metric" in told


def of_talks(words: list[list[str]]) -> tuple[list[Episode], list[Verdict]]:
    """Conversations and their verdicts; NG answers have low scores."""
    talks = [talk(f"s{n}", [0.2 if w == "NG" else 0.8 for w in of]) for n, of in enumerate(words)]
    given = [said(f"s{n}", t, w) for n, of in enumerate(words) for t, w in enumerate(of, 1)]
    return talks, given


@pytest.mark.parametrize(
    ("words", "lacking"),
    [
        ([["NG"] * 16 + ["OK"] * 16], (9, 4, 4)),
        ([["NG"] * 2 + ["OK"] * 2] * 9, (1, 0, 0)),
        ([["NG"] * 2 + ["OK"] * 2] * 4 + [["OK"] * 3] * 6, (0, 0, 1)),
        ([["NG"] * 2 + ["OK"] * 2] * 5 + [["OK"] * 2] * 5, (0, 0, 0)),
    ],
)
async def test_verdicts_of_few_conversations_are_not_enough(
    store: Store, tmp_path: Path, words: list[list[str]], lacking: tuple[int, int, int]
) -> None:
    loaded = client(tmp_path, "")
    await kept(store, run_of("run1", client=loaded.client.name), *of_talks(words))
    found = tune(store, loaded, "lexical", F2)
    assert (lacking, (0, 0, 0)) == (found.lacking_talks, found.lacking)
    assert any(lacking) == (Obstacle.FEW_CONVERSATIONS in found.obstacles)
    assert any(lacking) == (not found.can_be_written)
    if any(lacking):
        assert found.candidates, "they are laid out all the same"
        assert f"from {len(words)} (OK from" in why_not_written(found)


async def test_intervals_of_the_recommended_one_know_that_it_was_chosen(
    store: Store, tmp_path: Path
) -> None:
    answers = [(0.03 * n, "NG" if n % 7 < 4 - n // 8 else "OK") for n in range(33)]
    found = await tuned(store, tmp_path, answers)
    assert found.best is not None
    assert found.fresh is not None
    of_table = next(c for c in found.candidates if c.threshold == found.best.threshold).quality
    for name in ("precision", "recall"):
        plain, known, fresh = (
            getattr(q, name) for q in (of_table, found.best.quality, found.fresh)
        )
        assert plain.mean == known.mean
        assert known.low <= plain.low <= plain.high <= known.high
        assert (known.low, known.high) == (fresh.low, fresh.high)
    assert found.best.quality != of_table


async def test_a_metric_that_is_none_or_speaks_of_talks_is_complained_about(
    store: Store, tmp_path: Path
) -> None:
    loaded = client(tmp_path, "")
    with pytest.raises(InputError, match=r'no metric "lexicl"; did you mean lexical'):
        tune(store, loaded, "lexicl", F2)
    whole = LEXICAL.__class__("satisfaction", "S", scope="talk")
    head = run_of("run1", client=loaded.client.name, metrics=(whole,))
    await kept(store, head, [talk("a", [0.2])], [said("a", 1, "NG")])
    with pytest.raises(InputError, match="rates whole conversations,"):
        tune(store, loaded, "satisfaction", F2)


async def test_drawn_answers_alone_count_and_say_that_no_flagged_one_was_judged(
    store: Store, tmp_path: Path
) -> None:
    found = await tuned(store, tmp_path, [(v, w if v > 0.5 else "") for v, w in MANY])
    assert (26, 20, 6, {}) == (found.verdicts, found.ok, found.ng, found.unused)
    assert (Obstacle.FEW, Obstacle.NO_PRECISION) == found.obstacles
    assert (False, (), None) == (found.represents, found.candidates, found.today)


async def test_drawn_answers_alone_are_not_mixed_with_runs_reviewed_throughout(
    store: Store, tmp_path: Path
) -> None:
    loaded = client(tmp_path, "")
    talks = [talk("low", [0.2]), talk("high", [0.9])]
    whole = [said("low", 1, "NG"), said("high", 1, "OK")]
    await kept(store, run_of("run1", client=loaded.client.name), talks, whole)
    others = [talk("lower", [0.2]), talk("higher", [0.9])]
    second = run_of("run2", client=loaded.client.name)
    await kept(store, second, others, [said("higher", 1, "OK")])
    found = tune(store, loaded, "lexical", F2)
    assert (2, ("run1",)) == (found.verdicts, found.runs)
    assert {Unused.UNFLAGGED_ONLY: 1} == found.unused


async def test_todays_threshold_stands_for_one_that_flags_the_same(
    store: Store, tmp_path: Path
) -> None:
    answers = [(0.2, "NG")] * 16 + [(0.9, "OK")] * 16
    found = await tuned(store, tmp_path, answers)  # 0.6 is in the middle, and today's 0.5
    assert found.best is not None
    assert 0.5 == found.best.threshold
    assert [0.0, 0.5, 0.95] == [c.threshold for c in found.candidates]


async def test_too_few_verdicts_recommend_nothing(store: Store, tmp_path: Path) -> None:
    found = await tuned(store, tmp_path, MANY[:12] + MANY[-10:])
    assert (None, (Obstacle.FEW,)) == (found.best, found.obstacles)
    assert found.candidates


async def test_what_is_flagged_is_counted_over_all_turns_with_a_score(
    store: Store, tmp_path: Path
) -> None:
    unjudged = [(0.1, "")] * 12 + [(0.9, "")] * 46  # with verdicts 16 of 42 are flagged
    found = await tuned(store, tmp_path, MANY + unjudged)
    assert found.today is not None
    assert Interval(28 / 100) == found.today.quality.flagged


def with_figures(found: Tuning, today: float, fresh: float, same: float, low: float) -> Tuning:
    """A tuning whose recall is this, and whose precision is 1."""
    assert found.today is not None
    sure = Interval(1.0)
    return replace(
        found,
        today=replace(found.today, quality=FlagQuality(sure, sure, Interval(today))),
        fresh=FlagQuality(sure, sure, Interval(fresh)),
        spread=Spread(same, low, 0.9, 0.0),
    )


@pytest.mark.parametrize(
    ("figures", "keeps"),
    [
        ((0.8, 0.9, 0.9, 0.6), False),
        ((0.9, 0.9, 0.9, 0.6), True),  # no better on conversations it was not chosen on
        ((0.8, 0.9, 0.4, 0.5), True),  # and samples drawn anew may as well choose today's
        ((0.8, 0.9, 0.4, 0.6), False),
    ],
)
async def test_today_is_kept_where_another_threshold_is_no_clear_gain(
    store: Store, tmp_path: Path, figures: tuple[float, float, float, float], keeps: bool
) -> None:
    found = await tuned(store, tmp_path, MANY)
    assert keeps == with_figures(found, *figures).keeps_today
    assert keeps != with_figures(found, *figures).can_be_written
    assert keeps == why_not_written(with_figures(found, *figures)).startswith("No clear gain")
    promise = replace(found, objective=Objective("miss-rate", 0.1))
    assert not with_figures(promise, *figures).keeps_today
