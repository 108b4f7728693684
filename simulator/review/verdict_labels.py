"""What people said of answers beside what metrics said of them, each answer once, with its weight.

A label is a turn on which people gave a word. Scores of different judges, or by different wordings
of a rubric, are not comparable: only runs measured by one instrument are taken together.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.plan import Client
from simulator.core.run import AnswerNumbers, Episode, RunHeader
from simulator.core.talk import StopReason
from simulator.core.verdict import Word, latest_words
from simulator.execution.snapshot import Instrument, instrument_now, instrument_of
from simulator.files.client.folder import LoadedClient
from simulator.review.lineage import Lineage, Weights, is_of, lineages, weights
from simulator.store.store import Store

FEWEST = 30
"""So many verdicts of OK or NG a threshold needs at least to be written."""
FEWEST_OF_A_KIND = 5
FEWEST_TALKS = 10
"""From so many conversations; those of a kind from `FEWEST_OF_A_KIND`."""
Person = tuple[str, str]
"""Who gave a word: the reviewer, or else the source; see `Verdict.person`."""


@dataclass(frozen=True, slots=True)
class Label:
    """A turn of which people said something, and what a run measured there.

    Attributes:
        run: whose outcomes these are; the verdict may have been given on another run over the
            same answers.
        word: what people say all together: unsure where they differ.
        words: the latest word of each person.
        weight: how many turns it stands for; None where a turn that was not drawn got a word.
        represents: whether the words on this run speak for all its turns. Where only flagged
            turns were reviewed they do not: these say how many flags are right, and never how
            much they miss.
        drawn: whether people were shown it by chance, and not for a flag.
        own: whether people were shown what this run flags, and not what another one did.
    """

    run: str
    episode: str
    turn: int
    scenario: str
    persona: str
    word: Word
    words: Mapping[Person, Word]
    outcomes: Outcomes
    weight: float | None
    represents: bool
    drawn: bool
    own: bool

    @property
    def talk(self) -> tuple[str, str]:
        """The conversation: turns of one are alike, and count as one cluster."""
        return self.run, self.episode


class Exclusion(StrEnum):
    """Why the verdicts on a run are not used."""

    CLIENT = "client"  # it is of another client of the same name
    METRIC = "metric"  # it has no such metric
    JUDGE = "judge"  # another model
    RUBRIC = "rubric"  # another wording


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A run whose verdicts are not used.

    `instrument` is what it measured with; `folder` that of its client, where this is another one.
    """

    run: str
    why: Exclusion
    instrument: Instrument = field(default_factory=Instrument)
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """The runs of a client whose verdicts can be laid beside one metric's scores.

    `metric` None: no run that people reviewed has it. `used` are the runs that outcomes are
    taken from, the newest first.
    """

    name: str
    metric: MetricInfo | None
    instrument: Instrument
    used: tuple[RunHeader, ...]
    left_out: tuple[LeftOut, ...]


def choose_runs(store: Store, loaded: LoadedClient, metric: str | None = None) -> Labelled:
    """Which runs of a client can be used together.

    They are those that measured with the judge that client.yaml names now (where it names none:
    of the newest run) and with the wording that the rubric has now. A run stands for all that
    judged its talks again: it is left out only where none of these can be used.

    Args:
        store: where the runs are.
        loaded: the client.
        metric: None: the client's `score_by` or, where no reviewed run has that, what the newest
            one was scored by.
    """
    families, others = reviewed(store, loaded.client)
    strange = tuple(LeftOut(f.runs[-1].id, Exclusion.CLIENT, folder=f.root.folder) for f in others)
    name = metric or _usual(families, loaded)
    runs = sorted((r for f in families for r in f.runs), key=lambda r: r.started, reverse=True)
    info = next((i for r in runs for i in r.metrics if i.name == name), None)
    if info is None:
        left_out = tuple(LeftOut(family.runs[-1].id, Exclusion.METRIC) for family in families)
        return Labelled(name, None, Instrument(), (), (*left_out, *strange))
    rubrics = tuple(loaded.catalog.rubrics(loaded.client.language).values())
    measured = {
        r.id: instrument_of(r.snapshot, i, rubrics)
        for r in runs
        for i in r.metrics
        if i.name == name
    }
    now = instrument_now(loaded, info)
    newest = next(measured[r.id] for r in runs if r.id in measured)
    wanted = Instrument(now.judge or newest.judge, now.rubric)
    used = {run for run, instrument in measured.items() if instrument == wanted}
    left_out = tuple(
        _left_out(family, measured, wanted)
        for family in families
        if not used.intersection(r.id for r in family.runs)
    )
    usable = tuple(r for r in runs if r.id in used)
    return Labelled(name, info, wanted, usable, (*left_out, *strange))


def reviewed(store: Store, client: Client) -> tuple[list[Lineage], list[Lineage]]:
    """The families of a client's runs that people said a word of, and those of its namesakes."""
    families = lineages(store, client.name)
    own = [family for family in families if is_of(family, client)]
    return own, [family for family in families if family not in own]


def _usual(families: list[Lineage], loaded: LoadedClient) -> str:
    runs = [run for family in families for run in family.runs]
    usual = loaded.client.score_by
    if not runs or any(usual == info.name for run in runs for info in run.metrics):
        return usual
    return max(runs, key=lambda run: run.started).score_by


def _left_out(family: Lineage, measured: Mapping[str, Instrument], wanted: Instrument) -> LeftOut:
    newest = next((r.id for r in reversed(family.runs) if r.id in measured), None)
    if newest is None:
        return LeftOut(family.runs[-1].id, Exclusion.METRIC)
    instrument = measured[newest]
    why = Exclusion.RUBRIC if instrument.judge == wanted.judge else Exclusion.JUDGE
    return LeftOut(newest, why, instrument)


def labels_of(store: Store, runs: Collection[RunHeader]) -> Iterator[Label]:
    """The labels of some runs of one client, each answer once, however often it was judged.

    Runs that speak for all their turns come first, the newest of them before the others. Of the
    runs over the same answers the newest that has them counts or, where people saw flagged
    turns alone, the newest whose flags they saw. Answers of a file that was
    scored again after rows were added or verdicts filled in count once as well. What an invalid
    user was answered says nothing of the bot and is left out.

    Args:
        store: where the runs are.
        runs: whose outcomes are taken; see `choose_runs`.
    """
    wanted = {run.id for run in runs}
    numbers, answers = defaultdict[str, AnswerNumbers](AnswerNumbers), set[tuple[str, int]]()
    families = [
        (family, weights(store, family))
        for client in dict.fromkeys(run.client for run in runs)
        for family in lineages(store, client)
        if not wanted.isdisjoint(run.id for run in family.runs)
    ]
    # A run whose audit rows are still open would take the others' answers and speak for nothing.
    for family, weighed in sorted(families, key=lambda pair: not pair[1].represents):
        labels = _of_family(store, family, weighed, wanted)
        client = family.root.client
        named = (
            ((client, numbers[client].of(e, x.turn, family.verdicts[e.cell.key, x.turn])), x)
            for x, e in labels
        )
        yield from _different(named, answers)


def _different(
    labels: Iterable[tuple[tuple[str, int], Label]], answers: set[tuple[str, int]]
) -> Iterator[Label]:
    """One label for each answer that is new; it stands for all turns of its family that have it."""
    by_answer: dict[tuple[str, int], Label] = {}
    for answer, label in labels:
        if answer in answers:
            continue
        first = by_answer.get(answer, label)
        if first is not label and label.weight is not None:
            first = replace(first, weight=(first.weight or 0.0) + label.weight)
        by_answer[answer] = first
    answers.update(by_answer)
    yield from by_answer.values()


def _of_family(
    store: Store, family: Lineage, weighed: Weights, wanted: Collection[str]
) -> Iterator[tuple[Label, Episode]]:
    done = set[str]()
    with_words = {episode for episode, _ in family.words}
    runs = [run for run in reversed(family.runs) if run.id in wanted]
    if not weighed.represents:
        runs.sort(key=lambda run: run.id not in family.given_on)
    for run in runs:
        for episode in store.episodes(run.id):
            key = episode.cell.key
            if key not in with_words or key in done:
                continue
            done.add(key)
            if episode.stop.reason is StopReason.USER_INVALID:
                continue
            for turn in range(1, len(episode.turns) + 1):
                if (key, turn) in family.words:
                    yield _label(family, weighed, run.id, episode, turn), episode


def _label(family: Lineage, weighed: Weights, run: str, episode: Episode, turn: int) -> Label:
    cell = episode.cell
    place = cell.key, turn
    return Label(
        run=run,
        episode=cell.key,
        turn=turn,
        scenario=cell.scenario,
        persona=cell.persona,
        word=family.words[place],
        words=latest_words(family.verdicts[place]),
        outcomes=episode.turns[turn - 1].outcomes,
        weight=weighed.of.get(place),
        represents=weighed.represents,
        drawn=place in weighed.drawn,
        own=run in family.given_on,
    )
