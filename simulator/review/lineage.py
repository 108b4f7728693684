"""Runs over the same answers: a run, what judged its talks again, and what people said of them.

A verdict speaks of an answer, so it holds in each of these runs, whichever it was given on.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from simulator.core.plan import Client
from simulator.core.run import RunHeader
from simulator.core.talk import StopReason
from simulator.core.verdict import Drawn, Place, Sampled, Verdict, Word, settled
from simulator.files.catalog import shipped
from simulator.store.store import Store

_EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Runs over the same answers, the oldest first, and the verdicts on these.

    `verdicts` come in the order in which they were given; each once, although those of a run hold
    for its rejudge. `given_on` are the runs that they were given on, or known in from another
    family by an equal answer.
    """

    runs: tuple[RunHeader, ...]
    verdicts: Mapping[Place, tuple[Verdict, ...]]
    given_on: tuple[str, ...]
    words: Mapping[Place, Word] = field(default_factory=dict)

    @property
    def root(self) -> RunHeader:
        """The run that held the talks, or read them from a file."""
        return self.runs[0]

    @property
    def from_file(self) -> frozenset[Place]:
        """The rows that came with a verdict in the scored file itself."""
        if not self.root.is_of_rows:
            return frozenset()
        name = self.root.of
        return frozenset(
            place
            for place, verdicts in self.verdicts.items()
            if place in self.words and any(v.source == name for v in verdicts)
        )


def lineages(store: Store, client: str) -> list[Lineage]:
    """The families of the runs of this name in which people said a word, the newest first."""
    by_run = store.said(client)
    headers = [store.header(row.id) for row in store.runs() if row.client == client]
    headers.reverse()  # the oldest first: a run before those that judge it again
    by_id = {header.id: header for header in headers}
    grouped: dict[str, list[RunHeader]] = {}
    for header in headers:
        grouped.setdefault(_root(header, by_id), []).append(header)
    families = (_family(by_run, runs) for runs in reversed(grouped.values()))
    return [family for family in families if family.words]


def is_of(family: Lineage, client: Client) -> bool:
    """Whether runs are of this client, and not of another one of the same name.

    It is another one if its folder is still there. One that is gone was moved; and what ships with
    mogi is copied before it is changed.
    """
    folder = Path(family.root.folder).resolve()
    here = Path(client.folder).resolve()
    return folder == here or not folder.is_dir() or folder.is_relative_to(shipped().resolve())


def _root(header: RunHeader, by_id: Mapping[str, RunHeader]) -> str:
    """The same for all runs over the same answers."""
    while header.kind == "rejudge" and header.of in by_id:
        header = by_id[header.of]
    sha = header.snapshot.get("file.sha")
    return f"file {sha}" if header.is_of_rows and sha else header.id


def _family(by_run: Mapping[str, Sequence[Verdict]], runs: Sequence[RunHeader]) -> Lineage:
    seen: dict[Verdict, None] = {}
    given_on: list[str] = []
    for header in runs:
        verdicts_of_run = (replace(verdict, run="") for verdict in by_run.get(header.id, ()))
        new = dict.fromkeys(verdict for verdict in verdicts_of_run if verdict not in seen)
        if new:
            given_on.append(header.id)
        seen |= new
    by_place: dict[Place, list[Verdict]] = {}
    for verdict in sorted(seen, key=when):  # stable: as the store has them within a second
        by_place.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    words = {place: word for place, some in by_place.items() if (word := settled(some))}
    return Lineage(tuple(runs), {p: tuple(v) for p, v in by_place.items()}, tuple(given_on), words)


def when(verdict: Verdict) -> datetime:
    """When it was given; where nothing tells, before all others."""
    try:
        at = datetime.fromisoformat(verdict.at)
    except ValueError:
        return _EVER
    return at if at.tzinfo else at.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Weights:
    """How many turns of its run each turn with a word stands for.

    `of` lacks turns that were not drawn; `drawn` are those that were drawn at random, and not
    shown for a flag. `represents`: together they speak for all turns, not for one kind alone.
    """

    of: Mapping[Place, float]
    drawn: frozenset[Place]
    represents: bool


def weights(store: Store, family: Lineage) -> Weights:
    """1 / the probability with which a turn came before people, times shown / said in its stratum.

    The strata are the flagged turns (probability 1) and the audit sample (the run's share), or
    those of a review plan; what has no word in a stratum is taken to be like what has one. Where
    people were shown several runs of a family, the greatest probability counts: their samples are
    nested, because each is drawn by the same seed. Rows of a file that came with verdicts are a
    sample of all its rows.
    """
    of_file = family.from_file
    if of_file:
        rows = sum(1 for _ in store.keys(family.root.id))
        each = max(1.0, rows / len(of_file))
        return Weights(dict.fromkeys(of_file, each), of_file, represents=True)
    shown: dict[Place, tuple[Sampled, float]] = {}
    unflagged: set[Place] = set()
    runs = [header for header in family.runs if header.id in family.given_on]
    for header in runs:
        for place, (why, share) in _turns(store, header):
            if share is None:
                unflagged.add(place)
            elif why is not Sampled.KNOWN or place in family.words:
                before = shown.get(place, (why, 0.0))
                shown[place] = max(
                    (why, share), before, key=lambda s: (s[0] is not Sampled.AUDIT, s[1])
                )
    planned = any(header.review_plan for header in runs)
    return _weighted(family, shown, planned=planned, unflagged=bool(unflagged - shown.keys()))


def _weighted(
    family: Lineage, shown: Mapping[Place, tuple[Sampled, float]], *, planned: bool, unflagged: bool
) -> Weights:
    """`planned`: those of one kind are one stratum, however likely each of them was."""
    of_all, labelled = defaultdict[object, float](float), defaultdict[object, float](float)
    strata = {place: drawn[0] if planned else drawn for place, drawn in shown.items()}
    for place, (_, share) in shown.items():
        of_all[strata[place]] += 1 / share
        if place in family.words:
            labelled[strata[place]] += 1 / share
    kinds = {why for why, _ in shown.values()}
    return Weights(
        {
            place: of_all[strata[place]] / (labelled[strata[place]] * share)
            for place, (_, share) in shown.items()
            if place in family.words
        },
        frozenset(p for p, (why, _) in shown.items() if why in (Sampled.AUDIT, Sampled.NEW)),
        represents=labelled.keys() >= of_all.keys() and (Sampled.AUDIT in kinds or not unflagged),
    )


def _turns(store: Store, header: RunHeader) -> Iterator[tuple[Place, Drawn]]:
    for episode in store.episodes(header.id):
        if episode.stop.reason is StopReason.USER_INVALID:
            continue
        for turn in episode.turns:
            yield (episode.cell.key, turn.exchange.turn), header.drawn(episode, turn)
