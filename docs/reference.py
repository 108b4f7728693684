"""Makes the reference, docs/*/reference/*.md, from the code; `python -m docs.reference` renews it.

A page has a head by hand; what is between `<!-- made: NAME -->` and `<!-- end of NAME -->` is made
here. docs/reference_ja.json has the Japanese of each English text that a Japanese page needs;
options, JSON and events stay English there.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from pydantic import BaseModel

import simulator
from simulator import events, plugins
from simulator.cli.app import app
from simulator.cli.contracts import CONTRACTS, schema_of
from simulator.cli.screens.metrics import metric_heads, metric_rows
from simulator.cli.usage import contexts
from simulator.core.health import Aspect, Rubric
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.files.catalog import Catalog
from simulator.files.client.keys import ClientEntry, ModelSettings, TargetEntry
from simulator.metrics._judge.rubric import aspect_info
from simulator.words import Words

ROOT = Path(__file__).resolve().parents[1]
_JAPANESE: Mapping[str, str] = json.loads((ROOT / "docs/reference_ja.json").read_text("utf-8"))
_MARK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end of \2 -->)", re.DOTALL)
_SECTION = re.compile(r"^(Args|Returns|Raises|Attributes):\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+): ", re.MULTILINE)
_GAP = re.compile(r"\n{3,}")
_KEY_LINE = re.compile(r"(?P<indent> *)(?P<key>\w+):(?P<value> .*?)?(?: # (?P<about>.*))?")
_OF_A_MODEL = ("temperature", "base_url", "api_key_env")
_NOT_OF_VECTORS = ("max_tokens", "reasoning_effort")  # an error there
_ADDRESSES = {"URL": "https://bot.example", "WS": "wss://bot.example/socket", "PORT": "8765"}
_METHODS = ("to_frame", "episodes_frame")
_SHORT = 80  # characters of a signature on one line
Schema = Mapping[str, Any]


@dataclass
class Page:
    """The language of a page; `used` collects the English texts that it needs in Japanese."""

    language: Language
    used: set[str] = field(default_factory=set)

    def __call__(self, text: str) -> str:
        """The text in the page's language; English where there is no Japanese."""
        joined = " ".join(text.split())
        if joined:
            self.used.add(joined)
        return _JAPANESE.get(joined, joined) if self.language == "ja" else joined


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table, and an empty line."""
    heads = list(heads)
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        cells = (" ".join(cell.split()).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""


# Options


def options(_: Page) -> Iterator[str]:
    """Every command with its arguments and options, as --help shows them."""
    for context in contexts(app):
        command = context.command
        if isinstance(command, click.Group) and not command.params:
            continue
        yield f"## {context.command_path}"
        yield ""
        yield f"`{' '.join([context.command_path, *command.collect_usage_pieces(context)])}`"
        yield ""
        yield from (f"{' '.join(p.split())}\n" for p in (command.help or "").split("\n\n"))
        records = (param.get_help_record(context) for param in command.params)
        rows = [(f"`{record[0]}`", record[1]) for record in records if record and record[1]]
        yield from table(("option", "what it does"), rows)


# Client keys and target settings


def client(page: Page) -> Iterator[str]:
    """Every key of client.yaml: what it takes, its default, and what the template says of it."""
    schema = ClientEntry.model_json_schema()
    comments = template_comments(page.language)
    simple = {k: v for k, v in schema["properties"].items() if not _parts(v, schema)}
    yield from _keys("", {**schema, "properties": simple}, schema, comments, page)
    for name, prop in schema["properties"].items():
        parts = TargetEntry.model_json_schema() if name == "target" else _parts(prop, schema)
        if parts:
            yield f"## `{name}`"
            yield ""
            if about := comments.get(name) or prop.get("description"):
                yield f"{about if name in comments else page(about)}\n"
            yield from _keys(f"{name}.", parts, schema, comments, page)


def targets(page: Page) -> Iterator[str]:
    """Each kind of bot with its settings."""
    models = {f"user.{key}" for key in ModelSettings.model_fields}
    known = template_comments(page.language)
    comments = {path: about for path, about in known.items() if path in models}
    for kind in plugins.names("targets"):
        found: Any = plugins.find("targets", kind)
        about, *details = (inspect.getdoc(found) or "").split("\n\n")
        yield f"## {kind}"
        yield ""
        yield f"{page(about)}\n"
        if page.language == "en":
            yield from (f"{detail}\n" for detail in details)
        else:
            english = f"../../en/reference/targets.md#{kind}"
            yield f"くわしい動作は[英語のページ]({english})にあります。\n"
        settings: type[BaseModel] = found.Settings
        schema = settings.model_json_schema()
        yield from _keys("", schema, schema, comments, page)
        for name, prop in schema["properties"].items():
            if parts := _parts(prop, schema):
                yield f"### `{kind}`: `{name}`"
                yield ""
                yield from _keys(f"{name}.", parts, schema, {}, page)


def shapes(page: Page) -> Iterator[str]:
    """The target of each shape of bot that the tests connect to."""
    text = (ROOT / "tests/targets/bot_shapes.yaml").read_text("utf-8")
    for placeholder, value in _ADDRESSES.items():
        text = re.sub(rf"\b{placeholder}\b", value, text)
    _, *shown = re.split(r"^(\S.*):\n", text, flags=re.MULTILINE)
    for name, target in zip(shown[::2], shown[1::2], strict=True):
        yield f"{page(name)}:\n"
        yield f"```yaml\ntarget:\n{target.rstrip()}\n```\n"


def template_comments(language: Language) -> dict[str, str]:
    """What the client.yaml that `mogi init` writes says of each key, by its path such as a.b."""
    template = ROOT / "simulator/cli/_templates" / language / "client.yaml"
    comments: dict[str, str] = {}
    between = "" if language == "ja" else " "
    path: list[str] = []
    above: list[str] = []
    for line in template.read_text("utf-8").splitlines():
        bare = line.removeprefix("# ")
        match = _KEY_LINE.fullmatch(bare)
        if match is None:
            above = [*above, bare] if line.startswith("# ") else []
            continue
        path = [*path[: len(match["indent"]) // 2], match["key"]]
        about = match["about"] or (between.join(above) if len(path) == 1 else "")
        if about:
            comments.setdefault(".".join(path), about)
        above = []
    return comments


def _keys(
    prefix: str, parts: Schema, whole: Schema, comments: Mapping[str, str], page: Page
) -> Iterator[str]:
    rows = []
    shared = ModelSettings.model_fields
    for key in sorted(parts["properties"], key=shared.__contains__):
        if prefix == "embedding." and key in _NOT_OF_VECTORS:
            continue
        path, prop = f"{prefix}{key}", parts["properties"][key]
        of_models = comments.get(f"user.{key}", "") if key in (*shared, *_OF_A_MODEL) else ""
        takes = _takes(prop, whole, page)
        about = comments.get(path) or of_models or page(prop.get("description", ""))
        if about.replace(" | ", "`, `") in takes:  # the template lists what may be written
            about = ""
        is_needed = key in parts.get("required", ())
        default = page("required") if is_needed else _default(prop)
        rows.append((f"`{path}`", takes, default, about))
    yield from table((page("key"), page("takes"), page("default"), page("what it is")), rows)


def _default(prop: Schema) -> str:
    value = prop.get("default")
    if value in (None, "", []) or isinstance(value, dict):
        return "–"
    return f"`{json.dumps(value)}`"


def _parts(prop: Schema, whole: Schema) -> Schema | None:
    """The schema of a key that holds keys of its own; None for any other."""
    for option in (prop, *prop.get("anyOf", ()), *prop.get("allOf", ())):
        if "$ref" in option:
            node: Schema = whole["$defs"][option["$ref"].rpartition("/")[2]]
            return node if "properties" in node else None
    return None


def _takes(prop: Schema, whole: Schema, page: Page) -> str:
    """What may be written for a key, in a word or two."""
    if "enum" in prop or "const" in prop:
        values = prop.get("enum", [prop.get("const")])
        return ", ".join(f"`{value}`" for value in values)
    if "$ref" in prop:
        return page("mapping")
    if "anyOf" in prop:
        takes = [_takes(o, whole, page) for o in prop["anyOf"] if o.get("type") != "null"]
        return " / ".join(dict.fromkeys(takes))
    kind = prop.get("type", "anything")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "array":
        return f"{page('list')}: {_takes(prop.get('items', {}), whole, page)}"
    low = f" > {prop['exclusiveMinimum']:g}" if "exclusiveMinimum" in prop else ""
    low = low or (f" ≥ {prop['minimum']:g}" if "minimum" in prop else "")
    high = f", ≤ {prop['maximum']:g}" if "maximum" in prop else ""
    return f"{page(_KINDS[kind])}{low}{high}"


_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "mapping",
    "null": "null",
    "anything": "anything",
}


# Metrics


def metrics(page: Page) -> Iterator[str]:
    """All metrics in a table; then each with its formula, or with what the judge is asked."""
    kinds = {n: k for n in plugins.names("metrics") if (k := plugins.find("metrics", n)).INFOS}
    rubrics = Catalog(None, ROOT).rubrics(page.language)
    rows = metric_rows(kinds, rubrics, set(), page.language)
    shown = []
    for name, *cells, says in rows:
        shown.append((f"`{name}`", *cells, _first(says)))
    yield from table(metric_heads(page.language), shown)
    for name, kind in sorted(kinds.items()):
        yield f"## {name}"
        yield ""
        yield from _infos(kind.INFOS, page)
        for paragraph in (inspect.getdoc(kind) or "").split("\n\n"):
            if paragraph.startswith(" "):
                yield f"```text\n{inspect.cleandoc(paragraph)}\n```\n"
            else:
                yield f"{page(paragraph)}\n"
    for rubric in rubrics.values():
        yield f"## {rubric.id}"
        yield ""
        yield from _infos([aspect_info(rubric, aspect) for aspect in rubric.aspects], page)
        for aspect in rubric.aspects:
            yield from _aspect(rubric, aspect)


def _first(says: str) -> str:
    """The title of a metric, and the first sentence about it."""
    end = "。" if "。" in says else ". "
    title, _, about = says.partition(". " if ". " in says else end)
    return f"{title}{end}{about.split(end)[0]}"


def _infos(infos: Iterable[MetricInfo], page: Page) -> Iterator[str]:
    words = Words(page.language, "metric")
    rows = []
    for info in infos:
        value = words("range", low=f"{info.low:g}", high=f"{info.high:g}")
        parts = ", ".join(f"`{part}`" for part in info.parts) or "–"
        needs = [need for need in info.needs if need not in ("judge", "embedding")]
        needed = ", ".join(words.name("need", need) for need in needs) or words("nothing_more")
        rows.append((f"`{info.name}`", words(info.scope), value, parts, needed))
    heads = ("metric", *(words(label) for label in ("about", "value", "parts", "needs")))
    yield from table((words("head.metric"), *heads[1:]), rows)


def _aspect(rubric: Rubric, aspect: Aspect) -> Iterator[str]:
    name = f"**`{aspect.name}`** " if len(rubric.aspects) > 1 else ""
    yield f"{name}{' '.join(aspect.question.split())}"
    yield ""
    yield from (f"- {answer}: {' '.join(what.split())}" for answer, what in aspect.anchors.items())
    yield ""


# File formats


def columns(page: Page) -> Iterator[str]:
    """The columns of each table that mogi reads, with every name by which it knows them."""
    names = json.loads((ROOT / "simulator/files/column_names.json").read_text("utf-8"))
    for of, known in names.items():
        yield f"### {of}"
        yield ""
        rows = (
            (f"`{column}`", ", ".join(dict.fromkeys(aliases))) for column, aliases in known.items()
        )
        yield from table((page("column"), page("names")), rows)


def reports(page: Page) -> Iterator[str]:
    """What `--report` and `--export` write."""
    for room in ("reports", "exporters"):
        docs = ((n, inspect.getdoc(plugins.find(room, n)) or "") for n in plugins.names(room))
        rows = ((f"`{name}`", page(doc.split("\n\n")[0])) for name, doc in docs)
        option = "--report" if room == "reports" else "--export"
        yield from table((f"`{option}`", page("what it is")), rows)


# JSON


def outputs(_: Page) -> Iterator[str]:
    """The keys of everything that is printed as JSON; types that several share come last."""
    shared: dict[str, Schema] = {}
    for name in CONTRACTS:
        schema = schema_of(name)
        shared |= schema.get("$defs", {})
        yield from _node(f"## {name}", schema)
    yield "## Types"
    yield ""
    for title, node in sorted(shared.items()):
        if "properties" in node:
            yield from _node(f"### {title}", node)
        else:
            values = ", ".join(f"`{value}`" for value in node.get("enum", ()))
            yield f"### {title}\n\n{_sentences(node.get('description', ''))} {values}\n"


def _node(heading: str, node: Schema) -> Iterator[str]:
    yield f"{heading}\n"
    if about := node.get("description"):
        yield f"{_sentences(about)}\n"
    rows = (
        (f"`{key}`", _type(prop), _sentences(prop.get("description", "")))
        for key, prop in node.get("properties", {}).items()
    )
    yield from table(("key", "type", "what it is"), rows)


def _sentences(text: str) -> str:
    return " ".join(text.split())


def _type(prop: Schema) -> str:
    if "$ref" in prop:
        title = prop["$ref"].rpartition("/")[2]
        return f"[{title}](#{title.lower()})"
    if "anyOf" in prop:
        return " or ".join(dict.fromkeys(map(_type, prop["anyOf"])))
    if "enum" in prop or "const" in prop:
        return " or ".join(f"`{v}`" for v in prop.get("enum", [prop.get("const")]))
    kind = prop.get("type", "any")
    if kind == "array":
        return f"list of {_type(prop.get('items', {}))}"
    if kind == "object" and isinstance(prop.get("additionalProperties"), Mapping):
        return f"object of {_type(prop['additionalProperties'])}"
    return str(kind)


# Python


def api(page: Page) -> Iterator[str]:
    """The names of the package with their docstrings."""
    for name in simulator.__all__:
        if not name.startswith("_"):
            yield from _name(name, getattr(simulator, name), page)


def happenings(_: Page) -> Iterator[str]:
    """The events of a run; in English in both languages."""
    for name in events.__all__:
        thing = getattr(events, name)
        if inspect.isclass(thing) and thing.__module__ != "typing":
            yield from _name(name, thing, Page("en"))


def _name(name: str, thing: Any, page: Page) -> Iterator[str]:
    signature = name if thing is simulator.Run else f"{name}{_signature(thing)}"
    wait = "await " if inspect.iscoroutinefunction(thing) else ""
    yield f"### `{name}`\n\n```python\n{wait}{signature}\n```\n"
    yield from _documented(thing, page)
    for method in _METHODS if thing is simulator.Run else ():
        yield f"**`run.{method}()`**\n"
        yield from _documented(getattr(thing, method), page)


def _signature(thing: Any) -> str:
    """Names and defaults, a line each where they are many; one that is no value is an ellipsis."""
    shown: list[str] = []
    starred = False
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown, starred = [*shown, "*"], True
        value = parameter.default
        is_plain = isinstance(value, str | int | float | bool | tuple | None)
        text = json.dumps(value) if isinstance(value, str) else repr(value)
        default = text if is_plain else "…"
        shown.append(parameter.name + ("" if value is parameter.empty else f"={default}"))
    line = f"({', '.join(shown)})"
    return line if len(line) < _SHORT else "(\n    " + ",\n    ".join(shown) + ",\n)"


def _documented(thing: Any, page: Page) -> Iterator[str]:
    about, *sections = _SECTION.split(inspect.getdoc(thing) or "")
    yield from (f"{page(paragraph)}\n" for paragraph in about.strip().split("\n\n"))
    bodies = map(inspect.cleandoc, sections[1::2])
    for section, body in zip(sections[::2], bodies, strict=True):
        if section == "Returns":
            yield f"{page('Returns')}: {page(body)}\n"
            continue
        head = f"{page('Raises')} " if section == "Raises" else ""
        _, *entries = _ENTRY.split(body)
        for name, text in zip(entries[::2], entries[1::2], strict=True):
            yield f"- {head}`{name}`: {page(text)}"
        yield ""


MAKERS: Mapping[str, Callable[[Page], Iterator[str]]] = {
    "options": options,
    "client": client,
    "targets": targets,
    "shapes": shapes,
    "metrics": metrics,
    "columns": columns,
    "reports": reports,
    "json": outputs,
    "api": api,
    "events": happenings,
}


def renewed(text: str, page: Page) -> str:
    """The text of a page, with what is made of the code as it is now."""

    def made(match: re.Match[str]) -> str:
        lines = _GAP.sub("\n\n", "\n".join(MAKERS[match[2]](page))).strip()
        return f"{match[1]}\n{lines}\n\n{match[3]}"

    return _MARK.sub(made, text)


def pages() -> Iterator[tuple[Path, Language]]:
    """The pages of the reference."""
    languages: tuple[Language, ...] = ("en", "ja")
    for language in languages:
        for path in sorted((ROOT / "docs" / language / "reference").glob("*.md")):
            yield path, language


def untranslated() -> tuple[set[str], set[str]]:
    """English texts that Japanese pages show, and Japanese ones that none does any more."""
    japanese = Page("ja")
    for path, language in pages():
        if language == "ja":
            renewed(path.read_text("utf-8"), japanese)
    return japanese.used - _JAPANESE.keys(), _JAPANESE.keys() - japanese.used


def main() -> None:
    """Write the pages, and print what lacks Japanese."""
    for path, language in pages():
        path.write_text(renewed(path.read_text("utf-8"), Page(language)), "utf-8")
    lacking, useless = untranslated()
    for title, texts in (("no Japanese", lacking), ("not needed any more", useless)):
        for text in sorted(texts):
            sys.stdout.write(f"docs/reference_ja.json: {title}: {text}\n")


if __name__ == "__main__":
    main()
