"""Which entries, and which of their statements, scenarios check, and what came with replies."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from simulator.core.claim import State
from simulator.core.persona import Language
from simulator.core.run import Episode, Run
from simulator.core.scenario import Expected, Scenario, ScenarioCoverage
from simulator.core.talk import Document
from simulator.reading.words import says
from simulator.text.backchannels import is_pleasantry
from simulator.text.clauses import Sentence, read, words_of
from simulator.text.nearness import NearestTexts, WordWeights
from simulator.text.quantities import all_of, each_of, may_stand
from simulator.text.sentences import sentences
from simulator.words import Words

# The share of an expected answer's words, by idf, that an entry holds from which it is the one.
HOLDS = 0.5
# The cosine from which two questions are near; `mogi coverage`'s page says how it was found.
NEAR = 0.4
MOST_ENTRIES = 20_000  # of a knowledge base whose ids a run keeps
_MOST_READ = 500  # entries that a run reads where scenarios name no documents: half a second
_LOOKED_AT = 5  # entries, the nearest ones
# The share of its content words that what is expected has, and where it has all amounts as well.
_COVERED, _COVERED_WITH_AMOUNTS = 1 / 2, 1 / 3


def scenario_coverage(
    entries: Sequence[Document], scenarios: Iterable[Scenario], language: Language
) -> ScenarioCoverage:
    """Which entries the scenarios expect.

    These are their `expected.documents`. Of a scenario that names none but has elements or an
    answer, it is the entry that holds the most of them; of one that has neither, or where no entry
    holds half of it, the one with the nearest title: of a hand-over, too, for that entry says that
    one is due. One that must not be answered, or that expects nothing at all, expects none.
    """
    several = tuple(scenarios)
    known = {str(entry.id) for entry in entries}
    guess = _Guess(entries, language)
    expecting: defaultdict[str, list[str]] = defaultdict(list)
    for scenario in several:
        named = scenario.expected.documents
        for name in named or guess.entry_of(scenario):
            if name in known:
                expecting[name].append(scenario.id)
    silent = tuple(s.id for s in several if expects_nothing(s))
    by_entry = {name: tuple(ids) for name, ids in expecting.items()}
    return ScenarioCoverage(tuple(entries), by_entry, silent, len(several))


@dataclass(frozen=True, slots=True)
class EntryStatements:
    """How many statements an entry makes, and those of them that no scenario checks."""

    entry: Document
    total: int
    unchecked: tuple[str, ...]


def entry_statements(
    known: ScenarioCoverage, scenarios: Mapping[str, Scenario], language: Language
) -> tuple[EntryStatements, ...]:
    """The statements of each entry: its sentences that are no questions, greetings or wishes.

    One is checked if a scenario that expects the entry has all its amounts in its expected answers
    and elements, and half of its content words (a third beside an amount), or an element that the
    sentence says.
    """
    several = []
    for entry in known.entries:
        unchecked = [s for s in sentences(entry.text, language) if _states(s, language)]
        total = len(unchecked)
        if names := known.expecting.get(str(entry.id)):
            checks = _Checks([scenarios[name].expected for name in names], language)
            unchecked = [s for s in unchecked if not all(map(checks.cover, read(s, language)))]
        several.append(EntryStatements(entry, total, tuple(unchecked)))
    return tuple(several)


def _states(sentence: str, language: Language) -> bool:
    is_question = sentence.endswith(("?", "？"))
    return not is_question and not is_pleasantry(sentence, language)


class _Checks:
    """What the scenarios of an entry hold answers against."""

    def __init__(self, expectations: Sequence[Expected], language: Language) -> None:
        self._language = language
        self._elements = [way for e in expectations for ways in e.elements for way in ways]
        answers = [answer for e in expectations for answer in e.answers]
        parts = [part for text in (*answers, *self._elements) for part in read(text, language)]
        self._words = words_of(parts)
        self._amounts = all_of(part.amounts for part in parts)

    def cover(self, sentence: Sentence) -> bool:
        """True if an answer without this sentence would fail, as far as words tell."""
        if not all(may_stand(*amount, self._amounts) for amount in each_of(sentence.amounts)):
            return False
        least = _COVERED_WITH_AMOUNTS if sentence.amounts else _COVERED
        shared = len(sentence.words & self._words)
        return shared >= least * max(1, len(sentence.words)) or any(
            says(sentence.text, element, self._language) is State.MET for element in self._elements
        )


def expects_nothing(scenario: Scenario) -> bool:
    """Whether nothing of a scenario can fail: no answer, elements, documents, nor a refusal."""
    return scenario.expected == Expected()


def is_cheap(entries: Sequence[Document], scenarios: Mapping[str, Scenario]) -> bool:
    """Whether a run may look at this when it begins; else only `mogi coverage` does."""
    if len(entries) > MOST_ENTRIES:
        return False
    return len(entries) <= _MOST_READ or all(_says_which(s) for s in scenarios.values())


def documents_found(episode: Episode) -> set[str]:
    """The ids of all documents that came with the replies of a conversation."""
    return {d.id for turn in episode.turns for d in turn.exchange.documents if d.id is not None}


def notes(run: Run) -> tuple[str, ...]:
    """The notes of a run; the last says that retrieval was not judged, where that is so."""
    header, unknown = run.header, run.summary.unknown_id
    if not unknown:
        return header.notes
    note = Words(header.language, "notes")("unknown_ids", id=unknown)
    return (*header.notes, note)


def _says_which(scenario: Scenario) -> bool:
    """Whether it needs no guess: it names its entries, or no entry answers it."""
    expected = scenario.expected
    is_silent = expected.answerable is False or not expected.decides_refusal
    return bool(expected.documents) or is_silent


class _Guess:
    """Finds the entry of a scenario that names none; reads the entries when first asked."""

    def __init__(self, entries: Sequence[Document], language: Language) -> None:
        self._entries = entries
        self._language = language
        self._weights: WordWeights | None = None
        self._texts = NearestTexts()
        self._titles = NearestTexts()

    def entry_of(self, scenario: Scenario) -> tuple[str, ...]:
        """The id of one entry, or nothing."""
        if _says_which(scenario) or not self._entries:
            return ()
        weights = self._read()
        expected = scenario.expected
        elements = [ways[0] for ways in expected.elements if ways]
        wanted = "\n".join(filter(None, [expected.answer, *elements]))
        entry = self._holding(wanted, weights) if wanted else None
        entry = self._asked(scenario, weights) if entry is None else entry
        return () if entry is None else (str(self._entries[entry].id),)

    def _read(self) -> WordWeights:
        if self._weights is None:
            texts = [f"{entry.title}\n{entry.text}" for entry in self._entries]
            self._weights = WordWeights(texts, self._language)
            self._texts = NearestTexts([self._weights.vector(text) for text in texts])
            self._titles = NearestTexts([self._weights.vector(e.title) for e in self._entries])
        return self._weights

    def _holding(self, wanted: str, weights: WordWeights) -> int | None:
        """Of the nearest entries the one that holds the most."""
        near = self._texts.ranked(weights.vector(wanted), _LOOKED_AT)
        texts = {at: f"{self._entries[at].title}\n{self._entries[at].text}" for at in near}
        shares = {at: weights.held(wanted, text) for at, text in texts.items()}
        best = max(near, key=lambda at: shares[at], default=None)
        return None if best is None or shares[best] < HOLDS else best

    def _asked(self, scenario: Scenario, weights: WordWeights) -> int | None:
        vectors = [weights.vector(text) for text in (scenario.query, scenario.goal) if text]
        hits = [hit for vector in vectors if (hit := self._titles.nearest(vector))]
        at, cosine = max(hits, key=lambda hit: hit[1], default=(0, 0.0))
        return at if cosine >= NEAR else None
