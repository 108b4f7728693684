from pathlib import Path

import pytest

from simulator.core.scenario import Scenario
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.own_files import made_id
from tests.expecting import expecting
from tests.formats.written import complaints, write

_RIGHT = "write a list, such as [a, [b, the same in other words]]"


def _load(folder: Path, text: str) -> dict[str, Scenario]:
    return load_scenarios(write(folder, {"scenarios.json": text}), cwd=folder)


def test_the_entries_of_a_yaml_file_may_be_json(tmp_path: Path) -> None:
    entry = (
        '{"id": "q", "query": "When?", "expected": {"elements": ["at six"], "answerable": true}}'
    )
    expected = expecting(elements=("at six",), answerable=True)
    assert {"q": Scenario("q", "When?", expected=expected)} == _load(tmp_path, f"[{entry}]")
    wrong = f'[{entry},\n{{"id": "r", "query": "When?", "expcted": {{}}}}]'
    [told] = complaints(lambda: _load(tmp_path, wrong))
    assert told.startswith('scenarios.json:2: unknown key "expcted"; did you mean expected?')


@pytest.mark.parametrize("name", ["scenarios.json", "test_cases.json"])
def test_test_cases_are_scenarios_with_ids_made_of_their_questions(
    tmp_path: Path, name: str
) -> None:
    text = '[{"question": "a?", "expected": ["x", 1.10]}, {"question": "b?", "expected": []}]'
    first, second = made_id("a?"), made_id("b?")
    assert {
        first: Scenario(first, "a?", expected=expecting(elements=("x", "1.10"))),
        second: Scenario(second, "b?"),
    } == load_scenarios(write(tmp_path, {name: text}), cwd=tmp_path)


def test_a_question_that_stands_there_twice_is_a_complaint(tmp_path: Path) -> None:
    text = '[\n{"question": "A?", "expected": []},\n{"question": " a？ ", "expected": []}]'
    assert ["scenarios.json:3: the question is already on line 2; keep one of them"] == complaints(
        lambda: _load(tmp_path, text)
    )


def test_lone_surrogates_do_not_come_through(tmp_path: Path) -> None:
    [scenario] = _load(tmp_path, r'[{"question": "\ud800?", "expected": []}]').values()
    assert "\ufffd?" == scenario.query


def test_every_wrong_test_case_is_named_with_its_line(tmp_path: Path) -> None:
    text = '[\n  {"question": "a"},\n\n  {"question": "",\n   "expected": "x"}, 3\n]'
    assert [
        f"scenarios.json:2: expected is missing; {_RIGHT}",
        f'scenarios.json:4: expected: "x" is not a list; {_RIGHT}',
        "scenarios.json:4: question is empty; write some text",
        (
            'scenarios.json:5: an entry: 3 is not a mapping ("key: value"); '
            "write one key: value a line"
        ),
    ] == complaints(lambda: _load(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ": empty file; write a list of {question, expected}"),
        ("[]", ": there are no scenarios; add at least one"),
        ("{}", ": this must be a list of {question, expected}; begin with ["),
        ('[\n{"question" 1}]', ":2: this isn't JSON (Expecting ':' delimiter); fix it"),
        (
            "[" * 100_000,
            ": is nested too deep: more than 100 levels; split it, or use fewer levels",
        ),
    ],
)
def test_what_is_no_list_is_explained(tmp_path: Path, text: str, complaint: str) -> None:
    assert [f"scenarios.json{complaint}"] == complaints(lambda: _load(tmp_path, text))


def test_an_element_of_a_test_case_may_have_alternatives(tmp_path: Path) -> None:
    (tmp_path / "scenarios.json").write_text(
        '[{"question": "a?", "expected": ["free", ["6 cents", "$0.06"]]}]', "utf-8"
    )
    (found,) = load_scenarios(tmp_path).values()
    assert (("free",), ("6 cents", "$0.06")) == found.expected.elements
