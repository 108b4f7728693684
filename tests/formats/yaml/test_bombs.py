"""Hostile and random bytes: a complaint, and never a crash."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.bounds import MAX_DEPTH
from simulator.formats.sources import Source
from simulator.formats.yaml import reading as yaml_marks
from simulator.formats.yaml.reading import parse_yaml, read_yaml
from tests.formats.written import SOURCE, complaints, marked, unclear

_DEEP = f"x.yaml:1: is nested more than {MAX_DEPTH} deep; use fewer levels"


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000])
def test_deep_nesting_is_refused(text: str) -> None:
    assert [_DEEP] == complaints(lambda: marked(text))


def test_the_deepest_nesting_that_is_allowed_is_read() -> None:
    assert [] != marked("[" * MAX_DEPTH + "]" * MAX_DEPTH).data


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    [complaint] = complaints(lambda: marked("\n".join(lines)))
    assert "grow without limit; write the values out" in complaint


def test_more_than_the_memory_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_marks, "MAX_NODES", 10)
    assert ["x.yaml:9: the file is too large from here on; split it"] == complaints(
        lambda: marked("- a\n" * 10)
    )


def test_many_small_aliases_are_no_bomb() -> None:
    text = "all: &all [angry, calm]\nlist:\n" + "- *all\n" * 5_000
    assert ["angry", "calm"] == marked(text).data["list"][4_999]


@given(st.text(alphabet=":-[]{}&*!|>'\"#%@`, \n\tab1.?~\\x", max_size=60))
def test_a_text_of_yaml_signs_is_read_or_complained_of(text: str) -> None:
    assert [] == unclear(lambda: parse_yaml(text, SOURCE))


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_complained_of(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    path.write_bytes(content)
    assert [] == unclear(lambda: read_yaml(Source.of(path)))
