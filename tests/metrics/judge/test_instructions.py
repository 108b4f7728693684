"""_instructions: what a judge is told before any turn, the same byte for byte in a whole run."""

import pytest

from simulator.core.health import YES_NO, Aspect, Example, Labels, Rubric, Share
from simulator.core.persona import Language
from simulator.core.talk import Document, Stop, StopReason
from simulator.metrics._judge.prompt import judge_instructions
from simulator.metrics._judge.rubric import RubricSection
from simulator.metrics.elements import Elements
from tests.expecting import expecting
from tests.llm.shipped import prompt
from tests.metrics.judged import (
    always,
    aspect,
    evidence,
    exchange,
    judge,
    rating,
    rubric,
    shipped_rubric,
)

EN = prompt("en", "judge")
GPT = ("gpt_relevance", "gpt_groundedness", "gpt_similarity", "gpt_fluency")


def told(*rubrics: Rubric, guidelines: tuple[str, ...] = ()) -> str:
    sections = [RubricSection(rubric, EN) for rubric in rubrics]
    return judge_instructions(sections, guidelines, EN)


def test_the_system_message_holds_rubric_scale_and_guidelines() -> None:
    text = told(rubric("r", aspect("good"), aspect("told", anchors={5: "best", 1: "worst"})))
    assert "### good (Good)\nHow is its good?\n1–5\n" in text
    assert "How is its told?\n1: worst\n5: best\n" in text
    assert text.endswith("# Guidelines which the bot has to obey\n(none)")
    full = told(shipped_rubric(), guidelines=("Be {{kind}}.", "Be honest."))
    assert full.endswith("\n- Be {{kind}}.\n- Be honest.")


def test_every_scale_is_told_to_its_ends() -> None:
    text = told(
        rubric(
            "r",
            Aspect("part", "P", "How much?", Share(), {0.5: "half of it"}),
            Aspect("kind", "K", "Is it kind?", YES_NO, {"yes": "it is"}),
            Aspect("state", "S", "Which?", Labels({"open": 0.0, "done": 1.0}), {"done": "over"}),
            aspect("bare", 0, 3, {1: "a little"}),
        )
    )
    assert "How much?\n0–1\n0.5: half of it\n" in text
    assert "Is it kind?\nyes: it is\nno\n" in text
    assert "Which?\nopen\ndone: over\n" in text
    assert "0–3\n1: a little\n" in text


def test_worked_examples_follow_the_aspects_in_the_blocks_that_the_evidence_has() -> None:
    examples = (
        Example({"answer": "So.", "question": "How?"}, "It is curt.", {"good": 2}),
        Example({"question": "Hello"}, "A greeting.", {}),
    )
    text = told(rubric("r", aspect("good"), may_not_apply="It greets.", examples=examples))
    assert text.index("### good") < text.index("It greets.") < text.index("Example 1")
    assert (
        "[The user's last message]\nHow?\n[Answer under evaluation]\nSo.\n"
        "→ comment: It is curt.\n→ good: 2\n"
    ) in text
    assert (
        "[The user's last message]\nHello\n→ comment: A greeting.\n→ not_applicable: true\n" in text
    )


def test_rubrics_that_see_different_things_are_told_which_blocks_are_theirs() -> None:
    fact = rubric("fact", aspect("true"), sees=("documents", "answer"))
    form = rubric("form", aspect("fluent"), sees=("answer",))
    text = told(fact, form)
    assert (
        "For fact look at these blocks alone: [Documents the bot retrieved] "
        "[Answer under evaluation]\n"
    ) in text
    assert "For form look at these blocks alone: [Answer under evaluation]\n" in text
    assert "look at these blocks alone" not in told(fact)
    assert "look at these blocks alone" not in told(
        form, rubric("other", aspect("x"), sees=("answer",))
    )


@pytest.mark.parametrize("calls", ["together", "apart"])
@pytest.mark.parametrize("language", ["ja", "en"])
async def test_the_system_message_is_the_same_byte_for_byte_in_a_whole_run(
    language: Language, calls: str
) -> None:
    chat = always(rating())
    metrics = judge(chat, calls=calls, language=language)  # type: ignore[arg-type]
    for episode in ("a/calm/1", "b/calm/2"):
        for turns in (1, 2):
            talk = [exchange(n, f"{episode} {n}") for n in range(1, turns + 1)]
            await metrics.score(evidence(*talk, episode=episode, language=language))
    systems = {r.messages[0].content for r in chat.requests}
    assert (4, 1) == (len(chat.requests), len(systems))
    assert 4 == len({r.last for r in chat.requests})


@pytest.mark.parametrize("language", ["ja", "en"])
async def test_so_it_is_with_all_that_can_be_asked_whatever_a_scenario_expects(
    language: Language,
) -> None:
    """Schemas as well: providers put them before the messages in what they cache."""
    chat = always({})
    rubrics = [shipped_rubric(language, name) for name in ("answer_quality", *GPT)]
    metrics = judge(chat, *rubrics, joining=(Elements,), language=language)
    for number in (1, 2, 5):
        expected = expecting(answer=f"so {number}", elements=("x",) * number)
        turn = evidence(
            exchange(1, f"q{number}", f"a{number}", Document(f"d{number}")),
            episode=f"e{number}",
            expected=expected,
            language=language,
        )
        await metrics.score(turn)
    sent = {(r.messages[0].content, str(r.form.schema)) for r in chat.requests if r.form}
    assert (6, 1) == (len(chat.requests), len(sent))  # `{}` is sent back once


async def test_whole_talks_have_a_message_of_their_own() -> None:
    chat = always({})
    metrics = judge(
        chat, shipped_rubric("en", "goal_reached"), shipped_rubric("en", "satisfaction")
    )
    await metrics.score_talk(evidence(exchange(1)), Stop(StopReason.DONE))
    system = chat.requests[0].messages[0].content
    assert "You rate one thing: a whole conversation" in system
    blocks = "[What the user wants in the end] [The whole conversation]"
    assert f"For goal_reached look at these blocks alone: {blocks}\n" in system
    assert "rate the whole conversation by the criteria" in chat.requests[0].last
