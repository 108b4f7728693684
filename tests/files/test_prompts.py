import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.files.catalog import shipped
from simulator.files.prompts import Prompt, load_prompt
from simulator.formats.sources import Source, sha_of
from tests.formats.written import complaints, unclear, write

TEXT = """\
---
placeholders: [name, goal]
---
<!-- part: system -->

You are {{name}}. {"json": 1}
Want {{goal}}.

<!-- part: again.soon -->
Again, {{name}}!
<!-- part: none -->
(none)
"""


def _load(folder: Path, text: str | bytes, like: Prompt | None = None) -> Prompt:
    write(folder, {"user.md": text})
    return load_prompt(Source.of(folder / "user.md", folder), like)


def test_a_part_is_rendered_with_its_values(tmp_path: Path) -> None:
    prompt = _load(tmp_path, TEXT)
    assert ("user", ("system", "again.soon", "none")) == (prompt.name, prompt.parts)
    assert 'You are Ann. {"json": 1}\nWant tea.' == prompt.render("system", name="Ann", goal="tea")
    assert "(none)" == prompt.render("none")


def test_the_hash_is_that_of_the_text(tmp_path: Path) -> None:
    assert sha_of(TEXT) == _load(tmp_path, TEXT).sha
    assert sha_of(TEXT) == _load(tmp_path, TEXT.replace("\n", "\r\n")).sha


def test_a_missing_value_and_one_too_many_are_errors(tmp_path: Path) -> None:
    prompt = _load(tmp_path, TEXT)
    with pytest.raises(ValueError, match=r"prompt user, part system: no value for goal"):
        prompt.render("system", name="Ann")
    with pytest.raises(ValueError, match=r"part again.soon: no value for name, no place for goal"):
        prompt.render("again.soon", goal="tea")
    with pytest.raises(ValueError, match='no part "sistem"; did you mean system'):
        prompt.render("sistem")


def test_a_placeholder_may_be_called_part() -> None:
    assert "x" == Prompt("p", "", {"a": "{{part}}"}).render("a", part="x")


_VALUES = st.text(alphabet="{}ab_ \n\\1" + "名", max_size=20)


@given(a=_VALUES, b=_VALUES)
def test_braces_in_values_are_never_expanded(a: str, b: str) -> None:
    prompt = Prompt("p", "", {"part": "<{{a}}|{{b}}|{{a}}>"})
    assert f"<{a}|{b}|{a}>" == prompt.render("part", a=a, b=b)


@given(st.text(alphabet="{} \n:" + string.ascii_letters, max_size=40))
def test_a_part_without_placeholders_stays_as_it_is(text: str) -> None:
    prompt = Prompt("p", "", {"part": text})
    assert prompt.needs("part") or text == prompt.render("part")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "[name, goal]",
            "[name, goal, x]",
            ("2: {{x}} is declared but not used; use it, or remove it from the list"),
        ),
        (
            "[name, goal]",
            "[name, gaol, goal]",
            ("2: {{gaol}} is declared but not used; use it, or remove it from the list"),
        ),
        (
            "Again, {{name}}",
            "Again, {{nam}}",
            ("10: {{nam}} is used but not declared; did you mean name? choose from: name, goal"),
        ),
        (
            "Again, {{name}}",
            "Again, {{ name }}",
            (
                "10: {{ name }} isn't a placeholder; "
                "write {{name}}, without spaces, in small letters, digits and _"
            ),
        ),
        (
            "<!-- part: none -->",
            "<!--part: none -->",
            ('11: no part begins here; write "<!-- part: NAME -->" and no more'),
        ),
        (
            "<!-- part: none -->",
            "<!-- part: none --> x",
            ('11: no part begins here; write "<!-- part: NAME -->" and no more'),
        ),
        (
            "<!-- part: none -->",
            "<!-- part: system -->",
            ('11: the part "system" appears twice; rename one of them'),
        ),
        (
            "---\n<!-- part: system",
            "---\nHello\n<!-- part: system",
            '4: text before the first part; write "<!-- part: NAME -->" above it',
        ),
        (
            "---\nplaceholders: [name, goal]\n---\n",
            "",
            ('1: the front matter is missing; begin with "---", "placeholders: [...]", "---"'),
        ),
        (
            "placeholders: [name, goal]",
            "placeholder: []\nplaceholders: [name, goal]",
            '2: unknown key "placeholder"; did you mean placeholders? choose from: placeholders',
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_explained(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert [f"user.md:{complaint}"] == complaints(lambda: _load(tmp_path, TEXT.replace(old, new)))


def test_a_file_without_parts_is_refused(tmp_path: Path) -> None:
    text = "---\nplaceholders: []\n---\nHello\n"
    assert ['user.md:4: no parts; write a line "<!-- part: NAME -->"'] == complaints(
        lambda: _load(tmp_path, text)
    )


def test_a_prompt_that_stands_in_for_another_has_to_be_like_it(tmp_path: Path) -> None:
    like = Prompt("user", "", {"system": "{{name}}", "none": "{{goal}}", "more": "", "most": ""})
    assert [
        'user.md:4: nothing fills {{goal}} in the part "system"; choose from: name',
        "user.md:4: parts are missing: more, most; copy them from the built-in prompt",
        'user.md:11: the part "none" leaves out {{goal}}; use it',
    ] == complaints(lambda: _load(tmp_path, TEXT, like))


def test_a_prompt_may_have_parts_of_its_own(tmp_path: Path) -> None:
    like = Prompt("user", "", {"none": ""})
    assert "system" in _load(tmp_path, TEXT, like).parts


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_shipped_prompt_is_right_and_alike_in_both_languages(language: str) -> None:
    other = "en" if language == "ja" else "ja"
    for path in sorted((shipped() / "prompts" / language).glob("*.md")):
        like = load_prompt(Source.of(shipped() / "prompts" / other / path.name))
        assert path.stem == load_prompt(Source.of(path), like).name


@given(content=st.binary(max_size=80) | st.text(alphabet="-<!>part: {}a\n", max_size=80))
def test_any_bytes_are_read_or_complained_of(
    content: str | bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    start = b"---\nplaceholders: []\n---\n"
    body = content if isinstance(content, bytes) else content.encode()
    for text in (body, start + body):
        assert [] == unclear(lambda text=text: _load(tmp_path_factory.getbasetemp(), text))  # type: ignore[misc]
