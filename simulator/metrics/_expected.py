"""What is compared with the expected answer, and the words in which a comparison is told."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from simulator.core.outcome import Gap, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence

P = ParamSpec("P")
T = TypeVar("T")
_LONG = 20_000  # characters: a hundredth of a second, within which other calls wait

NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")

_BETWEEN: dict[Language, str] = {"ja": " / ", "en": "; "}
_CONFLICTS: dict[Language, tuple[str, str, str]] = {
    "ja": ("肯定と否定が期待する回答と食い違う", "数値が期待する回答と食い違う", "、"),
    "en": ("says yes where the expected answer says no", "numbers differ", "; "),
}


def conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    denied, counted, between = _CONFLICTS[evidence.language]
    told = [text for text, there in ((denied, negation), (counted, number)) if there]
    return between.join(told)


_APART: dict[Language, tuple[str, str, str, str]] = {
    "ja": ("足りない語: ", "余分な語: ", "、", "ほか {n} 語"),
    "en": ("missing words: ", "words too many: ", ", ", "and {n} more"),
}
_NAMED = 8  # words


def words_apart(evidence: Evidence, lacks: Sequence[str], adds: Sequence[str]) -> str:
    """Words of the expected answer that the reply has not, and the other way round; not all."""
    *heads, between, more = _APART[evidence.language]
    told = []
    for head, words in zip(heads, (lacks, adds), strict=True):
        named = [*words[:_NAMED]]
        if len(words) > _NAMED:
            named.append(more.format(n=len(words) - _NAMED))
        if named:
            told.append(head + between.join(named))
    return joined(evidence, *told)


def joined(evidence: Evidence, *comments: str) -> str:
    """Comments as one, without those that are empty."""
    return _BETWEEN[evidence.language].join(filter(None, comments))


async def compared(size: int, compare: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a comparison yields; of texts that are long together it is made in another thread.

    Args:
        size: The characters of the texts.
        compare: The comparison.
        args: What it is given.
        kwargs: What it is given by name.
    """
    if size <= _LONG:
        return compare(*args, **kwargs)
    return await asyncio.to_thread(compare, *args, **kwargs)
