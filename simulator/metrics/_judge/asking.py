"""One call of the judge (or one for each vote): sections in, their outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.claim import Reading
from simulator.core.concurrency import all_done
from simulator.core.errors import InputError, ModelError, ModelFault
from simulator.core.health import Scope
from simulator.core.outcome import Gap, Outcome, Unscored
from simulator.core.ports import CallId, Evidence, Judgement, Message, Role
from simulator.core.scenario import Scenario
from simulator.files.prompts import fenced
from simulator.llm.structured import FormModel, ask
from simulator.metrics._context import MetricContext, Section
from simulator.metrics._judge.prompt import (
    evidence_message,
    fence_of,
    framed,
    judge_instructions,
    label,
)
from simulator.metrics._judge.rubric import (
    ClaimsSection,
    JudgeForm,
    enough,
    out_of_role,
    readings_of,
)

_GAPS = {
    ModelFault.REFUSED: Gap.JUDGE_REFUSED,
    ModelFault.FILTERED: Gap.JUDGE_REFUSED,
    ModelFault.TRUNCATED: Gap.JUDGE_TRUNCATED,
    ModelFault.EMPTY: Gap.JUDGE_UNPARSABLE,
    ModelFault.UNPARSABLE: Gap.JUDGE_UNPARSABLE,
    ModelFault.REJECTED: Gap.JUDGE_ERROR,
}

Vote = dict[str, FormModel] | Unscored
"""What one call said, by section id, or why it said nothing usable."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Sections that are asked in one call, and what tells that call from others of its turn."""

    sections: tuple[Section, ...]
    scope: Scope
    part: str

    @property
    def sees(self) -> frozenset[str]:
        """The blocks that any of the sections needs."""
        return frozenset(name for section in self.sections for name in section.sees)


class Asking:
    """Asks questions; one object serves all turns of a run."""

    def __init__(self, context: MetricContext) -> None:
        self._context = context
        self._prompt = context.prompts("judge")
        self._form_prompt = context.prompts("form")
        self._systems: dict[tuple[tuple[int, ...], tuple[str, ...], Scope], Message] = {}
        self._forms: dict[tuple[type[FormModel], ...], JudgeForm] = {}

    def system(self, question: JudgeQuestion, guidelines: tuple[str, ...]) -> Message:
        """The same message in all turns that ask the same, so that providers can cache it."""
        key = (tuple(map(id, question.sections)), guidelines, question.scope)
        if key not in self._systems:
            text = judge_instructions(question.sections, guidelines, self._prompt, question.scope)
            self._systems[key] = Message("system", text)
        return self._systems[key]

    def frame(self, question: JudgeQuestion) -> str:
        """What stands around the evidence, for an estimate of its length."""
        blocks = [
            fenced(name, label(name, self._prompt, question.scope), "0" * 16)
            for name in question.sees
        ]
        return framed("\n\n".join(blocks), self._prompt, question.scope)

    def form(self, question: JudgeQuestion, scenario: Scenario) -> JudgeForm:
        """What the judge fills in; kept, since making one takes milliseconds."""
        inner = tuple(section.form(scenario) for section in question.sections)
        if inner not in self._forms:
            self._forms[inner] = JudgeForm([s.id for s in question.sections], inner)
        return self._forms[inner]

    async def ask(self, question: JudgeQuestion, evidence: Evidence) -> Judgement:
        """An outcome for each metric of the question's sections, and what it says of the claims.

        Raises:
            ModelError: UNAVAILABLE or REJECTED; the turn can be judged later.
            RunStopped: from the chat.
            InputError: no judge was named.
        """
        votes = await all_done([self._vote(question, p, evidence) for p in self._parts(question)])
        usable = enough(votes)
        outcomes: dict[str, Outcome] = {}
        readings, odd = tuple[Reading, ...](), ""
        for section in question.sections:
            if isinstance(usable, Unscored):
                outcomes |= dict.fromkeys((info.name for info in section.infos), usable)
                continue
            answers = [vote[section.id] for vote in usable]
            outcomes |= section.outcomes(evidence, answers)
            if isinstance(section, ClaimsSection):
                readings, odd = readings_of(evidence, answers), out_of_role(evidence, answers)
        return Judgement(outcomes, readings, odd)

    async def _vote(self, question: JudgeQuestion, part: str, evidence: Evidence) -> Vote:
        chat = self._context.chat
        if chat is None:
            raise InputError("these metrics need a judge; set a model with --judge-model")
        fence = fence_of(self._context.secret, evidence)
        of_claims = (s for s in question.sections if isinstance(s, ClaimsSection))
        more = [section.block(evidence, fence) for section in of_claims]
        prompt, scope = self._prompt, question.scope
        text = evidence_message(evidence, question.sees, prompt, fence, scope, more)
        messages = (self.system(question, evidence.guidelines), Message("user", text))
        form = self.form(question, evidence.scenario)
        call = CallId(
            evidence.talk.episode, evidence.exchange.turn, Role.JUDGE, part, evidence.talk.take
        )
        try:
            filled = await ask(chat, call, messages, form.model, self._form_prompt, fence=fence)
        except ModelError as error:
            if error.leaves_unfinished:
                raise
            return Unscored(_GAPS[error.fault], str(error))
        return form.answers(filled)

    def _parts(self, question: JudgeQuestion) -> Sequence[str]:
        if self._context.votes == 1:
            return [question.part]
        numbered = [f"vote{number}" for number in range(1, self._context.votes + 1)]
        return [f"{question.part}/{n}" if question.part else n for n in numbered]
