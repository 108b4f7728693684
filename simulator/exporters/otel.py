"""OpenTelemetry: a span for each conversation and each turn, an event for each rating.

By the GenAI conventions, which are not stable yet:
https://github.com/open-telemetry/semantic-conventions-genai. A conversation is a trace, and its
turns are spans in it; a turn whose answer named the bot's own trace is a part of that one.
"""

import re
from collections.abc import Iterator
from typing import Self
from urllib.parse import unquote

from simulator import config
from simulator.core.errors import InputError
from simulator.core.events import Event, ExportContext, TurnPlayed
from simulator.core.plan import Reached
from simulator.exporters._conversations import Conversation, Conversations, Rating
from simulator.exporters._http import Sender, checked_url, reached
from simulator.exporters._otlp import CLIENT, Attributes, Outbox, Span, as_json

_OPT_IN, _LATEST = "OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental"
_CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CAPTURES = {"true", "span_only", "span_and_event"}
_ENDPOINT, _HEADERS = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"
_TRACES, _TRACES_HEADERS = (
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
)
_USUAL = "http://localhost:4318"
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")


class Otel:
    """Sends spans over OTLP/HTTP, as the variables OTEL_… say."""

    def __init__(self, outbox: Outbox, context: ExportContext, *, captures: bool) -> None:
        """`captures`: what is said in a conversation is sent as well."""
        self._outbox, self._context, self._captures = outbox, context, captures
        self._conversations = Conversations()

    @classmethod
    def reaches(cls) -> Iterator[Reached]:
        """Its host, and the variables that it is sent."""
        url = config.setting(_TRACES, _ENDPOINT) or _USUAL
        return reached("otel", url, _TRACES_HEADERS, _HEADERS)

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run.

        Raises:
            InputError: the conventions are not opted into, or the endpoint is none.
        """
        if _LATEST not in re.split(r"[\s,]+", config.setting(_OPT_IN) or ""):
            raise InputError(
                f"otel follows conventions that may still change; opt in to them:  "
                f"export {_OPT_IN}={_LATEST}"
            )
        own = config.setting(_TRACES)
        name, place = (_TRACES, own) if own else (_ENDPOINT, config.setting(_ENDPOINT) or _USUAL)
        url = checked_url(name, place)
        headers = config.secret(_TRACES_HEADERS) or config.secret(_HEADERS) or ""
        outbox = Outbox(
            Sender(url, _headers(headers)),
            url if own else f"{url}/v1/traces",
            config.setting("OTEL_SERVICE_NAME") or "mogi",
        )
        captures = (config.setting(_CAPTURE) or "").lower() in _CAPTURES
        return cls(outbox, context, captures=captures)

    def __call__(self, event: Event) -> None:
        """Send a conversation that is complete, some together."""
        if whole := self._conversations.take(event):
            self._outbox.put(self._spans(whole))

    def close(self) -> None:
        """Send what is left."""
        try:
            self._outbox.send()
        finally:
            self._outbox.sender.close()

    def _spans(self, whole: Conversation) -> Iterator[Span]:
        ratings = [*whole.ratings(self._context.language)]
        trace, root = whole.id(32), whole.id(16)
        for turn, (start, end) in zip(whole.turns, whole.times, strict=True):
            own = _trace_of(turn)
            yield Span(
                trace=own or trace,
                id=whole.id(16, turn.turn),
                parent="" if own else root,
                link=(trace, root) if own else None,
                name=f"invoke_agent {self._context.client}",
                start=start,
                end=end,
                attributes=self._attributes(turn, whole),
                kind=CLIENT,
                events=self._events(ratings, turn.turn),
                error=(turn.error if self._captures else turn.fault) if turn.fault else "",
            )
        yield Span(
            trace=trace,
            id=root,
            name=f"invoke_workflow {whole.episode}",
            start=whole.start,
            end=whole.end,
            attributes=_of_conversation(whole),
            events=self._events(ratings, 0),
        )

    def _attributes(self, turn: TurnPlayed, whole: Conversation) -> Attributes:
        return {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "mogi",
            "gen_ai.agent.name": self._context.client,
            "gen_ai.conversation.id": whole.name,
            "mogi.run": turn.run,
            "mogi.episode": turn.episode,
            "mogi.turn": turn.turn,
            "mogi.target.trace_id": turn.trace,
            "error.type": turn.fault and turn.fault.value,
            **(_texts(turn) if self._captures else {}),
        }

    def _events(self, ratings: list[Rating], turn: int) -> tuple[tuple[str, Attributes], ...]:
        own = [rating for rating in ratings if rating.turn == turn]
        return tuple(("gen_ai.evaluation.result", self._of_rating(rating)) for rating in own)

    def _of_rating(self, rating: Rating) -> Attributes:
        return {
            "gen_ai.evaluation.name": rating.name,
            "gen_ai.evaluation.score.value": rating.value,
            "gen_ai.evaluation.score.label": rating.label,
            # It quotes what was said.
            "gen_ai.evaluation.explanation": rating.explanation if self._captures else None,
            "error.type": rating.error,
        }


def _headers(text: str) -> dict[str, str]:
    """The headers of `name=value,name=value`, percent-encoded as W3C baggage has it."""
    pairs = (pair.partition("=") for pair in text.split(","))
    return {unquote(name.strip()): unquote(value.strip()) for name, mark, value in pairs if mark}


def _trace_of(turn: TurnPlayed) -> str:
    """The bot's own trace of a turn, so that ratings are found there; empty where it names none."""
    own = turn.trace.replace("-", "").lower()
    return own if _TRACE_ID.fullmatch(own) else ""


def _of_conversation(whole: Conversation) -> Attributes:
    ended = whole.ended
    return {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.conversation.id": whole.name,
        "mogi.run": whole.planned.run,
        "mogi.episode": whole.episode,
        "mogi.scenario": whole.scenario,
        "mogi.persona": whole.persona,
        "mogi.tags": whole.tags,
        "mogi.stop": ended.stop.value if ended else None,
        "mogi.result": ended.result.value if ended else None,
    }


def _texts(turn: TurnPlayed) -> Attributes:
    documents = [
        {**({"id": d.id} if d.id else {}), "title": d.title, "content": d.text}
        for d in turn.documents
    ]
    question = [{"role": "user", "parts": [{"type": "text", "content": turn.user}]}]
    part = {"type": "text", "content": turn.assistant}
    answer = [{"role": "assistant", "parts": [part], "finish_reason": "stop"}]
    return {
        "gen_ai.input.messages": as_json(question),
        "gen_ai.output.messages": None if turn.fault else as_json(answer),
        "gen_ai.retrieval.documents": as_json(documents) if documents else None,
    }
