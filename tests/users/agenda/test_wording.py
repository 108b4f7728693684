"""How the agenda user words its acts."""

import random
from dataclasses import replace

import pytest

from simulator.core.persona import Language, Persona, Politeness, Slips
from simulator.users.agenda.wording import MessagePlan, Realisation, Wording, size
from tests.users.people import bare


def wording(persona: Persona) -> Wording:
    return Wording(persona, random.Random(1))


def line(text: str) -> Realisation:
    return Realisation("ask", text, text)


def test_wordings_that_were_used_come_last() -> None:
    mouth = wording(bare(phrases={"ask": ("a {need}", "b {need}", "c {need}")}))
    first = mouth.lines("ask", need="x")
    chosen = mouth.compose([], [MessagePlan((first,))])
    assert chosen is not None
    assert all(mouth.lines("ask", need="x")[-1].text == chosen[0] for _ in range(5))


def test_braces_in_what_is_filled_in_stay_text() -> None:
    mouth = wording(bare(phrases={"tell": ("{fact}!",)}))
    assert ["{need}{fact}!"] == [found.text for found in mouth.lines("tell", fact="{need}{fact}")]


def test_facts_are_told_together_and_unasked_without_a_question() -> None:
    phrases = {"tell": ("{fact}？", "{fact}。")}
    mouth = wording(bare(phrases=phrases))
    (told,) = mouth.tellings(["靴です。", "赤い"], is_asked=False)
    assert ("靴です。赤いです。", ("靴です。", "赤い")) == (told.text, told.facts)
    assert 2 == len(mouth.tellings(["靴です"], is_asked=True))
    only_questions = wording(bare(phrases={"tell": ("{fact}？",)}))
    assert 1 == len(only_questions.tellings(["靴です"], is_asked=False))


def composed(
    plans: list[MessagePlan], said: list[str], language: Language = "ja", length: int = 10
) -> str:
    found = wording(bare(language, length=length)).compose(said, plans)
    return found[0] if found else ""


def lines(*texts: str, language: Language = "ja") -> list[Realisation]:
    return [replace(line(text), size=size(text, language)) for text in texts]


def test_a_message_is_about_as_long_as_the_person_writes() -> None:
    texts = [letter * n for letter, n in (("a", 1), ("b", 10), ("c", 100))]
    for text in texts:
        assert text == composed([MessagePlan((lines(*texts),))], [], length=len(text))


def test_parts_are_left_out_of_a_message_that_would_be_too_long() -> None:
    plans = [
        MessagePlan((lines("a" * 10), lines("b" * 10))),
        MessagePlan((lines("b" * 10),), cost=0.4),
    ]
    assert "b" * 10 == composed(plans, [], length=8)
    assert "a" * 10 + "b" * 10 == composed(plans, [], length=20)


def test_of_two_messages_of_one_length_the_plan_that_is_liked_better_is_taken() -> None:
    assert "b" == composed([MessagePlan((lines("a"),), cost=0.1), MessagePlan((lines("b"),))], [])


def test_the_lengths_of_one_person_vary_around_the_usual_one() -> None:
    mouth = wording(bare(length=20))
    plans = [MessagePlan((lines(*("a" * n for n in range(1, 80))),))]
    found = [len(mouth.compose([], plans)[0]) for _ in range(200)]  # type: ignore[index]
    assert 15 < sum(found) / len(found) < 25
    assert min(found) < 15
    assert 25 < max(found) < 50


def test_what_was_said_is_not_said_again() -> None:
    plans = [MessagePlan((lines("aaa", "bbb"),))]
    assert "bbb" == composed(plans, ["aaa"])
    assert "" == composed(plans, ["aaa", "bbb"])


def test_english_parts_are_joined_by_a_space_and_measured_in_words() -> None:
    plans = [MessagePlan((lines("One two.", language="en"), lines("Three four.", language="en")))]
    assert "One two. Three four." == composed(plans, [], "en")
    assert (2, 8) == (size("One two.", "en"), size("One two.", "ja"))


def test_parts_that_start_alike_are_not_put_together_unless_there_is_nothing_else() -> None:
    plans = [MessagePlan((lines("Lost, sorry."), lines("Sorry, one thing.", "So what?")))]
    assert "Lost, sorry. So what?" == composed(plans, [], "en")
    assert "Lost, sorry. Sorry, one thing." == composed(plans, ["Lost, sorry. So what?"], "en")


def test_of_one_wording_alone_no_use_is_too_much() -> None:
    mouth = wording(bare(phrases={"dissatisfied": ("No!",)}))
    for _ in range(3):
        [line] = mouth.lines("dissatisfied")
        assert line.cost < 0.5
        mouth.compose([], [MessagePlan(([line],))])


@pytest.mark.parametrize(
    ("wording_of", "fact", "told"),
    [
        ("Aye, {fact}.", "The card is new", "Aye, the card is new."),
        ("Aye, {fact}.", "Tokyo is my home", "Aye, Tokyo is my home."),
        ("{fact}. OK?", "my card is new", "My card is new. OK?"),
        ("Look. {fact}.", "it is new", "Look. It is new."),
    ],
)
def test_english_facts_have_their_capitals_right(wording_of: str, fact: str, told: str) -> None:
    mouth = wording(bare("en", phrases={"tell": (wording_of,)}))
    assert [told] == [found.text for found in mouth.tellings([fact], is_asked=True)]


def test_who_types_in_a_rush_sets_no_capitals() -> None:
    persona = bare("en", phrases={"tell": ("{fact} ok",)})
    persona = replace(persona, style=replace(persona.style, slips=Slips.TYPING))
    [told] = wording(persona).tellings(["my card is new"], is_asked=True)
    assert "my card is new ok" == told.text


@pytest.mark.parametrize(
    ("politeness", "wording_of", "told"),
    [
        (Politeness.POLITE, "{fact}。", "昨日買いました。色は赤です。"),
        (Politeness.FORMAL, "{fact}けど…", "昨日買いました。色は赤ですけど…"),
        (Politeness.POLITE, "{fact}みたいで…", "昨日買いました。色は赤みたいで…"),
        (Politeness.PLAIN, "{fact}。", "昨日買った。色は赤。"),
    ],
)
def test_japanese_facts_are_told_in_the_register_of_the_person(
    politeness: Politeness, wording_of: str, told: str
) -> None:
    persona = bare(phrases={"tell": (wording_of,)})
    persona = replace(persona, style=replace(persona.style, politeness=politeness))
    facts = (
        ("昨日買いました", "色は赤です")
        if politeness is Politeness.PLAIN
        else ("昨日買った", "色は赤")
    )
    [found] = wording(persona).tellings(facts, is_asked=True)
    assert (told, facts) == (found.text, found.facts)
