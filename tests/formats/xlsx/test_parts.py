import io

import pytest

from simulator.formats.xlsx.workbook import NotPlain, walk


def _walked(xml: str) -> list[str]:
    found: list[str] = []
    walk(
        io.BytesIO(xml.encode()),
        {"a": lambda attributes: found.append(f"<{attributes}")},
        {"a": lambda text: found.append(f"{text}>"), "b": found.append},
    )
    return found


def test_elements_are_told_with_their_attributes_and_texts() -> None:
    assert ["<{'x': '1'}", "two", ">"] == _walked('<r><a x="1">one<b>two</b><c/></a></r>')


def test_a_text_in_pieces_comes_whole() -> None:
    assert ["a<b あ"] == _walked("<r><b>a&lt;b<!-- c --> &#x3042;</b></r>")


def test_elements_of_another_namespace_are_passed_over() -> None:
    spaces = 'xmlns:p="urn:p" xmlns:q="urn:q"'
    assert ["mine"] == _walked(f"<p:r {spaces}><q:b>not</q:b><b>not</b><p:b>mine</p:b></p:r>")


def test_entities_are_refused() -> None:
    with pytest.raises(NotPlain):
        _walked('<!DOCTYPE r [<!ENTITY a "b">]><r><b>&a;</b></r>')
