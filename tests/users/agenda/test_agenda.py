"""The agenda user: what it says to which reply, and how it leaves."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import settings
from hypothesis import strategies as st

from simulator.core.persona import Disclosure, Language
from simulator.core.scenario import Brief
from simulator.core.talk import StopReason, Talk, Utterance
from simulator.users.agenda import Agenda
from simulator.users.agenda.needs import needs_of
from tests.users.people import (
    CONTEXT,
    EVERYBODY,
    OFF_TOPIC,
    PERSONAS,
    POINTED,
    QUERY,
    REFUSAL,
    bare,
    brief,
    held,
    shipped,
    talk,
    with_turns,
)

ANSWER = {
    "ja": "買った靴は、30日以内なら返品できます。返品の送料は500円です。",
    "en": "You can return shoes you bought. Return shipping is 500 yen.",
}
HALF = {"ja": "買った靴は返品できます。", "en": "Shoes you bought can be returned: return them."}
LANGUAGES: tuple[Language, ...] = ("ja", "en")


async def after(given: Brief, *replies: str) -> Utterance:
    """What the user says to the last of these replies."""
    user = Agenda.open(given, CONTEXT)
    so_far: list[tuple[str, str]] = []
    said = Utterance(given.query)
    for reply in replies:
        so_far.append((said.text, reply))
        said = await user.speak(talk(*so_far))
    return said


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_is_done_without_a_word_when_every_need_is_covered(language: Language) -> None:
    persona = shipped("calm", language)
    said, stop = await held(brief(persona), ANSWER[language])
    assert ([QUERY[language]], StopReason.DONE) == (said, stop.reason)
    assert stop.detail in persona.phrases["satisfied"]


async def test_nobody_says_that_all_is_clear_after_an_answer_without_a_word_of_the_question() -> (
    None
):
    given = brief(bare("en", patience=3), goal="", query="Can I bring my baby?")
    _, stop = await held(given, "We take cash and credit cards.")
    assert (StopReason.DONE, "") == (stop.reason, stop.detail)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_still_open_is_asked_next(language: Language) -> None:
    given = brief(bare(language, phrases={"ask": ("?{need}",)}, length=15))
    wanted = {
        "ja": "?返品の送料がいくらか知りたい",
        "en": "?I want to know how much the return shipping costs",
    }
    said = await after(given, HALF[language])
    assert wanted[language] == said.text
    assert given.goal.split("。" if language == "ja" else ". ")[1].strip("。") in said.thought


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("replies", [REFUSAL, OFF_TOPIC])
async def test_a_reply_that_is_no_answer_is_met_with_a_complaint(
    language: Language, replies: dict[Language, str]
) -> None:
    phrases = {"dissatisfied": ("No!",), "ask": ("Ask: {need}",), "rephrase": ("Re: {keywords}",)}
    length = {"ja": 26, "en": 12}[language]
    given = brief(bare(language, phrases=phrases, patience=3, length=length))
    first = await after(given, replies[language])
    assert first.text.startswith("No!")
    assert "Ask: " in first.text
    second = await after(given, replies[language], replies[language])
    assert second.text.startswith("No!")
    assert ("Re: " in second.text) == (replies is REFUSAL)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_beside_the_point_it_goes_on_to_the_next_question_and_comes_back(
    language: Language,
) -> None:
    given = brief(bare(language, patience=5, phrases={"ask": ("?{need}",)}, length=12))
    needs = [need.text.strip("。.") for need in needs_of(given)]
    said, _ = await held(given, OFF_TOPIC[language])
    asked = [next(n for n, need in enumerate(needs) if need in text) for text in said[1:3]]
    assert [1, 0] == asked


ONLY_FIRST = {  # much of the matter, and nothing of the second question
    "ja": "靴の返品は、買った日の箱に、返品の用紙を入れて送ってください。",
    "en": "To return shoes, put them in the box that you bought, with the return form.",
}
BESIDE = {"ja": "返品の用紙は箱の中にあります。", "en": "The return form is in the box."}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_question_that_was_never_put_is_asked_though_the_matter_was_spoken_of(
    language: Language,
) -> None:
    goal = {
        "ja": "買った靴を返品したい。外国の店舗でも返品を受け取ってくれるか知りたい。",
        "en": "I want to return the shoes I bought. I want to know if a shop takes returned boots.",
    }[language]
    persona = bare(language, phrases={"ask": ("?{need}",)}, length=15)
    given = brief(persona, goal=goal)
    said, stop = await held(given, ONLY_FIRST[language])
    assert StopReason.DONE == stop.reason
    assert 2 == len(said)
    assert said[1].startswith("?")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_insists_once_on_what_seems_beside_the_point(language: Language) -> None:
    goal = {
        "ja": "買った靴を返品したい。",
        "en": "I want to return the winter shoes I bought last week.",
    }[language]
    given = brief(bare(language, patience=5), goal=goal)
    said, stop = await held(given, BESIDE[language])
    assert (2, StopReason.DONE) == (len(said), stop.reason)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_last_turns_are_for_what_was_never_asked(language: Language) -> None:
    given = with_turns(brief(bare(language, patience=5, phrases={"ask": ("?{need}",)})), 2)
    _, second = needs_of(given)
    said = await after(given, OFF_TOPIC[language])
    assert second.text.strip("。.") in said.text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_knows_what_it_never_came_to_ask(language: Language) -> None:
    given = brief(bare(language))
    user = Agenda.open(given, CONTEXT)
    _, second = needs_of(given)
    assert (second.text,) == user.unasked(talk((given.query, OFF_TOPIC[language])))
    assert () == user.unasked(talk((given.query, ANSWER[language])))
    so_far = talk((given.query, HALF[language]))
    said = await user.speak(so_far)
    asked = talk((given.query, HALF[language]), (said.text, OFF_TOPIC[language]))
    assert () == user.unasked(asked)


@pytest.mark.parametrize("patience", [1, 2, 3])
async def test_it_gives_up_when_its_patience_is_spent(patience: int) -> None:
    given = brief(bare(patience=patience, phrases={"give_up": ("もういい。",)}))
    said, stop = await held(given, OFF_TOPIC["ja"])
    assert (1 + patience, StopReason.GAVE_UP) == (len(said), stop.reason)
    assert "もういい。" == stop.detail


async def test_progress_gives_it_new_patience() -> None:
    given = brief(bare(patience=1))
    said, stop = await held(given, OFF_TOPIC["ja"], HALF["ja"], OFF_TOPIC["ja"], OFF_TOPIC["ja"])
    assert (4, StopReason.GAVE_UP) == (len(said), stop.reason)


FACTS = ["靴を買ったのは先週", "靴のサイズは24センチ"]
ASKS_SIZE = "靴のサイズを教えていただけますか？"


@pytest.mark.parametrize(
    ("disclosure", "told"),
    [
        (Disclosure.ASKED, {"靴のサイズは24センチ", "靴を買ったのは先週"}),
        (Disclosure.GRUDGING, {"靴のサイズは24センチ"}),
        (Disclosure.OPEN, set(FACTS)),
    ],
)
async def test_asked_it_tells_what_fits_as_its_persona_does(
    disclosure: Disclosure, told: set[str]
) -> None:
    given = brief(bare(disclosure=disclosure), known=FACTS)
    said = await after(given, ASKS_SIZE)
    assert told == {fact for fact in FACTS if fact in said.text}


async def test_a_fact_is_told_once() -> None:
    given = brief(bare(disclosure=Disclosure.GRUDGING, patience=9), known=FACTS)
    said, _ = await held(given, ASKS_SIZE)
    assert 1 == sum(FACTS[0] in text for text in said)
    assert 1 == sum(FACTS[1] in text for text in said)


async def test_a_question_about_anything_takes_any_fact() -> None:
    given = brief(bare(disclosure=Disclosure.GRUDGING), known=FACTS)
    assert FACTS[0] in (await after(given, "もう少し詳しく教えていただけますか？")).text


@pytest.mark.parametrize(
    ("language", "asks"),
    [
        ("ja", "恐れ入りますが、今のご状況を詳しく教えていただけますか？"),
        ("ja", "どのようなことでお困りでしょうか。"),
        ("en", "Could you please provide additional information so that I can help you?"),
        ("en", "What seems to be the issue?"),
    ],
)
async def test_a_question_about_nothing_in_particular_is_no_riddle(
    language: Language, asks: str
) -> None:
    fact = "赤い靴" if language == "ja" else "They are red"
    given = brief(bare(language, patience=1), known=[fact])
    said, _ = await held(given, asks)
    assert fact.casefold() in said[1].casefold()


async def test_what_it_does_not_know_it_cannot_tell() -> None:
    phrases = {"cannot_tell": ("さあ。",)}
    given = brief(
        bare(phrases=phrases, disclosure=Disclosure.OPEN),
        known=["靴は先週買った"],
        unknown=["靴のサイズ"],
    )
    said = await after(given, ASKS_SIZE)
    assert said.text.startswith("さあ。")
    assert "靴のサイズ" not in said.text
    said = await after(replace(given, known=()), "色は何色でしょうか。")
    assert said.text.startswith("さあ。")


async def test_only_an_open_persona_tells_unasked() -> None:
    for disclosure in Disclosure:
        given = brief(bare(disclosure=disclosure, length=100), known=FACTS)
        said = await after(given, OFF_TOPIC["ja"])
        assert (disclosure is Disclosure.OPEN) == all(fact in said.text for fact in FACTS)


@pytest.mark.parametrize("min_turns", [1, 2, 4])
async def test_it_is_not_done_before_min_turns(min_turns: int) -> None:
    said, stop = await held(brief(shipped("beginner"), min_turns=min_turns), ANSWER["ja"])
    assert (min_turns, StopReason.DONE) == (len(said), stop.reason)


async def test_without_a_goal_the_query_is_the_need() -> None:
    given = brief(bare(), goal="", query="靴の送料はいくらですか")
    assert "靴の送料" in (await after(given, OFF_TOPIC["ja"])).text
    _, stop = await held(given, "靴の送料は500円です。")
    assert StopReason.DONE is stop.reason


@pytest.mark.parametrize(
    ("language", "query", "answer"),
    [
        (
            "ja",
            "天井から水が垂れてきた",
            "水漏れのときは、元栓を閉めて緊急窓口0123-45-6789へお電話ください。",
        ),
        (
            "ja",
            "帽子がなくても入れますか",
            "水泳帽は必ずかぶってください。お忘れの方にはお貸しします。",
        ),
        ("en", "a filling came out last night", "Keep the area clean. Do not use glue."),
        ("en", "do you take my insurance", "We accept Brightsmile and Coverwell."),
    ],
)
async def test_without_a_goal_it_does_not_insist_when_it_was_answered_in_other_words(
    language: Language, query: str, answer: str
) -> None:
    given = brief(bare(language, patience=3), goal="", query=query)
    said, stop = await held(given, answer)
    assert ([query], StopReason.DONE) == (said, stop.reason)
    said, stop = await held(replace(given, goal=query), answer)
    assert 1 < len(said)  # what stands as a goal has to be recognised


@pytest.mark.parametrize(
    "replies",
    [
        REFUSAL,
        POINTED,
        {"ja": "お問い合わせありがとうございます。", "en": "Thank you for your message."},
        {"ja": "どの商品のことでしょうか？", "en": "Which item do you mean?"},
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_without_a_goal_what_is_no_answer_contents_nobody(
    language: Language, replies: dict[Language, str]
) -> None:
    said, stop = await held(brief(bare(language), goal=""), replies[language])
    assert 1 < len(said)
    assert StopReason.DONE is not stop.reason


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EVERYBODY)
async def test_it_never_says_the_same_twice(name: str, language: Language) -> None:
    persona = replace(shipped(name, language), patience=1_000)
    given = with_turns(brief(persona, known=["靴は先週買った"]), 60)
    for reply in (REFUSAL[language], OFF_TOPIC[language], "?"):
        said, stop = await held(given, reply)
        assert len(said) == len(set(said)) > 10
        assert stop.reason in (StopReason.GAVE_UP, StopReason.MAX_TURNS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PERSONAS)
async def test_its_messages_are_about_as_long_as_its_persona_writes(
    name: str, language: Language
) -> None:
    persona = shipped(name, language)
    for seed in range(10):
        given = brief(persona, seed=seed, known=["靴は先週買った"])
        said, _ = await held(given, OFF_TOPIC[language])
        for text in said[1:]:
            length = len(text) if language == "ja" else len(text.split())
            assert length <= 2.5 * persona.style.length, text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_two_personas_talk_differently_about_the_same_thing(language: Language) -> None:
    talks = [(await held(brief(shipped(n, language)), OFF_TOPIC[language]))[0] for n in PERSONAS]
    assert all(one[1:] != other[1:] for one, other in combinations(talks, 2))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_seed_decides_every_word(language: Language) -> None:
    given = brief(shipped("calm", language), known=["靴は先週買った"])
    first = await held(given, OFF_TOPIC[language])
    assert first == await held(given, OFF_TOPIC[language])
    others = [await held(replace(given, seed=n), OFF_TOPIC[language]) for n in range(2, 8)]
    assert any(first != other for other in others)


TEXT = st.text(max_size=60) | st.sampled_from(
    [
        *ANSWER.values(),
        *HALF.values(),
        *REFUSAL.values(),
        *OFF_TOPIC.values(),
        POINTED["ja"],
        ASKS_SIZE,
    ]
)


@settings(max_examples=60)
@hypothesis_given(
    replies=st.lists(TEXT, min_size=1, max_size=6),
    query=st.text(min_size=1, max_size=30),
    goal=st.text(max_size=60),
    facts=st.lists(st.text(min_size=1, max_size=20), max_size=3),
    language=st.sampled_from(LANGUAGES),
)
async def test_whatever_is_said_it_speaks_or_leaves(
    replies: list[str], query: str, goal: str, facts: list[str], language: Language
) -> None:
    given = brief(bare(language), query=query, goal=goal, known=facts, unknown=facts[:1])
    user = Agenda.open(given, CONTEXT)
    so_far = Talk("e")
    said = Utterance(query)
    for reply in replies:
        so_far = talk(*((e.user, e.assistant) for e in so_far.exchanges), (said.text, reply))
        said = await user.speak(so_far)
        assert bool(said.text) != (said.stop is not None)
        if said.stop:
            break


async def test_somebody_vague_names_the_matter_first_and_the_need_only_when_that_was_no_use() -> (
    None
):
    phrases = {"ask": ("{keywords}のことで…。",), "rephrase": ("たぶん、{need}んだと…。",)}
    given = brief(bare(phrases=phrases, length=10), goal="買った靴を返品したい。")
    said, _ = await held(given, REFUSAL["ja"])
    assert said[1].endswith("のことで…。")
    assert any(text.endswith("たぶん、買った靴を返品したいんだと…。") for text in said[2:])
