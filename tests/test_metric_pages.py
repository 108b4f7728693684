"""Each metric that there is has its page in both languages, and the list tells the truth."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from simulator import plugins
from simulator.core.outcome import MetricInfo
from simulator.files.catalog import Catalog
from simulator.metrics._judge.rubric import aspect_info
from tests.pages import ROOT

Language = Literal["en", "ja"]
_LANGUAGES: tuple[Language, ...] = ("en", "ja")
_PARTS = {"en": "## When not to use it", "ja": "## 使わないほうがよいとき"}
_SOURCE = {"en": "| source |", "ja": "| 出典 |"}
_WORDS = {
    "nothing": "なし",
    "judge": "採点役",
    "judge, once a talk": "採点役（会話に一度）",
    "embedding": "埋め込み",
    "answer": "回答",
    "elements": "要素",
    "documents": "文書",
    "answerable": "回答可能",
    "context": "文脈",
    "–": "–",
}
_ROW = re.compile(r"\| (?P<names>\[`.+?) \| .+ \| (?P<needs>[^|]+) \| (?P<costs>[^|]+) \|")


@dataclass(frozen=True)
class _Row:
    """A row of the list: the page that it links to, and what it says of needs and costs."""

    page: Path
    needs: str
    costs: str


def _infos(language: Language) -> dict[str, MetricInfo]:
    catalog = Catalog(None, ROOT)
    kinds = [plugins.find("metrics", name) for name in plugins.names("metrics")]
    infos = [info for kind in kinds for info in kind.INFOS]
    infos += [aspect_info(r, a) for r in catalog.rubrics(language).values() for a in r.aspects]
    return {info.name: info for info in infos}


def _rows(language: Language) -> dict[str, _Row]:
    index = ROOT / "docs" / language / "metrics.md"
    rows: dict[str, _Row] = {}
    for found in _ROW.finditer(index.read_text("utf-8")):
        link = re.search(r"\]\((.+?)\)", found["names"])
        assert link
        row = _Row(index.parent / link[1], found["needs"], found["costs"])
        rows |= dict.fromkeys(re.findall(r"`(\w+)`", found["names"]), row)
    return rows


def _costs(info: MetricInfo) -> str:
    if "judge" in info.needs:
        return "judge, once a talk" if info.scope == "talk" else "judge"
    return "embedding" if "embedding" in info.needs else "nothing"


@pytest.mark.parametrize("language", _LANGUAGES)
def test_the_list_holds_every_metric_with_what_it_needs_and_costs(language: Language) -> None:
    expected = {}
    for name, info in _infos(language).items():
        needs = [need for need in info.needs if need not in ("judge", "embedding")] or ["–"]
        expected[name] = (needs, _costs(info))
    if language == "ja":
        expected = {n: ([_WORDS[x] for x in xs], _WORDS[c]) for n, (xs, c) in expected.items()}
    found = _rows(language)
    between = ", " if language == "en" else "、"
    assert expected == {name: (row.needs.split(between), row.costs) for name, row in found.items()}


@pytest.mark.parametrize("language", _LANGUAGES)
def test_every_metric_has_a_page_that_names_it_and_says_when_not_to_use_it(
    language: Language,
) -> None:
    for name, row in _rows(language).items():
        page = row.page.read_text("utf-8")
        wanted = (name, _PARTS[language], _SOURCE[language], "](../metrics.md)")
        assert [] == [part for part in wanted if part not in page], row.page


@pytest.mark.parametrize("language", _LANGUAGES)
def test_there_is_no_page_of_a_metric_that_is_gone(language: Language) -> None:
    folder = ROOT / "docs" / language / "metrics"
    assert set(folder.glob("*.md")) == {row.page for row in _rows(language).values()}
