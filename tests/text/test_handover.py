"""Whether a desk passes a talk on to a person, or only names whom to turn to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.handover import Handover, handover
from tests.text.handover_phrasings import (
    HANDED_OVER,
    MORE_HANDED_OVER,
    MORE_ONLY_POINTED,
    ONLY_POINTED,
)

LANGUAGES: tuple[Language, ...] = ("ja", "en")
# Not seen by the rules: who is meant, or that anybody is, stands in no word of theirs.
MISSED = {
    "I've opened a ticket for you and assigned it to our engineers.",
    "Connecting...",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_passing_on_is_seen(language: Language) -> None:
    said = (*HANDED_OVER[language], *MORE_HANDED_OVER[language])
    missed = {text for text in said if handover(text, language) < Handover.TAKEN_UP}
    assert missed == MISSED.intersection(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_pointing_elsewhere_offering_and_denying_it_is_not(language: Language) -> None:
    said = (*ONLY_POINTED[language], *MORE_ONLY_POINTED[language])
    assert [] == [text for text in said if handover(text, language) > Handover.POINTED]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("担当者におつなぎします。", "ja", Handover.PASSED_ON),
        ("それでしたら、担当者におつなぎします。", "ja", Handover.PASSED_ON),
        ("担当者が請求を止めて調査します。", "ja", Handover.TAKEN_UP),
        ("分かりかねますので、サポート窓口にお問い合わせください。", "ja", Handover.POINTED),
        ("法務担当（legal@example.jp）が承ります。", "ja", Handover.POINTED),
        ("直らない場合は、サポート窓口にお問い合わせください。", "ja", Handover.NONE),
        ("「設定」から変更できます。", "ja", Handover.NONE),
        ("A human agent will get back to you.", "en", Handover.PASSED_ON),
        ("I am transferring you to a colleague.", "en", Handover.PASSED_ON),
        ("An agent reviews the case. They will look into it.", "en", Handover.TAKEN_UP),
        ("Please contact our support team.", "en", Handover.POINTED),
        ("Call the fraud desk at once.", "en", Handover.POINTED),
        ("If that does not help, contact our support team.", "en", Handover.NONE),
        ("Your contact list is under Settings.", "en", Handover.NONE),
    ],
)
def test_the_most_that_one_sentence_does_counts(
    text: str, language: Language, expected: Handover
) -> None:
    assert expected is handover(text, language)
    assert expected is handover(f"{text}\n{text}", language)


@given(text=st.text(max_size=60), language=st.sampled_from(LANGUAGES))
def test_any_text_is_borne(text: str, language: Language) -> None:
    assert handover(text, language) in Handover


def test_a_long_text_takes_no_time() -> None:
    for part in ("担当者に", "agent will ", "I am transferring "):
        assert handover(part * 50_000, "ja") in Handover
        assert handover(part * 50_000, "en") in Handover
