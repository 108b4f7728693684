from pathlib import Path

import pytest

from simulator.core.errors import InputError, MogiError
from simulator.core.scenario import Scenario
from simulator.files.scenarios.expected import GENERATED_FILE
from simulator.files.scenarios.loading import load_scenarios
from simulator.generate.scenario_file import (
    Existing,
    check_output,
    file_head,
    insert_scenarios,
    read_existing,
    write_whole,
)
from tests.expecting import expecting

HEAD = file_head("en", "faq.csv", "x.report.jsonl")


def _scenario(name: str, query: str = "why?") -> Scenario:
    expected = expecting("so", ("1 day",), (), True)
    return Scenario(name, query, expected=expected, tags=("generated",))


def _order(*names: str) -> dict[str, int]:
    return {name: at for at, name in enumerate(names)}


def _read(path: Path, text: str) -> Existing:
    path.write_text(text, "utf-8")
    return read_existing(path, has_report=True)


def _names(path: Path, text: str) -> list[str]:
    path.write_text(text, "utf-8")
    return list(load_scenarios(path.parent, file=path))


def test_a_new_file_begins_with_its_comment_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    text = insert_scenarios(Existing(HEAD), [_scenario("b"), _scenario("a")], _order("a", "b"))
    assert text.startswith(HEAD)
    assert ["a", "b"] == _names(path, text)
    assert _scenario("a") == load_scenarios(tmp_path, file=path)["a"]
    assert "\n\n- id: b\n" in text


def test_new_scenarios_stand_where_they_belong_and_all_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    text = (
        f"{HEAD}\n# about b\n- id: b\n  query: |-\n    one\n    # no comment\n\n\n"
        "# mine\n- {id: mine, query: 'my own'}\n- id: d\n  query: 'd'   # quoted\n"
    )
    new = [_scenario(name) for name in "ace"]
    made = insert_scenarios(_read(path, text), new, _order(*"abcde"))
    assert ["a", "b", "c", "mine", "d", "e"] == _names(path, made)
    for row in text.split("\n"):
        assert row in made.split("\n")
    assert made.index("# about b") > made.index("- id: a")
    assert made.index("# mine") > made.index("- id: c")


def test_nothing_new_changes_nothing(tmp_path: Path) -> None:
    text = f"{HEAD}\n- id: b\n  query: b\n"
    assert text == insert_scenarios(_read(tmp_path / "x.yaml", text), [], {})


def test_a_file_whose_scenarios_were_all_taken_out_can_be_filled_again(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    made = insert_scenarios(_read(path, HEAD), [_scenario("a")], _order("a"))
    assert ["a"] == _names(path, made)


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("- {id: a, query: b}\n", "utf-8")
    with pytest.raises(InputError, match=r"wasn't created by `mogi generate`; use another file"):
        read_existing(path, has_report=False)
    assert ["a"] == list(read_existing(path, has_report=True).scenarios)


def test_ones_own_scenarios_may_stand_first_in_the_file_that_is_to_be_written(
    tmp_path: Path,
) -> None:
    path = tmp_path / GENERATED_FILE
    path.write_text("# mine\n- id: a\n  query: b\n", "utf-8")
    mine = read_existing(path, has_report=False)
    made = insert_scenarios(mine, [_scenario("c")], _order("c"))
    assert {"# mine", "- id: a", "  query: b"} <= {*made.split("\n")}
    assert ["a", "c"] == sorted(_names(path, made))


def test_a_file_that_is_wrong_is_complained_of_at_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x.yaml:\d+: unknown key \"qery\""):
        _read(tmp_path / "x.yaml", f"{HEAD}- id: a\n  qery: b\n")
    with pytest.raises(
        InputError, match=r'begin each one with "- id: …" at the beginning of a line'
    ):
        _read(tmp_path / "x.yaml", f"{HEAD}[{{id: a, query: b}}]\n")


def test_where_nothing_can_be_written_is_said_beforehand(tmp_path: Path) -> None:
    check_output(tmp_path / "x.yaml")
    with pytest.raises(InputError, match="its folder doesn't exis"):
        check_output(tmp_path / "no" / "x.yaml")
    with pytest.raises(InputError, match="this is a folder"):
        check_output(tmp_path)


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    write_whole(tmp_path / "x.yaml", "text\n")
    assert "text\n" == (tmp_path / "x.yaml").read_text("utf-8")
    with pytest.raises(MogiError, match="the same command continues without paying again"):
        write_whole(tmp_path / "no" / "x.yaml", "text")
    assert ["x.yaml"] == [p.name for p in tmp_path.iterdir()]


def test_thousands_of_scenarios_are_put_between_thousands(tmp_path: Path) -> None:
    names = [f"n{n:05}" for n in range(4_000)]
    text = insert_scenarios(Existing(HEAD), [_scenario(n) for n in names[::2]], _order(*names))
    made = insert_scenarios(_read(tmp_path / "x.yaml", text), [_scenario(n) for n in names[1::2]],
                    _order(*names))  # fmt: skip
    assert names == _names(tmp_path / "x.yaml", made)
