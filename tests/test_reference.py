"""The reference says what the code says, in both languages, and readable."""

import re
from pathlib import Path

import pytest

from docs.reference import Page, pages, renewed, untranslated
from simulator.core.persona import Language
from simulator.files.personas import PersonaEntry, StyleEntry
from simulator.files.scenarios.loading import ExpectedEntry, ScenarioEntry
from tests.pages import ROOT

_LONGEST = 40  # words of a table's cell
_PAGES = [pytest.param(*page, id="/".join(page[0].parts[-3:])) for page in pages()]


@pytest.mark.parametrize(("path", "language"), _PAGES)
def test_a_page_is_what_the_code_says_now(path: Path, language: Language) -> None:
    text = path.read_text("utf-8")
    assert renewed(text, Page(language)) == text, "renew it: python -m docs.reference"


@pytest.mark.parametrize(("path", "language"), _PAGES)
def test_no_cell_of_a_table_is_an_essay(path: Path, language: Language) -> None:
    rows = [line for line in path.read_text("utf-8").splitlines() if line.startswith("|")]
    cells = [cell for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert [] == [cell for cell in cells if len(cell.split()) > _LONGEST]


def test_every_text_that_japanese_readers_need_is_translated_and_none_besides() -> None:
    assert (set(), set()) == untranslated()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_key_of_scenarios_and_personas_is_named(language: Language) -> None:
    text = (ROOT / "docs" / language / "reference/scenarios.md").read_text("utf-8")
    keys = {*ScenarioEntry.model_fields, *PersonaEntry.model_fields, *StyleEntry.model_fields}
    assert [] == [key for key in keys if not re.search(rf"\b{key}\b", text)]
    expected = (f"`expected.{key}`" for key in ExpectedEntry.model_fields)
    assert [] == [key for key in expected if key not in text]
