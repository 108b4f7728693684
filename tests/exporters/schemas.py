"""What is sent, held against what is published: OTLP's trace.proto, and Langfuse's scores API."""

import re
from collections.abc import Mapping
from typing import Any

import pytest

_NANOS = {"type": "string", "pattern": "^[1-9][0-9]{18}$"}
_SPAN_ID = {"type": "string", "pattern": "^(?!0{16})[0-9a-f]{16}$"}
_TRACE_ID = {"type": "string", "pattern": "^(?!0{32})[0-9a-f]{32}$"}


def _closed(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_ANY_VALUE: dict[str, Any] = {
    **_closed(
        stringValue={"type": "string"},
        boolValue={"type": "boolean"},
        intValue={"type": "string", "pattern": "^-?[0-9]+$"},
        doubleValue={"type": "number"},
        arrayValue=_closed(("values",), values=_list({"$ref": "#/$defs/any"})),
    ),
    "minProperties": 1,
    "maxProperties": 1,
}
_ATTRIBUTES = _list(
    _closed(("key", "value"), key={"type": "string", "minLength": 1}, value={"$ref": "#/$defs/any"})
)
_SPAN = _closed(
    ("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"),
    traceId=_TRACE_ID,
    spanId=_SPAN_ID,
    parentSpanId=_SPAN_ID,
    name={"type": "string", "minLength": 1},
    kind={"enum": [1, 2, 3, 4, 5]},
    startTimeUnixNano=_NANOS,
    endTimeUnixNano=_NANOS,
    attributes=_ATTRIBUTES,
    events=_list(
        _closed(
            ("timeUnixNano", "name"),
            timeUnixNano=_NANOS,
            name={"type": "string", "minLength": 1},
            attributes=_ATTRIBUTES,
        )
    ),
    links=_list(_closed(("traceId", "spanId"), traceId=_TRACE_ID, spanId=_SPAN_ID)),
    status=_closed(code={"enum": [0, 1, 2]}, message={"type": "string"}),
)
_REQUEST = {
    "$defs": {"any": _ANY_VALUE},
    **_closed(
        ("resourceSpans",),
        resourceSpans=_list(
            _closed(
                ("scopeSpans",),
                resource=_closed(attributes=_ATTRIBUTES),
                scopeSpans=_list(
                    _closed(
                        ("spans",),
                        scope=_closed(name={"type": "string"}, version={"type": "string"}),
                        spans=_list(_SPAN),
                    )
                ),
            )
        ),
    ),
}
_SCORE = {
    **_closed(
        ("name", "value"),
        id={"type": "string"},
        traceId={"type": "string"},
        observationId={"type": "string"},
        name={"type": "string"},
        value={"type": ["string", "number"]},
        comment={"type": "string"},
        dataType={"enum": ["NUMERIC", "BOOLEAN", "CATEGORICAL", "CORRECTION", "TEXT"]},
    ),
    # A string for categorical scores, a number for numeric ones.
    "if": {"properties": {"dataType": {"const": "CATEGORICAL"}}},
    "then": {"properties": {"value": {"type": "string", "minLength": 1}}},
    "else": {"properties": {"value": {"type": "number"}}},
}


def check(value: Any, schema: Any) -> None:
    """It is as the schema says."""
    pytest.importorskip("jsonschema").validate(value, schema)


def spans_in(request: Any) -> list[Any]:
    """The spans of an ExportTraceServiceRequest in JSON, if it is one."""
    check(request, _REQUEST)
    [of_resource] = request["resourceSpans"]
    [of_scope] = of_resource["scopeSpans"]
    for span in of_scope["spans"]:
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
    return list(of_scope["spans"])


def check_score(body: Any) -> None:
    """It is a CreateScoreRequest."""
    check(body, _SCORE)
    assert re.fullmatch("[0-9a-f]{32}", body["id"])


def attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a span or an event, as plain values."""
    return {pair["key"]: _plain(pair["value"]) for pair in record["attributes"]}


def _plain(value: Mapping[str, Any]) -> Any:
    [(kind, plain)] = value.items()
    if kind == "arrayValue":
        return [_plain(each) for each in plain["values"]]
    return int(plain) if kind == "intValue" else plain
