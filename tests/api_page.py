"""The API part of docs/*/python.md, made of the docstrings; `python -m tests.api_page` renews it.

The Japanese page says the same in Japanese: tests/api_ja.json holds each paragraph by its English.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import simulator

ROOT = Path(__file__).parents[1]
TRANSLATED = Path(__file__).with_name("api_ja.json")
PAGES = {language: ROOT / "docs" / language / "python.md" for language in ("en", "ja")}
_PART = re.compile(r"(?<=<!-- api -->\n).*(?=<!-- end of api -->)", re.DOTALL)
_SECTION = re.compile(r"^(Args|Returns|Raises|Attributes):\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+): ", re.MULTILINE)
_HEADS = {
    "en": {"Raises": "Raises", "Returns": "Returns"},
    "ja": {"Raises": "例外", "Returns": "戻り値"},
}
_METHODS = ("to_frame", "episodes_frame")
Translate = Callable[[str], str]


def part(language: str, translated: Translate) -> str:
    """The part of a page between its marks."""
    names = [name for name in simulator.__all__ if not name.startswith("_")]
    lines: list[str] = []
    for name in names:
        lines += [
            f"### `{name}`",
            "",
            *_about(name, getattr(simulator, name), language, translated),
        ]
    return "\n".join(lines)


def with_part(text: str, made: str) -> str:
    """The page with this part."""
    return _PART.sub(lambda _: f"\n{made}\n", text)


def texts() -> list[str]:
    """Every text of the docstrings, in the page's order."""
    found: list[str] = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    part("en", noted)
    return found


def _about(name: str, thing: Any, language: str, translated: Translate) -> Iterator[str]:
    signature = name if thing is simulator.Run else f"{name}{_signature(thing)}"
    wait = "await " if inspect.iscoroutinefunction(thing) else ""
    yield from ("```python", f"{wait}{signature}", "```", "")
    yield from _documented(thing, language, translated)
    for method in _METHODS if thing is simulator.Run else ():
        yield from (f"**`run.{method}()`**", "")
        yield from _documented(getattr(thing, method), language, translated)


def _signature(thing: Any) -> str:
    """Names and defaults, a line each where they are many; one that is no value is …"""
    shown: list[str] = []
    starred = False
    for parameter in inspect.signature(thing).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown, starred = [*shown, "*"], True
        value = parameter.default
        is_plain = isinstance(value, str | int | float | bool | tuple | None)
        default = repr(value) if is_plain else "…"
        shown.append(parameter.name + ("" if value is parameter.empty else f"={default}"))
    line = f"({', '.join(shown)})"
    return line if len(line) < 80 else "(\n    " + ",\n    ".join(shown) + ",\n)"


def _documented(thing: Any, language: str, translated: Translate) -> Iterator[str]:
    about, *sections = _SECTION.split(inspect.getdoc(thing) or "")
    for paragraph in about.strip().split("\n\n"):
        yield from (translated(_joined(paragraph)), "")
    bodies = map(inspect.cleandoc, sections[1::2])
    for section, body in zip(sections[::2], bodies, strict=True):
        if section == "Returns":
            yield from (f"{_HEADS[language][section]}: {translated(_joined(body))}", "")
            continue
        head = f"{_HEADS[language]['Raises']} " if section == "Raises" else ""
        _, *entries = _ENTRY.split(body)
        for name, text in zip(entries[::2], entries[1::2], strict=True):
            yield f"- {head}`{name}`: {translated(_joined(text))}"
        yield ""


def _joined(text: str) -> str:
    return " ".join(text.split())


def japanese() -> dict[str, str]:
    """What there is in Japanese, by the English text."""
    found: dict[str, str] = json.loads(TRANSLATED.read_text("utf-8"))
    return found


def main() -> None:
    """Write the part into both pages."""
    for language, translated in (("en", str), ("ja", japanese().__getitem__)):
        page = PAGES[language]
        page.write_text(with_part(page.read_text("utf-8"), part(language, translated)), "utf-8")


if __name__ == "__main__":
    main()
