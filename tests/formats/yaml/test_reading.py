import pytest
import yaml

from simulator.formats.yaml import reading as yaml_marks
from simulator.formats.yaml.reading import parse_yaml
from simulator.formats.yaml.scalars import EMPTY, spelling
from tests.formats.written import SOURCE, complaints, marked


def test_words_are_read_by_the_core_schema_of_yaml_1_2() -> None:
    text = "a: no\nb: on\nc: 1:30\nd: 2026-11-01\ne: true\nf: ~\ng: 0x1F\nh: 1e3\ni: 1.5.2\nj: .5"
    expected = {
        "a": "no",
        "b": "on",
        "c": "1:30",
        "d": "2026-11-01",
        "e": True,
        "f": None,
        "g": 31,
        "h": 1000.0,
        "i": "1.5.2",
        "j": 0.5,
    }
    assert expected == marked(text).data


def test_quoted_words_stay_text() -> None:
    assert {"a": "true", "b": "1", "c": ""} == marked("a: 'true'\nb: \"1\"\nc: ''").data


def test_numbers_remember_their_spelling() -> None:
    data = marked("[007, 1.10, +5, 12, 1.5, 0x1F, -.inf]").data
    assert ["007", "1.10", "+5", "12", "1.5", "0x1F", "-.inf"] == [spelling(n) for n in data]


def test_a_number_of_many_digits_stays_text() -> None:
    assert "9" * 400 == marked("- " + "9" * 400).data[0]


def test_what_was_left_empty_is_neither_null_nor_text() -> None:
    assert {"a": EMPTY, "b": None, "c": [EMPTY]} == marked("a:\nb: null\nc:\n-\n").data


def test_each_part_has_its_line() -> None:
    found = marked("a: 1\nb:\n  - c: x\n    d: >-\n      long\n      text\n  - e\n")
    assert [1, 2, 3, 4, 7] == [
        found.line(loc) for loc in [("a",), ("b",), ("b", 0), ("b", 0, "d"), ("b", 1)]
    ]


def test_a_part_that_is_missing_has_the_line_of_its_parent() -> None:
    found = marked("a: 1\nb:\n  - c: x\n")
    assert [1, 2, 3] == [found.line(loc) for loc in [("z",), ("b", 7), ("b", 0, "function", "z")]]


def test_lines_count_from_where_the_text_begins() -> None:
    found = parse_yaml("a: 1\nb: 2\n", SOURCE, first_line=5)
    assert 6 == found.line(("b",))


def test_every_key_that_stands_there_twice_is_complained_of() -> None:
    assert [
        'x.yaml:3: the key "a" is already on line 1; keep one of them',
        'x.yaml:4: the key "b" is already on line 2; keep one of them',
    ] == complaints(lambda: marked("a: 1\nb: 2\na: 3\nb: 4\n"))


def test_keys_are_text_as_it_was_written() -> None:
    assert {"1": "x", "true": "y", "01": "z"} == marked("1: x\ntrue: y\n01: z").data


def test_an_alias_repeats_its_anchor() -> None:
    assert {"a": ["x"], "b": ["x"]} == marked("a: &n [x]\nb: *n").data


def test_an_alias_can_be_a_key() -> None:
    assert {"a": "x", "x": "y"} == marked("a: &n x\n*n : y").data


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "x.yaml: empty file; write its contents"),
        ("# only\n# comments\n", "x.yaml: empty file; write its contents"),
        (
            "a: !!python/object/apply:os.system ['true']",
            (
                'x.yaml:1: tags such as "!!python/object/apply:os.system" are refused; '
                "write the plain value"
            ),
        ),
        ("a: !x y", 'x.yaml:1: tags such as "!x" are refused; write the plain value'),
        ("a: 1\n---\nb: 2", 'x.yaml:2: a second document begins here; remove the line "---"'),
        (
            "a: *b",
            'x.yaml:1: "*b" refers to nothing; put a text that begins with * in quotes',
        ),
        ("a: &b [*b]", 'x.yaml:1: "*b" contains itself; write the value out'),
        (
            "? [a]\n: b",
            "x.yaml:1: a key must be text; if it begins with { or [, put it in quotes",
        ),
        ("a: 1\nb: \x07", "x.yaml:2: contains the control character U+0007; remove it"),
        (
            "a: 1\nb: c: d",
            ('x.yaml:2: a ":" is not allowed here; put the text in quotes, or fix the indentation'),
        ),
        ("a: 1\nb: 'x\nc: d\n", "x.yaml:2: a quote opens here and never closes; close it"),
        (
            "a: 1\nb: [x\nc: d\n",
            'x.yaml:2: a list opens with "[" here and is not closed; add "," or "]"',
        ),
        ("a: {x\n", 'x.yaml:1: a mapping opens with "{" here and is not closed; add "," or "}"'),
        (
            "a:\n\t- b",
            (
                "x.yaml:2: text can't begin with a tab, @, ` or %; put it in quotes, "
                "and indent with spaces"
            ),
        ),
        (
            "a: 1\nbb cc\nd: 2",
            (
                'x.yaml:2: this line is neither a "key: value" nor part of a text; '
                'add the ":", or put the whole text in quotes'
            ),
        ),
        (
            "a: ]",
            (
                "x.yaml:1: a value is missing, or a bracket is not closed; "
                "write it, or close the bracket"
            ),
        ),
        ("- a\nb: 1", 'x.yaml:2: a list continues without "-"; fix the indentation'),
        (
            "a: 'it's'",
            (
                "x.yaml:1: the indentation or the quotes don't match; indent all keys equally, "
                "and put text that contains quotes in the other kind of quotes"
            ),
        ),
        (
            'a: "\\q"',
            "x.yaml:1: an unknown \\ in double quotes; write \\\\, or use single quotes",
        ),
    ],
)
@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml_marks._LOADER])
def test_what_is_no_yaml_is_explained(
    text: str, complaint: str, loader: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_marks, "_LOADER", loader)
    assert [complaint] == complaints(lambda: marked(text))
