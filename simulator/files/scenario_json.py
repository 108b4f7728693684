"""scenarios.json: test cases as {question, expected: [element, …]}, read as scenarios."""

import json
from typing import Annotated, Any

from pydantic import Field, ValidationError

from simulator.core.errors import Complaint, raise_all
from simulator.files.border import complaints_of
from simulator.files.fields import Text, Texts, Written
from simulator.files.sources import Source
from simulator.files.yaml_marks import Mark, Marked
from simulator.files.yaml_scalars import plain

_BETWEEN = frozenset(" \t\r\n,")
# Numbers keep their spelling: they are going to be text.
_DECODER = json.JSONDecoder(parse_int=plain, parse_float=plain, parse_constant=str)


class JsonCase(Written):
    """A question and the words or sentences that its answer has to contain."""

    question: Annotated[Text, Field(description="what the user asks")]
    expected: Texts


def read_scenario_json(source: Source) -> Marked:
    """The test cases as the entries of a scenarios.yaml, with the ids q-001, q-002 and so on.

    Raises:
        InputError: not JSON, not a list; every wrong test case.
    """
    marked = _read_list(source)
    complaints: list[Complaint] = []
    data: list[dict[str, Any]] = []
    for index, item in enumerate(marked.data):
        try:
            case = JsonCase.model_validate(item)
        except ValidationError as error:
            complaints += complaints_of(error, JsonCase, marked, (index,))
            continue
        expected = {"elements": case.expected}
        data.append({"id": f"q-{index + 1:03}", "query": case.question, "expected": expected})
    raise_all(complaints)
    return Marked(data, marked.mark, source)


def _read_list(source: Source) -> Marked:
    """The entries of a JSON list, each with the line on which it begins."""
    text = source.text()
    if not text.strip():
        raise source.error(0, "is empty; write a list of {question, expected}")
    try:
        data = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise source.error(error.lineno, f"this is not JSON ({error.msg}); mend it") from error
    except RecursionError as error:
        raise source.error(0, "is nested too deep; write it flatter") from error
    if not isinstance(data, list):
        raise source.error(0, "has to be a list of {question, expected}; begin with [")
    return Marked(data, _lines(text, len(data)), source)


def _lines(text: str, entries: int) -> Mark:
    mark = Mark(1)
    line, counted, end = 1, 0, text.find("[") + 1
    for index in range(entries):
        while text[end] in _BETWEEN:
            end += 1
        line, counted = line + text.count("\n", counted, end), end
        mark.children[index] = Mark(line)
        _, end = _DECODER.raw_decode(text, end)
    return mark
