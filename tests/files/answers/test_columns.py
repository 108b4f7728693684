import pytest

from simulator.files.answers import has_answers, meanings, no_answers


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("質問", "question"),
        ("回答", "answer"),
        (" Answer ", "answer"),
        ("ＡＮＳＷＥＲ", "answer"),
        ("正解", "ground_truth"),
        ("Ground Truth", "ground_truth"),
        ("expected.answer", "ground_truth"),
        ("文脈", "context"),
        ("コンテキスト", "context"),
        ("要素", "elements"),
        ("文書", "documents"),
        ("検索結果", "retrieved"),
        ("判定", "verdict"),
        ("タグ", "tags"),
    ],
)
def test_columns_are_found_by_their_names_in_both_languages(written: str, meant: str) -> None:
    assert ({meant: written}, []) == meanings([written])


def test_other_columns_are_left_alone() -> None:
    assert ({"answer": "answer"}, []) == meanings(["備考", "answer", "cost"])


def test_two_columns_that_may_be_the_same_are_complained_of() -> None:
    found, wrong = meanings(["response", "answer"])
    assert {"answer": "response"} == found
    assert [
        'the columns "response" and "answer" could both be the answer; rename the one that isn\'t'
    ] == wrong


def test_there_have_to_be_answers_or_what_was_retrieved() -> None:
    assert has_answers({"answer"})
    assert has_answers({"retrieved"})
    assert not has_answers({"question", "documents"})


def test_a_file_without_answers_is_told_what_columns_there_are() -> None:
    assert '--map answer=output.text (columns: "q", "備考")' in no_answers(["q", "備考", ""])
