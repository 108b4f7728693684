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
        (FREE, "8,000円", FactFault.BARE),
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
