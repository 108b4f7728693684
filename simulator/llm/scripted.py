"""A chat model that says what it is told to: for tests, yours too, without a key or a network."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.core.errors import ModelFault
from simulator.core.ports import CallId, Completion, Form, Message

ScriptedAnswer = str | Completion | Exception


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One call as it reached the model."""

    call: CallId
    messages: tuple[Message, ...]
    form: Form | None = None
    fence: str = ""

    @property
    def last(self) -> str:
        """The text of the last message."""
        return self.messages[-1].content


class ScriptedChat:
    """A `Chat` that answers from a list, in its order, or by asking a function.

    An answer is a text, a `Completion` (for its `fault`, say), or an exception to raise.
    An empty text comes back with the fault EMPTY, as from a real model.

        chat = ScriptedChat(['{"message": "hello", "stop": "none"}'])
        chat = ScriptedChat(lambda request: f"turn {request.call.turn}")

    Attributes:
        requests: Every call, in the order of arrival.
    """

    def __init__(
        self, answers: Sequence[ScriptedAnswer] | Callable[[ScriptedRequest], ScriptedAnswer]
    ) -> None:
        self.requests: list[ScriptedRequest] = []
        self._answers = answers if callable(answers) else _one_by_one(answers)

    async def complete(
        self,
        call: CallId,
        messages: Sequence[Message],
        *,
        form: Form | None = None,
        fence: str = "",
    ) -> Completion:
        """The next answer of the script.

        Raises:
            LookupError: the script is used up.
            Exception: whatever the script says is raised here.
        """
        request = ScriptedRequest(call, tuple(messages), form, fence)
        self.requests.append(request)
        answer = self._answers(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(answer, fault=None if answer.strip() else ModelFault.EMPTY)


def _one_by_one(answers: Sequence[ScriptedAnswer]) -> Callable[[ScriptedRequest], ScriptedAnswer]:
    left = iter(answers)

    def answer(request: ScriptedRequest) -> ScriptedAnswer:
        try:
            return next(left)
        except StopIteration:
            raise LookupError(f"the script has no more answers for {request.call}") from None

    return answer
