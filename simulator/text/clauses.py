"""A text as claims are read in it: its sentences and clauses with words, amounts and polarity."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from simulator.core.clean import clean, folded, normal_form
from simulator.core.persona import Language
from simulator.text.ja.quantities import placed_in
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import Phrases, phrases
from simulator.text.quantities import Amounts, by_kind, measured
from simulator.text.tokens import is_content, sentences, stem, stop_words, word_tokens

Amount = tuple[str, float | str]
"""A kind and the amount of it in its base unit."""

INCLUDED = "included"
AXES = (INCLUDED, "allowed", "needed", "open", "there")
"""What a clause may affirm or deny in words of its own: free, optional, closed."""
PLAIN = ""
"""The axis of a clause that only its verb affirms or denies."""
EITHER = "either"
"""The axis of *either* (True) and *both* (False), which no *not* turns round."""
MIXED = "mixed"
"""Its sign is False where a clause both affirms and denies on one axis: words can't tell."""
ONLY = "only"
"""The axis of *only* and *except*, which is True wherever it is there."""
LIMIT = "limit"
"""The axis of *at least* and *after* (True), *at most* and *before* (False) beside an amount."""
_LIMITED = 3  # letters
_CLAUSE_END = 3  # how many words a clause end sets apart
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_GIGA = re.compile(r"(?<=\d)G\b(?!B)|(?<=[0-9０-９])[GＧ](?![A-Za-zＡ-Ｚ])")
_BEFORE_UNIT = re.compile(r"(?<=\d)[ \u3000]+(?=[ァ-ヶ一-龥])")
_FRACTION = re.compile(r"(\d*)\s?([½¼¾])")
_STOPS: dict[Language, str] = {"ja": "。", "en": "."}  # which no pattern of a clause goes beyond
_BLANKS = " \n。、.,!"
_CAPITAL = re.compile(r"\b[A-Z][\w&'-]+")
_VERBS = ("動詞", "形容詞", "助動詞")
_NAMES = "固有名詞"


@dataclass(frozen=True)
class Clause:
    """Its content words and amounts with their places, and what it affirms or denies.

    Distances between places tell which word an amount belongs to. `predicate`: the word that a
    plain *not* denies. A condition affirms and denies nothing.
    `limited`: the last letters before a Japanese *only*, the word after *only the*; empty where
    nobody can tell.
    """

    form: str
    words: tuple[tuple[str, int], ...]
    amounts: tuple[tuple[Amount, int], ...]
    signs: Mapping[str, bool]
    has_verb: bool
    names: frozenset[str]
    predicate: str
    is_condition: bool
    limited: str = ""

    @property
    def is_fragment(self) -> bool:
        """True if it has no verb, and no polarity of its own."""
        is_plain = self.signs.keys() <= {PLAIN, LIMIT} and self.signs.get(PLAIN, True)
        return not self.has_verb and is_plain

    @cached_property
    def keys(self) -> frozenset[str]:
        """Its content words."""
        return frozenset(word for word, _ in self.words)


@dataclass(frozen=True)
class Sentence:
    """A sentence as it stands, and its clauses."""

    text: str
    clauses: tuple[Clause, ...]

    @cached_property
    def form(self) -> str:
        """Its normal form."""
        return normal_form(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words."""
        return frozenset(word for clause in self.clauses for word, _ in clause.words)

    @cached_property
    def names(self) -> frozenset[str]:
        """Those of its words that are names."""
        return frozenset(name for clause in self.clauses for name in clause.names)

    @cached_property
    def amounts(self) -> Amounts:
        """Its amounts by kind."""
        return by_kind(amount for clause in self.clauses for amount, _ in clause.amounts)

    @property
    def asks(self) -> bool:
        """True if it is a question; a title in quotation marks may end with one."""
        return self.text.rstrip(" )）").endswith(("?", "？"))


class _Content(NamedTuple):
    """What a clause holds, with places from 0 to `size`."""

    words: list[tuple[str, int]]
    amounts: list[tuple[Amount, int]]
    size: int
    has_verb: bool
    names: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def read(text: str, language: Language) -> tuple[Sentence, ...]:
    """The sentences of a text, in order."""
    texts = sentences(text, language)
    forms = _rewritten([_plain(sentence, language) for sentence in texts], language)
    pieces = [list(_pieces(form, language)) for form in forms]
    flat = [piece for some in pieces for piece, _ in some]
    contents = iter(_english(flat) if language == "en" else _japanese(flat))
    return tuple(
        _sentence(sentence, some, contents, language)
        for sentence, some in zip(texts, pieces, strict=True)
    )


def _sentence(
    text: str, pieces: list[tuple[str, bool]], contents: Iterator[_Content], language: Language
) -> Sentence:
    place, clauses = 0, []
    names = _names(text) if language == "en" else frozenset[str]()
    for piece, is_condition in pieces:
        content = next(contents)
        clauses.append(_clause(piece, content, place, names, is_condition, language))
        place += content.size + _CLAUSE_END
    return Sentence(text, tuple(clauses))


def _pieces(form: str, language: Language) -> Iterator[tuple[str, bool]]:
    """The clauses of a sentence, conditions apart, and for each whether it is one."""
    data = phrases(f"text/{language}/reading")
    for part in data.pattern("between_clauses").split(form):
        at = 0
        for condition in data.pattern("supposes").finditer(part):
            yield from ((x, False) for x in [part[at : condition.start()]] if x.strip(_BLANKS))
            yield condition[0], True
            at = condition.end()
        yield from ((x, False) for x in [part[at:]] if x.strip(_BLANKS))


def _plain(text: str, language: Language) -> str:
    """NFKC and case folded, without apologies; ½ is 0.5, which NFKC would make 1⁄2, 5G no grams."""
    text = _BEFORE_UNIT.sub("", _GIGA.sub("GB", clean(text)))
    text = _FRACTION.sub(lambda match: (match[1] or "0") + _FRACTIONS[match[2]], text)
    if language == "en":
        from simulator.text.en.quantities import hundreds_in_figures

        text = hundreds_in_figures(text)  # its *and* ends no clause
    return phrases(f"text/{language}/reading").pattern("denies_nothing").sub("", folded(text))


def _rewritten(forms: list[str], language: Language) -> list[str]:
    """The forms as the patterns want them, all at once: a call for each would take far longer."""
    stop = _STOPS[language]
    whole = "".join(f"{' '.join(form.split())}{stop}\n" for form in forms)
    for pattern, meant in phrases(f"text/{language}/reading").rewrites("rewritten"):
        whole = pattern.sub(meant, whole)
    lines = [line.removesuffix(stop) for line in whole.split("\n")[:-1]]
    if len(lines) == len(forms):
        return lines
    return [line for form in forms for line in _rewritten([form], language)[:1]]


def _clause(
    form: str,
    content: _Content,
    place: int,
    names: frozenset[str],
    is_condition: bool,  # noqa: FBT001
    language: Language,
) -> Clause:
    data = phrases(f"text/{language}/reading")
    light = data.words("light")
    telling = tuple((word, place + at) for word, at in content.words if word not in light)
    amounts = tuple((amount, place + at) for amount, at in content.amounts)
    signs = {} if is_condition else dict(signs_of(form, language))
    if amounts and (side := _side(form, language)) is not None:
        signs[LIMIT] = side
    predicate = _denied(form) if language == "en" else next((w for w, _ in telling[::-1]), "")
    limited = _limited(form, data, language)
    has_verb, names = content.has_verb, names | content.names
    return Clause(form, telling, amounts, signs, has_verb, names, predicate, is_condition, limited)


def _limited(form: str, data: Phrases, language: Language) -> str:
    if language == "en":
        just = data.pattern("just_this").search(form)
        return just[1] if just else ""
    just = data.pattern("hinge_just").search(form)
    return form[: just.start()][-_LIMITED:] if just else ""


def _side(form: str, language: Language) -> bool | None:
    data = phrases(f"text/{language}/reading")
    least, most = (bool(data.pattern(name).search(form)) for name in ("at_least", "at_most"))
    return least if least is not most else None


def _denied(form: str) -> str:
    """The first content word behind a *not*."""
    turn = phrases("text/en/reading").pattern("turns").search(form)
    stop = stop_words()
    words = word_tokens(form[turn.end() :]) if turn else []
    return next((stem(word) for word in words if word not in stop), "")


def _english(pieces: list[str]) -> Iterator[_Content]:
    # Its patterns take 5 ms to compile, which Japanese does not need.
    from simulator.text.en.quantities import placed_in as placed_in_english

    stop, verbs = stop_words(), phrases("text/en/reading").pattern("verbs")
    for piece in pieces:
        text, quantities = placed_in_english(piece)
        words: list[tuple[str, int]] = []
        amounts: list[tuple[Amount, int]] = []
        at = place = 0
        for placed in [*quantities, None]:
            for word in word_tokens(text[at : placed.start if placed else None]):
                place += 1
                if word not in stop:
                    words.append((stem(word), place))
            if placed:
                place, at = place + 1, placed.end
                amounts.append((measured(placed.quantity), place))
        yield _Content(words, amounts, place, bool(verbs.search(text)))


def _names(sentence: str) -> frozenset[str]:
    """Its words with a capital letter."""
    capitals = _CAPITAL.findall(sentence)
    return frozenset(stem(word) for name in capitals for word in word_tokens(name)) - stop_words()


def _japanese(pieces: list[str]) -> Iterator[_Content]:
    forms = [unicodedata.normalize("NFKC", piece).replace("\n", " ") for piece in pieces]
    lines = _lines(morphemes("\n".join(forms)))
    if len(lines) != len(forms):
        lines = [morphemes(form) for form in forms]
    for line in lines:
        amounts = [(measured(p.quantity), p.start, p.end) for p in placed_in(line)]
        taken = {at for _, start, end in amounts for at in range(start, end)}
        content = [
            (at, m)
            for at, m in enumerate(line)
            if at not in taken and (is_content(line, at) or _is_telling_prefix(m))
        ]
        yield _Content(
            [(m.normal.casefold(), at) for at, m in content],
            [(amount, at) for amount, at, _ in amounts],
            len(line),
            any(m.pos[0] in _VERBS for m in line),
            frozenset(
                m.normal.casefold() for _, m in content if _NAMES in m.pos or m.surface.isascii()
            ),
        )


def _lines(words: list[Morpheme]) -> list[list[Morpheme]]:
    lines: list[list[Morpheme]] = [[]]
    for morpheme in words:
        if "\n" in morpheme.surface:
            lines.append([])
        else:
            lines[-1].append(morpheme)
    return lines


def _is_telling_prefix(morpheme: Morpheme) -> bool:
    """The 全 of 全プラン; the ご of ご契約 is none."""
    return morpheme.pos[0] == "接頭辞" and morpheme.normal != "御"


@lru_cache(maxsize=4_096)
def signs_of(form: str, language: Language) -> Mapping[str, bool]:
    """What a clause (folded, rewritten) affirms and denies, by axis."""
    data = phrases(f"text/{language}/reading")
    rest = data.pattern("quoted").sub(_blank, form)
    signs: dict[str, bool] = {}
    is_mixed = False
    for axis in AXES:
        rest, denied = data.pattern(f"{axis}_no").subn(_blank, rest)
        rest, affirmed = data.pattern(f"{axis}_yes").subn(_blank, rest)
        if bool(denied) != bool(affirmed):
            signs[axis] = bool(affirmed)
        is_mixed = is_mixed or bool(denied and affirmed)
    is_odd = len(data.pattern("turns").findall(rest.rstrip("。!.\n "))) % 2 == 1
    if is_odd:
        signs = {axis: not affirms for axis, affirms in signs.items()}
    if is_mixed:
        signs[MIXED] = False
    elif not signs:
        signs[PLAIN] = not is_odd
    either, both = (bool(data.pattern(f"either_{x}").search(form)) for x in ("yes", "no"))
    if either != both:
        signs[EITHER] = either
    if data.pattern("hinge_just").search(form):
        signs[ONLY] = True
    return signs


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def statements(text: str, language: Language) -> Iterator[Sentence]:
    """The sentences of a text that are no questions."""
    return (sentence for sentence in read(text, language) if not sentence.asks)


def words_of(some: Sequence[Sentence]) -> frozenset[str]:
    """The content words of sentences together."""
    return frozenset[str]().union(*(sentence.words for sentence in some))
