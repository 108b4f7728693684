"""Turns to be scored without a judge."""

from collections.abc import Sequence

from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Disclosure, Language, Persona, Politeness, Style
from simulator.core.ports import Evidence, Metric
from simulator.core.scenario import Element, Scenario
from simulator.core.talk import Document, Exchange, Reply, Talk, TargetFailure
from simulator.metrics._context import MetricContext
from tests.expecting import expecting


def context(language: Language = "ja") -> MetricContext:
    def no_prompt(name: str) -> object:
        raise AssertionError(f"nobody needs the prompt {name}")

    return MetricContext(None, no_prompt, (), 1, "together", "", language)  # type: ignore[arg-type]


class Entries:
    """A knowledge base."""

    def __init__(self, *documents: Document) -> None:
        self._documents = documents

    def __len__(self) -> int:
        return len(self._documents)

    def documents(self) -> tuple[Document, ...]:
        return self._documents


def evidence(
    *replies: Reply | TargetFailure | str,
    language: Language = "ja",
    answer: str | Sequence[str] = "",
    elements: Sequence[str | Element] = (),
    documents: Sequence[str] = (),
    answerable: bool | None = None,
    escalate: bool = False,
    goal: str = "",
    asked: Sequence[str] = ("返品したい",),
) -> Evidence:
    """A talk in which the user says what is `asked`, the last of it again and again."""
    style = Style(24, Politeness.PLAIN, Disclosure.ASKED, "")
    persona = Persona("calm", language, "", "", (), style, patience=1)
    expected = expecting(answer, tuple(elements), tuple(documents), answerable, escalate)
    scenario = Scenario("returns", asked[0], goal, expected=expected)
    exchanges = tuple(
        Exchange(
            turn,
            asked[min(turn, len(asked)) - 1],
            Reply(reply) if isinstance(reply, str) else reply,
        )
        for turn, reply in enumerate(replies, start=1)
    )
    return Evidence(language, persona, scenario, Talk("returns/calm/1", exchanges))


def named(*ids: str | None) -> Reply:
    return Reply("はい。", tuple(Document("本文", name) for name in ids))


async def outcome(metric: Metric, turn: Evidence) -> Outcome:
    """The one outcome of a metric of one name, which is in its infos."""
    outcomes = await metric.score(turn)
    (info,) = metric.infos
    assert {info.name} == outcomes.keys()
    return outcomes[info.name]


def value(found: Outcome) -> float:
    assert isinstance(found, Score), found
    assert found.value == found.raw
    return found.value


def comment(found: Outcome) -> str:
    assert isinstance(found, Score), found
    return found.comment


def is_not_applicable(found: Outcome) -> bool:
    return isinstance(found, Unscored) and found.reason is Gap.NOT_APPLICABLE and bool(found.detail)
