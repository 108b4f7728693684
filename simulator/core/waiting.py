"""Waiting for calls that were paid for: none is left behind because another one failed."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


async def all_done(calls: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of calls made at once; an error is raised when all of them have ended.

    What is in flight is paid for: it is let finish, so that the journal has it on a resume.
    """
    if len(calls) == 1:  # most often; a task of its own would cost more than it does
        return [await calls[0]]
    results = await asyncio.gather(*calls, return_exceptions=True)
    found: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found
