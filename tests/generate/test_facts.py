"""Which facts of a model are kept: those that the entry supports, and that can be read alone."""

from typing import Any

import pytest

from simulator.core.persona import Language
from simulator.core.scenario import Quote
from simulator.core.talk import Document
from simulator.generate.facts import Draft, FactFault, Facts, supported_facts

SHIPPING = Document(
    "送料は本州・四国・九州が660円、北海道・沖縄が1,320円です。8,000円以上のご注文は送料無料です。",
    "faq-1",
    "送料はいくらですか",
)
FREE = "8,000円以上のご注文は送料無料です。"
RETURNS = Document("Goods can be returned within 30 days. Postage is not refunded.", "r", "Returns")


def facts_of(entry: Document, language: Language, *drafts: Any, **rest: Any) -> Facts:
    facts = [
        {"quote": quote, "text": text, "alternatives": list(others)}
        for quote, text, *others in drafts
    ]
    draft = Draft.model_validate({"question": "?", "facts": facts, **rest})
    return supported_facts(draft, (entry,), language)


def faults(facts: Facts) -> dict[str, FactFault]:
    return {dropped.text: dropped.fault for dropped in facts.dropped}


def test_a_fact_keeps_its_wordings_and_the_entrys_words() -> None:
    fact = (FREE, "8,000円以上の注文は送料無料", "８，０００円以上で送料がかからない")
    facts = facts_of(SHIPPING, "ja", fact)
    assert [(fact[1], fact[2])] == [kept.wordings for kept in facts.required]
    assert [Quote("faq-1", FREE)] == [kept.quote for kept in facts.required]
    assert () == facts.dropped


@pytest.mark.parametrize(
    ("quote", "text", "fault"),
    [
        ("送料は全国一律です。", "送料は全国一律", FactFault.NO_QUOTE),
        ("", "本州の送料は660円", FactFault.NO_QUOTE),
        (FREE, "5,000円以上の注文は送料無料", FactFault.VIOLATED),
        (FREE, "返品は30日以内", FactFault.UNMET),
        (
            "送料はいくらですか",
            "送料がかかる",
            FactFault.NO_QUOTE,
        ),  # the title asks, it says nothing
        ("送料", "本州の送料は660円", FactFault.NO_QUOTE),
        (FREE, "8,000円", FactFault.BARE),
        (FREE, "送料", FactFault.BARE),
        (FREE, "無料" * 100, FactFault.TOO_LONG),
    ],
)
def test_a_fact_that_the_entry_does_not_support_is_dropped_with_the_reason(
    quote: str, text: str, fault: FactFault
) -> None:
    facts = facts_of(SHIPPING, "ja", (quote, text))
    assert ((), {text: fault}) == (facts.required, faults(facts))


def test_a_fact_counts_once_and_only_so_many_of_them_count() -> None:
    quote = "Goods can be returned within 30 days."
    twice = ["Goods can be returned within 30 days", "Goods can be returned within 30 days!"]
    facts = facts_of(RETURNS, "en", *((quote, text) for text in twice))
    assert (1, {twice[1]: FactFault.DUPLICATE}) == (len(facts.required), faults(facts))
    many = [f"{name} can be returned" for name in ("Pens", "Ink", "Caps", "Nibs", "Bags", "Jars")]
    more = facts_of(RETURNS, "en", *((quote, text) for text in (*many, "Hats can be returned")))
    assert (6, {"Hats can be returned": FactFault.TOO_MANY}) == (len(more.required), faults(more))


def test_an_alternative_with_another_value_is_dropped_and_the_fact_stays() -> None:
    quote = "Goods can be returned within 30 days."
    text, wrong = "Goods can be returned within 30 days", "Goods can be returned within 20 days"
    facts = facts_of(RETURNS, "en", (quote, text, wrong, "30 days", text, "never looked at"))
    assert (text,) == facts.required[0].wordings
    assert {wrong: FactFault.VIOLATED, "30 days": FactFault.BARE} == faults(facts)


def test_a_near_miss_must_be_false_of_the_entry() -> None:
    wrong = "Goods can be returned within 20 days"
    said = "Postage is not refunded"
    facts = facts_of(RETURNS, "en", must_not=[wrong, said, wrong, "20 days", " "])
    assert (wrong,) == facts.must_not
    reasons = [FactFault.SAID, FactFault.DUPLICATE, FactFault.BARE]
    assert reasons == [dropped.fault for dropped in facts.dropped]


def test_a_hand_over_needs_a_quote() -> None:
    entry = Document("Please call our nurse on 03-5550-0101.", "a", "Allergies")
    fact = (entry.text, "The nurse deals with allergies")
    facts = facts_of(entry, "en", fact, hand_over=True)
    assert (True, False) == (facts.hand_over, facts.without({1}).hand_over)
    assert not facts_of(entry, "en", ("Ask at the desk.", fact[1]), hand_over=True).hand_over


def test_a_word_alone_is_no_other_way_to_say_a_fact() -> None:
    facts = facts_of(SHIPPING, "ja", (FREE, "8,000円以上の注文は送料無料", "注文"))
    assert [("8,000円以上の注文は送料無料",)] == [fact.wordings for fact in facts.required]
    assert {"注文": FactFault.BARE} == faults(facts)


def test_a_short_sentence_supports_a_fact_that_the_title_asks_for() -> None:
    entry = Document("はい、対応しています。領収書はPDFです。", "i", "インボイスに対応していますか")
    facts = facts_of(entry, "ja", ("はい、対応しています。", "インボイスに対応している"))
    assert ["はい、対応しています。"] == [fact.quote.text for fact in facts.required]


def test_values_alone_support_a_fact_whose_subject_stands_before_them() -> None:
    entry = Document("「シルバーパス」を販売しています。6か月で9,000円。", "p", "パス")
    facts = facts_of(entry, "ja", ("6か月で9,000円。", "シルバーパスは6か月で9,000円"))
    assert ["6か月で9,000円。"] == [fact.quote.text for fact in facts.required]


@pytest.mark.parametrize(
    ("entry", "language", "copied", "near"),
    [
        (RETURNS, "en", "delivery abroad costs £3", "Goods can be returned within 60 days"),
        (SHIPPING, "ja", "予約は3日前から", "5,000円以上のご注文は送料無料"),
    ],
)
def test_a_near_miss_that_shares_no_word_with_the_entry_is_none(
    entry: Document, language: Language, copied: str, near: str
) -> None:
    facts = facts_of(entry, language, must_not=[copied, near])
    assert ((near,), {copied: FactFault.FOREIGN}) == (facts.must_not, faults(facts))


def test_an_example_of_the_prompt_is_no_near_miss_unless_the_entry_speaks_of_it() -> None:
    told = "Such as the value of another case (「沖縄への送料は660円」)."
    draft = Draft(question="?", must_not=["沖縄への送料は660円"])
    fee = Document("手数料は500円です。", "f", "手数料はいくらですか")
    facts = supported_facts(draft, (fee,), "ja", told)
    assert {"沖縄への送料は660円": FactFault.FOREIGN} == faults(facts)
    okinawa = Document("沖縄への送料は1,320円、九州への送料は660円です。", "s", "送料")
    assert FactFault.FOREIGN not in faults(supported_facts(draft, (okinawa,), "ja", told)).values()


@pytest.mark.parametrize(
    ("quote", "text", "hand_over"),
    [
        ("Our nurse answers that; call her on 555-0100.", "Our nurse answers on 555-0100", True),
        ("Visitors are welcome after noon.", "Visitors may come after noon", False),
    ],
)
def test_a_hand_over_counts_only_if_a_quote_sends_to_a_person(
    quote: str, text: str, hand_over: bool
) -> None:
    entry = Document(quote, "n", "Nurse")
    assert hand_over is facts_of(entry, "en", (quote, text), hand_over=True).hand_over
