"""The demo bot: what it finds, what it says, and what it does not know."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from simulator.core.errors import InputError, ModelError, ModelFault, TargetFault
from simulator.core.persona import Language
from simulator.core.ports import CallId, Chat, Completion, Form, Knowledge, Message, Role, Target
from simulator.core.talk import Document, Talk, TargetFailure
from simulator.files.catalog import Catalog
from simulator.files.knowledge import Passages, load_knowledge
from simulator.llm.scripted import ScriptedChat
from simulator.targets._context import TargetContext
from simulator.targets.demo import Demo
from tests.targets.contract import Bot, Contract
from tests.targets.fakes import guarded, talk_of

ROOT = Path(__file__).parents[2]
KNOWLEDGE = Passages(
    (
        Document("Press reset on the login page.", "password", "I forgot my password"),
        Document("Open the plan page and press cancel.", "cancel", "How do I cancel my plan?"),
        Document("Yearly plans cost 4800 yen, monthly plans 480 yen.", "price", "Prices of plans"),
        Document("Open the album and press share.", "album", "Sharing an album"),
    )
)
UNKNOWN = "I'm sorry, I don't know"


def _demo(
    knowledge: Knowledge | None = KNOWLEDGE,
    *,
    language: Language = "en",
    chat: Chat | None = None,
    **settings: Any,
) -> Demo:
    catalog = Catalog(None, ROOT)
    context = TargetContext(
        ROOT / "acme", language, knowledge, chat, lambda name: catalog.prompt(language, name)
    )
    return Demo.open(Demo.Settings(**settings), context)


@dataclass
class _ActingChat:
    """A chat model that acts as the question says."""

    bot: Bot

    async def complete(
        self,
        call: CallId,
        messages: Sequence[Message],
        *,
        form: Form | None = None,
        fence: str = "",
    ) -> Completion:
        act = messages[-1].content.splitlines()[-1]
        self.bot.enter(act)
        try:
            if act in {"slow", "hang"}:
                await asyncio.sleep(30 if act == "hang" else 0.02)
            return Completion(str(Bot.say(act)))
        finally:
            self.bot.leave()


class TestWordedByAModel(Contract):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        return _demo(chat=_ActingChat(bot))


async def test_the_answer_is_the_best_passage_and_its_documents_come_along() -> None:
    reply = await _demo().answer("How can I cancel a monthly plan?", Talk("e"))
    expected = (
        'Here is what our help pages say about "How do I cancel my plan?":\n'
        "Open the plan page and press cancel."
    )
    assert expected == reply.text
    assert ["cancel", "price"] == [d.id for d in reply.documents]


async def test_below_the_floor_it_does_not_know_but_shows_what_it_found() -> None:
    reply = await _demo().answer(
        "What does a gym plan with sauna and swimming pool cost?", Talk("e")
    )
    assert reply.text.startswith(UNKNOWN)
    assert "price" == reply.documents[0].id


async def test_where_nothing_is_found_it_does_not_know() -> None:
    reply = await _demo().answer("weather?", Talk("e"))
    assert (True, ()) == (reply.text.startswith(UNKNOWN), reply.documents)
    assert reply.reports_documents


async def test_the_floor_and_the_number_of_documents_are_settings() -> None:
    reply = await _demo(floor=0, top_k=1).answer("plan?", Talk("e"))
    assert (False, 1) == (reply.text.startswith(UNKNOWN), len(reply.documents))
    with pytest.raises(ValidationError):
        Demo.Settings(floor=1.5)


async def test_a_passage_without_a_title_is_quoted_alone() -> None:
    bot = _demo(Passages((Document("Press reset.", "a"), Document("Other words.", "b"))), floor=0)
    assert "Press reset." == (await bot.answer("reset?", Talk("e"))).text


async def test_a_question_of_few_words_is_searched_for_with_the_turn_before() -> None:
    bot, talk = _demo(), talk_of(("How do I cancel a yearly plan?", "…"))
    alone = await bot.answer("And what does it cost?", Talk("e"))
    after = await bot.answer("And what does it cost?", talk)
    assert (["price"], {"price", "cancel"}) == (
        [d.id for d in alone.documents],
        {d.id for d in after.documents},
    )


async def test_a_question_of_its_own_is_not_mixed_with_the_turn_before() -> None:
    talk = talk_of(("How do I cancel a yearly plan?", "…"))
    reply = await _demo().answer("I forgot the password for the login page", talk)
    assert "password" == reply.documents[0].id
    assert "price" not in [d.id for d in reply.documents]


async def test_it_answers_in_japanese() -> None:
    knowledge = load_knowledge(ROOT / "scenarios" / "demo" / "knowledge" / "faq.csv")
    reply = await _demo(knowledge, language="ja").answer(
        "パスワードを忘れてログインできません", Talk("e")
    )
    assert "faq-007" == reply.documents[0].id
    assert "再設定" in reply.text


async def test_the_model_gets_the_documents_the_talk_and_the_question() -> None:
    chat = ScriptedChat(["Worded."])
    bot = _demo(chat=chat, service="Acme")
    reply = await bot.answer("How can I cancel a plan?", talk_of(("Hello", "Hi {{question}}")))
    (request,) = chat.requests
    system, user = (m.content for m in request.messages)
    assert ("Worded.", CallId("e/p/1", 2, Role.TARGET, "wording")) == (reply.text, request.call)
    assert "support desk of Acme" in system
    assert "[cancel] How do I cancel my plan?\nOpen the plan page and press cancel." in user
    assert "Q: Hello\nA: Hi {{question}}" in user
    assert user.endswith("How can I cancel a plan?")
    assert ["cancel", "price"] == [d.id for d in reply.documents]


async def test_the_model_is_asked_even_where_nothing_is_found() -> None:
    chat = ScriptedChat(["Hello!"])
    reply = await _demo(chat=chat).answer("weather", Talk("e"))
    assert ("Hello!", 2) == (reply.text, chat.requests[0].last.count("(none)"))
    assert "support desk of acme" in chat.requests[0].messages[0].content


@pytest.mark.parametrize("fault", [ModelFault.REFUSED, ModelFault.TRUNCATED, ModelFault.EMPTY])
async def test_a_model_without_a_whole_answer_is_a_failure_of_the_bot(fault: ModelFault) -> None:
    guard = guarded(_demo(chat=ScriptedChat([Completion("half an ans", fault=fault)])))
    said = await guard.answer("plan?", Talk("e"))
    assert isinstance(said, TargetFailure)
    expected = (TargetFault.RAISED, f"the model that words the answers: {fault.value}")
    assert expected == (said.fault, said.message)


async def test_a_model_out_of_reach_is_no_failure_of_the_bot() -> None:
    chat = ScriptedChat([ModelError(ModelFault.UNAVAILABLE, "503")])
    with pytest.raises(ModelError):
        await guarded(_demo(chat=chat)).answer("plan?", Talk("e"))


@pytest.mark.parametrize("knowledge", [None, Passages(())])
def test_without_knowledge_it_is_not_opened(knowledge: Knowledge | None) -> None:
    with pytest.raises(InputError, match="write `knowledge: "):
        _demo(knowledge)


@pytest.mark.parametrize(("client", "language"), [("demo", "ja"), ("demo-en", "en")])
async def test_its_floor_suits_the_shipped_scenarios(client: str, language: Language) -> None:
    """Most that it can answer is answered, most that it cannot is not."""
    folder = ROOT / "scenarios" / client
    bot = _demo(load_knowledge(folder / "knowledge" / "faq.csv"), language=language)
    unknown = Catalog(None, ROOT).prompt(language, "demo_answer").render("unknown")
    answered: dict[str, list[bool]] = {"plain": [], "unanswerable": []}
    for scenario in yaml.safe_load((folder / "scenarios.yaml").read_text("utf-8")):
        reply = await bot.answer(scenario["query"], Talk("e"))
        for tag in answered.keys() & set(scenario["tags"]):
            answered[tag].append(reply.text != unknown)
    assert sum(answered["plain"]) >= 0.7 * len(answered["plain"])
    assert sum(answered["unanswerable"]) <= 0.3 * len(answered["unanswerable"])
