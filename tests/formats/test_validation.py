from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from simulator.formats.fields import Count, EnvName, Name, Share, Text, Texts, Url, Written, YesNo
from simulator.formats.validation import complaints_of, validate
from tests.formats.written import complaints, marked


class Inner(Written):
    size: Count = 1
    label: Text | None = None


class Outer(Written):
    name: Annotated[Name, Field(description="what it is called")]
    turns: Count = 3
    share: Share = 0.5
    open: YesNo = False
    tags: Texts = ()
    way: Literal["all", "random"] = "all"
    inner: Annotated[Inner, Field(description="{size: 1}")] = Inner()
    by_name: dict[str, Inner] = Field(default_factory=dict)
    words: dict[Annotated[int, Field(strict=False)], Text] = Field(default_factory=dict)
    few: Annotated[Texts, Field(min_length=1)] = ("x",)
    key: EnvName | None = None
    url: Url | None = None


def _complaints(text: str) -> list[str]:
    return complaints(lambda: validate(Outer, marked(text)))


def test_right_data_become_a_model() -> None:
    found = validate(Outer, marked("name: x\ntags: [a, b]\nshare: 1\nwords: {1: one}\ninner:\n"))
    assert ("x", ("a", "b"), 1.0, {1: "one"}, 1) == (
        found.name,
        found.tags,
        found.share,
        found.words,
        found.inner.size,
    )


def test_numbers_are_text_as_they_were_written() -> None:
    assert ("007", ("1.10", "30")) == (
        (found := validate(Outer, marked("name: 007\ntags: [1.10, 30]"))).name,
        found.tags,
    )


def test_text_loses_the_space_around_it_and_control_characters() -> None:
    assert "ab" == validate(Outer, marked('name: " a\\0b\\n"')).name


def test_a_key_that_was_left_empty_counts_as_not_written() -> None:
    assert 3 == validate(Outer, marked("name: x\nturns:\n")).turns


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('turns: "three"', '"three" is not a whole number; write a whole number of 1 or more'),
        (
            'turns: "3"',
            '"3" is not a whole number; write a whole number of 1 or more, without quotes',
        ),
        ("turns: true", "true is not a whole number; write a whole number of 1 or more"),
        ("turns: 1.5", "1.5 is not a whole number; write a whole number of 1 or more"),
        ("turns: 0", "0 is too small; write a whole number of 1 or more"),
        ("turns: null", "null is not a whole number; write a whole number of 1 or more"),
        ("share: 1.5", "1.5 is too large; write a number from 0 to 1"),
        ("share: .nan", ".nan is not a number; write a number from 0 to 1"),
        ("share: '0.5'", '"0.5" is not a number; write a number from 0 to 1, without quotes'),
        ("share: true", "true is not a number; write a number from 0 to 1"),
        ("open: yes", '"yes" is not true or false; write true or false'),
        ("open: 1", "1 is not true or false; write true or false"),
        ("open: 'true'", '"true" is not true or false; write true or false, without quotes'),
        ("tags: a", '"a" is not a list; write a list, such as [a, b]'),
        ("way: al", 'no "al"; did you mean all? choose from: all, random'),
        ("way: 3", "3 isn't valid; choose from: all, random"),
        ("inner: 3", '3 is not a mapping ("key: value"); write {size: 1}'),
        ("by_name: [a]", 'a list is not a mapping ("key: value"); write one key: value a line'),
        ("by_name: {a: 3}", '3 is not a mapping ("key: value"); write one key: value a line'),
        ("words: {one: x}", '"one" is not a whole number; write a whole number'),
    ],
)
def test_a_wrong_value_is_explained(line: str, complaint: str) -> None:
    [found] = _complaints(f"name: x\n{line}")
    path = {"by_name: {a: 3}": "by_name.a", "words: {one: x}": "words.one"}
    assert f"x.yaml:2: {path.get(line, line.partition(':')[0])}: {complaint}" == found


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("turns: 1", "1: name is missing; write what it is called"),
        ("name:", "1: name is empty; write what it is called"),
        ("name: ''", "1: name is empty; write some text"),
        (
            "name: a/b",
            (
                '1: name can\'t be "a/b"; write a name of at most 100 characters '
                "on one line, without /"
            ),
        ),
        ("name: true", "1: name: true is not text; write what it is called"),
        ("name: x\ntags: [a, true]", "2: an entry of tags: true is not text; put it in quotes"),
        (
            "name: x\ntags: [[a]]",
            (
                "2: an entry of tags: a list is not text; "
                "write text, in quotes if it begins with [ or {"
            ),
        ),
        ("name: x\ntags:\n - a\n -", "4: an entry of tags is empty; write text"),
        ("name: x\ntags: ['']", "2: an entry of tags is empty; write some text"),
        ("name: x\nway: null", "2: way: null isn't valid; choose from: all, random"),
        ("name: x\nfew: []", "2: few: a list is too short; write a list, such as [a, b]"),
        ("name: x\nby_name: {a: }", '2: by_name.a is empty; write a mapping ("key: value")'),
        (
            "name: x\ninner:\n  sise: 2",
            '3: inner: unknown key "sise"; did you mean size? choose from: size, label',
        ),
        (
            "name: x\ninner: {label: [a]}",
            "2: inner.label: a list is not text; write text, in quotes if it begins with [ or {",
        ),
        ("[a]", '1: a list is not a mapping ("key: value"); write one key: value a line'),
    ],
)
def test_a_complaint_says_where_what_and_what_would_be_right(text: str, complaint: str) -> None:
    assert [f"x.yaml:{complaint}"] == _complaints(text)


def test_every_complaint_comes_at_once_sorted_by_line() -> None:
    assert [1, 1, 2, 3] == [
        int(c.split(":")[1]) for c in _complaints("turnz: 1\nshare: 2\ninner: {size: 0}")
    ]


def test_a_wrong_entry_does_not_make_a_list_too_short() -> None:
    assert ["x.yaml:2: an entry of few: true is not text; put it in quotes"] == _complaints(
        "name: x\nfew: [true]"
    )


@pytest.mark.parametrize(
    "line",
    [
        "key: sk-proj-canary0123456789",
        "key: CANARY0123456789ABCD",
        "key: canary",
        "key: [sk-proj-canary0123456789]",
        "url: https://me:canary@example.com/v1",
        "url: https://example.com/v1?api_key=canary",
        "url: https://example.com/v1?x=1&access_token=canary",
        "url: canary",
        "turns: sk-canary",
        "turns: canary0123456789canary0123456789",
        "sk-proj-canary0123456789: x",
    ],
)
def test_what_may_be_a_key_is_not_repeated(line: str) -> None:
    [found] = _complaints(f"name: x\n{line}")
    assert "canary" not in found.lower()


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "BOT_KEY_2", "_KEY", "MYBOTKEY"])
def test_names_of_environment_variables_are_taken(name: str) -> None:
    assert name == validate(Outer, marked(f"name: x\nkey: {name}")).key


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8000/v1", "https://x.openai.azure.com/openai?api-version=2026-01-01"],
)
def test_urls_without_keys_are_taken(url: str) -> None:
    assert url == validate(Outer, marked(f"name: x\nurl: {url}")).url


@pytest.mark.parametrize(
    "url", ["ftp://x", "https://", "https://a b", "http://[x", "http://a:99999"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    assert [
        "x.yaml:2: url is not a URL; write one that begins with https:// or http://"
    ] == _complaints(f"name: x\nurl: '{url}'")


class Spot(BaseModel, extra="forbid"):
    x: int


class Foreign(BaseModel, extra="forbid"):
    """Settings as a plugin declares them: descriptions tell what a field is for."""

    path: str = Field(description="where the bot is")
    top: int = Field(3, ge=1, description="documents for a turn")
    code: str = Field("a", pattern="^a")
    spot: Spot | int | None = None


def _foreign(text: str) -> list[str]:
    found = marked(f"target: {text}")
    with pytest.raises(ValidationError) as caught:
        Foreign.model_validate(found.data["target"])
    return [str(c) for c in complaints_of(caught.value, Foreign, found, ("target",), ("kind",))]


def test_descriptions_of_settings_explain_what_a_field_is_for() -> None:
    assert [
        "x.yaml:1: target.path is missing; write it (where the bot is)",
        "x.yaml:1: target.top: 0 is too small; write 1 or more (documents for a turn)",
    ] == _foreign("{top: 0}")


def test_keys_that_are_known_beside_a_model_are_hinted_at() -> None:
    assert [
        (
            'x.yaml:1: target: unknown key "kinds"; did you mean kind? '
            "choose from: path, top, code, spot, kind"
        )
    ] == _foreign("{path: x, kinds: 1}")


def test_an_error_without_words_of_its_own_keeps_those_of_pydantic() -> None:
    [found] = _foreign("{path: x, code: b}")
    assert "x.yaml:1: target.code: \"b\" is not valid; string should match pattern '^a'" == found


def test_a_choice_of_types_is_explained_type_by_type() -> None:
    assert [
        'x.yaml:1: target.spot.x: "a" is not a whole number; write a whole number',
        "x.yaml:1: target.spot: a mapping is not a whole number; write a whole number",
    ] == _foreign("{path: x, spot: {x: a}}")
    assert [
        'x.yaml:1: target.spot: unknown key "y"; choose from: x',
        "x.yaml:1: target.spot: a mapping is not a whole number; write a whole number",
    ] == _foreign("{path: x, spot: {x: 1, y: 1}}")
