"""The readers, each with sound examples and the errors that it is known for."""

import csv
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.core.errors import InputError, TargetError
from simulator.files.answers import read_answers
from simulator.files.client.client_yaml import read_client_file
from simulator.files.dialogs import read_dialogs
from simulator.files.knowledge import load_knowledge
from simulator.files.personas import load_persona
from simulator.files.prompts import load_prompt
from simulator.files.rubrics import load_rubric
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.own_files import unified
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import read_yaml
from simulator.improve.diffs import changed_files, read_diffs
from simulator.llm.replies import ModelAnswer, read_chat
from simulator.llm.structured import FormModel, Unreadable, read_form, whole_number
from simulator.targets._wire.client import own_words
from simulator.targets._wire.parts import EventTooLong, SseDecoder
from simulator.targets._wire.settings import EXAMPLES
from simulator.targets._wire.templates import Template, TemplateError, check
from simulator.targets.openai_compatible import Stream
from simulator.worksheets.review_files import read_review_file
from tests.formats.xlsx.written import number, row, text, workbook, worksheet
from tests.worksheets.review_grids import IDS, heads
from tests.worksheets.review_grids import row as review_row

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` is given a file of these bytes, whose name ends so; `raises` is no finding."""

    read: Callable[[Path], object]
    examples: list[bytes]
    suffix: str = ""
    raises: tuple[type[Exception], ...] = (InputError,)


class _Said(FormModel):
    comment: str
    overall: whole_number(1, 5)  # type: ignore[valid-type]


def _files(pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(ROOT.glob(pattern))]


def _named(pattern: str) -> list[bytes]:
    """Files whose id is their name, as files that are named `it`."""
    return [re.sub(rb"(?m)^id: .*$", b"id: it", content) for content in _files(pattern)]


def _json_lines(*entries: Any) -> bytes:
    return "\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries).encode()


def _model(path: Path) -> None:
    content = path.read_bytes()
    for kind in ("application/json", "text/event-stream"):
        found = read_chat(200, {"content-type": kind}, content)
        if isinstance(found, ModelAnswer):
            _form(found.text)
    read_chat(429, {"retry-after": content[:20].decode("latin-1")}, content)
    _form(content.decode("utf-8", "replace"))


def _form(said: str) -> None:
    try:
        read_form(said, _Said)
    except Unreadable:
        return


def _events(path: Path) -> None:
    content = path.read_bytes()
    decoder, stream = SseDecoder(), Stream()
    for at in range(0, len(content), 7):
        for event in decoder.feed(content[at : at + 7]):
            stream.take(event)
    decoder.end()
    json.loads(stream.text)


def _template(path: Path) -> None:
    check(
        Template(path.read_bytes().decode("utf-8", "replace")),
        {name: tuple(values) for name, values in EXAMPLES.items()},
    )


def _diff(path: Path) -> None:
    (path.parent / "faq.csv").write_text(_FAQ, "utf-8")
    changed_files(read_diffs(path), path.parent)


def _page(path: Path) -> None:
    own_words(path.read_bytes(), "text/html")
    own_words(path.read_bytes(), "application/json")


def _review_csv() -> bytes:
    out = io.StringIO()
    rows = [review_row(), review_row(turn=2, verdict="NG", comment="=違う", reviewer="佐藤")]
    lines = [heads("ja"), *([cells.get(name, "") for name in IDS] for cells in rows)]
    csv.writer(out).writerows(lines)
    return out.getvalue().encode()


def _review_book() -> bytes:
    rows = [heads("ja"), *([review_row().get(name, "") for name in IDS] for _ in range(2))]
    lines = (row(n, *(text(str(cell)) for cell in cells)) for n, cells in enumerate(rows, 1))
    return workbook({"Review": worksheet(*lines)})


def _of(load: Callable[[Source], object]) -> Callable[[Path], object]:
    return lambda path: load(Source.of(path, path.parent))


_FAQ = "id,title,content\na,Hours,We open at 9.\nb,Price,It costs 5 euros.\n"
_DIFFS = [
    f"reason: x\nconversations: a/b/1\n\n{unified('faq.csv', _FAQ, _FAQ.replace('9', '10'))}",
    "--- /dev/null\n+++ new.md\n@@ -0,0 +1,2 @@\n+a\n+b\n",
]
_TABLE = """\
id,query,goal,expected.elements,tags
a,"送料は？",,500円|5日,x
b,"Where, ""is"" it",g,,
""".encode()
_ANSWERS = _json_lines(
    {"question": "q", "answer": "a", "contexts": ["c", {"id": "x", "text": "t"}]},
    {"question": "r", "answer": "b", "scores": {"overall": 4}},
)
_ANSWERS_CSV = '質問,回答,正解\n送料は,500円,五百円\n"a\nb",x,y\n'.encode()
_CELLS = (text("a"), number("45000.5", 1), 't="s"><v>0</v>')
_BOOK = workbook(
    {"a": worksheet(row(1, text("id"), text("query"), text("goal")), row(2, *_CELLS))},
    strings="<si><t>x</t></si>",
    formats=("yyyy\\-m\\-d h:mm", "0.00%", "#,##0"),
)
_SOUND = {"role": "assistant", "content": '{"comment": "x", "overall": 4}'}
_COMPLETION = {
    "choices": [{"message": _SOUND, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
_CALL = {"tool_calls": [{"function": {"arguments": "{}"}}]}
_STREAM = "\n\n".join(
    [
        'data: {"choices": [{"delta": {"content": "{"}}]}',
        "event: docs\ndata: [1]",
        f"data: {json.dumps({'choices': [{'delta': _CALL, 'finish_reason': 'stop'}]})}",
        "data: [DONE]\n\n",
    ]
).encode()
_TURNS = [{"speaker": "客", "text": "送料は"}, {"speaker": "店", "text": "500円"}]
_MESSAGES = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
_TALKS = [
    _json_lines({"messages": _MESSAGES}, {"messages": _MESSAGES}),
    json.dumps([{"id": "1", "turns": _TURNS, "facts": ["x"]}], ensure_ascii=False).encode(),
]
_VERDICTS = _json_lines(
    {"run": "r", "episode": "a/b/1", "turn": 1, "verdict": "NG", "score": 0.5},
    {"key": "r|a/b/1|2", "verdict": "OK"},
)
_PAGE = b"<html><head><title>502</title><style>x{}</style></head><body>Bad &amp; gone</body>"
_TEMPLATES = [
    b"{% for h in history %}{{ h.user | upper }}{{ question.replace('a', 'b') ~ 1 }}{% endfor %}",
    b"{{ messages | map(attribute='content') | join(', ') | truncate(20) }}",
    b"{{ {'a': [turn * 2, question]} | tojson }}",
]


def _scenarios(path: Path) -> object:
    return load_scenarios(path.parent, file=path, cwd=path.parent)


def _answers(path: Path) -> object:
    return [*read_answers(Source.of(path, path.parent)).rows()]


_review = _of(lambda source: read_review_file(source, "ja"))

READERS = {
    "yaml": Reader(_of(read_yaml), _files("scenarios/demo/*.yaml"), ".yaml"),
    "client": Reader(_of(read_client_file), _files("scenarios/*/client.yaml"), ".yaml"),
    "scenarios": Reader(_scenarios, _files("scenarios/*/scenarios.yaml"), ".yaml"),
    "csv": Reader(_scenarios, [_TABLE, _TABLE.decode().encode("cp932")], ".csv"),
    "xlsx": Reader(_scenarios, [_BOOK], ".xlsx"),
    "jsonl": Reader(_answers, [_ANSWERS], ".jsonl"),
    "answers": Reader(_answers, [_ANSWERS_CSV], ".csv"),
    "dialogs": Reader(_of(read_dialogs), _TALKS, ".json"),
    "dialogs-csv": Reader(_of(read_dialogs), [b"talk,speaker,text\n1,user,a\n1,bot,b\n"], ".csv"),
    "review": Reader(_review, [_review_csv()], ".csv"),
    "review-xlsx": Reader(_review, [_review_book()], ".xlsx"),
    "review-jsonl": Reader(_review, [_VERDICTS], ".jsonl"),
    "personas": Reader(
        _of(lambda source: load_persona(source, "ja")), _named("personas/ja/*.yaml"), ".yaml"
    ),
    "rubrics": Reader(_of(load_rubric), _named("prompts/*/rubrics/*.yaml"), ".yaml"),
    "prompts": Reader(_of(load_prompt), _files("prompts/ja/*.md"), ".md"),
    "knowledge": Reader(
        lambda path: load_knowledge(path, cwd=path.parent), _files("docs/ja/*.md"), ".md"
    ),
    "models": Reader(_model, [json.dumps(_COMPLETION).encode(), _STREAM, b'{"error": "no"}']),
    "diffs": Reader(_diff, [diff.encode() for diff in _DIFFS], ".diff"),
    "sse": Reader(_events, [_STREAM], raises=(EventTooLong, TargetError)),
    "pages": Reader(_page, [_PAGE, b'{"detail": [{"loc": ["body", 1], "msg": "x"}]}']),
    "templates": Reader(_template, _TEMPLATES, raises=(TemplateError,)),
}
