from collections.abc import Callable
from typing import Any

import pytest

from simulator.core.talk import Document
from simulator.core.verdict import Word
from simulator.files import answers as values
from simulator.files.answers import Wrong


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (None, ""),
        ("  a\r\nb ", "a\nb"),
        (1, "1"),
        (0.5, "0.5"),
        (True, "true"),
        ("\ud800", "\ufffd"),
    ],
)
def test_texts_are_cleaned_and_numbers_are_text(written: Any, text: str) -> None:
    assert text == values.text_of(written)


@pytest.mark.parametrize("written", [["a"], {"a": 1}])
def test_what_is_no_text_is_said(written: Any) -> None:
    with pytest.raises(Wrong, match="is not text; write text, in quotes"):
        values.text_of(written)


@pytest.mark.parametrize("written", ["a|b", "a\n\nb", "a｜ b ", ["a", "", "b"]])
def test_lists_are_parted_by_bars_and_line_ends(written: Any) -> None:
    assert (("a",), ("b",)) == values.elements_of(written)


@pytest.mark.parametrize("written", ["It is free. | No fee, ever.", "It is free.\nNo fee, ever."])
def test_statements_keep_their_commas(written: str) -> None:
    assert ("It is free.", "No fee, ever.") == values.statements_of(written)


def test_only_names_are_parted_by_commas() -> None:
    assert (("送料、手数料",), ("a,b",)) == values.elements_of("送料、手数料|a,b")
    assert ("faq-1", "faq-2", "faq-3") == values.names_of("faq-1,faq-2、faq-3")


def test_expected_documents_are_ids_and_not_what_was_retrieved() -> None:
    with pytest.raises(Wrong, match="put retrieved documents in context"):
        values.names_of([{"id": "faq-1", "text": "送料"}])


@pytest.mark.parametrize(
    ("written", "document"),
    [
        ("送料", Document("送料")),
        ({"text": "送料", "id": 7}, Document("送料", "7")),
        ({"content": "送料", "title": "配送"}, Document("送料", None, "配送")),
        ({"page_content": "送料", "metadata": {"id": "d1"}}, Document("送料", "d1")),
        ({"id": "d1"}, Document("", "d1")),
    ],
)
def test_a_passage_is_text_or_an_object(written: Any, document: Document) -> None:
    assert (document,) == values.documents_of([written], one=True)


def test_a_cell_parts_passages_and_json_does_not() -> None:
    text = "送料は500円。\n返品は30日。|その他"
    assert 3 == len(values.documents_of(text, one=False))
    assert (Document(text),) == values.documents_of(text, one=True)
    assert () == values.documents_of("", one=True)
    assert () == values.documents_of([""], one=True)


def test_a_passage_that_says_nothing_is_complained_of() -> None:
    with pytest.raises(Wrong, match='has no text or id, only "body"; write '):
        values.documents_of([{"body": "送料"}], one=True)


@pytest.mark.parametrize(
    ("written", "word"),
    [
        *((w, Word.OK) for w in ("OK", "ok", "true", True, "○", "◯", 1, "1", 1.0, "はい", "正解")),
        *((w, Word.NG) for w in ("NG", "ＮＧ", False, "false", "×", 0, "0.0", "いいえ", "誤")),
        *((w, Word.OK) for w in ("まる", "マル", "ﾏﾙ", "丸", "◎", "問題なし", "o.k.", "Ｏ．Ｋ．")),
        *((w, Word.NG) for w in ("ばつ", "バツ", "ﾊﾞﾂ", "だめ", "ダメ", "駄目", "問題あり", "N.G.")),
        *((w, Word.UNSURE) for w in ("unsure", "？", "△", "保留")),
        ("", None),
        (None, None),
    ],
)
def test_verdicts_are_written_in_many_ways(written: Any, word: Word | None) -> None:
    assert word == values.verdict_of(written)


@pytest.mark.parametrize(
    ("read", "written", "says"),
    [
        (values.verdict_of, "maybe", '"maybe" isn\'t a verdict; use OK, NG or unsure'),
        (values.verdict_of, 3, '"3" isn\'t a verdi'),
        (values.yes_or_no, "maybe", '"maybe" is neither yes nor no'),
        (values.name_of, "a\nb", "use at most 200 characters on one line"),
        (values.name_of, "a" * 201, "use at most 200 characters on one line"),
    ],
)
def test_what_cannot_be_used_is_said(read: Callable[[Any], Any], written: Any, says: str) -> None:
    with pytest.raises(Wrong) as caught:
        read(written)
    assert says in str(caught.value)


def test_yes_and_no_may_be_left_out() -> None:
    assert [True, False, None] == [values.yes_or_no(v) for v in ("○", False, "")]


@pytest.mark.parametrize(
    "written", ["free|6 cents // $0.06", "free\n6 cents　//　$0.06", ["free", ["6 cents", "$0.06"]]]
)
def test_an_element_may_have_alternatives(written: Any) -> None:
    assert (("free",), ("6 cents", "$0.06")) == values.elements_of(written)


@pytest.mark.parametrize("written", ["km/h", "https://example.com", "a //b", ["a // b"]])
def test_other_slashes_part_nothing(written: Any) -> None:
    ((element,),) = values.elements_of(written)
    assert written in (element, [element])


@pytest.mark.parametrize(
    "written", ["Yes.\nFree | of charge.\n//\nIt is.", ["Yes.\nFree | of charge.", "It is."]]
)
def test_of_several_right_answers_each_may_have_lines(written: Any) -> None:
    assert ("Yes.\nFree | of charge.", "It is.") == values.answers_of(written)
