"""The mean that labels correct: what it is by hand, when there is none, and what it covers."""

import random
from collections.abc import Sequence

import pytest
from scipy import stats

from benchmarks import coverage_corrected, coverage_people
from simulator.core.outcome import Interval
from simulator.statistics.intervals import clustered
from simulator.statistics.ppi import (
    FEWEST_LABELS,
    Observation,
    StratifiedSample,
    chances,
    difference,
    ppi,
)

FLAGGED, DRAWN = 0, 1


def single(predicted: Sequence[float], said: Sequence[float | None]) -> StratifiedSample:
    """One turn a conversation, each its own scenario and all in one stratum; None: no label."""
    sample = StratifiedSample(1)
    for number, (f, y) in enumerate(zip(predicted, said, strict=True)):
        talk = sample.add(number, [1], f)
        if y is not None:
            sample.labels.append(Observation(talk, 0, f, y))
    return sample


def some(rng: random.Random, count: int, labelled: int) -> tuple[list[float], list[float | None]]:
    predicted = [rng.random() for _ in range(count)]
    said: list[float | None] = [float(rng.random() < f) for f in predicted]
    return predicted, said[:labelled] + [None] * (count - labelled)


def test_where_all_turns_have_a_label_predictions_make_no_difference() -> None:
    said = [1.0, 0.0, 1.0, 1.0, 0.5, 1.0, 0.0]
    low, _ = stats.t.interval(0.95, 6, loc=sum(said) / 7, scale=stats.sem(said))
    expected = ppi(single([0.5] * 7, said))
    assert expected is not None
    assert pytest.approx(sum(said) / 7) == expected.value.mean
    assert expected.value.low is not None
    assert expected.value.low <= low
    for predicted in ([0.9, 0.1, 0.9, 0.7, 0.4, 0.6, 0.5], [0.5] * 7):
        found = ppi(single(predicted, said))
        assert found is not None
        assert pytest.approx(width(expected.value)) == width(found.value)


def test_one_stratum_of_single_turns_is_the_textbook_estimate() -> None:
    predicted, said = some(random.Random(5), 300, 60)
    found = ppi(single(predicted, said))
    assert found is not None
    rectifier = [
        y - found.tuning * f for f, y in zip(predicted, said, strict=True) if y is not None
    ]
    expected = found.tuning * sum(predicted) / 300 + sum(rectifier) / 60
    assert pytest.approx(expected) == found.value.mean


def test_tuning_is_the_slope_of_labels_on_predictions() -> None:
    rng = random.Random(9)
    predicted = [rng.random() for _ in range(20_000)]
    said = [0.2 + 0.5 * f + rng.uniform(-0.1, 0.1) for f in predicted]
    found = ppi(single(predicted, [*said[:4_000], *[None] * 16_000]))
    assert found is not None
    assert pytest.approx(0.5, abs=0.02) == found.tuning


@pytest.mark.parametrize(("slope", "tuning"), [(-1, 0), (3, 1)])
def test_tuning_stays_within_0_and_1(slope: float, tuning: float) -> None:
    rng = random.Random(2)
    predicted = [0.5 + rng.uniform(-0.1, 0.1) for _ in range(200)]
    said = [0.5 + slope * (f - 0.5) for f in predicted]
    found = ppi(single(predicted, [*said[:50], *[None] * 150]))
    assert found is not None
    assert tuning == found.tuning


def test_predictions_that_say_something_narrow_the_interval() -> None:
    predicted, said = some(random.Random(3), 400, 60)
    sharp = [0.9 * (f > 0.5) + 0.05 for f in predicted]
    labels = [None if y is None else float(f > 0.5) for f, y in zip(predicted, said, strict=True)]
    with_judge, alone = ppi(single(sharp, labels)), ppi(single([0.5] * 400, labels))
    assert with_judge is not None
    assert alone is not None
    assert alone.tuning == 0
    assert width(with_judge.value) < 0.6 * width(alone.value)


def two_strata() -> StratifiedSample:
    """40 conversations of a flagged and two other turns; half of the flagged ones have no label."""
    sample = StratifiedSample(2)
    for number in range(40):
        talk = sample.add(number // 2, (1, 2), 0.3 + 2 * 0.9)
        if number % 2:
            sample.labels.append(Observation(talk, FLAGGED, 0.3, float(number % 4 == 1)))
        sample.labels.append(Observation(talk, DRAWN, 0.9, float(number % 5 > 0)))
    return sample


def test_each_stratum_stands_for_all_its_turns_answered_or_not() -> None:
    found = ppi(two_strata())
    assert found is not None
    assert pytest.approx((0.5 + 2 * 0.8) / 3) == found.value.mean


def test_a_long_conversation_weighs_no_more_than_a_short_one() -> None:
    sample = StratifiedSample(1)
    for number in range(10):
        turns, said = (9, 0.0) if number < 5 else (1, 1.0)
        talk = sample.add(number, [turns], 0.5 * turns)
        sample.labels.extend(Observation(talk, 0, 0.5, said) for _ in range(turns))
    found = ppi(sample)
    assert found is not None
    assert 0.5 == found.value.mean


def test_too_few_labels_of_a_stratum_give_no_estimate() -> None:
    predicted, said = some(random.Random(1), 100, FEWEST_LABELS)
    assert ppi(single(predicted, said)) is not None
    assert ppi(single(predicted, [None, *said[1:]])) is None


def test_a_small_stratum_will_do_if_all_of_it_has_labels() -> None:
    sample = two_strata()
    sample.sizes[FLAGGED] = type(sample.sizes[FLAGGED])("l", [int(n < 3) for n in range(40)])
    sample.labels = [x for x in sample.labels if x.stratum == DRAWN]
    assert ppi(sample) is None
    sample.labels += [Observation(talk, FLAGGED, 0.3, 0.0) for talk in range(3)]
    assert ppi(sample) is not None


def test_labels_in_a_few_clusters_give_no_estimate() -> None:
    sample = StratifiedSample(1)
    for number in range(90):
        talk = sample.add(number // 10, [1], 0.5)
        if number < 40:
            sample.labels.append(Observation(talk, 0, 0.5, float(number % 2)))
    assert ppi(sample) is None  # 40 labels, in 4 of 9 scenarios


def test_without_conversations_there_is_no_estimate() -> None:
    assert ppi(StratifiedSample(2)) is None


def test_labels_that_are_all_alike_are_no_proof_that_the_others_are() -> None:
    predicted = [0.9] * 200
    found = ppi(single(predicted, [*[1.0] * 30, *[None] * 170]))
    assert found is not None
    assert 1.0 == found.value.mean == found.value.high
    assert found.value.low is not None
    assert found.value.low < 0.93  # 3 in 30 may still be bad


def test_that_all_of_few_scenarios_are_right_is_no_proof_that_others_would_be() -> None:
    low = []
    for count in (30, 300):
        found = ppi(single([0.9] * count, [1.0] * count))
        assert found is not None
        assert 1.0 == found.value.mean == found.value.high
        low.append(found.value.low or 0.0)
    assert 0.8 < low[0] < 0.93
    assert 0.98 < low[1] < 1


def test_thirty_labels_in_all_are_enough_if_each_stratum_has_ten() -> None:
    for flagged, drawn, is_enough in (
        (20, 10, True),
        (10, 20, True),
        (21, 9, False),
        (10, 19, False),
    ):
        sample = StratifiedSample(2)
        for number in range(100):
            stratum = number % 2
            talk = sample.add(number, [1 - stratum, stratum], 0.5)
            if number // 2 < (flagged, drawn)[stratum]:
                sample.labels.append(Observation(talk, stratum, 0.5, float(number % 5 > 0)))
        assert is_enough is (ppi(sample) is not None)


@pytest.mark.parametrize(
    ("n", "expected"), [(1, [0.1, 0.3, 0.6]), (2, [0.25, 0.75, 1.0]), (3, [1.0] * 3)]
)
def test_chances_are_as_the_sizes_and_never_above_1(n: int, expected: Sequence[float]) -> None:
    assert pytest.approx(expected) == chances([1.0, 3.0, 6.0], n)


def width(value: Interval) -> float:
    assert value.low is not None
    assert value.high is not None
    return value.high - value.low


class World:
    """Bots whose answers are as good as their scenario and conversation are easy, and a judge."""

    def __init__(self, quality: float, leniency: float, share: float, scenarios: int = 40) -> None:
        self._quality, self._leniency, self._share = quality, leniency, share
        self._scenarios = scenarios

    def sample(self, rng: random.Random) -> tuple[StratifiedSample, list[float]]:
        """A run with labels on 9 in 10 of the turns shown; the judge's mean of each conversation.

        Turns are flagged under 0.7; of the others `share` are drawn.
        """
        sample, means = StratifiedSample(2), []
        for scenario in range(self._scenarios):
            ease = rng.gauss(0, 0.8)
            for _ in range(3):
                turns = list(self._talk(rng, ease + rng.gauss(0, 0.5)))
                flagged = sum(f < 0.7 for f, _ in turns)
                total = sum(f for f, _ in turns)
                talk = sample.add(scenario, (flagged, 3 - flagged), total)
                means.append(total / 3)
                for f, y in turns:
                    stratum = FLAGGED if f < 0.7 else DRAWN
                    shown = stratum == FLAGGED or rng.random() < self._share
                    if shown and rng.random() < 0.9:
                        sample.labels.append(Observation(talk, stratum, f, y))
        return sample, means

    @property
    def is_lenient(self) -> bool:
        return self._leniency >= 1

    def truth(self, rng: random.Random) -> float:
        """The share of good answers: P(quality + three sources of noise > 0), in the long run."""
        spread = (0.8**2 + 0.5**2 + 1) ** 0.5
        draws = 200_000
        return sum(rng.gauss(self._quality, spread) > 0 for _ in range(draws)) / draws

    def _talk(self, rng: random.Random, ease: float) -> "list[tuple[float, float]]":
        turns = []
        for _ in range(3):
            good = self._quality + ease + rng.gauss(0, 1)
            seen = 3.2 + self._leniency + 0.8 * (good + rng.gauss(0, 0.6))
            turns.append((min(5, max(1, round(seen))) / 5, float(good > 0)))
        return turns


@pytest.mark.slow
@pytest.mark.parametrize(
    ("world", "most"),
    [
        (World(quality=0.6, leniency=1.0, share=0.1), 0.97),
        (World(quality=0.6, leniency=1.0, share=0.3), 0.97),
        (World(quality=0.6, leniency=0.3, share=0.3), 0.97),
        (World(quality=0.6, leniency=1.0, share=0.3, scenarios=20), 0.97),
        (World(quality=2.0, leniency=0.3, share=0.3), 0.98),
        # Few bad answers and few labels: it must not promise too much, and may promise too little.
        (World(quality=2.0, leniency=0.3, share=0.1), 1.0),
    ],
    ids=["lenient", "more audited", "less lenient", "few scenarios", "good bot", "few audited"],
)
def test_intervals_cover_what_people_would_say_and_the_judges_own_do_not(
    world: World, most: float
) -> None:
    rng = random.Random(20)
    truth, trials = world.truth(rng), 1_000
    told = covered = naive = 0
    for _ in range(trials):
        sample, means = world.sample(rng)
        found = ppi(sample)
        naive += _holds(clustered(means, sample.clusters), truth)
        if found is not None:
            told += 1
            covered += _holds(found.value, truth)
    assert told > 0.8 * trials
    assert 0.93 <= covered / told <= most
    if world.is_lenient:
        assert naive < 0.05 * trials


def _holds(interval: Interval, truth: float) -> bool:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low <= truth <= interval.high


def paired(share: float, seed: int) -> tuple[Interval, Interval, Interval]:
    """Two runs of 60 scenarios, their difference; the second answers a share of them as the first.

    All answers have a label, so that only what changed can move the difference.
    """
    rng = random.Random(seed)
    before = [float(rng.random() < 0.7) for _ in range(60)]
    after = [y if rng.random() < share else float(rng.random() < 0.5) for y in before]
    a, b = (ppi(single([0.5] * 60, said)) for said in (before, after))
    assert a is not None
    assert b is not None
    return a.value, b.value, difference(a, b)


def test_the_difference_of_two_is_paired_by_scenario() -> None:
    for seed in range(20):
        before, after, found = paired(0.9, seed)
        assert before.mean is not None
        assert after.mean is not None
        assert after.mean - before.mean == pytest.approx(found.mean)
        apart = sum((i.high - i.low) ** 2 for i in (before, after) if i.high and i.low) ** 0.5
        assert found.high is not None
        assert found.low is not None
        assert 0.0 < found.high - found.low < 0.75 * apart


def test_the_difference_of_single_turns_is_the_paired_t() -> None:
    rng = random.Random(3)
    before, after = ([rng.random() for _ in range(40)] for _ in range(2))
    a, b = (ppi(single([0.5] * 40, said)) for said in (before, after))
    assert a is not None
    assert b is not None
    found = difference(a, b)
    moved = [y - x for x, y in zip(before, after, strict=True)]
    low, high = stats.t.interval(0.95, 39, loc=sum(moved) / 40, scale=stats.sem(moved))
    assert pytest.approx(sum(moved) / 40) == found.mean
    assert pytest.approx(high - low, rel=0.02) == width(found)
    assert width(found) >= high - low  # the squares of 40 differences are worth a few degrees less


def test_the_difference_of_a_run_and_itself_is_0_and_its_interval_has_a_width() -> None:
    _, _, found = paired(1.0, 1)
    assert 0.0 == found.mean
    assert found.low is not None
    assert found.low < 0.0


def test_the_difference_over_few_scenarios_has_no_interval() -> None:
    sample = StratifiedSample(1)
    for number in range(8):
        talk = sample.add(number % 4, [1], 0.5)
        sample.labels.append(Observation(talk, 0, 0.5, float(number % 3 == 0)))
    found = ppi(sample)
    assert found is not None
    assert Interval(0.0) == difference(found, found)


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage_corrected.SINGLES, ids=str)
def test_intervals_of_corrected_scores_cover_the_truth(cell: coverage_corrected.Single) -> None:
    noise = 0.03  # 2.6 standard errors of a share near .95 over 400 trials
    assert coverage_corrected.measure_one(cell, trials=400).covered >= 0.93 - noise


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage_people.CELLS, ids=str)
def test_intervals_of_what_people_say_after_a_repair_cover_the_truth(
    cell: coverage_people.Cell,
) -> None:
    noise = 0.03
    assert coverage_people.measure(cell, trials=400).covered >= 0.93 - noise


def test_a_simulated_repair_has_the_difference_that_it_was_made_with() -> None:
    cell = coverage_people.Cell(30, 0.6, 0.9, 0.3, 30)
    assert pytest.approx(0.17) == cell.truth
    assert coverage_people.measure(cell, trials=40).covered >= 0.85
    assert coverage_corrected.measure_one(coverage_corrected.SINGLES[3], 40).covered >= 0.85


@pytest.mark.slow
@pytest.mark.parametrize("cell", coverage_corrected.CELLS, ids=str)
def test_intervals_of_differences_cover_the_truth(cell: coverage_corrected.Cell) -> None:
    noise = 0.03  # 2.6 standard errors of a share near .95 over 400 trials
    assert coverage_corrected.measure(cell, trials=400).covered >= 0.92 - noise
