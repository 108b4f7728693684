"""An answer against the right one: the words they share, and what in it speaks against that."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from simulator.core.persona import Language
from simulator.text.claims import Claim, contradicting
from simulator.text.content import (
    DENIED,
    Content,
    Told,
    claims,
    clause_of,
    content,
    is_cut_short,
    nearness,
    of_the_same_hours,
    only_points,
    other_side,
    permits,
)
from simulator.text.en import negation as en_negation
from simulator.text.en.quantities import amounts_in
from simulator.text.en.words import stem
from simulator.text.ja import negation as ja_negation
from simulator.text.ja.quantities import amounts_of, may_conflict
from simulator.text.ja.sudachi import tokenized
from simulator.text.likeness import akin
from simulator.text.passages import is_at_another_time, other_contact
from simulator.text.presence import AGREEING, missing
from simulator.text.quantities import Amounts, conflicting
from simulator.text.reversals import differs_by_a_not, leaves_the_rest, turned_round
from simulator.text.sentences import sentences
from simulator.text.token_f1 import (
    Overlap,
    comparable_form,
    counted_words,
    is_japanese,
    overlap_of,
    squad_words,
)

UNCLEAR_FROM = 0.5
"""The share of a text's content from which on it may have been said in other words."""
NEAR_FROM = 0.75
"""The share of its content words with which a sentence speaks of the same thing."""
NONE = frozenset[str]()


@dataclass(frozen=True, slots=True)
class Match:
    """How an answer and the right one compare.

    `negation`: one only affirms what the other only denies. `number`: for some unit, each names
    an amount that the other does not. `lacks` and `adds`: the words of the right answer that the
    answer has not, or not as often, and the other way round, in the order of their text.
    """

    overlap: Overlap
    negation: bool
    number: bool
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()


def match(answer: str, truth: str, language: Language) -> Match | None:
    """The comparison of two texts of any length; None where the right answer is empty.

    The words are those of `token_f1.overlap`, the claims those of `negation`, the amounts those
    of `quantities`; all of them come from one look at each text.
    """
    answer, truth = comparable_form(answer), comparable_form(truth)
    if not truth.strip():
        return None
    japanese = is_japanese(f"{answer}\n{truth}", language)
    said = _Text(answer, japanese)
    # An expected answer is compared with all that is replied in its scenario.
    right = (_kept if len(truth) <= _KEPT else _Text)(truth, japanese)
    return Match(
        overlap_of(said.words, right.words, answer, truth),
        negation=_may_contradict(said, right)
        and (said.denies or right.denies)
        and contradicting(said.claims, right.claims),
        number=(not japanese or may_conflict(said.words, right.words))
        and conflicting(said.amounts, right.amounts),
        lacks=beyond(right.words, said.words),
        adds=beyond(said.words, right.words),
    )


def beyond(words: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Each word once that stands in `words` more often than in `others`."""
    left = Counter(others)
    found: dict[str, None] = {}
    for word in words:
        if left[word]:
            left[word] -= 1
        else:
            found[word] = None
    return tuple(found)


class _Text:
    """A text in NFKC, read no further than is asked for: claims take as long as its words do."""

    def __init__(self, text: str, japanese: bool) -> None:  # noqa: FBT001 (one caller, above)
        self.text = text
        self.lists = tokenized(text) if japanese else None
        self.words = squad_words(text) if self.lists is None else counted_words(self.lists)

    @cached_property
    def claims(self) -> list[Claim]:
        return (
            en_negation.claims(self.text) if self.lists is None else ja_negation.claims(self.lists)
        )

    @cached_property
    def amounts(self) -> Amounts:
        return amounts_in(self.text) if self.lists is None else amounts_of(self.lists)

    @property
    def says_no(self) -> bool:
        """What no word that counts tells: いいえ, and 不可能, which begins with a prefix."""
        return "不可能" in self.text or ja_negation.begins_with_no(self.text)

    @property
    def denies(self) -> bool:
        """Whether any of its claims denies something; they are not read where none can."""
        if self.lists is not None and not ja_negation.may_deny(self.text, self.words):
            return False
        return any(claim.denied for claim in self.claims)


_KEPT = 2_000  # characters; longer texts are not worth their memory
_kept = lru_cache(maxsize=256)(_Text)


def _may_contradict(one: _Text, other: _Text) -> bool:
    if one.lists is None:
        return en_negation.may_deny(one.text) or en_negation.may_deny(other.text)
    return ja_negation.may_contradict(one.words, other.words) or one.says_no or other.says_no


# ---- What speaks against it ----


@lru_cache(maxsize=4096)  # several checks ask, and each turn asks again of the replies before it
def speaks_against(
    reply: str, way: str, language: Language, right: tuple[str, ...], about: frozenset[str] = NONE
) -> bool:
    """Whether a sentence of the reply speaks against a sentence of the text."""
    if is_cut_short(way, (reply,), language):
        return False
    said = Told(claims(reply, language), language)
    around = _Around(about, said, _contents(right, language))
    told = sentences(reply, language)
    for part in sentences(way, language):
        wanted = content(part, language)
        is_reversed = turned_round(part, told, language)
        if is_reversed or (
            is_reversed is None and differs_by_a_not(wanted, said.sentences, language)
        ):
            return True
        if other_contact(part, reply, (way, *right), language):
            return True
        if is_at_another_time(part, told, (way, *right), language):
            return True
        if not missing([(part,)], [reply], language):
            continue
        beside = replace(around, agrees=is_reversed is False)
        is_rest = any(leaves_the_rest(one, part, language) for one in told)
        if not is_rest and any(_against(wanted, s, beside, language) for s in said.sentences):
            return True
    return False


@lru_cache(maxsize=64)
def _contents(texts: tuple[str, ...], language: Language) -> Told:
    return Told(
        (content(s, language) for text in texts for s in sentences(text, language)), language
    )


def may_hang(way: str, language: Language) -> bool:
    """Whether a text may hang on what was asked: it has names, or nothing but amounts."""
    read = (content(part, language) for part in sentences(way, language))
    return any(one.names or not one.words for one in read)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a comparison minds: the words asked about, all that is said, all that is right."""

    about: frozenset[str]
    said: Told
    right: Told
    agrees: bool = False  # says yes or no as it should, in other words


def _against(wanted: Content, sentence: Content, around: _Around, language: Language) -> bool:
    named = {word for name in wanted.names for word in name.split()}
    plain = wanted.words - named - (set(map(stem, named)) if language == "en" else NONE)
    if permits(wanted, sentence, around.said, language):
        return True
    if plain:
        # A kanji in common (送料, 無料) is too little to speak of the same.
        words = sentence.words
        near = sum(akin(w, words, language) if language == "en" else w in words for w in plain)
        near_by = near / len(plain)
    else:
        near_by = nearness(sentence, around.about, around.said)
    near_from = NEAR_FROM if plain else UNCLEAR_FROM
    if of_the_same_hours(wanted, sentence, language):
        return _other_amount(wanted, sentence, around, unmeasured=False)
    if near_by < near_from or only_points(sentence, wanted, language):
        return False
    return (
        _other_amount(wanted, sentence, around, unmeasured=near_by == 1 or not plain)
        or (
            not around.agrees
            and _opposed(wanted, clause_of(wanted, sentence, language), around.said, language)
        )
        or _other_name(wanted, sentence, around)
    )


def _other_amount(wanted: Content, sentence: Content, around: _Around, *, unmeasured: bool) -> bool:
    """Whether it has an amount of a kind in which nothing said has all that is wanted.

    A number without a unit may be part of a name (Scratch 3.0): `unmeasured`: it counts.
    """
    for kind in wanted.amounts.keys() & sentence.amounts.keys():
        if not kind and not unmeasured:
            continue
        own = wanted.amounts[kind]
        known, said = own.union(around.right.amounts.get(kind, ())), around.said.amounts
        if own.difference(said.get(kind, ())) and sentence.amounts[kind] - known:
            return True
    return False


def _opposed(wanted: Content, sentence: Content, said: Told, language: Language) -> bool:
    """Whether one denies what the other affirms, as far as nothing else that is said agrees."""
    if other_side(wanted.form, sentence.form, language):
        return False
    denies = {m.key for m in wanted.mentions if m.stance in DENIED}
    if denies:
        shared = any(akin(m.key, denies, language) for m in sentence.mentions)
        denied = any(not stances.isdisjoint(DENIED) for stances in said.stances.values())
        return shared and not (denied or said.denies_in_a_word)
    for mention in wanted.mentions:
        allowed = AGREEING[mention.stance]
        here = {m.stance for m in sentence.mentions if m.key == mention.key}
        against = here.intersection(DENIED) - allowed
        if against and allowed.isdisjoint(said.stances.get(mention.key, ())):
            return True
    return False


def _other_name(wanted: Content, sentence: Content, around: _Around) -> bool:
    if not wanted.names or not around.said.names.isdisjoint(wanted.names):
        return False
    kinds, known = set(wanted.names.values()), (wanted.names, around.about, around.right.names)
    return any(
        kind in kinds and not any(name in some for some in known)
        for name, kind in sentence.names.items()
    )
