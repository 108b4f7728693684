"""What a bot says over a WebSocket, in one message or many, read into a Reply."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from simulator.core.bounds import BODY_LIMIT, MAX_PIECES, json_data
from simulator.core.clean import visible
from simulator.core.concurrency import beside
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Reply
from simulator.targets._shapes import invalid
from simulator.targets._wire.errors import excerpt
from simulator.targets._wire.jmespath import JmesPath, is_true, quoted_path
from simulator.targets._wire.reading import (
    Paths,
    Pieces,
    answer_in,
    default_path,
    fail_on_error,
    malformed,
    to_json,
)

_ROOT = "the message"


@dataclass(frozen=True, slots=True)
class MessageForm:
    """How an answer is made of messages.

    `until` None: it is one message. Else it ends with the message in which `until` is true; its
    text is the pieces at `delta` joined, or what was last found at the answer's path.
    """

    paths: Paths
    delta: JmesPath | None = None
    until: JmesPath | None = None


async def read_answer(next_message: Callable[[], Awaitable[str]], form: MessageForm) -> Reply:
    """The reply in the messages that come.

    Raises:
        TargetError: EMPTY or INVALID, saying what came; RAISED where that was an error, or where
            the connection ended.
    """
    reading = _Reading(form)
    while True:
        try:
            message = await next_message()
        except TargetError as error:
            raise reading.broken_off(error) from None
        if await beside(len(message), reading.take, message):
            return reading.reply()


@dataclass(slots=True)
class _Reading:
    """What has come so far."""

    form: MessageForm
    count: int = 0
    size: int = 0
    first: Any = None
    last: Any = None
    text: str | None = None
    pieces: Pieces = field(default_factory=Pieces)

    def take(self, message: str) -> bool:
        """Read one message; True if it is the last."""
        self.size += len(message)
        if self.size > BODY_LIMIT or self.count >= MAX_PIECES:
            raise invalid(
                f"its answer is longer than {BODY_LIMIT // 1024**2} MB or {MAX_PIECES:,} messages; "
                "the rest was not read"
            )
        data = self._data(message)
        self.first = data if self.count == 0 else self.first
        self.last = data
        self.count += 1
        self.pieces.take(self.form.paths.documents_in(data, _ROOT))
        if self.form.until is None:
            self.text = answer_in(data, self.form.paths.answer, _ROOT)
            return True
        self._find_text(data)
        return is_true(self.form.until.search(data))

    def reply(self) -> Reply:
        """The reply, when the last message is here."""
        texts = self.pieces.texts
        text = "".join(texts) if self.text is None and texts else self.text
        return self.pieces.reply(self._explained() if text is None else text)

    def broken_off(self, error: TargetError) -> TargetError:
        """The end of a connection in the middle of an answer."""
        if self.form.until is None or not self.count:
            return error
        path = quoted_path(self.form.until.text)
        return TargetError(
            error.fault,
            f"{error} after {self._counted()}, none of which made until: {path} true; "
            f"the last: {excerpt(to_json(self.last))}",
        )

    def _data(self, message: str) -> Any:
        text = message.strip()
        plain = self.form.paths.answer is None and self.form.until is None
        if not text:
            raise TargetError(TargetFault.EMPTY, "it sent an empty message")
        if plain and not text.startswith(("{", "[", '"')):
            return message
        try:
            return json_data(text)
        except (ValueError, RecursionError) as error:
            if plain and not text.startswith("{"):
                return message  # plain text may begin so
            raise malformed("the JSON that it sent", text, error) from None

    def _find_text(self, data: Any) -> None:
        fail_on_error(data)
        if self.form.delta is not None:
            piece = self.form.delta.search(data)
            if isinstance(piece, str):
                self.pieces.texts.append(piece)
            elif piece is not None:
                self._looked_at(data)  # raises, saying what is there instead
        if self.form.delta is None or self.form.paths.answer is not None:
            whole = (self.form.paths.answer or default_path("answer")).search(data)
            self.text = whole if isinstance(whole, str) and visible(whole) else self.text

    def _explained(self) -> str:
        """That no message held any text, by the example of the first or the last one."""
        try:
            return self._looked_at(self.last if self.form.delta is None else self.first)
        except TargetError as error:
            raise invalid(f"{error}; in all it sent {self._counted()}") from None

    def _looked_at(self, data: Any) -> str:
        """The text in a message, or what is there instead, told of the key that names its path."""
        path = self.form.delta or self.form.paths.answer
        try:
            return answer_in(data, path, _ROOT)
        except TargetError as error:
            text = str(error)
            if self.form.delta is not None and text.startswith("answer: "):
                text = text.replace("answer: ", "delta: ", 1)
            raise TargetError(error.fault, text) from None

    def _counted(self) -> str:
        return "1 message" if self.count == 1 else f"{self.count} messages"
