"""How far a client's metrics agree with people, and people with each other."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo, Score
from simulator.core.plan import Client
from simulator.core.verdict import Faults, Word
from simulator.files.client.folder import LoadedClient
from simulator.plugins import suggest
from simulator.review.raters import (
    FEWEST_PAIRS,
    RaterAgreement,
    TwoPeople,
    agreement_among_people,
    agreement_by_two,
    agreement_with_people,
    metric_word,
)
from simulator.review.verdict_labels import (
    Label,
    Labelled,
    LeftOut,
    choose_runs,
    labels_of,
    reviewed,
)
from simulator.statistics.ppi import FEWEST_LABELS
from simulator.store.store import Store
from simulator.view.stored_run import FaultTally

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
        kappa = self.sides.metric.figures["kappa"]
        if kappa.n < FEWEST_PAIRS:
            return FEWEST_PAIRS - kappa.n
        if kappa.value.low is None or kappa.value.high is None:
            return None
        half = (kappa.value.high - kappa.value.low) / 2
        return max(0, math.ceil(kappa.n * ((half / WANTED) ** 2 - 1)))


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
        named = {v.episode for given in family.verdicts.values() for v in given if v.error_type}
        for header in family.runs if named else ():
            for episode, given in store.reviewed(header.id, named):
                tally.add(episode, given)
    return tally.summary()


def _known(store: Store, client: Client) -> dict[str, MetricInfo]:
    """The metrics of all runs that people said something of."""
    found: dict[str, MetricInfo] = {}
    for family in reviewed(store, client)[0]:
        for run in family.runs:
            found |= {info.name: info for info in run.metrics}
    return found


def _complaint(name: str, known: Mapping[str, MetricInfo]) -> str | None:
    if name not in known:
        turns = tuple(sorted(info.name for info in known.values() if info.scope == "turn"))
        return f"no reviewed run has a metric {name!r}; {suggest(name, turns)}"
    if known[name].scope == "talk":
        return f"{name} speaks of whole conversations, and people's verdicts of turns"
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
