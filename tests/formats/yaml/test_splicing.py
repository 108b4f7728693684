"""A value is replaced or added in a YAML file, and everything else stays byte for byte."""

import difflib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.errors import InputError
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Loc, parse_yaml
from simulator.formats.yaml.writing import Value, flow_text, splice, splice_file, yaml_text
from tests.formats.yaml.test_writing import TEXT, TRICKY, VALUE

SOURCE = Source(Path("client.yaml"), "client.yaml")
CLIENT = """\
# 設定
language: ja   # 利用者の言語
target: { kind: demo }
metrics: [overall,
          lexical]   # two lines
thresholds: {overall: 0.7}         # これを下回った回答に色が付きます
guidelines:
- 短く。 # first
- |
  二行
  です

# gate: {score: 0.9}
"""


def lines_changed(before: str, after: str) -> list[str]:
    """The lines that a person would see in a diff, without the frame."""
    shown = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in list(shown)[2:] if not line.startswith("@@")]


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        ("a: 1 # x\nb: 2\n", ("a",), 3, "a: 3 # x\nb: 2\n"),
        ("a: 'x' # y\n", ("a",), "z", "a: z # y\n"),
        ("a: {b: 1,  c: 2}\n", ("a", "b"), 3, "a: {b: 3,  c: 2}\n"),
        ("a: {b: 1,  c: 2}\n", ("a", "d"), 3, "a: {b: 1,  c: 2, d: 3}\n"),
        ("a: {b: 1, # x\n  c: 2,\n}\n", ("a", "d"), 3, "a: {b: 1, # x\n  c: 2, d: 3,\n}\n"),
        ("a: {}\nb: 1\n", ("a", "d"), 3, "a: {d: 3}\nb: 1\n"),
        ("a: { }\n", ("a", "d"), "x, y", 'a: {d: "x, y" }\n'),
        ("a:\nb: 1\n", ("a", "d"), 3, "a: {d: 3}\nb: 1\n"),
        ("a: # later\nb: 1\n", ("a",), 3, "a: 3 # later\nb: 1\n"),
        ("a:\n  b: 1 # x\n# y\nc: 2\n", ("a", "d"), 3, "a:\n  b: 1 # x\n  d: 3\n# y\nc: 2\n"),
        ("a:\n    b: 1\nc: 2\n", ("a", "d"), 3, "a:\n    b: 1\n    d: 3\nc: 2\n"),
        ("a: 1", ("b",), 2, "a: 1\nb: 2"),
        ("a: 1\n...\n", ("b",), 2, "a: 1\nb: 2\n...\n"),
        ("a: 1\r\nb: 2\r\n", ("c",), 3, "a: 1\r\nb: 2\r\nc: 3\r\n"),
        ("a: 1\n", ("b", "c", "d"), {"e": 1}, "a: 1\nb:\n  c:\n    d: {e: 1}\n"),
        ("a: 1\n", ("b",), "x\ny", "a: 1\nb: |-\n  x\n  y\n"),
        ("a: |\n  x\n  y\n\nb: 1\n", ("a",), "z", "a: z\n\nb: 1\n"),
        ("a: | # why\n  x\n  y\nb: 1\n", ("a",), "z\nw", 'a: "z\\nw" # why\nb: 1\n'),
        ("a: |+\n  x\n\n\n", ("b",), 1, "a: |+\n  x\n\n\nb: 1\n"),
        ("a: x\nb: 1\n", ("a",), "z\nw", "a: |-\n  z\n  w\nb: 1\n"),
        ("a: x # y\nb: 1\n", ("a",), "z\nw", 'a: "z\\nw" # y\nb: 1\n'),
        (
            "- id: a\n  q: 1\n- id: b\n",
            (0, "e", "t"),
            "x",
            "- id: a\n  q: 1\n  e: {t: x}\n- id: b\n",
        ),
        ("- id: a\n- {id: b}\n", (1, "q"), "x", "- id: a\n- {id: b, q: x}\n"),
        ("a:\n- 1\n- 2\nb: 1\n", ("a", 1), 3, "a:\n- 1\n- 3\nb: 1\n"),
        ("a:\n- 1\n- 2\nb: 1\n", ("a",), [3], "a:\n- 3\nb: 1\n"),
        ("a:\n  b: 1 # x\n", ("a",), {"b": 2, "c": 3}, "a:\n  b: 2 # x\n  c: 3\n"),
        ("a: 0.7\n", ("a",), {"b": 2, "c": "x"}, "a: {b: 2, c: x}\n"),
        ("{a: 1}", ("b",), 2, "{a: 1, b: 2}"),
        ('{"a": {"b": 1}}\n', ("a", "b"), "x", '{"a": {"b": x}}\n'),
        ("日本: 1 # 😀\nb: 2\n", ("b",), "語", "日本: 1 # 😀\nb: 語\n"),
    ],
)
def test_only_the_value_changes(text: str, path: Loc, value: Any, expected: str) -> None:
    assert expected == splice(text, path, value, SOURCE)


def test_a_threshold_is_one_changed_line() -> None:
    tuned: Value = {"value": 0.55, "judge": "gpt-4.1", "date": "2026-11-21"}
    after = splice(CLIENT, ("thresholds", "overall"), tuned, SOURCE)
    said = "         # これを下回った回答に色が付きます"
    assert [
        f"-thresholds: {{overall: 0.7}}{said}",
        f"+thresholds: {{overall: {{value: 0.55, judge: gpt-4.1, date: 2026-11-21}}}}{said}",
    ] == lines_changed(CLIENT, after)
    assert "2026-11-21" == parse_yaml(after, SOURCE).data["thresholds"]["overall"]["date"]


@pytest.mark.parametrize(
    ("text", "path", "why"),
    [
        ("a: &x {b: 1}\nc: *x\n", ("a", "b"), "the anchor 'x' is in the way"),
        ("a: &x {b: 1}\nc: *x\n", ("c", "b"), "the alias 'x' is in the way"),
        ("a: &x {b: 1}\nc: *x\n", ("c",), "the alias 'x' is in the way"),
        ("a: {b: &x 1}\nc: *x\n", ("a",), "can't be added there without changing other lines"),
        ("a:\n  # why\n  b: 1\n  # more\n  d: 2\n", ("a",), "a comment inside is in the way"),
        ("a: text\n", ("a", "b"), "the scalar on the way to b is in the way"),
        ("a: [1]\n", ("a", 1), "the list on the way to 1 is in the way"),
    ],
)
def test_what_is_in_the_way_is_said(text: str, path: Loc, why: str) -> None:
    with pytest.raises(InputError) as caught:
        splice(text, path, 3, SOURCE)
    assert why in str(caught.value)
    assert str(caught.value).endswith("write 3 by hand")


def places(data: Any, path: Loc = ()) -> list[Loc]:
    """Every place that holds something, and one new key in each mapping."""
    found = [path] if path else []
    inner: Any = data.items() if isinstance(data, dict) else ()
    for step, value in enumerate(data) if isinstance(data, list) else inner:
        found += places(value, (*path, step))
    return found + ([(*path, "new key")] if isinstance(data, dict) else [])


@given(st.dictionaries(TEXT | TRICKY, VALUE, min_size=1, max_size=4), VALUE, st.data())
def test_any_value_can_be_put_anywhere(made: Any, value: Any, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([yaml_text(made), f"{flow_text(made)}\n"]))
    path = data.draw(st.sampled_from(places(made)))
    after = splice(text, path, value, SOURCE)  # it checks itself what is read afterwards
    assert value == at(parse_yaml(after, SOURCE).data, path)


@given(st.dictionaries(TEXT | TRICKY, VALUE, min_size=1, max_size=4), TEXT | TRICKY)
def test_what_stands_around_a_value_stays(made: Any, value: str) -> None:
    tail = "\n# より下も\r\n\nlast: { a:  1 } # そのまま\n"
    text = f"# より上も\nfirst:   'x'\t# a\n{yaml_text({'middle': made})}{tail}"
    after = splice(text, ("last", "a"), value, SOURCE)
    start = text.index("{ a:  1 }")
    assert text[: start + 6] == after[: start + 6]
    assert after.endswith(" } # そのまま\n")


def at(data: Any, path: Loc) -> Any:
    for step in path:
        data = data[step]
    return data


def test_a_file_keeps_its_mark_its_line_ends_and_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "client.yaml"
    path.write_bytes("\ufefflanguage: ja\r\n# 終わり".encode())
    path.chmod(0o600)
    splice_file(Source.of(path), {("gate", "score"): 0.9, ("language",): "en"})
    expected = "\ufefflanguage: en\r\ngate: {score: 0.9}\r\n# 終わり"
    assert expected.encode() == path.read_bytes()
    assert 0o600 == path.stat().st_mode & 0o777
    assert ["client.yaml"] == os.listdir(tmp_path)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("a: 1\n")
    (tmp_path / "client.yaml").symlink_to("real.yaml")
    splice_file(Source.of(tmp_path / "client.yaml"), {("a",): 2})
    assert (tmp_path / "client.yaml").is_symlink()
    assert "a: 2\n" == (tmp_path / "real.yaml").read_text()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "client.yaml").write_text("a: 1\n")
    (tmp_path / "client.yaml.part").mkdir()
    with pytest.raises(InputError) as caught:
        splice_file(Source.of(tmp_path / "client.yaml"), {("a",): 2})
    assert "can't be written" in str(caught.value)
    assert "a: 1\n" == (tmp_path / "client.yaml").read_text()
