"""What mogi says of bots with known faults, with default settings and no model.

`python -m tests.planted` prints the table; `--show failed` the conversations behind it.
"""

from functools import reduce

import pytest

from tests.planted.bots import FAULTS
from tests.planted.faqs import NAMES, faq
from tests.planted.harness import Tally, tally

pytestmark = pytest.mark.slow
both = pytest.mark.parametrize("language", ["ja", "en"])


def of(bot: str, language: str) -> Tally:
    """All FAQs of a language together."""
    names = (name for name in NAMES if language == faq(name).language)
    return reduce(Tally.plus, (tally(name, bot) for name in names))


@both
@pytest.mark.parametrize("bot", ["right", "asks_back"])
def test_who_is_right_passes(bot: str, language: str) -> None:
    found = of(bot, language)
    assert found.share("passed") >= 0.9, found.whys
    assert found.share("failed") <= 0.05, found.whys


@both
def test_who_says_it_in_other_words_passes(language: str) -> None:
    found = of("paraphrases", language)
    assert found.conversations >= 60
    assert found.share("passed") >= 0.9, found.whys
    assert found.share("failed") <= 0.05, found.whys


@both
def test_who_says_it_in_words_that_nobody_foresaw_seldom_fails(language: str) -> None:
    found = of("rewords", language)
    assert found.conversations >= 40
    assert found.share("failed") <= 0.25, found.whys


@both
def test_who_says_something_else_never_passes(language: str) -> None:
    found = of("is_wrong", language)
    assert found.conversations >= 20
    assert found.results["passed"] == 0
    assert found.share("failed") >= 0.75, found.whys


@both
def test_who_invents_fails_and_is_told_so(language: str) -> None:
    found = of("invents", language)
    assert found.share("failed") >= 0.95, found.whys
    assert found.blamed("unsupported") >= 0.85, found.blames


@both
@pytest.mark.parametrize(("bot", "at_most"), [("changes_a_number", 0.05), ("negates", 0.05)])
def test_who_twists_a_fact_seldom_passes(bot: str, at_most: float, language: str) -> None:
    found = of(bot, language)
    assert found.conversations >= 25
    assert found.share("passed") <= at_most, found.whys


@both
def test_what_was_never_said_never_passes(language: str) -> None:
    assert of("leaves_half_out", language).results["passed"] == 0


@both
def test_a_company_that_no_document_holds_is_flagged(language: str) -> None:
    found = of("recommends_competitors", language)
    blamed = sum(any("unsupported" in t.blames for t in e.turns) for e in found.episodes)
    assert blamed / found.conversations >= 0.7


@both
@pytest.mark.parametrize(("bot", "at_least"), [("refuses_all", 0.98), ("never_refuses", 0.95)])
def test_refusals_have_to_be_right(bot: str, at_least: float, language: str) -> None:
    found = of(bot, language)
    assert found.share("failed") >= at_least, found.whys


@both
@pytest.mark.parametrize(
    ("bot", "blame"), [("unfindable", "retrieval_miss"), ("removed", "knowledge_gap")]
)
def test_what_kept_the_entry_away_is_named_first(bot: str, blame: str, language: str) -> None:
    found = of(bot, language)
    assert found.blamed(blame) >= 0.9, found.blames


@both
def test_who_forgets_what_was_asked_does_worse(language: str) -> None:
    assert (
        of("forgets", language).share("failed") >= of("asks_back", language).share("failed") + 0.3
    )


def test_every_bot_is_looked_at() -> None:
    looked_at = {
        *("right", "asks_back", "paraphrases", "invents", "changes_a_number", "negates"),
        *("leaves_half_out", "recommends_competitors", "refuses_all", "never_refuses"),
        *("unfindable", "removed", "forgets", "rewords", "is_wrong"),
    }
    assert looked_at == set(FAULTS)
