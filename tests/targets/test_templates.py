"""Templates of requests: what is filled in, what is refused, and what never gets out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.targets._wire.templates import Template, TemplateError, Verbatim, as_field, check

SAID = [{"user": "u", "assistant": "a"}]
KNOWN = {"question": ("hello", 'He said "no"'), "history": ([], SAID), "turn": (1, 2)}


def _rendered(written: Any, question: str = "q", *, url: bool = False, **env: str) -> Any:
    template = Template(written, url=url)
    check(template, KNOWN)
    values = {"question": question, "history": SAID, "turn": 2}
    return template.render(values, {name: Verbatim(value) for name, value in env.items()})


@pytest.mark.parametrize(
    ("written", "rendered"),
    [
        ("no placeholder { } $ %", "no placeholder { } $ %"),
        ("{{ history }}", SAID),
        (" {{ turn }} ", 2),
        ("{{ turn }}.", "2."),
        ("{{ turn }}{{ turn }}", "22"),
        ("{{ history | map(attribute='user') }}", ["u"]),
        ("{{ history | length > 0 }}", True),
        ("{% for h in history %}{{ h.user }}: {{ h['assistant'] }}\n{% endfor %}", "u: a\n"),
        ("{{ history[-1].user if history else none }}", "u"),
        ("{{ question.upper() }}", "Q"),
        ({"b": 1, "a": ["{{ question }}", {"c": None}]}, {"b": 1, "a": ["q", {"c": None}]}),
        (("{{ turn }}", 1.5, False), [2, 1.5, False]),
        ("${KEY} $${KEY} $KEY {KEY}", "v ${KEY} $KEY {KEY}"),
        ("{{ turn }} in my_env of ${KEY}", "2 in my_env of v"),
        ("{{ turn + 1 }}", 3),
        ("{{ turn * 2 }}", 4),
        ("{# a comment #}{{ question }}", "q"),
        (None, None),
    ],
)
def test_what_is_written_is_filled_in(written: Any, rendered: Any) -> None:
    found = _rendered(written, KEY="v")
    assert rendered == found
    assert type(rendered) is type(found)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("{{ questoin }}", 'no value "questoin"; did you mean question? there are: question, his'),
        ("{{ question", "cannot be read: unexpected end of template"),
        ("{% for x in history %}", "cannot be read: "),
        ("{{ question | shuot }}", 'no filter "shuot"; '),
        ("{{ history[0].user }}", "cannot be filled in: list object has no element 0"),
        ("{{ question.nothing }}", "has no attribute 'nothing'"),
        ("{{ ${KEY} }}", "${NAME} stands outside of {{ }}"),
        ("${KEY", "${ without its }"),
        ("${}", "names no variable of the environment; right is ${NAME}"),
        ("${A B}", "names no variable of the environment"),
        ("{{ " + "(" * 5000 + " }}", "nested too deeply"),
        ([{"deep": "{{ x }}"}], 'no value "x"'),
        ("{{ 1 / 0 }}", "cannot be filled in: division by zero"),
    ],
)
def test_what_is_wrong_is_told(written: Any, complaint: str) -> None:
    with pytest.raises(TemplateError) as caught:
        _rendered(written)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        "question.__class__",
        "''.__class__.__mro__[1].__subclasses__()",
        "question | attr('__class__')",
        "question.format(question)",
        "'{0.__class__}'.format(question)",
        "range(10)",
        "lipsum()",
        "cycler('a')",
        "namespace()",
        "question.encode()",
        "history.append(1)",
        "question * 100000000",
        "[1] * 100000000",
        "9 ** 9 ** 9",
        "'%1000000000d' % 1",
        "question.ljust(1000000000)",
        "question | center(1000000000)",
        "question | indent(1000000000)",
        "'%d' | format(1)",
        "history | random",
        "_mogi_environment",
    ],
)
def test_templates_have_neither_reach_nor_appetite(expression: str) -> None:
    with pytest.raises(TemplateError):
        _rendered(f"{{{{ {expression} }}}}", KEY="v")
    with pytest.raises(TemplateError):
        _rendered(f"> {{{{ {expression} }}}}", KEY="v")


def test_a_template_reads_no_file_and_has_no_macro() -> None:
    for text in ("{% include 'a' %}", "{% import 'a' as a %}", "{% extends 'a' %}"):
        with pytest.raises(TemplateError):
            _rendered(text)
    with pytest.raises(TemplateError, match="cannot be called"):
        _rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")


def test_a_key_in_the_query_of_a_url_is_encoded_once() -> None:
    url = "${BASE}/c?q={{ question }}&key=${KEY}"
    base = "ws://h:80/a?x=1"
    assert f"{base}/c?q=%26&key=a%2Bb/%3D%26" == _rendered(
        url, "&", url=True, BASE=base, KEY="a+b/=&"
    )
    assert f"{base}/c?q=q&key=a%2Bb" == _rendered(url, url=True, BASE=base, KEY="a%2Bb")


@given(st.text())
def test_what_is_filled_in_is_never_read_as_a_template(question: str) -> None:
    body = ["{{ question }}", "Q: {{ question }}", "${KEY}"]
    assert [question, f"Q: {question}", question] == _rendered(body, question, KEY=question)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_question_in_a_url_stays_in_its_place(question: str) -> None:
    url = _rendered("http://h/{{ question }}?q={{ question | urlencode }}", question, url=True)
    path, _, query = url.removeprefix("http://h/").partition("?q=")
    assert path == query
    assert not set(path) & set("/?#&= \n")


def test_the_environment_goes_into_a_url_as_it_stands() -> None:
    assert "http://h:1/a%2Fb" == _rendered(
        "${HOST}/{{ question }}", "a/b", url=True, HOST="http://h:1"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, None), ("a", "a"), (1, "1"), (True, "true"), (1.5, "1.5"), (["日", {}], '["日", {}]')],
)
def test_a_field_is_text_or_left_out(value: Any, text: str | None) -> None:
    assert text == as_field(value)
