"""What is open in the review of a run: turns without a word, people who differ, how far to tune."""

from collections import Counter
from dataclasses import dataclass, field

from simulator.core.clean import spoken
from simulator.core.run import Episode, RunHeader
from simulator.core.verdict import (
    Sampled,
    Verdict,
    Word,
    is_folded,
    latest,
    latest_words,
    settled,
)
from simulator.review.lineage import lineages
from simulator.review.verdict_labels import FEWEST, FEWEST_OF_A_KIND
from simulator.store.store import Store
from simulator.view.review_view import ReviewQueue
from simulator.view.stored_run import stored_run
from simulator.worksheets.reviewers import near_names


@dataclass(slots=True)
class Coverage:
    """Of `shown` turns, on how many nobody said a word."""

    shown: int = 0
    open: int = 0

    def add(self, *, is_open: bool) -> None:
        """Count one turn."""
        self.shown += 1
        self.open += is_open


@dataclass(slots=True)
class Split:
    """An answer on which people differ: who (a reviewer, or else a source) says what.

    `alike` other turns have the same answer, on which they differ as well.
    """

    episode: str
    turn: int
    words: tuple[tuple[str, Word], ...]
    alike: int = 0


@dataclass(slots=True)
class ReviewStatus:
    """How far the review of a run has come.

    `sampled` counts the turns that people are shown, by why; of these `known` were judged in an
    earlier run, by an equal answer, and are not asked again; with them count answers that a plan
    left `aside` for that, each once. `others` are turns that were not shown and have a word all the
    same. `words` are those that each reviewer said here ("" where a verdict names none), `progress`
    counts the turns among them that are shown; `near` those of them whose names are nearly alike;
    `comments` counts turns on which people wrote, and nobody said a word. `ok` and `ng` are
    different answers of all runs of the client, those on which people differ left out.
    """

    sampled: dict[Sampled, Coverage] = field(default_factory=dict)
    personas: dict[str, Coverage] = field(default_factory=dict)
    scenarios: dict[str, Coverage] = field(default_factory=dict)
    words: dict[str, Counter[Word]] = field(default_factory=dict)
    progress: Counter[str] = field(default_factory=Counter)
    splits: dict[tuple[str, ...], Split] = field(default_factory=dict)  # by answer
    near: list[tuple[str, str]] = field(default_factory=list)
    others: int = 0
    known: int = 0
    comments: int = 0
    ok: int = 0
    ng: int = 0
    aside: int = 0

    @property
    def shown(self) -> int:
        """The turns that people are shown."""
        return sum(share.shown for share in self.sampled.values())

    @property
    def open(self) -> int:
        """Those of them on which nobody said a word."""
        return sum(share.open for share in self.sampled.values())

    @property
    def judged(self) -> int:
        """Those of them that were judged in this run."""
        return self.shown - self.open - self.known + self.aside

    @property
    def missing(self) -> tuple[int, int, int]:
        """How many verdicts (OK or NG), how many OK and how many NG `tune` still needs."""
        ok, ng = (max(0, FEWEST_OF_A_KIND - n) for n in (self.ok, self.ng))
        return max(0, FEWEST - self.ok - self.ng), ok, ng


def review_status(store: Store, header: RunHeader) -> ReviewStatus:
    """What is open in a run, and how many verdicts its client has in all runs."""
    run = stored_run(store, header)
    status, queue = ReviewStatus(), ReviewQueue.of(header, run.reviewed())
    for episode, verdicts in run.reviewed():
        _add(status, queue, header, episode, verdicts)
    status.near = near_names(status.words)
    status.ok, status.ng = _answers(store, header.client)
    return status


def _answers(store: Store, client: str) -> tuple[int, int]:
    """The different answers of a client that people call OK, and NG; the newest word of each."""
    keys = store.answers(client)
    newest: dict[object, Word] = {}
    for family in lineages(store, client):
        for place, word in family.words.items():
            if is_folded(family.verdicts[place], place[1]):
                continue
            known = (keys.get((run.id, *place)) for run in family.runs)
            newest.setdefault(next(filter(None, known), (family.root.id, place)), word)
    counts = Counter(newest.values())
    return counts[Word.OK], counts[Word.NG]


def _add(
    status: ReviewStatus,
    queue: ReviewQueue,
    header: RunHeader,
    episode: Episode,
    verdicts: tuple[Verdict, ...],
) -> None:
    plan = header.review_plan
    for turn in episode.turns:
        number = turn.exchange.turn
        on_turn = [verdict for verdict in verdicts if verdict.turn == number]
        word = settled(on_turn)
        row = queue.by_place.get((episode.cell.key, number))
        if row is None and is_folded(on_turn, number):
            continue  # counted where people looked
        _add_people(status, episode, number, on_turn)
        status.comments += word is None and bool(latest(on_turn))
        if row is None:
            if plan and (episode.cell.key, number) in plan.aside:
                status.known += word is not None
                status.aside += word is not None
            elif header.drawn(episode, turn)[1] is None:
                status.others += word is not None
            continue
        cell = episode.cell
        for shares, name in ((status.personas, cell.persona), (status.scenarios, cell.scenario)):
            shares.setdefault(name, Coverage()).add(is_open=word is None)
        status.sampled.setdefault(row.why, Coverage()).add(is_open=word is None)
        here = {v.reviewer for v in latest(on_turn).values() if v.word and v.run in ("", header.id)}
        status.progress.update(here)
        status.known += word is not None and not here


def _add_people(status: ReviewStatus, episode: Episode, turn: int, verdicts: list[Verdict]) -> None:
    by_person = latest_words(verdicts)
    for (reviewer, _), word in latest_words(v for v in verdicts if not v.run).items():
        status.words.setdefault(reviewer, Counter())[word] += 1
    if len(set(by_person.values())) > 1:
        words = tuple((reviewer or source, word) for (reviewer, source), word in by_person.items())
        split = status.splits.setdefault(
            spoken(episode, turn), Split(episode.cell.key, turn, words)
        )
        split.alike += (split.episode, split.turn) != (episode.cell.key, turn)
