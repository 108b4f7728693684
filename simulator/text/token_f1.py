"""How many words an answer shares with the right one: token F1, as published and made sound."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from simulator.core.clean import clean, normal_form
from simulator.core.persona import Language
from simulator.text.ja.sudachi import MOST_BYTES, Lexicon, classes, tokenized

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_JAPANESE = re.compile(
    "[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_LETTER = re.compile(r"[^\W\d_]")

_LEGACY = frozenset({"名詞", "代名詞", "動詞"})
_CONTENT = _LEGACY | {"形容詞", "形状詞", "副詞"}
# All ways to say not, as one word: できない, できません, せず, まい, 無い, なし.
NOT = "ない"
_NEGATIVE = ("ナイ", "ヌ", "マイ", "ズ")  # auxiliaries, by how they are conjugated
_OF_KANERU = "下一段-ナ行"  # できかねます: no other suffix is conjugated so
_NOT = dict.fromkeys(("ない", "ず", "まい", "無い", "無し", "なし"), NOT)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The words that two texts share, as shares of each and their harmonic mean; all 0–1."""

    f1: float
    precision: float
    recall: float


def legacy_overlap(answer: str, truth: str) -> Overlap:
    """The token F1 for Japanese as it was published in 2024, flaws and all.

    Both texts: lower case, ASCII punctuation dropped, English articles too, white space squeezed;
    Sudachi with SplitMode.C; normal forms of nouns (名詞), pronouns (代名詞) and verbs (動詞).
    With P and R the lists of words of answer and truth and c = |set(P) ∩ set(R)|: precision =
    c / len(P), recall = c / len(R), F1 = 2pr / (p + r), and 0 where c is 0. Set over list: a text
    that repeats a word does not even match itself. Lone surrogates, at which the original stops,
    become U+FFFD, and text beyond Sudachi's 49,149 bytes is cut after a sentence.
    """
    words, right = _legacy_words(answer), _legacy_words(truth)
    return harmonic(len(set(words) & set(right)), len(words), len(right))


def overlap_of(words: Sequence[str], right: Sequence[str], answer: str, truth: str) -> Overlap:
    """Token F1 of two texts whose words are known.

    c is the size of the multiset intersection of their words: min of the counts, word by word.
    Precision = c / words of the answer, recall = c / words of the truth, F1 = 2pr / (p + r).

    Japanese words (see `is_japanese`): NFKC, invisible marks dropped, Sudachi with SplitMode.A;
    normal forms of nouns, pronouns, verbs, adjectives (形容詞, 形状詞), adverbs, nominal suffixes
    and negations (ない, ません, ず and なし are one word; かねる). Other words: SQuAD's (Rajpurkar
    et al. 2016): lower case, ASCII punctuation and a, an, the dropped, cut at white space.

    A truth without any such word (です。, 🎉) is matched by an answer of the same normal form
    only; an empty answer to a real truth shares nothing: 0.
    """
    if not words and not right:
        return overlap_of_marks(answer, truth)
    return harmonic(_shared(words, right), len(words), len(right))


def overlap_of_marks(answer: str, truth: str) -> Overlap:
    """The overlap of two texts without any word that counts: 1 or 0, by their normal forms."""
    same = float(_bare(answer) == _bare(truth))
    return Overlap(same, same, same)


def harmonic(common: int, of_answer: int, of_truth: int) -> Overlap:
    """So many words in common, as shares of each text's words, and 2pr / (p + r)."""
    if not common:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = common / of_answer, common / of_truth
    return Overlap(2 * precision * recall / (precision + recall), precision, recall)


def beyond(words: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Each word once that is in `words` more often than in `others`."""
    left = Counter(others)
    extra: dict[str, None] = {}
    for word in words:
        if left[word]:
            left[word] -= 1
        else:
            extra[word] = None
    return tuple(extra)


def comparable_form(text: str) -> str:
    """The text as it is compared: clean, NFKC, without marks that nobody sees."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", clean(text)))


def is_japanese(text: str, language: Language) -> bool:
    """True if words have to be found by Sudachi.

    In a Japanese client only text that has letters and no kana or kanji among them is not
    Japanese; in an English one more than half of the letters have to be kana or kanji, since a
    name in brackets does not make Japanese of an answer.
    """
    if language == "ja":
        return _JAPANESE.search(text) is not None or _LETTER.search(text) is None
    japanese = len(_JAPANESE.findall(text))
    return japanese > 0 and 2 * japanese > len(_LETTER.findall(text))


def content_words(text: str) -> list[str]:
    """The words of a Japanese text that count, in order; see `overlap_of`."""
    return counted_words(tokenized(text))


def counted_words(lists: Iterable[Any]) -> list[str]:
    """The same of Sudachi's lists of morphemes (SplitMode.A)."""
    return _lexicon().of(lists)


def squad_words(text: str) -> list[str]:
    """The words of a text as SQuAD's evaluation script finds them."""
    return _ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


@cache
def _lexicon() -> Lexicon[str]:
    """Each word as it counts; "" for those that do not."""
    counts = tuple(map(_counts, classes()))

    def read(normal: str, number: int) -> str:
        word = normal.casefold() if counts[number] else ""
        return _NOT.get(word, word)

    return Lexicon(read)


def _counts(pos: Sequence[str]) -> bool:
    if pos[0] == "助動詞":
        return pos[4].endswith(_NEGATIVE)
    if pos[:2] == ("接尾辞", "動詞的"):
        return pos[4] == _OF_KANERU
    if pos[1] == "助動詞語幹":  # そう, よう
        return False
    return pos[0] in _CONTENT or pos[:2] == ("接尾辞", "名詞的")


def _legacy_words(text: str) -> list[str]:
    text = " ".join(squad_words(text))
    lists = tokenized(_SURROGATE.sub("\ufffd", text), "C", MOST_BYTES)
    return _legacy_lexicon().of(lists)


@cache
def _legacy_lexicon() -> Lexicon[str]:
    counts = tuple(pos[0] in _LEGACY for pos in classes())
    return Lexicon(lambda normal, number: normal if counts[number] else "")


def _shared(words: Sequence[str], right: Sequence[str]) -> int:
    """(Counter(words) & Counter(right)).total(), at a tenth of its price."""
    left: dict[str, int] = {}
    for word in right:
        left[word] = left.get(word, 0) + 1
    common = 0
    for word in words:
        if count := left.get(word):
            left[word] = count - 1
            common += 1
    return common


def _bare(text: str) -> str:
    """What two texts without words are told apart by: at the last, their marks."""
    return normal_form(text) or text.strip()
