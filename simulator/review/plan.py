"""A plan for the hours that reviewers have: which answers of a run they judge, and what it buys.

Each different answer is asked once, and none that has a verdict already. Two rows of five are drawn
at random from all of these, so that they speak for the whole run, and come first; the others are
those from which most is to be learned, those with the same content in a row. Of these an answer
stands for all that it is folded with (`unit_of`); what is drawn at random stands for its equals
alone. Answers that many turns have are drawn the more likely: by sequential Poisson sampling
(Ohlsson 1998, Journal of Official Statistics 14:149-162), with a number of each answer's own that
the run's id seeds, so that a larger plan holds the smaller one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat, zip_longest
from math import ceil
from statistics import fmean

import numpy as np

from simulator.core.folding import Unit, group_of, unit_of
from simulator.core.form import spoken
from simulator.core.outcome import Score
from simulator.core.plan import seed_of
from simulator.core.run import Episode, RunHeader
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Place, PlannedAnswer, ReviewPlan, Sampled, Verdict, Word
from simulator.statistics.agreement import estimates, kappa
from simulator.statistics.ppi import FEWEST_LABELS, Observation, StratifiedSample, ppi
from simulator.view.judge_health import disagreements
from simulator.view.results import settled_words
from simulator.view.unsettled import seconds_to_judge

_AUDIT, _SMALL = 0.4, 40  # of the rows; of fewer than 40 half
_WHOLE = 1 << 63  # what `seed_of` stays below
_VALUES = {Word.NG: 0.0, Word.UNSURE: 0.5, Word.OK: 1.0}
_STRATA = (Sampled.FLAGGED, Sampled.AUDIT, Sampled.KNOWN)
# What is expected before anybody judged: so many OK and NG, of flagged answers and of others.
_PRIOR = {True: (1.0, 1.0), False: (4.0, 1.0)}
_ALIKE = 0.3  # how much answers about one scenario are alike in being right: a usual value
_ROUNDS = 24
_DRAWS = 200


@dataclass(slots=True)
class DistinctAnswer:
    """A different answer of a run.

    `weight`: what its turns count in a score, Σ 1 / turns of the conversation; `value`: the score
    that the run is scored by; `against`: judge and words disagree on it; `open`: a word on it would
    decide a conversation; `word`: what people say of it now; `seconds`: to read and judge it;
    `unit`: the same for answers that are judged as one; `group`: for those with the same content.
    """

    name: tuple[str, ...]
    scenario: str
    flagged: bool
    value: float | None
    seconds: float
    weight: float = 0.0
    against: bool = False
    must_pass: bool = False
    open: bool = False
    word: Word | None = None
    unit: Unit = ()
    group: str = ""
    places: list[Place] = field(default_factory=list)


@dataclass(slots=True)
class DistinctAnswers:
    """The different answers of a run, and its conversations: the numbers of their answers."""

    header: RunHeader
    all: list[DistinctAnswer] = field(default_factory=list)
    talks: list[tuple[str, list[int]]] = field(default_factory=list)
    turns_s: float = 0.0  # to read and judge each turn for itself

    _numbers: dict[tuple[str, ...], int] = field(default_factory=dict)

    @classmethod
    def read(
        cls, header: RunHeader, reviewed: Iterable[tuple[Episode, Sequence[Verdict]]]
    ) -> "DistinctAnswers":
        """Those of a run's conversations, each with its verdicts; invalid users are left out."""
        answers = cls(header)
        for episode, verdicts in reviewed:
            if episode.stop.reason is not StopReason.USER_INVALID and episode.turns:
                answers._add(episode, verdicts)
        return answers

    def _add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        gate, tags = self.header.gate, episode.scenario.tags if episode.scenario else ()
        must_pass = gate is not None and not {episode.cell.scenario, *tags}.isdisjoint(
            gate.must_pass
        )
        against, words = disagreements(episode), settled_words(verdicts)
        numbers = []
        for turn in episode.turns:
            number = turn.exchange.turn
            seconds = seconds_to_judge(episode, turn, self.header.language)
            self.turns_s += seconds
            name = spoken(episode, number)
            numbers.append(self._numbers.setdefault(name, len(self.all)))
            if numbers[-1] == len(self.all):
                outcome = turn.outcomes.get(self.header.score_by)
                value = outcome.value if isinstance(outcome, Score) else None
                scenario = episode.cell.scenario
                self.all.append(
                    DistinctAnswer(
                        name,
                        scenario,
                        turn.flagged,
                        value,
                        seconds,
                        unit=unit_of(episode, number),
                        group=group_of(episode, number),
                    )
                )
            answer = self.all[numbers[-1]]
            failed = isinstance(turn.exchange.reply, TargetFailure)
            answer.word = answer.word or words.get(number) or (Word.NG if failed else None)
            answer.places.append((episode.cell.key, number))
            answer.must_pass |= must_pass
            answer.against |= number in against
            answer.open |= self.header.decided_by_people(episode, number)
            answer.weight += 1 / len(episode.turns)
        self.talks.append((episode.cell.scenario, numbers))


def plan_review(answers: DistinctAnswers, budget: int) -> ReviewPlan:
    """The plan of a run for `budget` answers that nobody judged yet, or for as many as there are.

    Where the run has a plan it grows: what was drawn before stays drawn, so that it still counts.
    """
    before = answers.header.review_plan
    if before is None:
        known = {place for a in answers.all if a.word is not None for place in a.places}
    else:
        known = {place for answer in before.known for place in answer.places}
    old = [a for a in answers.all if not known.isdisjoint(a.places)]
    new = [a for a in answers.all if known.isdisjoint(a.places)]
    audited = {row.places[0] for row in before.rows if row.why is Sampled.AUDIT} if before else ()
    units = _folded(new, frozenset(audited))
    total = budget
    while True:
        rows = _rows(answers.header, new, units, min(total, len(new)))
        lacking = budget - sum(answer.word is None for answer, *_ in rows)
        if lacking <= 0 or total >= len(new):
            break
        total += lacking
    return ReviewPlan(
        tuple(PlannedAnswer(why, p, tuple(answer.places)) for answer, why, p in rows),
        tuple(PlannedAnswer(Sampled.KNOWN, 1.0, tuple(answer.places)) for answer in old),
    )


def _folded(new: Sequence[DistinctAnswer], audited: frozenset[Place]) -> list[list[DistinctAnswer]]:
    """The answers that are judged as one; what was drawn at random stays by itself."""
    units: dict[Unit, list[DistinctAnswer]] = {}
    for answer in new:
        is_alone = answer.places[0] in audited
        units.setdefault(answer.name if is_alone else answer.unit, []).append(answer)
    return list(units.values())


def _as_one(unit: Sequence[DistinctAnswer]) -> DistinctAnswer:
    """Its first answer, standing for all of them."""
    return replace(
        unit[0],
        flagged=any(answer.flagged for answer in unit),
        weight=sum(answer.weight for answer in unit),
        against=any(answer.against for answer in unit),
        must_pass=any(answer.must_pass for answer in unit),
        open=any(answer.open for answer in unit),
        places=[place for answer in unit for place in answer.places],
    )


_Row = tuple[DistinctAnswer, Sampled, float]


def audit_rows(total: int) -> int:
    """How many of so many rows are drawn: two of five and at least 20, never over half."""
    half = total // 2
    return half if total < _SMALL else min(half, max(FEWEST_LABELS, ceil(_AUDIT * total)))


def _rows(
    header: RunHeader,
    new: Sequence[DistinctAnswer],
    units: Sequence[Sequence[DistinctAnswer]],
    total: int,
) -> list[_Row]:
    """The rows in their order: those at random first, so that who stops early judged these."""
    audit, rest = audit_rows(total), {answer.places[0]: answer for answer in new}
    chosen = list[_Row]()
    for why, answer in _telling(header, list(map(_as_one, units))):
        taken = rest.keys() & set(answer.places)
        if len(chosen) == total - audit or len(rest) - len(taken) < audit:
            break
        chosen.append((answer, why, 1.0))
        for place in taken:
            del rest[place]
    drawn = [(answer, Sampled.AUDIT, p) for answer, p in _draw(header, [*rest.values()], audit)]
    drawn.sort(key=lambda row: _chance(header, "order", row[0]))
    groups = {answer.group: _chance(header, "order", answer) for answer, *_ in reversed(chosen)}
    chosen.sort(key=lambda row: (groups[row[0].group], _chance(header, "order", row[0])))
    return [*drawn, *chosen]


def _telling(
    header: RunHeader, new: Sequence[DistinctAnswer]
) -> Iterator[tuple[Sampled, DistinctAnswer]]:
    """From which answers most is to be learned, of each kind in turn; all of them in the end."""
    some = sorted(new, key=lambda answer: _chance(header, "kind", answer))
    info = next((i for i in header.metrics if i.name == header.score_by), None)
    middle = (info.low + info.high) / 2 if info else 0.5
    limit = header.thresholds.get(header.score_by, middle)
    kinds: Mapping[Sampled, Iterable[DistinctAnswer]] = {
        Sampled.AGAINST_FACTS: (a for a in some if a.against),
        Sampled.OPEN: (a for a in some if a.open),
        Sampled.MUST_PASS: sorted((a for a in some if a.must_pass), key=lambda a: not a.flagged),
        Sampled.NEAR: sorted(some, key=lambda a: 1.0 if a.value is None else abs(a.value - limit)),
        Sampled.FLAGGED: (a for a in some if a.flagged),
    }
    taken: set[int] = set()
    queues = [zip(repeat(why), answers) for why, answers in kinds.items()]
    for offered in chain.from_iterable(zip_longest(*queues)):
        if offered is not None and id(offered[1]) not in taken:
            taken.add(id(offered[1]))
            yield offered


def _draw(
    header: RunHeader, rest: Sequence[DistinctAnswer], n: int
) -> Iterator[tuple[DistinctAnswer, float]]:
    """`n` of these answers, each with its probability, which is n · weight / Σ weight up to 1."""
    left, sure = list(rest), list[DistinctAnswer]()
    while left and n > len(sure):
        each = (n - len(sure)) / sum(answer.weight for answer in left)
        more = [answer for answer in left if each * answer.weight >= 1]
        if not more:
            break
        sure += more[: n - len(sure)]
        taken = set(map(id, sure))
        left = [answer for answer in left if id(answer) not in taken]
    yield from ((answer, 1.0) for answer in sure)
    if n > len(sure):
        left.sort(key=lambda answer: _chance(header, "audit", answer) / answer.weight)
        for answer in left[: n - len(sure)]:
            yield answer, each * answer.weight


def _chance(header: RunHeader, what: str, answer: DistinctAnswer) -> float:
    return seed_of(0, header.id, what, *answer.name) / _WHOLE


@dataclass(frozen=True, slots=True)
class Outlook:
    """A plan, and what it and `more` rows beside it are expected to tell.

    `new` answers had no verdict before the plan, `known` ones had; `seconds`: to judge what is open
    of it, `turns_s` to judge each turn of the run for itself.
    """

    plan: ReviewPlan
    new: int
    known: int
    open: int
    seconds: float
    turns_s: float
    buys: "Bought"
    more: int = 0
    buys_more: "Bought | None" = None


def outlook(answers: DistinctAnswers, plan: ReviewPlan) -> Outlook:
    """What `plan`, which need not be kept yet, will tell; and what half as much more would."""
    known = {place for answer in plan.known for place in answer.places}
    new = [answer for answer in answers.all if known.isdisjoint(answer.places)]
    todo = [a for a in new if a.word is None and a.places[0] in plan.shown]
    covered = plan.drawn.keys()
    left = sum(a.word is None and a.places[0] not in covered for a in new)
    more = min(left, max(FEWEST_LABELS, len(plan.rows) // 2))
    grown = replace(answers, header=replace(answers.header, review_plan=plan))
    larger = plan_review(grown, len(todo) + more) if more else None
    return Outlook(
        plan,
        len(new),
        sum(a.word is not None for a in answers.all) - sum(a.word is not None for a in new),
        len(todo),
        sum(answer.seconds for answer in todo),
        answers.turns_s,
        bought(answers, plan),
        more,
        bought(answers, larger) if larger else None,
    )


@dataclass(frozen=True, slots=True)
class Bought:
    """What a plan is expected to tell once all of it is judged: the widths of 95 % intervals.

    Of the corrected score and of kappa between the score and people; None where there is none.
    """

    corrected: float | None
    kappa: float | None


def bought(answers: DistinctAnswers, plan: ReviewPlan) -> Bought:
    """What `plan` buys: the mean over made-up verdicts, with the estimators of the real ones.

    A flagged answer is made OK as often as people found one so far, an unflagged one likewise
    (before anybody did: half, and four of five), and answers about one scenario are more alike.
    """
    rng = np.random.default_rng(seed_of(0, answers.header.id, "bought"))
    scenarios = sorted({answer.scenario for answer in answers.all})
    corrected, kappas = list[float | None](), list[float | None]()
    for _ in range(_ROUNDS):
        rates = dict[tuple[str, bool], float]()
        for flagged, (ok, ng) in _said(answers).items():
            strength = 1 / _ALIKE - 1
            p = ok / (ok + ng)
            drawn = rng.beta(p * strength, (1 - p) * strength, len(scenarios))
            rates |= {(s, flagged): rate for s, rate in zip(scenarios, drawn, strict=True)}
        made = [
            float(rng.random() < rates[a.scenario, a.flagged])
            if a.word is None
            else _VALUES[a.word]
            for a in answers.all
        ]
        corrected.append(_corrected_width(answers, plan, made))
        kappas.append(_kappa_width(answers, plan, made))
    return Bought(_mean(corrected), _mean(kappas))


def _said(answers: DistinctAnswers) -> dict[bool, tuple[float, float]]:
    counts = {}
    for flagged, (ok, ng) in _PRIOR.items():
        words = [a.word for a in answers.all if a.flagged is flagged]
        counts[flagged] = ok + words.count(Word.OK), ng + words.count(Word.NG)
    return counts


def _mean(widths: Sequence[float | None]) -> float | None:
    known = [width for width in widths if width is not None]
    return fmean(known) if 2 * len(known) > len(widths) else None


def _corrected_width(
    answers: DistinctAnswers, plan: ReviewPlan, made: Sequence[float]
) -> float | None:
    sample, scenarios = StratifiedSample(len(_STRATA)), dict[str, int]()
    heads = _heads(answers, plan)
    for scenario, numbers in answers.talks:
        of_talk = [plan.drawn.get(answers.all[n].places[0], (Sampled.AUDIT, None)) for n in numbers]
        sizes = [sum(stratum is each for stratum, _ in of_talk) for each in _STRATA]
        predicted = [0.5 if (v := answers.all[n].value) is None else v for n in numbers]
        cluster = scenarios.setdefault(scenario, len(scenarios))
        talk = sample.add(cluster, sizes, sum(predicted))
        for n, f, (stratum, p) in zip(numbers, predicted, of_talk, strict=True):
            if p:
                place = _STRATA.index(stratum)
                head = heads[n]
                sample.labels.append(Observation(talk, place, f, made[head], head, p))
    estimate = ppi(sample)
    if estimate is None or estimate.value.low is None or estimate.value.high is None:
        return None
    return estimate.value.high - estimate.value.low


def _heads(answers: DistinctAnswers, plan: ReviewPlan) -> list[int]:
    """Of each answer the number of the one that people judge for it: mostly itself."""
    numbers = {answer.places[0]: number for number, answer in enumerate(answers.all)}
    heads = {place: row.places[0] for row in plan.rows for place in row.places}
    return [numbers[heads.get(a.places[0], a.places[0])] for a in answers.all]


def _kappa_width(answers: DistinctAnswers, plan: ReviewPlan, made: Sequence[float]) -> float | None:
    limit = answers.header.thresholds.get(answers.header.score_by)
    if limit is None:
        return None
    talks, tables = dict[str, int](), list[np.ndarray]()
    heads = _heads(answers, plan)
    for answer, head in zip(answers.all, heads, strict=True):
        value = made[head]
        _, p = plan.drawn.get(answer.places[0], (Sampled.AUDIT, None))
        if p and answer.value is not None and value != _VALUES[Word.UNSURE]:
            talk = talks.setdefault(answers.all[head].places[0][0], len(talks))
            if talk == len(tables):
                tables.append(np.zeros((2, 2)))
            tables[talk][int(answer.value >= limit), int(value)] += len(answer.places) / p
    if not tables:
        return None
    stacked = np.stack(tables)

    def measure(weights: np.ndarray) -> np.ndarray:
        return kappa(np.tensordot(weights, stacked, 1))[:, None]

    (figure,) = estimates(measure, len(tables), draws=_DRAWS)
    return None if figure.low is None or figure.high is None else figure.high - figure.low
