"""Retrieval of passages by their words."""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.core.talk import Document
from simulator.text.bm25 import Bm25

PASSAGES = (
    Document("Press reset on the login page.", "password", "Forgotten password"),
    Document("Press cancel on the plan page.", "cancel", "Cancelling a plan"),
    Document("A plan costs 480 yen.", "price", "Prices"),
    Document("Open the album page.", "album", "Albums"),
)


def _ids(index: Bm25, *words: str, k: int = 3) -> list[str | None]:
    return [hit.document.id for hit in index.search(words, k)]


def test_titles_and_texts_are_searched_and_the_best_comes_first() -> None:
    index = Bm25(PASSAGES, "en")
    assert ["cancel", "price"] == _ids(index, "cancel", "plan")
    assert ["price"] == _ids(index, "480")


def test_passages_without_a_word_of_the_question_are_left_out() -> None:
    assert [] == Bm25(PASSAGES, "en").search(["weather"], 3)
    assert [] == Bm25(PASSAGES, "en").search([], 3)


def test_more_passages_may_be_asked_for_than_there_are() -> None:
    assert ["cancel", "price"] == _ids(Bm25(PASSAGES, "en"), "plan", k=50)


def test_equals_come_in_the_files_order() -> None:
    twins = [Document("the same words", str(i)) for i in range(9)]
    assert ["0", "1", "2"] == _ids(Bm25(twins, "en"), "word")


@pytest.mark.parametrize("documents", [(), (Document("!?", "marks"), Document("", "nothing"))])
def test_passages_without_words_are_never_found(documents: tuple[Document, ...]) -> None:
    assert [] == Bm25(documents, "en").search(["plan"], 3)


def test_relevance_is_the_share_of_the_questions_weight_that_the_passage_holds() -> None:
    index = Bm25(PASSAGES, "en")
    once, twice = (math.log(1 + (4 - n + 0.5) / (n + 0.5)) for n in (1, 2))
    (cancel, price) = index.search(["cancel", "plan", "gym", "gym", "sauna"], 3)
    assert (once + twice) / (3 * once + twice) == pytest.approx(cancel.relevance)
    assert twice / (3 * once + twice) == pytest.approx(price.relevance)


def test_chatter_does_not_hide_what_was_asked() -> None:
    once, twice = (math.log(1 + (4 - n + 0.5) / (n + 0.5)) for n in (1, 2))
    chatter = [f"chatter{i}" for i in range(30)]
    (hit, _) = Bm25(PASSAGES, "en").search(["cancel", "plan", *chatter], 3)
    assert (once + twice) / (5 * once) == pytest.approx(hit.relevance)


def test_no_passage_is_more_relevant_than_wholly() -> None:
    twenty = [f"word{i}" for i in range(20)]
    (hit,) = Bm25([Document(" ".join(twenty)), *PASSAGES], "en").search(twenty, 3)
    assert 1 == hit.relevance


def test_a_question_of_one_word_is_not_well_covered_by_it() -> None:
    once, twice = math.log(1 + 3.5 / 1.5), math.log(1 + 2.5 / 2.5)
    (hit, _) = Bm25(PASSAGES, "en").search(["plan"], 3)
    assert twice / (3 * once) == pytest.approx(hit.relevance)


def test_japanese_passages_are_found_by_the_normal_forms_of_their_words() -> None:
    passages = [
        Document("ログイン画面で再設定できます。", "a", "パスワードを忘れました"),
        Document("設定から解約できます。", "b", "解約したい"),
    ]
    assert ["a"] == _ids(Bm25(passages, "ja"), "パスワード", "忘れる")


def test_many_threads_may_search_one_index() -> None:
    index = Bm25(PASSAGES, "en")
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: tuple(_ids(index, "cancel", "plan")), range(200)))
    assert {("cancel", "price")} == found
