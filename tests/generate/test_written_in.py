import pytest

from simulator.core.persona import Language
from simulator.generate.attempts import is_written_in


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "ログインできません"),
        ("ja", "Google Classroomと連携できますか"),
        ("ja", "PDFは？"),
        ("ja", "領収書再発行手続方法"),
        ("ja", "2FA 再設定"),
        ("ja", "404"),
        ("ja", ""),
        ("en", "can't log in"),
        ("en", "Où est le café?"),
        ("en", "what does 退会 mean on this page?"),
        ("en", "?!"),
    ],
)
def test_what_may_be_of_the_language(language: Language, text: str) -> None:
    assert is_written_in(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "How do I reset my password?"),
        ("ja", "How do I use the クーポン code?"),
        ("ja", "如何重置密码"),
        ("ja", "我忘记了密码，请问应该怎么样才能重新登录"),
        ("ja", "비밀번호를 잊어버렸어요"),
        ("en", "パスワードを忘れた"),
        ("en", "パスワード reset できない"),
        ("en", "Как сбросить пароль?"),
    ],
)
def test_what_cannot_be(language: Language, text: str) -> None:
    assert not is_written_in(text, language)
