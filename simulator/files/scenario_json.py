"""Test cases in JSON, {question, expected: [element, …]}, read as scenarios."""

from typing import Annotated, Any

from pydantic import Field, ValidationError

from simulator.core.errors import Complaint, raise_all
from simulator.files.border import complaints_of
from simulator.files.fields import Text, Texts, Written
from simulator.files.json_lists import read_json_list
from simulator.files.slugs import made_id
from simulator.files.sources import Source
from simulator.files.yaml_marks import Marked


class JsonCase(Written):
    """A question and the words or sentences that its answer has to contain."""

    question: Annotated[Text, Field(description="what the user asks")]
    expected: Texts


def read_scenario_json(source: Source) -> Marked:
    """The test cases as the entries of a scenarios.yaml; ids are made of the questions.

    See `slugs.made_id`: a test case keeps its id wherever it stands in the list.

    Raises:
        InputError: not JSON, not a list; every wrong test case, and every question that stands
            there twice.
    """
    marked = read_json_list(source, "{question, expected}")
    complaints: list[Complaint] = []
    data: list[dict[str, Any]] = []
    first: dict[str, int] = {}
    for index, item in enumerate(marked.data):
        try:
            case = JsonCase.model_validate(item)
        except ValidationError as error:
            complaints += complaints_of(error, JsonCase, marked, (index,))
            continue
        name, line = made_id(case.question), marked.line((index,))
        if name in first:
            message = f"the question stands {source.there(first[name])} already; keep one of them"
            complaints.append(source.complaint(line, message))
        first.setdefault(name, line)
        expected = {"elements": case.expected}
        data.append({"id": name, "query": case.question, "expected": expected})
    raise_all(complaints)
    return Marked(data, marked.mark, source)
