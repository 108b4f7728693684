"""What real customers asked: the same question in other words once, with what answers and tests it.

Two questions are as near as the words of their matter, the pieces of those words, and the entries
that answer them are alike, each as a cosine, or as near as those and an embedding model have them
together. Clusters grow from the nearest questions on, as long as the questions of both are SAME on
average.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.core.ports import Vector
from simulator.core.scenario import Scenario
from simulator.core.talk import Document
from simulator.files.dialogs import says_a_matter, without_masks
from simulator.formats.own_files import made_id
from simulator.text.bm25 import Bm25, NearestTexts, WordVector, WordWeights, mixed
from simulator.text.personal import masked
from simulator.text.tokens import matter_tokens, piece_tokens, sentences
from simulator.view.summary import NEAR

SAME = 0.35
"""The mean cosine from which two clusters ask the same."""
ALIKE = 0.7  # the cosine from which two wordings are one without a look at the others
NAMED, NEAR_ENTRY, ANSWERS = 0.3, 0.7, 0.9
"""How strong an entry has to be to be named, to put questions together, and to be expected.

That is the share of a question that it holds plus the cosine with its title. From 0.7 on it is
expected, too, where it has most words of the question, and the next entry is weaker by a third: a
question with things in it that the entry doesn't name is about something else.
"""
_CLEAR, _MOST = 2 / 3, 0.5
_PIECES, _ENTRIES = 0.8, 0.5  # beside the words, which weigh 1
_SAME_ENTRY = 0.2  # added to the cosine of two questions that one entry answers
_LOOKED_AT = 10  # entries
_MOST_COMPARED = 1_500  # wordings, the most frequent ones; others join the nearest of these
_LONGEST = {"ja": 150, "en": 350}  # characters of a question that stands for others
_FREQUENT_SHARE = 0.01
Embed = Callable[[Sequence[str]], Sequence[Vector]]
"""An embedding model: a vector for each text."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Questions that ask the same: how often, and in which words, the most frequent ones first.

    `entry` is the one that may answer; `answered`: it does, else a person has to look. `nearest` is
    the scenario that is nearest to `question`, None where none shares a word with it, and
    `nearness` its cosine; `tested`: it is near enough.
    """

    wordings: tuple[str, ...]
    count: int
    entry: Document | None = None
    answered: bool = False
    nearest: str | None = None
    nearness: float = 0.0
    tested: bool = False

    @property
    def question(self) -> str:
        """The wording that stands for all."""
        return self.wordings[0]

    @property
    def different(self) -> int:
        """How many wordings there are."""
        return len(self.wordings)

    @property
    def name(self) -> str:
        """What the id of its scenario begins with."""
        return _name(self.question)

    def as_one_of(self, names: frozenset[str]) -> "Cluster":
        """The cluster under the first of its wordings that has one of these names, if any."""
        first = next((wording for wording in self.wordings if _name(wording) in names), None)
        if first is None:
            return self
        others = (wording for wording in self.wordings if wording != first)
        return replace(self, wordings=(first, *others))


def _name(wording: str) -> str:
    return f"log-{made_id(wording)}"


@dataclass(frozen=True, slots=True)
class QuestionLog:
    """A log's questions in clusters.

    `empty` say nothing to compare (はい, thank you), `foreign` are in another language.
    """

    asked: int
    empty: int
    clusters: tuple[Cluster, ...]
    foreign: int = 0
    counts: Mapping[str, int] = field(default_factory=dict, repr=False)

    @property
    def near(self) -> int:
        """How many questions a scenario tests."""
        return sum(cluster.count for cluster in self.clusters if cluster.tested)

    @property
    def far(self) -> int:
        """How many none does."""
        return sum(cluster.count for cluster in self.groups)

    @property
    def groups(self) -> tuple[Cluster, ...]:
        """The clusters that no scenario tests, what was asked most first."""
        return tuple(cluster for cluster in self.clusters if not cluster.tested)

    @property
    def frequent(self) -> tuple[Cluster, ...]:
        """The clusters that were asked at least twice, and by one in a hundred."""
        least = max(2.0, _FREQUENT_SHARE * self.asked)
        return tuple(cluster for cluster in self.clusters if cluster.count >= least)

    def against(
        self, scenarios: Iterable[Scenario], entries: Mapping[str, Document], language: Language
    ) -> "QuestionLog":
        """The log with what the scenarios test already.

        A scenario tests a cluster if its query, its goal, one of its scripted turns or the title
        of an entry that it expects is NEAR the question, or half of all that were asked.
        """
        known = [(text, s.id) for s in scenarios for text in _texts(s, entries)]
        texts = [text for text, _ in known]
        weights = WordWeights([*self.counts, *texts], language)
        nearest = NearestTexts([weights.vector(text) for text in texts])
        clusters = []
        for cluster in self.clusters:
            hits = {
                wording: nearest.nearest(weights.vector(_matter(wording, language)))
                for wording in cluster.wordings
            }
            near = [w for w, hit in hits.items() if hit and hit[1] >= NEAR]
            place, nearness = hits[cluster.question] or (None, 0.0)
            half = 2 * sum(self.counts[w] for w in near) >= cluster.count
            clusters.append(
                replace(
                    cluster,
                    nearest=None if place is None else known[place][1],
                    nearness=nearness,
                    tested=half or cluster.question in near,
                )
            )
        return replace(self, clusters=tuple(clusters))


def clustered(
    questions: Sequence[str],
    entries: Sequence[Document],
    language: Language,
    embed: Embed | None = None,
) -> QuestionLog:
    """The clusters of a log, the most frequent first; personal data in the wordings is masked.

    Questions of one normal form are one wording. `embed` is asked once, for the most frequent ones.

    Raises:
        MogiError: from `embed`.
    """
    counts: Counter[str] = Counter()
    first: dict[str, str] = {}
    for question, times in Counter(questions).items():
        text = masked(question, language)[0]
        if says_a_matter(text, language) and matter_tokens(text, language):
            counts[first.setdefault(normal_form(text), text)] += times
    wordings = [wording for wording, _ in counts.most_common()]
    matters = [_matter(wording, language) for wording in wordings]
    finder = _EntryFinder(entries, language)
    vectors = _vectors(matters, finder, language)
    links = [finder.link([matter]) for matter in matters]
    clusters = []
    for members in _Grouping(matters, vectors, links, embed).groups():
        ordered = _by_standing(members, wordings, counts, vectors, language)
        count = sum(counts[wording] for wording in ordered)
        link = finder.link([matters[member] for member in members])
        clusters.append(Cluster(tuple(ordered), count, link.entry, link.is_expected))
    empty = len(questions) - counts.total()
    by_frequency = sorted(clusters, key=lambda cluster: -cluster.count)
    return QuestionLog(len(questions), empty, tuple(by_frequency), counts=counts)


def _matter(wording: str, language: Language) -> str:
    """A wording without greetings, thanks, and what stands for personal data."""
    parts = [s for s in sentences(wording, language) if says_a_matter(s, language)]
    return without_masks(" ".join(parts) or wording)


def _texts(scenario: Scenario, entries: Mapping[str, Document]) -> list[str]:
    titles = [entries[name].title for name in scenario.expected.documents if name in entries]
    texts = (scenario.query, scenario.goal, *scenario.turns, *titles)
    return list(dict.fromkeys(text for text in texts if text))


class _Link(NamedTuple):
    """The entry that may answer a question, if any, how strong it is, and the next one.

    `held`: the share of the question's words that it has.
    """

    entry: Document | None = None
    held: float = 0.0
    strength: float = 0.0
    next_strength: float = 0.0

    @property
    def near(self) -> Document | None:
        """The entry, if questions that have it in common are likely to ask the same."""
        return self.entry if self.strength >= NEAR_ENTRY else None

    @property
    def is_expected(self) -> bool:
        """True if the entry answers them."""
        is_clear = self.held > _MOST and self.next_strength <= _CLEAR * self.strength
        return self.strength >= (NEAR_ENTRY if is_clear else ANSWERS)


class _EntryFinder:
    """Finds the entries that may answer a question: BM25, and the words of their titles."""

    def __init__(self, entries: Sequence[Document], language: Language) -> None:
        self._language = language
        self._entries = {str(entry.id): entry for entry in entries}
        self._index = Bm25(entries, language)
        whole = [f"{entry.title}\n{entry.text}" for entry in entries]
        self._weights = WordWeights(whole, language, matter_tokens)
        self._titles = {name: self._weights.vector(e.title) for name, e in self._entries.items()}
        self._kept: dict[str, WordVector] = {}

    @property
    def titles(self) -> list[str]:
        """The titles of all entries."""
        return [entry.title for entry in self._entries.values()]

    def strengths(self, question: str) -> WordVector:
        """How likely each of the nearest entries answers it, by id; 0 to 2."""
        if question not in self._kept:
            vector = self._weights.vector(question)
            hits = self._index.search(matter_tokens(question, self._language), _LOOKED_AT)
            self._kept[question] = {
                str(hit.document.id): hit.relevance
                + _dot(vector, self._titles[str(hit.document.id)])
                for hit in hits
            }
        return self._kept[question]

    def link(self, questions: Sequence[str]) -> _Link:
        """The entry that may answer what all the questions ask."""
        total: Counter[str] = Counter()
        for question in questions:
            total.update(self.strengths(question))
        ranked = [(name, strength / len(questions)) for name, strength in total.most_common(2)]
        if not ranked or ranked[0][1] < NAMED:
            return _Link()
        entry = self._entries[ranked[0][0]]
        texts = f"{entry.title}\n{entry.text}", "\n".join(questions)
        known, asked = (frozenset(matter_tokens(text, self._language)) for text in texts)
        held = len(known & asked) / (len(asked) or 1)
        return _Link(entry, held, *(strength for _, strength in ranked))


def _vectors(matters: Sequence[str], finder: _EntryFinder, language: Language) -> list[WordVector]:
    texts = [*matters, *finder.titles]
    words = WordWeights(texts, language, matter_tokens)
    pieces = WordWeights(texts, language, piece_tokens)
    return [
        mixed(
            {
                "word": (words.vector(matter), 1.0),
                "piece": (pieces.vector(matter), _PIECES),
                "entry": (finder.strengths(matter), _ENTRIES),
            }
        )
        for matter in matters
    ]


def _dot(vector: WordVector, other: WordVector) -> float:
    return sum(weight * other.get(word, 0.0) for word, weight in vector.items())


def _by_standing(
    members: Sequence[int],
    wordings: Sequence[str],
    counts: Mapping[str, int],
    vectors: Sequence[WordVector],
    language: Language,
) -> list[str]:
    """The wordings of a cluster: short ones, the most frequent, and those like the others first."""
    center: Counter[str] = Counter()
    for member in members:
        center.update(vectors[member])

    def standing(member: int) -> tuple[bool, int, float]:
        wording = wordings[member]
        is_long = len(wording) > _LONGEST[language]
        return is_long, -counts[wording], -_dot(vectors[member], center)

    return [wordings[member] for member in sorted(members, key=standing)]


@dataclass(frozen=True, slots=True)
class _Grouping:
    """Questions in clusters; they come with the most frequent first, and with what answers each."""

    matters: Sequence[str]
    vectors: Sequence[WordVector]
    links: Sequence[_Link]
    embed: Embed | None

    def groups(self) -> list[list[int]]:
        """The numbers of the questions that ask the same."""
        leaders, groups = NearestTexts(), list[list[int]]()
        for at, vector in enumerate(self.vectors):
            is_full = leaders.count == _MOST_COMPARED
            hit = leaders.nearest(vector)
            if hit and hit[1] >= (SAME if is_full else ALIKE):
                groups[hit[0]].append(at)
                continue
            groups.append([at])
            if not is_full:
                leaders.add(vector)
        return self._linked(groups, leaders)

    def _linked(self, groups: Sequence[list[int]], leaders: NearestTexts) -> list[list[int]]:
        """The groups, of which those that have a leader are put together where they are near."""
        leading = [members[0] for members in groups[: leaders.count]]
        meanings = self.embed([self.matters[at] for at in leading]) if self.embed else ()
        by_meaning = _centred_cosines(meanings)
        near = {}
        for at, number in enumerate(leading):
            cosines = leaders.cosines(self.vectors[number])
            for other, cosine in enumerate(by_meaning[at] if by_meaning else ()):
                by_words = cosines.get(other, 0.0)
                cosines[other] = max(by_words, (by_words + cosine) / 2)
            near[at] = self._near(at, leading, cosines)
        return _average_linkage(dict(enumerate(groups)), near)

    def _near(
        self, at: int, leading: Sequence[int], cosines: Mapping[int, float]
    ) -> dict[int, float]:
        """How near each other group is; 0 where surely another entry answers that."""
        mine = self.links[leading[at]]
        near = {}
        for other, cosine in cosines.items():
            its = self.links[leading[other]]
            differs = mine.near is not its.near
            if other != at and not (differs and min(mine.strength, its.strength) >= ANSWERS):
                near[other] = cosine + (_SAME_ENTRY if mine.near and not differs else 0.0)
        return near


def _average_linkage(
    merged: dict[int, list[int]], near: dict[int, dict[int, float]]
) -> list[list[int]]:
    """Groups put together as long as two are SAME on average (Sokal and Michener 1958)."""
    queue = [(-s, a, b) for a, others in near.items() for b, s in others.items() if s >= SAME]
    heapify(queue)
    while queue:
        negative, a, b = heappop(queue)
        if a not in near or near[a].get(b) != -negative:
            continue  # one of them has become part of another
        sizes = len(merged[a]), len(merged[b])
        others = near.pop(b)
        for c in (near[a].keys() | others.keys()) - {a, b}:
            both = sizes[0] * near[a].get(c, 0.0) + sizes[1] * others.get(c, 0.0)
            near[a][c] = near[c][a] = both / sum(sizes)
            near[c].pop(b, None)
            if near[a][c] >= SAME:
                heappush(queue, (-near[a][c], a, c))
        del near[a][b]
        merged[a] += merged.pop(b)
    return list(merged.values())


def _centred_cosines(vectors: Sequence[Vector]) -> list[list[float]]:
    """The cosines of vectors from which their mean is taken: models differ in where it lies."""
    import numpy as np  # a tenth of a second

    if not vectors:
        return []
    matrix = np.array([list(vector) for vector in vectors], dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix -= matrix.mean(axis=0)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    cosines: list[list[float]] = (matrix @ matrix.T).tolist()
    return cosines
