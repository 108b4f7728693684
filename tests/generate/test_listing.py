import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.generate.forms import questions_in, without_marks

JA = ["ログインできません", "退会したい", "領収書ってどこで出せますか？"]


MARKS = (
    "- |* |・|• |1. |１．|(2) |（2）|3) |③|質問1: |質問：|質問 2　|FAQ: |FAQ3：|Q. |Q1. |Q1: |問1．"
    "|- 1. |- 質問1: |**Q2.** |利用者："
)
NO_MARKS = (
    "1.5GBまで無料？|10:00から開いてますか|3、4日で届く？|2段階認証って何|5GBで足りる？"
    "|-5度でも使える？|「ロックされました」と出る|「A」と「B」|Q&Aはどこ|FAQはどこにある？"
    "|24/7 support?|1-year plan, can I leave?|質問があります|Questions about my bill"
)


@pytest.mark.parametrize("mark", MARKS.split("|"))
def test_the_marks_of_a_list_go(mark: str) -> None:
    assert "退会したい" == without_marks(f"  {mark}退会したい")


@pytest.mark.parametrize("text", NO_MARKS.split("|"))
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert text == without_marks(text)


@pytest.mark.parametrize(
    ("written", "bare"),
    [("「退会したい」", "退会したい"), ('"Can I leave?",', "Can I leave?"), ("『退会』", "退会")],
)
def test_quotation_marks_around_the_whole_go(written: str, bare: str) -> None:
    assert bare == without_marks(written)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            "次の3つ：\n\n1. ログインできません\n2. 退会したい\n3. 領収書ってどこで出せますか？",
            JA,
        ),
        ("ログインできません, 退会したい, 領収書ってどこで出せますか？", JA),
        ("ログインできません、退会したい、領収書ってどこで出せますか？", JA),
        ("「ログインできません」、「退会したい」、「領収書ってどこで出せますか？」", JA),
        ("1. ログインできません 2. 退会したい 3. 領収書ってどこで出せますか？", JA),
        ("ログインできません\n退会したい\n領収書ってどこで出せますか？", JA),
        ("Q1. ログインできません\nA1. 画面から\nQ2. 退会したい\nA2. 設定から", JA[:2]),
        ("```\n・ログインできません\n・退会したい\n```", JA[:2]),
        ('```json\n["ログインできません", "退会したい"]\n```', JA[:2]),
        ('{"質問": ["ログインできません", "退会したい"]}', JA[:2]),
        ('{"faq": [{"質問": "ログインできません"}, {"Question": "退会したい"}]}', JA[:2]),
        ("<think>- まず</think>- 退会したい", ["退会したい"]),
        ("退会したい", ["退会したい"]),
        ("年払いを途中で解約したら、返金されますか", ["年払いを途中で解約したら、返金されますか"]),
        ('{"questions": ["ログインでき', []),
        ("申し訳ありませんが、お答えできません。", []),
        ("", []),
        ("---\n```", []),
    ],
)
def test_lists_of_many_kinds_are_read(answer: str, found: list[str]) -> None:
    assert found == questions_in(answer, 3, "ja")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("If I cancel, do I get money back?, Can I undo it?", 2),
        ("can't log in, want to leave, no mail", 3),
        ("If I cancel today, what happens to my photos", 1),
        ("Here are some questions:\n* Can I leave?\n* What does it cost?", 2),
        ('"Can I pay, and how?", "What if I leave?"', 2),
        ("I'm sorry, I can't help with that.", 0),
    ],
)
def test_english_commas_part_only_what_they_must(answer: str, found: int) -> None:
    assert found == len(questions_in(answer, 3, "en"))


# Questions that begin with no mark, digit or label of their own.
_QUESTION = st.text(alphabet="退会したいログイン画面が出る？abcde ", min_size=3, max_size=30).map(
    lambda text: "私の" + " ".join(text.split()) + "件"
)
_STYLES = (
    "- {q}",
    "・{q}",
    "{n}. {q}",
    "{n}) {q}",
    "({n}) {q}",
    "質問{n}: {q}",
    "FAQ: {q}",
    "Q. {q}",
)


@given(st.lists(_QUESTION, min_size=2, max_size=6, unique=True), st.sampled_from(_STYLES))
def test_any_list_in_any_style_gives_its_questions_back(questions: list[str], style: str) -> None:
    answer = "\n".join(style.format(n=n, q=q) for n, q in enumerate(questions, 1))
    assert questions == questions_in(answer, len(questions), "ja")


@given(st.lists(_QUESTION, min_size=1, max_size=6, unique=True))
def test_json_of_another_form_gives_its_questions_back(questions: list[str]) -> None:
    assert questions == questions_in(json.dumps(questions), len(questions), "ja")
    nested = json.dumps({"items": [{"text": q} for q in questions]})
    assert questions == questions_in(nested, len(questions), "ja")


@given(st.text(max_size=200), st.integers(1, 5), st.sampled_from(["ja", "en"]))
def test_no_answer_breaks_it_and_what_comes_is_clean(
    text: str, wanted: int, language: Language
) -> None:
    for question in questions_in(text, wanted, language):
        assert question == without_marks(question)
        assert any(c.isalnum() for c in question)


@given(st.text(max_size=80))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert without_marks(text) == without_marks(without_marks(text))
