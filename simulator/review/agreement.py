"""How far a client's metrics agree with people, and people with each other.

A word of each person counts, not what people say all together: turns on which people differ are
as hard for a metric as they are for them. A turn with several words counts as one all the same.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from simulator.core.errors import InputError
from simulator.core.outcome import Interval, MetricInfo, Score
from simulator.core.plan import Client
from simulator.core.verdict import Faults, Word
from simulator.files.client.folder import LoadedClient
from simulator.plugins import suggest
from simulator.review.verdict_labels import (
    Label,
    Labelled,
    LeftOut,
    Person,
    choose_runs,
    labels_of,
    reviewed,
)
from simulator.statistics.agreement import (
    Measure,
    Spearman,
    alpha,
    bias,
    coincidences,
    estimates,
    kappa,
    pooled_kappa,
    prevalence,
    raw_agreement,
)
from simulator.statistics.intervals import mean_of, under
from simulator.statistics.ppi import FEWEST_LABELS
from simulator.store.store import Store
from simulator.view.stored_run import FaultTally

Array = NDArray[np.float64]

FEWEST_PAIRS = 5
"""Below it there is no figure."""
PLACES = {Word.NG: 0, Word.UNSURE: 1, Word.OK: 2}
"""In order: a word of its own lies between the two others."""
_SURE = ("agreement", "ok_first", "ok_second", "bias", "kappa")  # without what is unsure
NAMES = (*_SURE, "quadratic_kappa", "alpha", "spearman")
"""What `RaterAgreement.figures` holds. `ok_…`: how often that side says OK; `bias`: how much more
often the first does."""
_Two = tuple[Person, Person]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic with its 95 % interval, and how many pairs of words it is made of."""

    value: Interval
    n: int


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """How far two sides agree.

    Attributes:
        turns: how many were compared.
        pairs: the pairs of words on them, in `unsure` of which somebody is unsure.
        figures: by name, see `NAMES`; the mean of one that is not defined is None.
    """

    turns: int
    pairs: int
    unsure: int
    figures: Mapping[str, Statistic]


@dataclass(frozen=True, slots=True)
class TwoPeople:
    """Two reviewers on the turns that both judged."""

    people: tuple[Person, Person]
    agreement: RaterAgreement


@dataclass(frozen=True, slots=True)
class WordPair:
    """Two words on one turn, by their place in `PLACES`; `talk` is the conversation's number."""

    talk: int
    first: int
    second: int
    weight: float


def weighed(labels: Sequence[Label], *, whole: bool) -> list[float]:
    """What each turn counts, 1 on average: where they stand for all turns, what its weight says."""
    weights = [(label.weight or 0.0) if whole else 1.0 for label in labels]
    mean = mean_of(weights)
    return [weight / mean for weight in weights] if mean else weights


def numbered(labels: Sequence[Label]) -> dict[tuple[str, str], int]:
    """The conversations of some turns, numbered from 0."""
    return {talk: number for number, talk in enumerate(dict.fromkeys(x.talk for x in labels))}


def word_tables(pairs: Sequence[WordPair], talks: int) -> Array:
    """A table of words for each conversation."""
    made = np.zeros((talks, len(PLACES), len(PLACES)))
    for pair in pairs:
        made[pair.talk, pair.first, pair.second] += pair.weight
    return made


def sure(table: Array) -> Array:
    """OK and NG alone: the middle row and column left out."""
    return table[..., ::2, ::2]


def shares(table: Array) -> list[Array]:
    """Of tables of OK and NG what stands before kappa in `NAMES`."""
    rates = [prevalence(table, 1, rater) for rater in (0, 1)]
    return [raw_agreement(table), *rates, bias(table, 1)]


def rater_agreement(
    measure: Measure, talks: int, turns: int, pairs: Sequence[WordPair]
) -> RaterAgreement:
    """The figures that `measure` gives in the order of `NAMES`, for so many conversations."""
    unsure = sum(PLACES[Word.UNSURE] in (pair.first, pair.second) for pair in pairs)
    nothing = [Interval(None)] * len(NAMES)
    values = estimates(measure, talks) if len(pairs) >= FEWEST_PAIRS else nothing
    figures = {}
    for name, value in zip(NAMES, values, strict=True):
        n = len(pairs) - (unsure if name in _SURE else 0)
        figures[name] = Statistic(value if n >= FEWEST_PAIRS else Interval(None), n)
    return RaterAgreement(turns, len(pairs), unsure, figures)


def agreement_among_people(labels: Sequence[Label], *, whole: bool) -> RaterAgreement:
    """All pairs of words that different people gave to the same turns.

    Kappa is one over all pairs of people who share at least 5 turns (Conger 1980), alpha one over
    all people. Which of two stands first is chance, so there is no bias.

    Args:
        labels: the turns; those with one word only are left out.
        whole: turns count as much as their weight says, so that they stand for all turns.
    """
    shared = [label for label in labels if len(label.words) > 1]
    words = [label.words for label in shared]
    return _compared(shared, words, whole=whole, ordered=False)


def agreement_by_two(labels: Sequence[Label], *, whole: bool) -> tuple[TwoPeople, ...]:
    """Each two people who share at least 5 turns, those who share most first.

    The bias is that of the first: how much more often that person says OK.
    """
    people = sorted({person for label in labels for person in label.words})
    pairs = []
    for two in combinations(people, 2):
        shared = [label for label in labels if label.words.keys() >= set(two)]
        if len(shared) >= FEWEST_PAIRS:
            words = [{person: label.words[person] for person in two} for label in shared]
            pairs.append(TwoPeople(two, _compared(shared, words, whole=whole, ordered=True)))
    return tuple(sorted(pairs, key=lambda pair: -pair.agreement.turns))


def _compared(
    labels: Sequence[Label], words: Sequence[Mapping[Person, Word]], *, whole: bool, ordered: bool
) -> RaterAgreement:
    """The words on each turn beside each other; `ordered`: it matters who is the first."""
    talks = numbered(labels)
    weights = weighed(labels, whole=whole)
    of = [talks[label.talk] for label in labels]
    pairs: dict[_Two, list[WordPair]] = defaultdict(list)
    for talk, spoken, weight in zip(of, words, weights, strict=True):
        each = 2 * weight / (len(spoken) * (len(spoken) - 1))
        for two in combinations(sorted(spoken), 2):
            first, second = (PLACES[spoken[person]] for person in two)
            pairs[two].append(WordPair(talk, first, second, each))
    every = [pair for of_two in pairs.values() for pair in of_two]
    units = [[PLACES[word] for word in spoken.values()] for spoken in words]
    matrix = coincidences(units, len(PLACES), of, weights)
    tables = word_tables(every, len(talks))
    often = [of_two for of_two in pairs.values() if len(of_two) >= FEWEST_PAIRS]
    tables_of_two = [word_tables(of_two, len(talks)) for of_two in often]

    def measure(counts: Array) -> Array:
        nothing = np.full(len(counts), np.nan)
        both = sure(np.tensordot(counts, tables, 1))
        columns = shares(both)
        if not ordered:
            columns = [*shares(both + both.swapaxes(1, 2))[:3], nothing]
        kappas = [nothing, nothing]
        if tables_of_two:
            of_two = np.stack([np.tensordot(counts, table, 1) for table in tables_of_two], axis=1)
            kappas = [pooled_kappa(sure(of_two)), pooled_kappa(of_two, quadratic=True)]
        return np.column_stack([*columns, *kappas, alpha(np.tensordot(counts, matrix, 1)), nothing])

    return rater_agreement(measure, len(talks), len(labels), every)


def metric_word(score: Score, threshold: float) -> Word:
    """What a metric says of a turn."""
    return Word.NG if under(score.value, threshold) else Word.OK


def agreement_with_people(
    labels: Sequence[Label], metric: str, threshold: float | None, *, whole: bool
) -> RaterAgreement:
    """A metric (the first side) beside each word of a person on the turns that have a score.

    The metric is never unsure. A person who is stands halfway in quadratic kappa and alpha, and is
    left out of the others. Spearman's correlation is that of the metric's value with people's
    words; without a threshold there is no other figure.

    Args:
        labels: the turns.
        metric: its name.
        threshold: under it the metric says NG.
        whole: turns count as much as their weight says, so that they stand for all turns.
    """
    scored = [label for label in labels if isinstance(label.outcomes.get(metric), Score)]
    talks = numbered(scored)
    pairs, values = [], []
    for label, weight in zip(scored, weighed(scored, whole=whole), strict=True):
        score = label.outcomes[metric]
        assert isinstance(score, Score)  # noqa: S101  for the type checker; filtered above
        says = Word.OK if threshold is None else metric_word(score, threshold)
        each = weight / len(label.words)
        for word in label.words.values():
            pairs.append(WordPair(talks[label.talk], PLACES[says], PLACES[word], each))
            values.append(score.value)
    spearman = Spearman(values, [pair.second for pair in pairs])
    of = [pair.talk for pair in pairs]
    weights = np.array([pair.weight for pair in pairs])
    by_talk = word_tables(pairs, len(talks))

    def measure(counts: Array) -> Array:
        correlation = spearman(counts[:, of] * weights)
        if threshold is None:
            nothing = np.full((len(counts), len(NAMES) - 1), np.nan)
            return np.column_stack([nothing, correlation])
        table = np.tensordot(counts, by_talk, 1)
        both = sure(table)
        kappas = (kappa(both), kappa(table, quadratic=True))
        return np.column_stack(
            [*shares(both), *kappas, alpha(table + table.swapaxes(1, 2)), correlation]
        )

    return rater_agreement(measure, len(talks), len(scored), pairs)


WANTED = 0.15
"""How far a kappa may be from the ends of its interval before more verdicts are asked for."""


@dataclass(frozen=True, slots=True)
class Sides:
    """A metric beside people, and people beside people, over the same turns."""

    metric: RaterAgreement
    people: RaterAgreement


@dataclass(frozen=True, slots=True)
class Agreement:
    """One metric.

    Attributes:
        info: the metric.
        threshold: under it the metric says NG; None: it says no word, and has an order only.
        chosen: which runs could be taken together, and which were left out.
        runs: those whose scores these are.
        turns: how many turns have a word; `unscored` of them have no score.
        whole: turns are weighted, so that the figures speak of all turns. False: turns of one kind
            were reviewed, and of them alone they speak: of flagged ones or, where
            `unflagged_only`, of those drawn among the others.
        few_drawn: how many turns that were drawn at random stand for the others, where these are
            too few for a sound interval; else None.
        talks: the conversations that the figures are made of.
        aside: turns with a word that are not in the figures, because they stand for no others.
        counts: how often the metric said one word and a person another, as they were given.
        sides: all turns; `personas` and `tags`: some of them.
        pairs: each two people who share enough turns.
    """

    info: MetricInfo
    threshold: float | None
    chosen: Labelled
    runs: tuple[str, ...]
    turns: int
    unscored: int
    whole: bool
    few_drawn: int | None
    aside: int
    talks: int
    unflagged_only: bool
    people: int
    counts: Mapping[tuple[Word, Word], int]
    sides: Sides
    personas: Mapping[str, Sides]
    tags: Mapping[str, Sides]
    pairs: tuple[TwoPeople, ...]

    @property
    def more(self) -> int | None:
        """About how many more pairs of words would bring kappa to ±0.15.

        The width of an interval goes with 1/√n. 0 where it is there; None where nothing is known
        of its width.
        """
        figure = self.sides.metric.figures["kappa"]
        if figure.n < FEWEST_PAIRS:
            return FEWEST_PAIRS - figure.n
        if figure.value.low is None or figure.value.high is None:
            return None
        half = (figure.value.high - figure.value.low) / 2
        return max(0, math.ceil(figure.n * ((half / WANTED) ** 2 - 1)))


@dataclass(frozen=True, slots=True)
class NoAgreement:
    """A metric of which there is nothing to say, and the runs left out of it."""

    name: str
    left_out: tuple[LeftOut, ...]


def agreement(
    store: Store, loaded: LoadedClient, metrics: Sequence[str] = ()
) -> list[Agreement | NoAgreement]:
    """One for each metric; none at all where nobody reviewed a run of this client.

    Args:
        store: where the runs are.
        loaded: the client; thresholds are those of its file now.
        metrics: which; empty: `score_by`, and those that have a threshold.

    Raises:
        InputError: no reviewed run has a metric that was asked for, or it speaks of whole talks.
    """
    known = _known(store, loaded.client)
    if not known:
        return []
    complaints = [why for name in metrics if (why := _complaint(name, known))]
    if complaints:
        raise InputError(*complaints)
    names = dict.fromkeys(metrics or _usual(store, loaded, known))
    return [_of_metric(store, loaded, name) for name in names]


def faults_named(store: Store, client: Client) -> Faults | None:
    """What people called wrong in all runs of a client, beside what was blamed; None: nothing.

    Different answers; of one that was judged again the newest blame counts.
    """
    tally = FaultTally()
    for family in reversed(reviewed(store, client)[0]):
        named = {v.episode for some in family.verdicts.values() for v in some if v.error_type}
        for header in family.runs if named else ():
            for episode, verdicts in store.reviewed(header.id, named):
                tally.add(episode, verdicts)
    return tally.summary()


def _known(store: Store, client: Client) -> dict[str, MetricInfo]:
    """The metrics of all runs that people said something of."""
    infos: dict[str, MetricInfo] = {}
    for family in reviewed(store, client)[0]:
        for run in family.runs:
            infos |= {info.name: info for info in run.metrics}
    return infos


def _complaint(name: str, known: Mapping[str, MetricInfo]) -> str | None:
    if name not in known:
        turns = tuple(sorted(info.name for info in known.values() if info.scope == "turn"))
        return f"no reviewed run has a metric {name!r}; {suggest(name, turns)}"
    if known[name].scope == "talk":
        return f"{name} rates whole conversations, but verdicts apply to turns"
    return None


def _usual(store: Store, loaded: LoadedClient, known: Mapping[str, MetricInfo]) -> Iterable[str]:
    yield choose_runs(store, loaded).name
    thresholds = loaded.client.thresholds
    yield from (n for n, info in known.items() if n in thresholds and info.scope == "turn")


def _of_metric(store: Store, loaded: LoadedClient, name: str) -> Agreement | NoAgreement:
    chosen = choose_runs(store, loaded, name)
    tags = {scenario.id: scenario.tags for scenario in loaded.scenarios.values()}
    labels = list(labels_of(store, chosen.used))
    if chosen.metric is None or not labels:
        return NoAgreement(name, chosen.left_out)
    threshold = loaded.client.thresholds.get(name)
    standing = [label for label in labels if label.represents and label.weight is not None]
    of_flags = [label for label in labels if not label.represents and not label.drawn]
    used, whole = standing or of_flags or labels, bool(standing)

    def sides(some: Sequence[Label]) -> Sides:
        metric = agreement_with_people(some, name, threshold, whole=whole)
        return Sides(metric, agreement_among_people(some, whole=whole))

    return Agreement(
        info=chosen.metric,
        threshold=threshold,
        chosen=chosen,
        runs=tuple(dict.fromkeys(label.run for label in labels)),
        turns=len(labels),
        unscored=sum(not isinstance(label.outcomes.get(name), Score) for label in labels),
        whole=whole,
        few_drawn=_few_drawn(used) if whole else None,
        aside=len(labels) - len(used),
        talks=len({x.talk for x in used if isinstance(x.outcomes.get(name), Score)}),
        unflagged_only=not standing and not of_flags,
        people=len({person for label in labels for person in label.words}),
        counts=_counts(labels, name, threshold),
        sides=sides(used),
        personas=_parted(used, lambda label: (label.persona,), sides),
        tags=_parted(used, lambda label: tags.get(label.scenario, ()), sides),
        pairs=agreement_by_two(used, whole=whole),
    )


def _few_drawn(labels: Sequence[Label]) -> int | None:
    drawn = [label.weight or 0.0 for label in labels if label.drawn]
    stand_for_others = max(drawn, default=1.0) > 1
    return len(drawn) if stand_for_others and len(drawn) < FEWEST_LABELS else None


def _counts(
    labels: Sequence[Label], name: str, threshold: float | None
) -> dict[tuple[Word, Word], int]:
    if threshold is None:
        return {}
    counts = {(says, word): 0 for says in (Word.OK, Word.NG) for word in Word}
    for label in labels:
        score = label.outcomes.get(name)
        if isinstance(score, Score):
            for word in label.words.values():
                counts[metric_word(score, threshold), word] += 1
    return counts


def _parted(
    labels: Sequence[Label],
    names: Callable[[Label], Collection[str]],
    sides: Callable[[Sequence[Label]], Sides],
) -> dict[str, Sides]:
    """The turns of each persona or tag, those with most turns first."""
    parts: dict[str, list[Label]] = {}
    for label in labels:
        for name in names(label):
            parts.setdefault(name, []).append(label)
    most_first = sorted(parts.items(), key=lambda part: (-len(part[1]), part[0]))
    return {name: sides(some) for name, some in most_first}
