"""What says something in other words, and where a *not* is in doubt."""

import pytest

from simulator.core.persona import Language
from simulator.text.content import Told, content, doubtful, permits, says


@pytest.mark.parametrize(
    ("sentence", "wanted", "language", "said"),
    [
        ("更新日の前の日の23時59分までです。", "23:59", "ja", True),
        ("プレミアムが毎月980円です。", "月額980円", "ja", True),
        ("最低でも10文字にしてください。", "10文字以上", "ja", True),
        ("10文字までにしてください。", "10文字以上", "ja", False),
        ("料金はお戻しできません。", "返金されません", "ja", True),
        ("料金はお戻しできます。", "返金されません", "ja", False),
        ("受付でお見せください。", "受付", "ja", False),  # neither an amount nor a denial
        ("After two to three weeks you are done.", "2 to 3 weeks", "en", True),
        ("We close at half past six.", "18:30", "en", True),
        ("Come after 30 days.", "within 30 days", "en", False),
    ],
)
def test_amounts_and_denials_tell_what_is_said(
    sentence: str, wanted: str, language: Language, *, said: bool
) -> None:
    assert says(content(sentence, language), content(wanted, language), language) is said


@pytest.mark.parametrize(
    ("one", "other", "language", "doubt"),
    [
        ("ご利用をお断りしています", "ご利用いただけます", "ja", True),
        ("平日のみ営業しています", "土日は営業していません", "ja", True),
        ("返品できます", "返品できません", "ja", False),
        ("we are only open on fridays", "we are not open on mondays", "en", True),
        ("letters can be tracked", "letters cannot be tracked", "en", False),
    ],
)
def test_other_ways_to_deny_make_a_not_doubtful(
    one: str, other: str, language: Language, *, doubt: bool
) -> None:
    assert doubtful(one, other, language) is doubt


def test_who_names_no_hour_does_not_permit_what_is_denied_at_one() -> None:
    denied = content("It cannot be paused after 18:00.", "en")
    said = content("Choose Pause, please.", "en")
    assert not permits(denied, said, Told([said], "en"), "en")
    assert permits(content("It cannot be paused.", "en"), said, Told([said], "en"), "en")
