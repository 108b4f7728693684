"""What is compared with the expected answer, and the words in which a comparison is told."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from simulator.core.outcome import Gap, Unscored
from simulator.core.ports import Evidence
from simulator.words import Words

P = ParamSpec("P")
T = TypeVar("T")
_LONG = 20_000  # characters: a hundredth of a second, within which other calls wait

NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")


def conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    words = Words(evidence.language, "comment")
    wrong = {"denied": negation, "number": number}
    return words("and").join(words(key) for key, is_so in wrong.items() if is_so)


_NAMED = 8  # words


def words_apart(evidence: Evidence, lacks: Sequence[str], adds: Sequence[str]) -> str:
    """Words of the expected answer that the reply has not, and the other way round; not all."""
    words, comments = Words(evidence.language, "comment"), []
    for key, items in (("lacks", lacks), ("adds", adds)):
        named = [*items[:_NAMED]]
        if len(items) > _NAMED:
            named.append(words("more", n=len(items) - _NAMED))
        if named:
            comments.append(words(key, items=words.comma.join(named)))
    return joined(evidence, *comments)


def joined(evidence: Evidence, *comments: str) -> str:
    """Comments as one, without those that are empty."""
    return Words(evidence.language, "comment")("beside").join(filter(None, comments))


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
