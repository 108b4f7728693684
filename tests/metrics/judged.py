"""A judge and a turn for it to judge, as the tests of the rubrics need them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from simulator.core.health import Aspect, Ratings, Rubric, Said
from simulator.core.persona import Language, Persona
from simulator.core.ports import Chat, Evidence
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, Talk, TargetFailure
from simulator.llm.scripted import ScriptedAnswer, ScriptedChat, ScriptedRequest
from simulator.metrics._context import MetricContext
from simulator.metrics.rubrics import Rubrics
from tests.llm.shipped import catalog, prompt

ASPECTS = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


def aspect(name: str, low: int = 1, high: int = 5, anchors: Mapping[Said, str] = {}) -> Aspect:
    return Aspect(name, name.title(), f"How is its {name}?", Ratings(low, high), anchors)


def rubric(
    name: str, *aspects: Aspect, sees: tuple[str, ...] = ("question", "answer"), **more: Any
) -> Rubric:
    return Rubric(name, name.title(), sees, "Look closely.", aspects, "sha", **more)


def shipped_rubric(language: Language = "en", name: str = "answer_quality") -> Rubric:
    return catalog().rubric(language, name)


def persona(language: Language = "en") -> Persona:
    return catalog().persona(language, "calm")


def exchange(
    turn: int, user: str = "How?", reply: str | TargetFailure = "So.", *documents: Document
) -> Exchange:
    answer = reply if isinstance(reply, TargetFailure) else Reply(reply, documents)
    return Exchange(turn, user, answer)


def evidence(
    *exchanges: Exchange,
    language: Language = "en",
    episode: str = "login/calm/1",
    goal: str = "To log in.",
    expected: Expected = Expected(),  # noqa: B008 (frozen)
    guidelines: tuple[str, ...] = ("Be honest.",),
) -> Evidence:
    scenario = Scenario("login", "I cannot log in", goal=goal, expected=expected)
    talk = Talk(episode, exchanges or (exchange(1),))
    return Evidence(language, persona(language), scenario, talk, guidelines)


def judge(
    chat: Chat | None,
    *rubrics: Rubric,
    votes: int = 1,
    calls: Literal["together", "apart"] = "together",
    secret: str = "of the run",
    language: Language = "en",
    joining: tuple[type[Any], ...] = (),
) -> Rubrics:
    context = MetricContext(
        chat=chat,
        prompts=lambda name: prompt(language, name),
        rubrics=rubrics if rubrics or joining else (shipped_rubric(language),),
        votes=votes,
        calls=calls,
        secret=secret,
        language=language,
        joining=joining,
    )
    return Rubrics.open(context)


def rating(overall: object = 4, comment: str = "It answers.", **others: object) -> dict[str, Any]:
    """A judgement of the shipped rubric."""
    words = {"comment": comment, "conclusion": "Good."}
    return {**words, **dict.fromkeys(ASPECTS, 4), "overall": overall, **others}


def says(*answers: Mapping[str, Any] | str | Exception) -> ScriptedChat:
    """A chat that gives these answers, mappings as JSON."""
    return ScriptedChat([json.dumps(a) if isinstance(a, Mapping) else a for a in answers])


def always(answer: Callable[[ScriptedRequest], ScriptedAnswer] | Mapping[str, Any]) -> ScriptedChat:
    """A chat that answers every request in one way."""
    if callable(answer):
        return ScriptedChat(answer)
    text = json.dumps(answer)
    return ScriptedChat(lambda request: text)
