"""An answer against the right one: the words they share, and where they contradict each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from simulator.core.persona import Language
from simulator.text.claims import Claim, contradicting
from simulator.text.en import negation as en_negation
from simulator.text.en.quantities import amounts_in
from simulator.text.ja import negation as ja_negation
from simulator.text.ja.quantities import amounts_of, may_conflict
from simulator.text.ja.sudachi import tokenized
from simulator.text.quantities import Amounts, conflicting
from simulator.text.token_f1 import (
    Overlap,
    comparable_form,
    counted_words,
    is_japanese,
    overlap_of,
    squad_words,
)


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
