"""The pages about Python say what the docstrings say, in both languages."""

import pytest

import simulator
from tests.api_page import PAGES, japanese, part, texts, with_part


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_is_made_of_the_docstrings(language: str) -> None:
    page = PAGES[language].read_text("utf-8")
    translated = japanese().__getitem__ if language == "ja" else str
    assert with_part(page, part(language, translated)) == page, "python -m tests.api_page"
    assert all(f"### `{name}`" in page for name in simulator.__all__ if not name.startswith("_"))


def test_every_text_is_translated_and_none_besides() -> None:
    assert set(texts()) == japanese().keys()
