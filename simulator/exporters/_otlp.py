"""Spans as OTLP/JSON, and the way to an endpoint that takes them.

https://opentelemetry.io/docs/specs/otlp/: ids in hexadecimal, times in nanoseconds as texts.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.core.version import __version__
from simulator.exporters._http import Sender

Value = str | bool | int | float | tuple[str, ...] | None
Attributes = Mapping[str, Value]
"""Those that are None or empty are not sent."""

INTERNAL, CLIENT = 1, 3
_FAILED = 2
_BATCH, _BATCH_SIZE = 100, 1_000_000  # spans, and characters of their texts


@dataclass(frozen=True, slots=True)
class Span:
    """A step of a trace, from `start` to `end` in seconds since 1970.

    `events` are attributes by name, all at its end. `link`: trace and span to which it belongs as
    well. `error`: how it failed.
    """

    trace: str
    id: str
    name: str
    start: float
    end: float
    attributes: Attributes
    parent: str = ""
    kind: int = INTERNAL
    events: tuple[tuple[str, Attributes], ...] = ()
    link: tuple[str, str] | None = None
    error: str = ""


@dataclass(slots=True)
class Outbox:
    """Spans on their way to an endpoint; some are sent together."""

    sender: Sender
    url: str
    service: str
    waiting: list[Span] = field(default_factory=list)

    def put(self, spans: Iterable[Span]) -> None:
        """Take spans, and send what has come together. Raises as `send`."""
        self.waiting += spans
        values = (value for span in self.waiting for value in span.attributes.values())
        size = sum(len(value) for value in values if isinstance(value, str))
        if len(self.waiting) >= _BATCH or size >= _BATCH_SIZE:
            self.send()

    def send(self) -> None:
        """Send what waits; it waits no longer, whatever becomes of it.

        Raises:
            ExportError: the endpoint did not take all of it.
        """
        spans, self.waiting = self.waiting, []
        if not spans:
            return
        [answer] = self.sender.post(self.url, request_of(spans, self.service))
        partial = answer.get("partialSuccess") if isinstance(answer, dict) else None
        if partial and int(partial.get("rejectedSpans") or 0):
            why = f"it refused {partial['rejectedSpans']} spans: {partial.get('errorMessage')}"
            raise self.sender.error(self.url, why)


def request_of(spans: Iterable[Span], service: str) -> dict[str, Any]:
    """The body of a request: an ExportTraceServiceRequest."""
    scope = {"name": "mogi", "version": __version__}
    resource = {"attributes": _attributes({"service.name": service})}
    scoped = {"scope": scope, "spans": [*map(_span, spans)]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scoped]}]}


def as_json(value: object) -> str:
    """A structured attribute as a text: not every tool reads OTLP's own lists."""
    return json.dumps(value, ensure_ascii=False)


def _span(span: Span) -> dict[str, Any]:
    start, end = _nanos(span.start), _nanos(span.end)
    events = [
        {"name": name, "timeUnixNano": end, "attributes": _attributes(values)}
        for name, values in span.events
    ]
    links = [{"traceId": span.link[0], "spanId": span.link[1]}] if span.link else []
    return {
        "traceId": span.trace,
        "spanId": span.id,
        **({"parentSpanId": span.parent} if span.parent else {}),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": start,
        "endTimeUnixNano": end,
        "attributes": _attributes(span.attributes),
        "events": events,
        "links": links,
        "status": {"code": _FAILED, "message": span.error} if span.error else {},
    }


def _nanos(seconds: float) -> str:
    return str(round(seconds * 1e6) * 1000)


def _attributes(attributes: Attributes) -> list[dict[str, Any]]:
    kept = ((key, value) for key, value in attributes.items() if value not in (None, "", ()))
    return [{"key": key, "value": _value(value)} for key, value in kept]


def _value(value: Value) -> dict[str, Any]:
    match value:
        case tuple():
            return {"arrayValue": {"values": [*map(_value, value)]}}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": value}
