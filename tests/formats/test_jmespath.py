"""Paths into what a bot sent: what they find, and why they find nothing."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.jmespath import JmesPath, PathMatch, checked_path

BODY = {
    "data": {
        "answer": "a",
        "none": None,
        "sources": [{"id": 1, "text": "x"}, {"id": 2, "text": "y"}],
        "empty": [],
        "deep": {"er": {}},
    },
    "n": 3,
    "yes": True,
    "my-key": {"回答": "b"},
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("data.answer", "a"),
        ("data.sources[].text", ["x", "y"]),
        ("data.sources[?id > `1`].text", ["y"]),
        ("data.sources[].{i: id, t: name}", [{"i": 1, "t": None}, {"i": 2, "t": None}]),
        ("data.missing || data.answer", "a"),
        ("join('', data.sources[].text)", "xy"),
        ('"my-key"."回答"', "b"),
        ("data.deep.er", {}),
        ("yes", True),
        ("data.empty", []),
        ("data.empty[].text", []),
        ("data.missing || data.empty[].text", []),
        ("data.sources[?id > `9`].text", []),
        ("data.sources[?cited].text", []),
    ],
)  # fmt: skip
def test_what_is_there_is_found_an_honest_empty_list_too(path: str, value: Any) -> None:
    assert PathMatch(value) == JmesPath(path).find(BODY)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("data.answr", "`data` has no `answr`; did you mean answer? it has: answer, none, sour"),
        ("dat.answer", "the body has no `dat`; did you mean data? it has: data, n, yes, my-key"),
        ("data.none", "`data.none` is null"),
        ("data.none.text", "`data.none` is null"),
        ("data.deep.er.x", "`data.deep.er` has no `x`; it is empty"),
        ("data.answer.text", '`data.answer` is text ("a"), not a mapping with a key text'),
        ("n.text", "`n` is a number (3), not a mapping with a key text"),
        ("yes.text", "`yes` is true, not a mapping"),
        ("data.sources.text", "`data.sources` is a list of 2 entries, not a mapping; look into it"),
        ("data.sources[].txt", "`data.sources[]` has no `txt`; did you mean text? it has"),
        ("data.sources[*].txt | [0]", "`data.sources[]` has no `txt`"),
        ("data.sources[7].text", "`data.sources` has 2 entries, no [7]"),
        ("data.empty[0]", "`data.empty` has 0 entries, no [0]"),
        ("data[].text", "`data` is a mapping, not a list"),
        ("data[0]", "`data` is a mapping, not a list"),
        ("data.answer.*.x", '`data.answer` is text ("a"), not a mapping'),
        ("data.deep.*.x", "`data.deep.er` has no `x`; it is empty"),
        ("data.sources[?id > `9`] | [0].text", "`data.sources` has 0 entries, no [0]"),
        ("data.a || n.b", "answer, none, sources, empty, deep, and `n` is a number"),
        ("length(data.none)", "In function length(), invalid type for value: None"),
        ("join('', data.sources)", "In function join(), invalid type for value: {'id'"),
        ("`null`", "matches nothing: it leads to null"),
        ("sort_by(data.sources, &name)[0].id", "In function sort_by(), invalid type for value: {"),
    ],
)  # fmt: skip
def test_nothing_found_says_what_was_there_instead(path: str, why: str) -> None:
    found = JmesPath(path).find(BODY)
    assert found.value is None
    assert found.why.startswith(f'"{path}" matches nothing: ')
    assert why in found.why


def test_the_data_has_the_name_that_it_is_given() -> None:
    assert (
        '"a" matches nothing: the event has no `a`; it is empty'
        == JmesPath("a").find({}, "the event").why
    )
    assert "the body is null" in JmesPath("a.b").find(None).why
    assert 'the body is text ("hi"), not a mapping' in JmesPath("a").find("hi").why


def test_of_many_keys_some_are_named() -> None:
    why = JmesPath("x").find({f"key{i}": i for i in range(1000)}).why
    assert "key19 and 980 more" in why
    assert len(why) < 400


def test_names_and_texts_of_a_bot_cannot_take_over_the_screen() -> None:
    why = JmesPath("x.y").find({"x": {"\x1b[2J" + "k" * 999: "v"}}).why
    assert "\x1b" not in why
    assert len(why) < 200


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("", "isn't a JMESPath: it is empty; write where in the answer to look"),
        ("$.data.answer", '"$" at column 1 isn\'t allowed there; did you mean data.answer ?'),
        ("data.my-key", '"-" at column 8 isn\'t allowed there; did you mean data."my-key" ?'),
        ("回答[0].text", 'did you mean "回答"[0].text ?'),
        ("data[", "it ends too early; use paths such as data.answer"),
        ("a b", '"b" at column 3 isn\'t allowed there; use paths such'),
        ("lenght(a)", "no function lenght(); did you mean length? choose from: abs,"),
        ("a.b[].length(@, c)", "length() takes 1 argument, not 2"),
        ("(" * 900, "nested too deeply"),
        ("a." * 500 + "a", "it's longer than 1,000 characters"),
    ],
)  # fmt: skip
def test_what_is_no_path_is_told_before_a_bot_is_asked(path: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"^: ") as caught:
        checked_path(path)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "@" + " | [@, @]" * 60,
        "[@]" + " | [@, @][]" * 60,
        "'xx'" + " | join(@, [@, @, @])" * 40,
        "@" + " | [@, @]" * 60 + " | to_string(@)",
    ],
)
def test_attack_a_short_path_that_makes_much_is_told(path: str) -> None:
    began = time.process_time()
    assert "creates a result that is too large" in JmesPath(path).find(BODY).why
    assert JmesPath(path).search(BODY) is None
    assert 20 > time.process_time() - began


def test_a_large_answer_is_searched_as_a_whole() -> None:
    body = {"items": [{"text": f"text {n}", "score": n} for n in range(100_000)]}
    assert 99_999 == len(JmesPath("items[?score > `0`].text").find(body).value)
    assert JmesPath("join(' ', items[].text)").find(body).value.endswith("99999")


_PATHS = [
    *("data.answer", "data.sources[].x", "data[0].id", "sources[?x > `1`].id | [0]", "*.id"),
    *("length(data)", "sort_by(sources, &x)", "data.x || answer", "max(data)", "sources[:1].id"),
]
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "answer", "sources", "id", "x"]), inner, max_size=4
        )
    ),
)


@given(_json, st.sampled_from(_PATHS))
def test_a_path_finds_something_or_says_why_not(data: Any, path: str) -> None:
    looked = JmesPath(path)
    found = looked.find(data)
    if found.why:
        assert looked.search(data) in (None, [])
        assert found.value is None
    else:
        assert looked.search(data) == found.value is not None
