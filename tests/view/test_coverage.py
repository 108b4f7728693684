"""Which entries scenarios expect, named or not, and which came with replies."""

from dataclasses import replace

import pytest

from simulator.core.outcome import Gap, MetricInfo, Score, Unscored
from simulator.core.persona import Language
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply
from simulator.metrics._expected import UNNAMED
from simulator.view.summary import (
    documents_found,
    entry_statements,
    is_cheap,
    notes,
    scenario_coverage,
)
from tests.execution.scored import OVERALL, episode, header, rated, run, turn

ENTRIES = {
    "ja": [
        Document("送料は全国一律500円です。5,000円以上で無料になります。", "faq-1", "送料について"),
        Document("商品到着から30日以内なら返品できます。", "faq-2", "返品したい"),
        Document("平日の10時から18時まで営業しています。", "faq-3", "営業時間は"),
    ],
    "en": [
        Document("Delivery costs 5 pounds and is free above 50 pounds.", "faq-1", "Delivery"),
        Document("You can return an article within 30 days.", "faq-2", "Returning an article"),
        Document("The shop is open from 9 to 18 on weekdays.", "faq-3", "Opening hours"),
    ],
}
ASKED = {"ja": "返品したいのですが", "en": "I would like returning an article"}
ANSWER = {"ja": "30日以内なら返品できます。", "en": "Return an article within 30 days."}
ELEMENT = {"ja": "全国一律500円", "en": "5 pounds"}


def expecting(
    language: Language, query: str = "?", **expected: object
) -> dict[str, tuple[str, ...]]:
    scenario = Scenario("s", query, expected=Expected(**expected))  # type: ignore[arg-type]
    return dict(scenario_coverage(ENTRIES[language], [scenario], language).expecting)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_scenario_expects_what_it_names_or_what_holds_its_answer(language: Language) -> None:
    faq = {name: {name: ("s",)} for name in ("faq-1", "faq-2", "faq-3")}
    assert faq["faq-3"] == expecting(language, documents=("faq-3",), answers=(ANSWER[language],))
    assert faq["faq-2"] == expecting(language, answers=(ANSWER[language],))
    assert faq["faq-1"] == expecting(language, elements=((ELEMENT[language],),))
    assert faq["faq-2"] == expecting(language, ASKED[language], answerable=True)
    assert {} == expecting(language, "?", answers=("🎉",), answerable=True)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_must_not_be_answered_and_what_says_nothing_expects_no_entry(
    language: Language,
) -> None:
    assert {} == expecting(language, ASKED[language], answerable=False)
    assert {} == expecting(language, ASKED[language], answerable=False, escalate=True)
    assert {} == expecting(language, ASKED[language])


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_is_handed_over_expects_the_entry_about_it(language: Language) -> None:
    about_it = {"faq-2": ("s",)}
    assert about_it == expecting(language, ASKED[language], escalate=True)
    assert about_it == expecting(language, escalate=True, answers=(ANSWER[language],))
    assert {} == expecting(language, "?", escalate=True)


def test_the_lists_and_their_counts() -> None:
    scenarios = [
        Scenario("a", "?", expected=Expected(documents=("faq-1", "gone"))),
        Scenario("b", "?", expected=Expected(documents=("faq-1",))),
        Scenario("c", "?"),
        Scenario("d", "?", expected=Expected(answerable=False)),
    ]
    found = scenario_coverage(ENTRIES["ja"], scenarios, "ja")
    assert {"faq-1": ("a", "b")} == found.expecting
    assert ["faq-2", "faq-3"] == [entry.id for entry in found.unexpected]
    assert (("c",), 4) == (found.silent, found.scenarios)
    counts = found.counts()
    assert (("faq-1", "faq-2", "faq-3"), 2, 4, 1) == (
        counts.entries,
        counts.unexpected,
        counts.scenarios,
        counts.silent,
    )
    came = frozenset({"faq-3", "elsewhere"})
    missing = found.never_found(came)
    assert missing is not None
    assert ["faq-1", "faq-2"] == [entry.id for entry in missing]
    assert 2 == counts.never_found(came)


@pytest.mark.parametrize("came", [frozenset[str](), frozenset({"elsewhere"})])
def test_of_a_bot_that_names_no_entry_it_is_not_known_what_was_never_found(
    came: frozenset[str],
) -> None:
    found = scenario_coverage(ENTRIES["ja"], [], "ja")
    assert found.never_found(came) is None
    assert found.counts().never_found(came) is None


def test_the_ids_of_all_turns_are_gathered() -> None:
    replies = [
        Reply("はい。", (Document("x", "faq-1"), Document("y"))),
        Reply("はい。", (Document("x", "faq-2"),)),
    ]
    turns = [turn(rated(4), exchange=Exchange(n, "?", r)) for n, r in enumerate(replies, 1)]
    assert {"faq-1", "faq-2"} == documents_found(episode(*turns))


def test_a_run_reads_no_large_knowledge_base_without_need() -> None:
    many = [Document("x", f"faq-{n}") for n in range(600)]
    named = Scenario("a", "?", expected=Expected(documents=("faq-1",)))
    guessed = Scenario("b", "?", expected=Expected(answers=("x",)))
    assert is_cheap(many, {"a": named})
    assert not is_cheap(many, {"a": named, "b": guessed})
    assert is_cheap(many[:500], {"b": guessed})
    assert not is_cheap(many * 40, {"a": named})


@pytest.mark.parametrize(
    ("language", "said"), [("en", "retrieval isn't scored"), ("ja", "採点していません")]
)
def test_ids_that_are_no_entrys_are_told_in_a_note(language: Language, said: str) -> None:
    exchange = Exchange(1, "Hm?", Reply("So.", (Document("", "faq-01"),)))
    gap = Unscored(Gap.NOT_APPLICABLE, UNNAMED)
    hit = MetricInfo("retrieval_hit", "Expected document retrieved")
    head = header(metrics=(OVERALL, hit), language=language, notes=("before",))
    unknown = turn(outcomes={"overall": rated(5), "retrieval_hit": gap}, exchange=exchange)
    first, told = notes(run(head, episode(unknown)))
    assert "before" == first
    assert said in told
    assert "faq-01" in told
    known = turn(outcomes={"overall": rated(5), "retrieval_hit": Score(0.0, 0.0)})
    assert ("before",) == notes(run(head, episode(unknown), episode(known, scenario="b")))
    assert ("before",) == notes(run(head, episode(known)))


STATED = Document(
    "返品は到着から30日以内です。送料は500円です。箱は捨ててもかまいません。ありがとうございます。",
    "faq-9",
    "返品したい",
)


@pytest.mark.parametrize(
    ("expected", "unchecked"),
    [
        (Expected(answers=(STATED.text,)), []),
        (Expected(elements=(("30日以内",),)), ["送料は500円です。", "箱は捨ててもかまいません。"]),
        (
            Expected(answers=("返品は14日以内、送料は500円です。",)),
            ["返品は到着から30日以内です。", "箱は捨ててもかまいません。"],
        ),
        (Expected(answerable=True), ["返品は到着から", "送料は500円", "箱は捨てても"]),
    ],
)
def test_statements_are_checked_by_words_and_amounts_of_what_is_expected(
    expected: Expected, unchecked: list[str]
) -> None:
    scenario = Scenario("s", "返品できますか", expected=replace(expected, documents=("faq-9",)))
    known = scenario_coverage([STATED], [scenario], "ja")
    (statements,) = entry_statements(known, {"s": scenario}, "ja")
    assert 3 == statements.total
    assert len(unchecked) == len(statements.unchecked)
    assert all(map(str.startswith, statements.unchecked, unchecked))


def test_a_statement_without_a_word_of_its_own_is_checked_by_an_answer_that_has_it() -> None:
    text = "You can cancel until noon on the day before. After that we charge 50% of the price."
    entry = Document(text, "p10", "Cancelling")
    scenario = Scenario("s", "Cancelling", expected=Expected((text,), documents=("p10",)))
    known = scenario_coverage([entry], [scenario], "en")
    (statements,) = entry_statements(known, {"s": scenario}, "en")
    assert (2, ()) == (statements.total, statements.unchecked)


def test_no_statement_is_checked_of_an_entry_that_nobody_expects() -> None:
    (statements,) = entry_statements(scenario_coverage([STATED], [], "ja"), {}, "ja")
    assert (3, 3) == (statements.total, len(statements.unchecked))
