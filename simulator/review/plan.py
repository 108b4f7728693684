"""A plan for the hours that reviewers have: which answers of a run they judge, and what it buys.

Each different answer is asked once, and none that has a verdict already; an answer from which much
is to be learned stands for all that it is folded with (`unit_of`), others for their equals alone.
Answers with the same content are judged in a row. All are drawn at random,
so that they speak for the whole run: answers from which most is to be learned three times as likely
as others (active statistical inference, arXiv:2403.03208), and those that many turns have the more
likely. They are drawn by sequential Poisson sampling (Ohlsson 1998, Journal of Official Statistics
14:149-162), with a number of each answer's own that the run's id seeds, so that a larger plan holds
the smaller one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from simulator.core.clean import spoken
from simulator.core.errors import InputError
from simulator.core.outcome import Score
from simulator.core.plan import seed_of
from simulator.core.run import Episode, RunHeader, Unit, content_of, unit_of
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import (
    STRATA,
    Place,
    PlannedAnswer,
    ReviewPlan,
    Sampled,
    Verdict,
    Word,
)
from simulator.statistics.agreement import estimates, kappa
from simulator.statistics.ppi import (
    ENOUGH_LABELS,
    FEWEST_LABELS,
    Observation,
    StratifiedSample,
    chances,
    ppi,
)
from simulator.store.store import Store
from simulator.view.judge_health import disagreements
from simulator.view.results import seconds_to_judge, settled_words
from simulator.view.stored_run import plan_since, stored_run

NEW_ROWS = ENOUGH_LABELS
"""How many new answers of a run are judged to compare it, where there are more."""
_TELLING = 3.0  # so many times as likely as another is an answer from which much is to be learned
_NEAR = 0.1  # of the scale: so near the threshold
_WHOLE = 1 << 63  # what `seed_of` stays below
_VALUES = {Word.NG: 0.0, Word.UNSURE: 0.5, Word.OK: 1.0}
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
                first = DistinctAnswer(name, scenario, turn.flagged, value, seconds)
                first.unit, first.group = unit_of(episode, number), content_of(episode, number)
                self.all.append(first)
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
    Plans that were not drawn as a whole count as verdicts that were there before.
    """
    before = answers.header.review_plan
    if before is None or not before.all_drawn:
        kept = frozenset[Place]()
        known = {place for a in answers.all if a.word is not None for place in a.places}
    else:
        kept = frozenset(before.shown)
        known = {place for answer in before.known for place in answer.places}
    old = [a for a in answers.all if not known.isdisjoint(a.places)]
    new = [a for a in answers.all if known.isdisjoint(a.places)]
    new, total = _folded(answers.header, new), budget
    while True:
        rows = _drawn(answers.header, new, min(total, len(new)))
        open_ = sum(answer.word is None for answer, _ in rows)
        lost = len(kept - {place for answer, _ in rows for place in answer.places})
        lacking = max(budget - open_, lost)
        if lacking <= 0 or total >= len(new):
            break
        total += lacking
    return ReviewPlan(
        tuple(
            PlannedAnswer(_why(answers.header, answer), p, tuple(answer.places))
            for answer, p in rows
        ),
        tuple(PlannedAnswer(Sampled.KNOWN, 1.0, tuple(answer.places)) for answer in old),
        all_drawn=True,
    )


def plan_of_new(answers: DistinctAnswers, since: ReviewPlan, budget: int) -> ReviewPlan:
    """The same for `budget` of the answers that are the rows of `since` (view/stored_run.py)."""
    new = [answer for answer in answers.all if answer.places[0] in since.shown]
    rows = _drawn(answers.header, new, min(budget, len(new)))
    planned = (PlannedAnswer(Sampled.NEW, p, tuple(answer.places)) for answer, p in rows)
    return ReviewPlan(tuple(planned), since.known)


def _folded(header: RunHeader, new: Sequence[DistinctAnswer]) -> list[DistinctAnswer]:
    """The answers that are judged as one, each time the first of them in place of all.

    What was planned together stays together; what is drawn because it is like most stays alone.
    """
    before = header.review_plan
    planned = before.rows if before and before.all_drawn else ()
    rows = {place: row.places[0] for row in planned for place in row.places}
    units: dict[object, list[DistinctAnswer]] = {}
    for answer in new:
        is_alone = _why(header, answer) is Sampled.AUDIT
        unit = rows.get(answer.places[0]) or (answer.name if is_alone else answer.unit)
        units.setdefault(unit, []).append(answer)
    return list(map(_as_one, units.values()))


def _as_one(unit: Sequence[DistinctAnswer]) -> DistinctAnswer:
    return replace(
        unit[0],
        flagged=any(answer.flagged for answer in unit),
        weight=sum(answer.weight for answer in unit),
        against=any(answer.against for answer in unit),
        must_pass=any(answer.must_pass for answer in unit),
        open=any(answer.open for answer in unit),
        places=[place for answer in unit for place in answer.places],
    )


_Row = tuple[DistinctAnswer, float]


def _drawn(header: RunHeader, answers: Sequence[DistinctAnswer], n: int) -> Sequence[_Row]:
    """`n` of these answers, each with its probability.

    Their order is at random, those of a group in a row, so that who stops early judged a random
    part.
    """
    sizes = [
        answer.weight * (1.0 if _why(header, answer) is Sampled.AUDIT else _TELLING)
        for answer in answers
    ]
    drawn = [
        (p < 1, _chance(header, "audit", answer) / size, (answer, p))
        for answer, size, p in zip(answers, sizes, chances(sizes, n), strict=True)
    ]
    rows = [row for *_, row in sorted(drawn, key=lambda each: each[:2])[:n]]
    groups = {a.group: _chance(header, "order", a) for a in reversed(answers)}
    return sorted(rows, key=lambda r: (groups[r[0].group], _chance(header, "order", r[0])))


def _why(header: RunHeader, answer: DistinctAnswer) -> Sampled:
    """Why much is to be learned from an answer; `AUDIT` where it is like most.

    What was planned before keeps its reason, whatever is known by now.
    """
    before = header.review_plan
    if before and before.all_drawn and answer.places[0] in before.shown:
        return before.shown[answer.places[0]]
    info = next((i for i in header.metrics if i.name == header.score_by), None)
    low, high = (info.low, info.high) if info else (0.0, 1.0)
    limit = header.thresholds.get(header.score_by, (low + high) / 2)
    is_near = answer.value is not None and abs(answer.value - limit) <= _NEAR * (high - low)
    reasons = {
        Sampled.AGAINST_FACTS: answer.against,
        Sampled.OPEN: answer.open,
        Sampled.MUST_PASS: answer.must_pass,
        Sampled.NEAR: is_near,
        Sampled.FLAGGED: answer.flagged,
    }
    return next((why for why, holds in reasons.items() if holds), Sampled.AUDIT)


def _chance(header: RunHeader, what: str, answer: DistinctAnswer) -> float:
    return seed_of(0, header.id, what, *answer.name) / _WHOLE


def plan_for(
    store: Store, header: RunHeader, budget: int | None, since: RunHeader | None
) -> "Outlook":
    """A plan for a run, or for its new answers since another one, and what it will tell.

    Raises:
        InputError: the run has a plan of all its answers, new ones among them; or `since` is the
            run itself, or none of its answers was drawn.
    """
    answers = DistinctAnswers.read(header, stored_run(store, header).reviewed())
    if since is None:
        return outlook(answers, plan_review(answers, budget or NEW_ROWS))
    if since.id == header.id:
        raise InputError(f"run {header.id} can't be compared with itself; use an earlier run")
    if header.review_plan and header.review_plan.all_drawn:
        raise InputError(
            f"run {header.id} has a plan of all its answers; to judge more of them: "
            f"mogi review plan {header.id} --budget {budget or NEW_ROWS}"
        )
    if not since.is_drawn and plan_since(store, None, since).rows:
        raise InputError(
            f"run {since.id} has no random sample, so mogi can't estimate answers "
            f"that both runs share; first: mogi review plan {since.id} --budget {NEW_ROWS}"
        )
    new = plan_since(store, since, header)
    return outlook(answers, plan_of_new(answers, new, budget or NEW_ROWS), len(new.rows))


@dataclass(frozen=True, slots=True)
class Outlook:
    """A plan, and what it and `more` rows beside it are expected to tell.

    `new` answers had no verdict before the plan (or are new since an earlier run), `known` ones
    had; `seconds`: to judge what is open of it, `turns_s` to judge each turn of the run for itself.
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


def outlook(answers: DistinctAnswers, plan: ReviewPlan, of: int | None = None) -> Outlook:
    """What `plan`, which need not be kept yet, will tell; and what half as much more would.

    `of`: so many answers its rows were drawn from, where these are not all that nobody judged.
    """
    known = {place for answer in plan.known for place in answer.places}
    new = [answer for answer in answers.all if known.isdisjoint(answer.places)]
    todo = [a for a in new if a.word is None and a.places[0] in plan.shown]
    left = sum(a.word is None and a.places[0] not in plan.drawn for a in new)
    more = 0 if plan.is_of_new else min(left, max(FEWEST_LABELS, len(plan.rows) // 2))
    grown = replace(answers, header=replace(answers.header, review_plan=plan))
    larger = plan_review(grown, len(todo) + more) if more else None
    return Outlook(
        plan,
        len(new) if of is None else of,
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
    sample, scenarios = StratifiedSample(len(STRATA)), dict[str, int]()
    heads = _heads(answers, plan)
    for scenario, numbers in answers.talks:
        of_talk = [plan.drawn.get(answers.all[n].places[0], (Sampled.AUDIT, None)) for n in numbers]
        sizes = [sum(stratum is each for stratum, _ in of_talk) for each in STRATA]
        predicted = [0.5 if (v := answers.all[n].value) is None else v for n in numbers]
        cluster = scenarios.setdefault(scenario, len(scenarios))
        talk = sample.add(cluster, sizes, sum(predicted))
        for n, f, (stratum, p) in zip(numbers, predicted, of_talk, strict=True):
            if p:
                place = STRATA.index(stratum)
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
    for answer, head in zip(answers.all, _heads(answers, plan), strict=True):
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
