"""Spans as OTLP/JSON, and the way to an endpoint that takes them.

https://opentelemetry.io/docs/specs/otlp/: ids in hexadecimal, times in nanoseconds as texts.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.core.version import __version__
from simulator.exporters._http import ExportError, Sender

Value = str | bool | int | float | tuple[str, ...]
Attributes = Mapping[str, Value]

INTERNAL, CLIENT = 1, 3
_FAILED = 2
_BATCH = 100  # spans


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """What happened within a span; `at` in seconds since 1970."""

    name: str
    at: float
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class Span:
    """A step of a trace, from `start` to `end` in seconds since 1970.

    `link`: trace and span to which it belongs as well. `error`: how it failed.
    """

    trace: str
    id: str
    name: str
    start: float
    end: float
    attributes: Attributes
    parent: str = ""
    kind: int = INTERNAL
    events: tuple[SpanEvent, ...] = ()
    link: tuple[str, str] | None = None
    error: str = ""


@dataclass(slots=True)
class Outbox:
    """Spans on their way to an endpoint; some are sent together."""

    sender: Sender
    url: str
    service: str
    _waiting: list[Span] = field(default_factory=list)

    def put(self, spans: Iterable[Span]) -> None:
        """Take spans, and send what has come together. Raises as `send`."""
        self._waiting += spans
        if len(self._waiting) >= _BATCH:
            self.send()

    @property
    def waits(self) -> bool:
        """True if some spans are still to be sent."""
        return bool(self._waiting)

    def send(self) -> None:
        """Send what waits; it waits no longer, whatever becomes of it.

        Raises:
            ExportError: the endpoint did not take all of it.
        """
        spans, self._waiting = self._waiting, []
        if not spans:
            return
        [answer] = self.sender.post(self.url, request_of(spans, self.service))
        partial = answer.get("partialSuccess") if isinstance(answer, dict) else None
        if partial and int(partial.get("rejectedSpans") or 0):
            why = str(partial.get("errorMessage") or "it does not say why")
            raise ExportError(f"{self.url}: {partial['rejectedSpans']} spans were refused: {why}")


def request_of(spans: Iterable[Span], service: str) -> dict[str, Any]:
    """The body of a request: an ExportTraceServiceRequest."""
    scope = {"name": "mogi", "version": __version__}
    resource = {"attributes": _attributes({"service.name": service})}
    scoped = {"scope": scope, "spans": [*map(_span, spans)]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


def _span(span: Span) -> dict[str, Any]:
    values: dict[str, Any] = {
        "traceId": span.trace,
        "spanId": span.id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": _nanos(span.start),
        "endTimeUnixNano": _nanos(span.end),
        "attributes": _attributes(span.attributes),
        "status": {"code": _FAILED, "message": span.error} if span.error else {},
    }
    if span.parent:
        values["parentSpanId"] = span.parent
    if span.events:
        values["events"] = [
            {
                "name": event.name,
                "timeUnixNano": _nanos(event.at),
                "attributes": _attributes(event.attributes),
            }
            for event in span.events
        ]
    if span.link:
        trace, id_ = span.link
        values["links"] = [{"traceId": trace, "spanId": id_}]
    return values


def _nanos(seconds: float) -> str:
    return str(round(seconds * 1e6) * 1000)


def _attributes(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Value) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case _:
            return {"arrayValue": {"values": [*map(_value, value)]}}


def as_json(value: object) -> str:
    """A structured attribute as a text: not every tool reads OTLP's own lists."""
    return json.dumps(value, ensure_ascii=False)
