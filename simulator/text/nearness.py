"""How near texts are to each other by their words, without a model: tf-idf and the cosine."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.text.claims import Stance
from simulator.text.content import (
    CAN,
    DENIED,
    content,
    denies_in_a_word,
    doubtful,
    has_all_amounts,
)
from simulator.text.likeness import words_there
from simulator.text.normal import folded
from simulator.text.passages import contacts, without_contacts
from simulator.text.phrases import phrases
from simulator.text.presence import denials, mentions, missing
from simulator.text.quantities import conflicting, each_of, of_its_kind
from simulator.text.refusals import is_refusal, states_nothing
from simulator.text.sentences import begun, sentences
from simulator.text.tokens import content_tokens

WordVector = Mapping[str, float]
"""The weight of each content word; of length 1, or empty where a text has no content word."""


class WordWeights:
    """What words weigh in a body of texts: the fewer of them hold a word, the more it says.

    A text's vector has (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) for each of its content words
    (Japanese by Sudachi, English by stems), made 1 long. Source: Manning, Raghavan and Schütze,
    *Introduction to Information Retrieval* (2008), 6.2 and 6.4, with scikit-learn's smoothing.
    """

    def __init__(self, texts: Iterable[str], language: Language) -> None:
        self._language = language
        self._holding: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._holding.update(set(content_tokens(text, language)))
            self._texts += 1

    def vector(self, text: str) -> WordVector:
        """A text's words with their weights."""
        counts = Counter(content_tokens(text, self._language))
        raw = {word: (1 + math.log(n)) * self._idf(word) for word, n in counts.items()}
        length = math.sqrt(sum(weight * weight for weight in raw.values()))
        return {word: weight / length for word, weight in raw.items()}

    def held(self, text: str, by: str) -> float:
        """The share of a text's words, by idf, that another text holds; 0–1, 0 without words."""
        words = set(content_tokens(text, self._language))
        common = words & set(content_tokens(by, self._language))
        whole = sum(map(self._idf, words))
        return sum(map(self._idf, common)) / whole if whole else 0.0

    def _idf(self, word: str) -> float:
        return math.log((1 + self._texts) / (1 + self._holding[word])) + 1


class NearestTexts:
    """Vectors of texts, numbered as they come, among which the nearest one is found."""

    def __init__(self, vectors: Sequence[WordVector] = ()) -> None:
        self._held_by: dict[str, list[tuple[int, float]]] = {}
        self._count = 0
        for vector in vectors:
            self.add(vector)

    def add(self, vector: WordVector) -> int:
        """Take a text in; its number, from 0."""
        for word, weight in vector.items():
            self._held_by.setdefault(word, []).append((self._count, weight))
        self._count += 1
        return self._count - 1

    def nearest(self, vector: WordVector) -> tuple[int, float] | None:
        """The number of the nearest text, the first of equal ones, and its cosine (0–1).

        None where no text shares a word.
        """
        cosines = self._cosines(vector)
        if not cosines:
            return None
        place = min(cosines, key=lambda at: (-cosines[at], at))
        return place, min(1.0, cosines[place])

    def ranked(self, vector: WordVector, most: int) -> list[int]:
        """The numbers of the nearest texts, nearest first; fewer, where fewer share a word."""
        cosines = self._cosines(vector)
        return sorted(cosines, key=lambda at: (-cosines[at], at))[:most]

    def _cosines(self, vector: WordVector) -> dict[int, float]:
        cosines: dict[int, float] = {}
        for word, weight in vector.items():
            for place, other in self._held_by.get(word, ()):
                cosines[place] = cosines.get(place, 0.0) + weight * other
        return cosines


_HIRAGANA = re.compile("[ぁ-ゖ]")
_OF_THE_SAME = 0.2
"""The share of the words of two sentences that are alike from which on one may reword the other."""


_FEWEST, _HARDLY, _DENIED = 3, 0.25, 0.25
_FEW, _MANY = 4, 100  # content words
_KNOWN, _SAID = 1_000, 200  # sentences of all texts


def may_be_reworded(
    element: Element, replies: Sequence[str], known: Sequence[str], language: Language
) -> bool:
    """Whether a sentence of the replies may be, in other words, the known one that says an element.

    It is nearer to that one than to any other that is known, names no other amount, denies as it
    does, and states something; and all amounts of the element are there, and every other number as
    it stands. Who leaves a sentence out says others, which are nearest to themselves; who leaves a
    single word out of it (*the receipt*) has no word that could stand for that: all are known.
    """
    replies = [begun(reply, language, MAX_EXPECTED, _SAID) for reply in replies]
    told = _sentences(known, language, _KNOWN)
    said = [
        part
        for part in _sentences(replies, language, _SAID)
        if not (is_refusal(part, language) or states_nothing(part, language))
    ]
    for way in (text[:MAX_EXPECTED] for text in element):
        own = [part for part in told if not missing([(way,)], [part], language)]
        if not own or not _has_its_numbers(way, replies, language):
            continue
        others = [part for part in told if part not in own]
        is_one = _is_one_word(way, language)
        for sentence in said:
            if is_one and not _has_its_own_word(sentence, way, told, language):
                continue
            if any(_is_nearest(sentence, own, others, language, by) for by in (False, True)):
                return True
    return False


def _is_nearest(
    sentence: str,
    own: Sequence[str],
    others: Sequence[str],
    language: Language,
    by_amounts: bool,  # noqa: FBT001 (one caller, above)
) -> bool:
    """Whether a sentence is near to one of the texts, more than to any other, and may agree."""
    near, nearest = max((_alike(part, sentence, language, by_amounts), part) for part in own)
    rival = max((_alike(part, sentence, language, by_amounts) for part in others), default=0.0)
    return near >= _OF_THE_SAME and near > rival and _may_agree(nearest, sentence, language)


def _sentences(texts: Iterable[str], language: Language, most: int) -> list[str]:
    """So many of them at most: each that is known is held beside each that is said."""
    return list(islice((s for text in texts for s in sentences(text, language)), most))


def is_turned_round(
    element: Element, replies: Sequence[str], known: Sequence[str], language: Language
) -> bool:
    """Whether replies deny an element that is a word (飲食), which nothing known denies.

    飲食はできません, 飲食は禁止です, *we give no refunds* deny it in each sentence that has it;
    whether that is what was expected the word alone does not tell. Where a word such as 禁止 or, in
    English, a *not* denies, a sentence of more than four content words may deny something else.
    """
    found = [m.key for way in element for m in mentions(way, language)]
    if len(found) != 1 or found[0][0].isdecimal():
        return False
    denied = list(_denied(found[0], replies, language, _FEW))
    return any(denied) and all(denied) and not any(_denied(found[0], known, language, _MANY))


def _denied(key: str, texts: Sequence[str], language: Language, most: int) -> Iterator[bool]:
    """Whether each sentence with a word denies it; or, one of at most so many words, anything."""
    for sentence in (s for text in texts for s in sentences(text[:MAX_EXPECTED], language)):
        read = mentions(sentence, language)
        if any(m.key == key for m in read):
            odd = language == "en" and denials(sentence, language) % 2 == 1
            yield any(m.key == key and m.stance in DENIED for m in read) or (
                len(read) <= most and (odd or denies_in_a_word(folded(sentence), language))
            )


def unsaid(
    lacking: Sequence[str], answer: str, asked: str, replies: Sequence[str], language: Language
) -> list[str]:
    """Those sentences of a right answer of which replies hold hardly anything.

    Of what only that sentence has, and neither the others nor what was asked: three words or
    amounts at least (two where it says a condition or an exception), less than a quarter of which
    stand in the replies, be it as a synonym. The conditions first: what is left out there misleads.
    """
    read = [content(part, language) for part in _sentences(replies, language, _SAID)]
    said = frozenset(word for one in read for word in one.words)
    every, query = {*sentences(answer[:MAX_EXPECTED], language)}, content(asked, language).words
    holding = Counter(word for part in every for word in content(part, language).words)
    found = []
    for sentence in lacking:
        own, limits = content(sentence, language), restricts(sentence, language)
        words = {w for w in own.words - query if holding[w] == (sentence in every)}
        amounts = [(kind, one) for kind, some in own.amounts.items() for one in some]
        held = sum(any(one in of_its_kind(k, r.amounts) for r in read) for k, one in amounts)
        size = len(words) + len(amounts)
        there = len(words_there(words, said, language)) + held
        if size >= _FEWEST - limits and there < _HARDLY * size:
            found.append(sentence)
    return sorted(found, key=lambda sentence: not restricts(sentence, language))


def least_held(
    lacking: Sequence[str], answer: str, replies: Sequence[str], language: Language
) -> tuple[float, list[str]]:
    """How doubtful it is that replies say a right answer; and what they lack, the least said first.

    The share, 0-1, of the words and amounts of that sentence of which they hold least, of those of
    three or more; a quarter less where the last reply denies more or less often than the answer.
    """
    size = {sentence: _size(sentence, language) for sentence in lacking}
    shares = {s: share_held(s, replies, language) if size[s] >= _FEWEST else 1.0 for s in lacking}
    denied = [
        sum(content(part, language).denials for part in sentences(text, language))
        for text in (answer, *replies[-1:])
    ]
    least = min(shares.values(), default=1.0) - _DENIED * (denied[0] != denied[-1])
    return max(0.0, least), sorted(shares, key=lambda sentence: shares[sentence])


def share_held(text: str, replies: Sequence[str], language: Language) -> float:
    """The share of the words and amounts of a text that stand anywhere in replies, 0-1.

    Be it as a synonym; 0 for a text that has none.
    """
    read = [content(part, language) for reply in replies for part in sentences(reply, language)]
    said = frozenset(word for one in read for word in one.words)
    own = content(text, language)
    amounts = [(kind, one) for kind, some in own.amounts.items() for one in some]
    held = sum(any(one in of_its_kind(k, r.amounts) for r in read) for k, one in amounts)
    there = len(words_there(own.words, said, language)) + held
    return there / max(1, _size(text, language))


def _size(text: str, language: Language) -> int:
    own = content(text, language)
    return len(own.words) + sum(map(len, own.amounts.values()))


def restricts(sentence: str, language: Language) -> bool:
    """Whether a sentence says a condition or an exception: ただし, 〜を除く, *unless*, *only*."""
    rules = phrases(f"text/{language}/words")
    return rules.pattern("restricts").search(folded(sentence)) is not None


def _has_its_own_word(sentence: str, way: str, told: Sequence[str], language: Language) -> bool:
    """Whether a sentence has a word that nobody told, or a new one that is like the text's."""
    light = phrases(f"text/{language}/polarity").words("light") | {CAN}
    known = frozenset[str]().union(*(content(part, language).words for part in told))
    said = content(sentence, language).words - known - light
    new = said.difference(words_there(said, known, language))
    return bool(new or words_there(content(way, language).words, said, language))


def _is_one_word(way: str, language: Language) -> bool:
    """Whether it is one name of a thing; in Japanese also a compound, which Sudachi may part."""
    found = content(way, language).mentions
    most = 2 if language == "ja" and not _HIRAGANA.search(way) else 1
    return len(found) <= most and all(mention.stance is Stance.NAMED for mention in found)


def _has_its_numbers(way: str, replies: Sequence[str], language: Language) -> bool:
    if not any(map(str.isdecimal, way)):
        return True
    is_measured = bool(content(without_contacts(way), language).amounts)
    named = contacts(way) <= frozenset[str]().union(*map(contacts, replies))
    return (
        (is_measured or bool(contacts(way))) and named and has_all_amounts(way, replies, language)
    )


def _alike(one: str, other: str, language: Language, by_amounts: bool) -> float:  # noqa: FBT001
    """The share of the words of both that the other one has, or of their words and amounts."""
    read = content(one, language), content(other, language)
    here, there = (text.words for text in read)
    common = len(words_there(here, there, language)) + len(words_there(there, here, language))
    named = [frozenset(each_of(text.amounts)) if by_amounts else frozenset() for text in read]
    common += 2 * len(named[0] & named[1])
    return common / max(1, len(here) + len(there) + sum(map(len, named)))


def _may_agree(one: str, other: str, language: Language) -> bool:
    here, there = content(one, language), content(other, language)
    if conflicting(here.amounts, there.amounts):
        return False
    is_even = (here.denials - there.denials) % 2 == 0
    return is_even or doubtful(here.form, there.form, language)
