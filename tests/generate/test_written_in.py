from simulator.core.persona import Language
from simulator.generate.attempts import is_written_in


def test_what_may_be_of_the_language() -> None:
    cases: list[tuple[Language, str]] = [
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
    ]
    assert [] == [(language, text) for language, text in cases if not is_written_in(text, language)]


def test_what_cannot_be() -> None:
    cases: list[tuple[Language, str]] = [
        ("ja", "How do I reset my password?"),
        ("ja", "How do I use the クーポン code?"),
        ("ja", "如何重置密码"),
        ("ja", "我忘记了密码，请问应该怎么样才能重新登录"),
        ("ja", "비밀번호를 잊어버렸어요"),
        ("en", "パスワードを忘れた"),
        ("en", "パスワード reset できない"),
        ("en", "Как сбросить пароль?"),
    ]
    assert [] == [(language, text) for language, text in cases if is_written_in(text, language)]
