"""`mogi retrieval` on files as a search and `mogi generate` write them."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

EXPECTED = "query,id\n送料はいくらですか,faq-1\n返品したい,faq-2\n返品したい,faq-4\nA,x\n"
FOUND = "query,id\n送料はいくらですか,faq-1|faq-3\n返品したい,faq-3|faq-2\nA,\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "queries.csv").write_text(EXPECTED, "utf-8")
    (tmp_path / "found.csv").write_text(FOUND, "utf-8")
    return tmp_path


def test_figures_and_the_worst_queries_are_printed(mogi: Mogi, files: Path) -> None:
    done = mogi("retrieval", "found.csv", "--expected", "queries.csv")
    assert 0 == done.status, done.err
    assert "3 of 3 queries" in done.out
    assert "mrr        0.500" in done.out
    assert "hit@1      0.333  0.061-0.792" in done.out
    assert "  0.00  A  x / nothing\n  0.50  返品したい  faq-2, faq-4 / faq-3, faq-2" in done.out
    assert "送料" not in done.out  # it could not have done better


def test_json_holds_the_same(mogi: Mogi, files: Path) -> None:
    done = mogi("retrieval", "found.csv", "--expected", "queries.csv", "--json", "--k", "2")
    found = done.json
    assert (3, 3, [], 0) == (found["queries"], found["scored"], found["missing"], found["extra"])
    assert {"mrr", "hit@2", "recall@2", "ndcg@2"} == found["metrics"].keys()
    assert {"mean", "low", "high", "worst", "best"} == found["metrics"]["mrr"].keys()
    assert 0.5 == found["metrics"]["mrr"]["mean"]
    assert ["A", "返品したい"] == [query["query"] for query in found["worst"]]


def test_queries_that_were_never_asked_make_it_incomplete(mogi: Mogi, files: Path) -> None:
    (files / "found.csv").write_text("query,id\nA,x\nB,y\n", "utf-8")
    done = mogi("retrieval", "found.csv", "--expected", "queries.csv")
    assert 3 == done.status
    assert "1 of 3 queries" in done.out
    assert "with the missing 0.333-1.000" in done.out
    assert "never asked: 返品したい" in done.out
    assert "excluded: 1 query not in the expected file" in done.out


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        ("query,id\n別の質問,faq-1\n", "no query of queries.csv is in found.csv"),
        ("a,b\n1,2\n", "found.csv:1: no column for the query"),
        ("", "found.csv: empty file"),
    ],
)
def test_wrong_files_are_complained_of(mogi: Mogi, files: Path, found: str, complaint: str) -> None:
    (files / "found.csv").write_text(found, "utf-8")
    done = mogi("retrieval", "found.csv", "--expected", "queries.csv")
    assert (2, "") == (done.status, done.out)
    assert complaint in done.err


@pytest.mark.parametrize("depths", ["0", "1,x", "", "-1", "1.5"])
def test_depths_are_whole_numbers(mogi: Mogi, files: Path, depths: str) -> None:
    done = mogi("retrieval", "found.csv", "--expected", "queries.csv", "--k", depths)
    assert 2 == done.status
    assert "such as 1,3,5" in done.err
