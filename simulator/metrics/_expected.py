"""What is compared with the expected answer, and the words in which a comparison is told."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from simulator.core.outcome import Gap, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence

P = ParamSpec("P")
T = TypeVar("T")
_LONG = 20_000  # characters: a hundredth of a second, within which other calls wait

NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")

_CONFLICTS: dict[Language, tuple[str, str, str]] = {
    "ja": ("肯定と否定が期待する回答と食い違う", "数値が期待する回答と食い違う", "、"),
    "en": ("says yes where the expected answer says no", "numbers differ", "; "),
}


def conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    denied, counted, between = _CONFLICTS[evidence.language]
    told = [text for text, there in ((denied, negation), (counted, number)) if there]
    return between.join(told)


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
