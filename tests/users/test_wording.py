"""How the agenda user words its acts."""

import random

from simulator.core.persona import Language, Persona
from simulator.users._wording import Line, Wording
from tests.users.people import bare


def wording(persona: Persona) -> Wording:
    return Wording(persona, random.Random(1))


def line(text: str) -> Line:
    return Line("ask", text, text)


def test_wordings_that_were_used_come_last() -> None:
    mouth = wording(bare(phrases={"ask": ("a {need}", "b {need}", "c {need}")}))
    first = mouth.lines("ask", need="x")
    chosen = mouth.compose([], [[first]])
    assert chosen is not None
    assert first[0].text == chosen[0]
    assert all(mouth.lines("ask", need="x")[-1] == first[0] for _ in range(5))


def test_braces_in_what_is_filled_in_stay_text() -> None:
    mouth = wording(bare(phrases={"tell": ("{fact}!",)}))
    assert ["{need}{fact}!"] == [found.text for found in mouth.lines("tell", fact="{need}{fact}")]


def test_facts_are_told_together_and_unasked_without_a_question() -> None:
    phrases = {"tell": ("{fact}？", "{fact}。")}
    mouth = wording(bare(phrases=phrases))
    (told,) = mouth.tellings(["靴です。", "赤い"], asked=False)
    assert ("靴です。赤い。", ("靴です。", "赤い")) == (told.text, told.facts)
    assert 2 == len(mouth.tellings(["靴です"], asked=True))
    only_questions = wording(bare(phrases={"tell": ("{fact}？",)}))
    assert 1 == len(only_questions.tellings(["靴です"], asked=False))


def composed(plans: list[list[list[Line]]], said: list[str], language: Language = "ja") -> str:
    found = wording(bare(language, length=5)).compose(said, plans)
    return found[0] if found else ""


def test_the_best_plan_that_is_short_enough_is_taken() -> None:
    plans = [[[line("a" * 8)], [line("b" * 8)]], [[line("b" * 8)]]]
    assert "b" * 8 == composed(plans, [])


def test_if_all_are_too_long_the_shortest_is_taken() -> None:
    assert "b" * 20 == composed([[[line("a" * 30), line("b" * 20), line("c" * 25)]]], [])


def test_what_was_said_is_not_said_again() -> None:
    plans = [[[line("aaa"), line("bbb")]]]
    assert "bbb" == composed(plans, ["aaa"])
    assert "" == composed(plans, ["aaa", "bbb"])


def test_english_parts_are_joined_by_a_space_and_measured_in_words() -> None:
    assert "One two. Three four." == composed(
        [[[line("One two.")], [line("Three four.")]]], [], "en"
    )


def test_parts_that_start_alike_are_not_put_together() -> None:
    plans = [[[line("Lost, sorry.")], [line("Sorry, one thing."), line("So what?")]]]
    assert "Lost, sorry. So what?" == composed(plans, [], "en")
