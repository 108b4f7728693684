"""One word, one thing: outputs, help and docs use the glossary's words.

What is left of other words is counted by file in debts.yaml; a number there may only fall.
"""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import yaml

from simulator.cli.app import COMMANDS, app
from simulator.core.persona import Language
from tests.pages import PAGES, ROOT

WORDS = ROOT / "simulator" / "words"
GLOSSARY: list[dict[str, Any]] = yaml.safe_load((WORDS / "glossary.yaml").read_text("utf-8"))
DEBTS: dict[str, int] = yaml.safe_load((Path(__file__).parent / "debts.yaml").read_text("utf-8"))
# Keys, ids, options and placeholders keep their names, and so does what is quoted as code.
_CODE = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\{[^}]*\}|\]\([^)]*\)|--[\w-]+", re.S)


def avoided(text: str, language: Language) -> list[str]:
    """The words of a text that the glossary has another word for, in their order."""
    words = [w for term in GLOSSARY for w in term.get("avoid", {}).get(language, ())]
    edge = r"\b" if language == "en" else ""
    pattern = "|".join(f"{edge}{re.escape(word)}{edge}" for word in words)
    return re.findall(pattern, _CODE.sub(" ", text), re.I)


def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=name)
    yield name, command.get_help(context)
    if isinstance(command, click.Group):
        for sub in command.list_commands(context):
            found = command.get_command(context, sub)
            if found is not None:
                yield from helps(found, f"{name} {sub}")


def texts() -> Iterator[tuple[str, str, Language]]:
    """Each text that people read: its name, itself and its language."""
    for path in PAGES:
        if "reference" in path.parts:  # made of helps, wordings and names in code
            continue
        is_ja = "ja" in path.parts or path.name.endswith(".ja.md")
        yield str(path.relative_to(ROOT)), path.read_text("utf-8"), "ja" if is_ja else "en"
    for language in ("en", "ja"):
        for path in sorted((WORDS / language).glob("*.json")):
            wordings = json.loads(path.read_text("utf-8")).items()
            # `earlier.` names what people may still type, and nobody reads.
            shown = (text for key, text in wordings if not key.startswith("earlier."))
            yield str(path.relative_to(ROOT)), "\n".join(shown), language
    yield from ((name, text, "en") for name, text in helps(app, "mogi"))


def test_help_is_read_too() -> None:
    assert set(COMMANDS) <= {name.split()[-1] for name, _, _ in texts()}


def test_other_words_than_the_glossary_s_only_become_fewer() -> None:
    counts = {name: len(avoided(text, language)) for name, text, language in texts()}
    assert {} == {n: count for n, count in counts.items() if count > DEBTS.get(n, 0)}
    assert {} == {n: debt for n, debt in DEBTS.items() if counts.get(n, 0) < debt}


def test_code_and_keys_are_no_words() -> None:
    assert ["Talks"] == avoided("Talks with `blame`, --blame and {talk}", "en")
    assert ["文書"] == avoided("文書と`文書`", "ja")


def test_terms_and_translations_are_unique() -> None:
    for key in ("term", "ja"):
        names = [term[key] for term in GLOSSARY]
        assert sorted(set(names)) == sorted(names)


def test_the_glossary_ships_with_the_package() -> None:
    assert files("simulator.words").joinpath("glossary.yaml").is_file()
