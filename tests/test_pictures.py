"""The pictures of the pages: each is there, small enough, of the page's language, and shown."""

import re
from pathlib import Path

import pytest

from tests.pages import PAGES, ROOT

_PICTURES = ROOT / "docs" / "pictures"
_MOST = 150_000  # bytes
_PNG = b"\x89PNG\r\n\x1a\n"
_SHOWN = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<path>[^)]+)\)")


def _shown(page: Path) -> dict[Path, str]:
    """The pictures of a page, and what stands there for those who cannot see them."""
    found = _SHOWN.finditer(page.read_text("utf-8"))
    return {(page.parent / one["path"]).resolve(): one["text"] for one in found}


_BY_PAGE = {page: shown for page in PAGES if (shown := _shown(page))}


def test_the_review_page_shows_the_same_pictures_in_both_languages() -> None:
    english, japanese = (
        [path.stem.removesuffix(f"-{language}") for path in _BY_PAGE[page]]
        for language in ("en", "ja")
        for page in [ROOT / "docs" / language / "review.md"]
    )
    assert ["review", "verdicts", "reviewer", "lead", "engineer"] == english == japanese


@pytest.mark.parametrize("page", _BY_PAGE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_picture_of_a_page_is_a_small_png_in_its_language_and_described(page: Path) -> None:
    for path, text in _BY_PAGE[page].items():
        assert path.read_bytes().startswith(_PNG)
        assert _MOST >= path.stat().st_size, path.name
        is_ja = "ja" in page.parts or page.name.endswith(".ja.md")
        assert path.stem.endswith("-ja" if is_ja else "-en")
        assert text


def test_no_picture_is_left_over() -> None:
    used = {path for shown in _BY_PAGE.values() for path in shown}
    assert set(_PICTURES.glob("*.png")) == used
