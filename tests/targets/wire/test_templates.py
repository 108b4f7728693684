"""Templates of requests: what is filled in, what is refused, and what never gets out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.targets._wire import Verbatim
from simulator.targets._wire.templates import Template, TemplateError, as_field, check

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
        (
            "{{ questoin }}",
            'no value "questoin"; did you mean question? choose from: question, his',
        ),
        ("{{ question", "unexpected end of template"),
        ("{% for x in history %}", "can't parse the template "),
        ("{{ question | shuot }}", 'no filter "shuot"; '),
        ("{{ history[0].user }}", ": list object has no element 0"),
        ("{{ question.nothing }}", "has no attribute 'nothing'"),
        ("{{ ${KEY} }}", "${NAME} must be outside {{ }}"),
        ("${KEY", "${ without } in"),
        ("${}", "isn't an environment variable; use ${NAME}"),
        ("${A B}", "isn't an environment variable; use $"),
        ("{{ " + "(" * 5000 + " }}", "nested too deeply"),
        ([{"deep": "{{ x }}"}], 'no value "x"'),
        ("{{ 1 / 0 }}", ": division by zero"),
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


_TWICE = "{% set a = question %}" + "{% set a = a ~ a %}" * 60
_NESTED = "{% set a = [1, 1] %}" + "{% set a = [a, a] %}" * 60
_LOOPS = "{% for a in question %}" * 6


@pytest.mark.parametrize(
    "bomb",
    [
        _TWICE + "{{ a }}",
        _TWICE.replace("~", "+"),
        _TWICE.replace("question", "[1]").replace("~", "+"),
        _NESTED + "{{ a | tojson }}",
        _NESTED.replace("[", "(").replace("]", ")") + "{{ a }}",
        "{% set a = 1 %}" + "{% set a = {'a': a, 'b': a} %}" * 60,
        _LOOPS + "x" + "{% endfor %}" * 6,
        "{% set x %}" + _LOOPS + "{% endfor %}" * 6 + "{% endset %}",
        "{% for a in question | list %}{{ question }}{% endfor %}" * 20,
        "{{ question" + ".replace('q', 'qqqqqqqqqqq')" * 12 + " }}",
        "{{ question" + " | replace('', question)" * 12 + " }}",
        "{{ 'q'" + " | replace('q', 'qqqqqqqqqqq')" * 12 + " }}",
        "{{ question" + " | list | join(question)" * 3 + " }}",
        "{{ question | list | map('replace', 'q', question) | map('replace', 'q', question) }}",
    ],
)
@pytest.mark.parametrize("url", [False, True])
def test_a_bomb_ends_with_a_sentence(bomb: str, url: bool) -> None:
    with pytest.raises(TemplateError, match="it makes more than 10,000,000 characters; write less"):
        Template(bomb, url=url).render({"question": "q" * 1000}, {})


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("{{ 1e999 }}", "number is too large"),
        ("> {{ [-1e999] }}", "number is too large"),
        ("{{ " + "9" * 5000 + " }}", "number is too large"),
        ("{{ 1e308 * 10 }}", "number is too large"),
        ("{{ 'inf' | float }}", "number is too large"),
        ("{% set a = 99999 %}" + "{% set a = a * a %}" * 60, "a number is too large"),
        ("{{ 1.5 | round(1000000000, 'ceil') }}", "round takes up to 20 digits"),
        ("{{ history | sum(start=[]) }}", "sum is for numbers only"),
        ("{{ (1,) * 1000000000 }}", "* is for small numbers only"),
        ("{{ " + "+".join("1" * 3000) + " }}", "nested too deeply"),
    ],
)
def test_numbers_stay_within_what_json_holds(written: str, complaint: str) -> None:
    with pytest.raises(TemplateError) as caught:
        _rendered(written)
    assert complaint in str(caught.value)


def test_a_long_talk_is_no_bomb() -> None:
    history = [{"user": "u" * 1000, "assistant": "長" * 20_000}] * 100
    written = "{% for h in history %}{{ loop.index }}: {{ h.user }} {{ h.assistant }}{% endfor %}"
    assert 2_100_000 < len(Template(written).render({"history": history}, {}))
    assert history == Template("{{ history }}").render({"history": history}, {})


def test_a_template_reads_no_file_and_has_no_macro() -> None:
    for text in ("{% include 'a' %}", "{% import 'a' as a %}", "{% extends 'a' %}"):
        with pytest.raises(TemplateError):
            _rendered(text)
    with pytest.raises(TemplateError, match="can't be called"):
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
