import pytest

from simulator.core.persona import Language
from simulator.generate.units import Questions


def _like(language: Language, there: str, question: str) -> bool:
    questions = Questions(language)
    questions.add(there)
    return questions.like(question) == there


@pytest.mark.parametrize(
    ("language", "there", "question"),
    [
        ("ja", "パスワードを忘れました", "パスワードを　忘れました。"),
        ("ja", "パスワードを忘れました", "パスワード忘れた"),
        ("ja", "ＰＤＦの領収書がほしい", "PDFの領収書がほしい！"),
        ("en", "I forgot my password", "Forgot the password?"),
        ("en", "退会", "退会。"),
    ],
)
def test_the_same_in_another_dress_is_a_duplicate(
    language: Language, there: str, question: str
) -> None:
    assert _like(language, there, question)


@pytest.mark.parametrize(
    ("language", "there", "question"),
    [
        ("ja", "解約したい", "解約したくない"),
        ("ja", "30日で届きますか", "3日で届きますか"),
        ("ja", "退会したい", "退会を取り消したい"),
        ("en", "can I cancel my plan", "can I change my plan"),
        ("en", "How do I confirm my account?", "Do I have to confirm my account?"),
        ("ja", "解約はどこでできますか", "解約はいつできますか"),
    ],
)
def test_another_matter_is_none(language: Language, there: str, question: str) -> None:
    assert not _like(language, there, question)


def test_another_persona_may_ask_the_same_in_its_own_words() -> None:
    questions = Questions("ja")
    questions.add("パスワードを忘れました", voice="calm")
    assert questions.like("パスワード忘れたんだけど", voice="angry") is None
    assert "パスワードを忘れました" == questions.like("パスワード忘れた", voice="calm")
    assert "パスワードを忘れました" == questions.like("パスワードを忘れました。", voice="angry")
