"""Many questions asked in one call: the form of such an answer, and who waits for which call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from simulator.core.clean import visible
from simulator.core.errors import ModelError, ModelFault
from simulator.llm.structured import CleanText, FormModel
from simulator.text.normal import normal_form

MOST = 40
"""Questions of one call: their answers fit into what a model writes at once, and in time."""

# Asks the questions of one list; the number of the list counts from 1.
Ask = Callable[[int, Sequence[str]], Awaitable[Mapping[str, str]]]


def _text(value: object) -> object:
    return "" if value is None else value


def _number(value: object) -> object:
    """0, which no question has, for a number that is none: the question's words tell as well."""
    try:
        return int(str(value).strip(" .、．"))
    except ValueError:
        return 0


class Item(FormModel):
    """One answer. The question is written once more, so that a slip of the number is noticed."""

    number: Annotated[int, BeforeValidator(_number)] = 0
    question: Annotated[CleanText, BeforeValidator(_text)] = ""
    answer: Annotated[CleanText, BeforeValidator(_text)] = ""


class Items(FormModel):
    """The answers to a list of questions."""

    answers: Annotated[list[Item], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"answers": value} if isinstance(value, list) else value


def by_question(items: Sequence[Item], questions: Sequence[str]) -> dict[str, str]:
    """The answer to each question that was answered, and answered in one way only.

    An item answers the question that it repeats; where it repeats none of them (people's words
    are shortened, or put differently), the one of its number.
    """
    found: dict[str, set[str]] = {}
    for item in items:
        question = _meant(item, questions)
        if question is not None and visible(item.answer):
            found.setdefault(question, set()).add(item.answer.strip())
    return {question: told.pop() for question, told in found.items() if len(told) == 1}


def _meant(item: Item, questions: Sequence[str]) -> str | None:
    inside = 1 <= item.number <= len(questions)
    numbered = questions[item.number - 1] if inside else None
    words = normal_form(item.question)
    repeated = [q for q in questions if normal_form(q) == words]
    if numbered in repeated or not repeated:
        return numbered
    return repeated[0] if len(repeated) == 1 else None


class Together:
    """The answers to questions that are known beforehand.

    They are asked in lists of at most `MOST`, each in one call, which is made when the first of
    its questions comes up; whoever comes meanwhile waits for it.
    """

    def __init__(self, questions: Sequence[str], ask: Ask) -> None:
        """Nothing is asked yet."""
        self._lists = [questions[at : at + MOST] for at in range(0, len(questions), MOST)]
        self._places = {q: n for n, some in enumerate(self._lists) for q in some}
        self._ask = ask
        self._calls: dict[int, asyncio.Task[Mapping[str, str]]] = {}

    async def answer(self, question: str) -> tuple[str | None, str]:
        """The answer, and where there is none, why (nothing, if the question is in no list).

        Raises:
            ModelError: UNAVAILABLE; whoever asks later tries again.
            RunStopped: the run was halted.
            StoreError: the answers could not be saved.
        """
        place = self._places.get(question)
        if place is None:
            return None, ""
        try:
            found = (await asyncio.shield(self._call(place))).get(question)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            return None, f"asked alone: the list of all questions got no answers ({error})"
        if found is None:
            return None, "asked alone: the model left it out of its list of answers"
        return found, ""

    async def close(self) -> None:
        """Give up what is still being asked."""
        calls = list(self._calls.values())
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    def _call(self, place: int) -> "asyncio.Task[Mapping[str, str]]":
        """One task for all who wait: none of them takes the others' answers along if it goes."""
        if place not in self._calls:
            task = asyncio.ensure_future(self._ask(place + 1, self._lists[place]))
            task.add_done_callback(lambda done: self._ended(place, done))
            self._calls[place] = task
        return self._calls[place]

    def _ended(self, place: int, call: "asyncio.Task[Mapping[str, str]]") -> None:
        error = None if call.cancelled() else call.exception()
        about_these = isinstance(error, ModelError) and error.fault is not ModelFault.UNAVAILABLE
        if call.cancelled() or (error is not None and not about_these):
            self._calls.pop(place, None)
