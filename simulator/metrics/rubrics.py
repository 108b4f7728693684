"""All that a judge is asked: rubrics in, one outcome for each of their aspects out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

from simulator.core.errors import InputError, ModelError, ModelFault
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Unscored
from simulator.core.ports import CallId, Chat, Evidence, Message, Role
from simulator.core.rubric import Aspect, Rubric
from simulator.core.scenario import Scenario
from simulator.core.talk import TargetFailure
from simulator.core.waiting import all_done
from simulator.llm.structured import ask
from simulator.metrics._context import MetricContext
from simulator.metrics._evidence import fence_of, shown
from simulator.metrics._form import OWN_WORDS, JudgeForm
from simulator.metrics._instructions import system_message
from simulator.metrics._votes import Vote, counted

T = TypeVar("T")

_GAPS = {
    ModelFault.REFUSED: Gap.JUDGE_REFUSED,
    ModelFault.FILTERED: Gap.JUDGE_REFUSED,
    ModelFault.TRUNCATED: Gap.JUDGE_TRUNCATED,
    ModelFault.EMPTY: Gap.JUDGE_UNPARSABLE,
    ModelFault.UNPARSABLE: Gap.JUDGE_UNPARSABLE,
    ModelFault.REJECTED: Gap.JUDGE_ERROR,
}
# What a rubric sees that not every scenario has: without it there is nothing to compare with.
_NEEDS = {"expected_answer": "answer", "expected_elements": "elements"}


@dataclass(frozen=True, slots=True)
class _Question:
    """One call, or one for each vote: some rubrics, their form, and what names the call."""

    rubrics: tuple[Rubric, ...]
    form: JudgeForm
    part: str

    @property
    def sees(self) -> set[str]:
        return {name for rubric in self.rubrics for name in rubric.sees}


class Rubrics:
    """The judge's metrics: one for each aspect of the rubrics of a run."""

    # The names stand in the rubric files, so there are none before a run.
    INFOS: ClassVar[tuple[MetricInfo, ...]] = ()

    def __init__(self, context: MetricContext) -> None:
        _check_names(context.rubrics)
        self._context = context
        self._prompt = context.prompts("judge")
        self._form_prompt = context.prompts("form")
        self._questions = _questions(context)
        self._infos = tuple(_info(r, a) for r in context.rubrics for a in r.aspects)
        self._systems: dict[tuple[str, tuple[str, ...]], Message] = {}

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The judge of a run. Without a chat model it only tells what it would yield.

        Raises:
            InputError: two aspects have one name, or one that the form keeps for itself.
        """
        return cls(context)

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """One metric for each aspect; a rating r on low–high has the value r / high."""
        return self._infos

    async def score(self, evidence: Evidence) -> Outcomes:
        """An outcome for every aspect of every rubric.

        With `calls: together` one call (per vote) answers all rubrics and shows the blocks that
        any of them sees; with `apart` each rubric has a call of its own. Of several votes the
        median of each rating counts, of an even number the lower one in the middle; half of the
        votes or fewer usable leave the aspects unscored.

        Raises:
            ModelError: UNAVAILABLE; the turn can be judged later.
            RunStopped: from the chat.
            InputError: no judge was named.
        """
        if isinstance(evidence.exchange.reply, TargetFailure):
            return dict.fromkeys(self._names(), Unscored(Gap.TARGET_FAILED))
        if self._context.chat is None:
            raise InputError("these metrics need a judge; name a model with --judge-model")
        asked = self._asked(evidence.scenario)
        answers = await all_done(
            [self._judge(self._context.chat, question, evidence) for question in asked]
        )
        outcomes: dict[str, Outcome] = dict.fromkeys(self._names(), Unscored(Gap.NOT_APPLICABLE))
        for answer in answers:
            outcomes |= answer
        return outcomes

    def calls(self, scenario: Scenario) -> int:
        """How many calls it takes to judge one turn of a scenario, repairs apart."""
        return len(self._asked(scenario)) * self._context.votes

    def _asked(self, scenario: Scenario) -> list[_Question]:
        return [q for q in self._questions if not all(_lacks(r, scenario) for r in q.rubrics)]

    def _names(self) -> list[str]:
        return [info.name for info in self._infos]

    async def _judge(
        self, chat: Chat, question: _Question, evidence: Evidence
    ) -> dict[str, Outcome]:
        fence = fence_of(self._context.secret, evidence)
        messages = (
            self._system(question, evidence.guidelines),
            Message("user", shown(evidence, question.sees, self._prompt, fence)),
        )

        async def vote(part: str) -> Vote:
            call = CallId(evidence.talk.episode, evidence.exchange.turn, Role.JUDGE, part)
            model, prompt = question.form.model, self._form_prompt
            try:
                answer = await ask(chat, call, messages, model, prompt, fence=fence)
            except ModelError as error:
                if error.fault is ModelFault.UNAVAILABLE:
                    raise
                return Unscored(_GAPS[error.fault], str(error))
            return question.form.judgements(answer)

        votes = await all_done([vote(part) for part in self._parts(question)])
        outcomes: dict[str, Outcome] = {}
        for rubric in question.rubrics:
            if not _lacks(rubric, evidence.scenario):
                outcomes |= counted(rubric, votes)
        return outcomes

    def _parts(self, question: _Question) -> list[str]:
        if self._context.votes == 1:
            return [question.part]
        numbered = [f"vote{number}" for number in range(1, self._context.votes + 1)]
        return [f"{question.part}/{n}" if question.part else n for n in numbered]

    def _system(self, question: _Question, guidelines: tuple[str, ...]) -> Message:
        """The same message in all turns of a run, so that providers can cache it."""
        key = (question.part, guidelines)
        if key not in self._systems:
            text = system_message(question.rubrics, guidelines, self._prompt)
            self._systems[key] = Message("system", text)
        return self._systems[key]


def _questions(context: MetricContext) -> tuple[_Question, ...]:
    if context.calls == "together":
        return (_Question(context.rubrics, JudgeForm(context.rubrics), ""),)
    return tuple(_Question((r,), JudgeForm((r,)), r.id) for r in context.rubrics)


def _info(rubric: Rubric, aspect: Aspect) -> MetricInfo:
    return MetricInfo(
        name=aspect.name,
        title=aspect.title,
        low=aspect.low / aspect.high,
        high=1.0,
        needs=("judge", *(need for seen, need in _NEEDS.items() if seen in rubric.sees)),
        rated=True,
        description=aspect.question,
    )


def _lacks(rubric: Rubric, scenario: Scenario) -> bool:
    """The rubric compares with something that the scenario does not give."""
    expected = scenario.expected
    return ("expected_answer" in rubric.sees and not expected.answer) or (
        "expected_elements" in rubric.sees and not expected.elements
    )


def _check_names(rubrics: Sequence[Rubric]) -> None:
    owners: dict[str, str] = {}
    for rubric in rubrics:
        for aspect in rubric.aspects:
            if aspect.name in OWN_WORDS:
                raise InputError(
                    f"rubric {rubric.id}: no aspect can be called {aspect.name!r}, "
                    "since the judge's own words go there; rename it"
                )
            if aspect.name in owners:
                first = owners[aspect.name]
                raise InputError(
                    f"rubrics {first} and {rubric.id} both have an aspect {aspect.name!r}; "
                    "a metric's name has to be unique, rename one"
                )
            owners[aspect.name] = rubric.id
