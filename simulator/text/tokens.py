"""What a text is made of: sentences, content words in normal form, words that mean the same.

Retrieval and comparison work on these. English words are cut and stemmed here, Japanese ones come
from `ja.sudachi`.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache, partial

from simulator.core.bounds import Memo
from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.ja.sudachi import Lexicon, Morpheme, classes, synonym_groups, tokenized
from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/words")
_SMALL = "one two three four five six seven eight nine ten eleven twelve"
SMALL_NUMBERS = {word: str(n) for n, word in enumerate(_SMALL.split(), start=1)}
"""The words of small numbers, each with its digits."""

_WORD = re.compile(r"[^\W_]+(?:['.@][^\W_]+|(?<=\d)[:,](?=\d)[^\W_]+)*")
_CLITIC = re.compile(r"'(?:s|t|d|m|ll|re|ve)$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DOUBLED = re.compile(r"([bdfglmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")


@cache
def stop_words() -> frozenset[str]:
    """The words that carry no content."""
    return _PHRASES.words("stop_words")


@cache  # asked for each word
def _irregular() -> dict[str, str]:
    return _PHRASES.pairs("irregular")


def word_tokens(text: str) -> list[str]:
    """The lower-cased words of a text: `e-mail` is `email`, `1,480` is `1480`, `don't` is `don`."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = _THOUSANDS.sub("", text.replace("e-mail", "email"))
    return [_CLITIC.sub("", word) for word in _WORD.findall(text)]


def stem(word: str) -> str:
    """The word without its commonest endings, so that *cancelled*, *cancels* and *cancel* meet.

    A light stemmer: plural, -ing, -ed and a final e go; derived words (*refundable*) stay apart.
    """
    if not word.isascii() or not word.isalpha():
        return word
    word = _bare(_singular(_irregular().get(word, word)))
    if len(word) <= 3:
        return word
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") else _DOUBLED.sub(r"\1", word)


def _bare(word: str) -> str:
    """The verb without -ing, -ed or -ied, where something that can be a verb is left."""
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3 and _VOWEL.search(bare) and not word.endswith("eed"):
            return bare
    return word


def _singular(word: str) -> str:
    if len(word) <= 3 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + ("ie" if len(word) == 4 else "y")
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]


LONGEST = 400
"""Characters of one sentence: patterns that search one may take its cube."""

_OPEN, _CLOSE = "「『（(【〈《“", "」』）)】〉》”"
_BRACKET = re.compile(f"[{re.escape(_OPEN + _CLOSE)}]")
_HARD = frozenset("。！？")  # end a sentence wherever they stand
_ENDS = frozenset("。！？!?.．")
_TRAILING = frozenset("。！？!?.．…」』）)】〉》”\"'")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|etc|approx|inc|ltd|co|jr|sr|dept|est|fig)"
    r"|\b[a-z](?:\.[a-z])+|(?<!\d )\b[a-z]|(?:^|[.!?]\s+)\d{1,2})$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 12
_PAUSES = "、，\u3000 "
_LONGEST_KEPT = 2_000  # characters of a text whose sentences are kept: most are asked for again


def sentences(text: str, language: Language) -> list[str]:
    """The sentences of any text with their final marks, stripped; a new line ends one as well.

    Nothing is cut inside brackets and quotation marks; a full stop ends a sentence only before
    white space, and not after an abbreviation (`e.g.`, `No.`, `U.S.`) or a list number. In Japanese
    a question mark needs no space after it. What goes on for more than 400 characters, as nobody
    says it, comes in parts, cut after a pause where there is one.
    """
    return list((_remembered if len(text) <= _LONGEST_KEPT else _sentences)(text, language))


def _sentences(text: str, language: Language) -> tuple[str, ...]:
    whole = (s for line in clean(text).split("\n") for s in _cut(line, language))
    return tuple(part for s in whole for part in _parts(s.strip()) if part)


def _parts(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > LONGEST:
        near = start + LONGEST // 2, start + LONGEST
        end = max(sentence.rfind(pause, *near) for pause in _PAUSES) + 1 or near[1]
        yield sentence[start:end].strip()
        start = end
    yield sentence[start:].strip()


_remembered = lru_cache(maxsize=2_048)(_sentences)


def _cut(line: str, language: Language) -> list[str]:
    out: list[str] = []
    depths = _depths(line)
    start = at = 0
    while at < len(line):
        if line[at] not in _ENDS or depths[at]:
            at += 1
            continue
        end = at + 1
        while end < len(line) and line[end] in _TRAILING:
            end += 1
        if _ends(line, at, end, language):
            out.append(line[start:end])
            start = end
        at = end
    return [*out, line[start:]]


def _depths(line: str) -> list[int]:
    """How many brackets are open at each place; all 0 where they do not pair up."""
    if not _BRACKET.search(line):
        return [0] * len(line)
    depth, out = 0, []
    for char in line:
        depth += (char in _OPEN) - (char in _CLOSE)
        out.append(depth)
    return out if not depth and min(out, default=0) >= 0 else [0] * len(line)


def _ends(line: str, at: int, end: int, language: Language) -> bool:
    """True if the marks from `at` up to `end` end a sentence, by what stands around them."""
    marks, follower = line[at:end], line[end : end + 1]
    if language == "ja" and follower == "と" and marks[-1] not in "。.":
        return False  # 変更しますか？と聞かれます
    if _HARD.intersection(marks) or not follower:
        return True
    if "．" in marks:
        return not (follower.isdecimal() and line[at - 1 : at].isdecimal())
    if language == "ja" and "." not in marks and not follower.isascii():
        return True
    before = line[max(0, at - _LONGEST_ABBREVIATION) : at]
    return follower.isspace() and not (marks == "." and _ABBREVIATION.search(before))


# Documents come again, and several checks read an answer; some 20 bytes for each character.
_kept, _in_order = Memo[frozenset[str]](400_000), Memo[tuple[str, ...]](400_000)
_HELPING, _JOINING = ("動詞", "非自立可能"), ("助詞", "接続助詞")
_CONTENT = frozenset({"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"})


@cache
def empty_words() -> frozenset[str]:
    """Japanese words that help others or stand for anything, by normal form."""
    return phrases("text/ja/words").words("empty")


def content_tokens(text: str, language: Language) -> list[str]:
    """The content words of any text, in order and with repeats, lower-cased.

    Japanese: normal forms (Sudachi, SplitMode.A) of nouns, pronouns, verbs, adjectives, adverbs and
    nominal suffixes; numbers are digits (`1,480` and `千四百八十` are `1480`); auxiliary verbs and
    words such as こと and する are left out. English: stems of the words that are no stop words.
    """
    find = partial(_english if language == "en" else _japanese, text)
    return [*_in_order.of((text, language), len(text), find)]


def _english(text: str) -> tuple[str, ...]:
    stop = stop_words()
    return tuple(stem(word) for word in word_tokens(clean(text)) if word not in stop)


def _japanese(text: str) -> tuple[str, ...]:
    out, joined = [], False
    for word, helps, joins in _lexicon().of(tokenized(unicodedata.normalize("NFKC", clean(text)))):
        if word and not (helps and joined):
            out.append(word)
        joined = joins
    return tuple(out)


@cache
def _lexicon() -> Lexicon[tuple[str, bool, bool]]:
    """Each word as it counts, whether it only helps after a particle, and whether it is such one.

    Half the price of reading morphemes out.
    """
    kinds = tuple(pos[:4] for pos in classes())

    def read(normal: str, number: int) -> tuple[str, bool, bool]:
        pos = kinds[number]
        word = normal.casefold() if _counts(normal, pos) else ""
        return word, pos[:2] == _HELPING, pos[:2] == _JOINING

    return Lexicon(read)


def matter_tokens(text: str, language: Language) -> list[str]:
    """The content words of a question that say what it is about, not that something is asked.

    Those by which people ask (教える, *help*) and those that any matter has are left out.
    """
    light = _light(language)
    return [word for word in content_tokens(text, language) if word not in light]


def piece_tokens(text: str, language: Language) -> list[str]:
    """The beginnings (en) or pairs of characters (ja) of the words that say what it is about."""
    words = matter_tokens(text, language)
    if language == "en":
        return [word[:4] for word in words]
    return [word[at : at + 2] for word in words for at in range(len(word) - 1)]


@cache
def _light(language: Language) -> frozenset[str]:
    asking = phrases(f"text/{language}/words").words("asking")
    return asking | phrases(f"text/{language}/asking").words("light")


def token_set(text: str, language: Language) -> frozenset[str]:
    """The content words of any text, each once; kept for whoever asks again."""
    return _kept.of((text, language), len(text), lambda: frozenset(content_tokens(text, language)))


def is_content(morphemes: Sequence[Morpheme], at: int) -> bool:
    """True if the morpheme at this place says something by itself."""
    morpheme = morphemes[at]
    if not _counts(morpheme.normal, morpheme.pos):
        return False
    # 送って*おく*: a verb that only helps the one before it
    return not (at and morpheme.pos[:2] == _HELPING and morphemes[at - 1].pos[:2] == _JOINING)


def _counts(normal: str, pos: Sequence[str]) -> bool:
    if pos[0] not in _CONTENT and not (pos[0] == "接尾辞" and pos[1] == "名詞的"):
        return False
    return normal not in empty_words() and any(map(str.isalnum, normal))


_KANJI = re.compile("[一-龠々]")
_ROOT = 6  # letters by which English words of one root begin


@lru_cache(maxsize=50_000)
def senses(word: str, language: Language) -> frozenset[str]:
    """Keys of what a word may mean; words that share one are synonyms.

    Args:
        word: a normal form (ja), a stem (en), as `tokens.content_tokens` has it.
        language: its language.
    """
    listed = _listed(language).get(word, frozenset())
    return listed if language == "en" else listed | synonym_groups(word)


class Meanings:
    """The words of a text by what they may mean, to find those that stand for another one."""

    def __init__(self, words: Iterable[str], language: Language) -> None:
        self._language = language
        self._by_key: dict[str, set[str]] = {}
        self._known: dict[str, frozenset[str]] = {}
        for word in words:
            for key in _keys(word, language):
                self._by_key.setdefault(key, set()).add(word)

    def of(self, word: str) -> frozenset[str]:
        """The words of the text that are a word, or a synonym of it, or one of the same root."""
        alike = self._known.get(word)
        if alike is None:
            some = (self._by_key.get(key, ()) for key in _keys(word, self._language))
            alike = frozenset(w for words in some for w in words if self._may_mean(w, word))
            self._known[word] = alike
        return alike

    def _may_mean(self, word: str, other: str) -> bool:
        alike = word == other or not senses(word, self._language).isdisjoint(
            senses(other, self._language)
        )
        return alike or _is_akin(word, other, self._language)


@lru_cache(maxsize=50_000)
def _keys(word: str, language: Language) -> frozenset[str]:
    """What words that may mean the same have in common, at least one of these."""
    root = word[:_ROOT] if language == "en" else _kanji(word)[:1]
    return senses(word, language) | {word, f"{root}…"}


def _is_akin(word: str, other: str, language: Language) -> bool:
    """True for 作り直し and 作り直す, 休む and 休会, *refund* and *refundable*; not 月 and 月末."""
    if language == "en":
        return len(word) >= _ROOT and word[:_ROOT] == other[:_ROOT]
    here, kanji_of_other = _kanji(word), _kanji(other)
    shorter, longer = sorted((here, kanji_of_other), key=len)
    if not shorter or (here, kanji_of_other) == (word, other):  # a compound is another noun
        return word == other
    return longer.startswith(shorter)


@lru_cache(maxsize=50_000)
def _kanji(word: str) -> str:
    return "".join(_KANJI.findall(word))


@cache
def _listed(language: Language) -> dict[str, frozenset[str]]:
    by_word: dict[str, set[str]] = {}
    for line in phrases(f"text/{language}/synonyms").lines("alike"):
        for word in line.split():
            by_word.setdefault(word if language == "ja" else stem(word), set()).add(line)
    return {word: frozenset(lines) for word, lines in by_word.items()}
