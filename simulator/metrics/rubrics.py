"""All that a judge is asked: rubrics in, one outcome for each of their aspects out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from simulator.core.concurrency import all_done
from simulator.core.errors import InputError
from simulator.core.health import OWN_WORDS, Rubric, Scope
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Unscored
from simulator.core.ports import Evidence, Judgement
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.metrics._context import MetricContext, Section
from simulator.metrics._judge.asking import Asking, JudgeQuestion
from simulator.metrics._judge.rubric import ClaimsSection, RubricSection

_BROKEN_OFF = frozenset({StopReason.USER_FAILED, StopReason.USER_INVALID})


class Rubrics:
    """The judge's metrics: one for each aspect of the rubrics of a run, and of what joins them.

    With `calls: together` one call (per vote) asks everything that applies to a turn, and shows
    the blocks that any of it needs; with `apart` each rubric has a call of its own and is shown
    its own blocks only. What speaks of whole conversations is asked once, in the same two ways.
    """

    # The names stand in the rubric files, so there are none before a run.
    INFOS: ClassVar[tuple[MetricInfo, ...]] = ()

    def __init__(self, context: MetricContext) -> None:
        _check_names(context.rubrics)
        prompt = context.prompts("judge")
        claims = [ClaimsSection(context.prompts("claims"))] if context.reads_claims else []
        self.sections: tuple[Section, ...] = (
            *(RubricSection(rubric, prompt) for rubric in context.rubrics),
            *(kind.section(context) for kind in context.joining),
            *claims,
        )
        self.asking = Asking(context)
        self._together = context.calls == "together"
        self._infos = tuple(info for section in self.sections for info in section.infos)

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The judge of a run. Without a chat model it only tells what it would yield.

        Raises:
            InputError: two aspects have one name, or one that the form keeps for itself.
        """
        return cls(context)

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """One metric for each aspect, and those of what joins the rubrics."""
        return self._infos

    def questions(self, sections: Sequence[Section]) -> list[JudgeQuestion]:
        """The calls (votes apart) that ask these sections, which are all of one scope."""
        if not sections:
            return []
        scope = sections[0].scope
        base = "talk" if scope == "talk" else ""
        if self._together:
            return [JudgeQuestion(tuple(sections), scope, base)]
        return [JudgeQuestion((s,), scope, f"{base}/{s.id}" if base else s.id) for s in sections]

    async def score(self, evidence: Evidence) -> Outcomes:
        """An outcome for every metric that speaks of turns.

        Of several votes the middle one of each value counts, of an even number the lower; half of
        the votes or fewer usable leave the aspects unscored.

        Raises:
            ModelError: UNAVAILABLE or REJECTED; the turn can be judged later.
            RunStopped: from the chat.
            InputError: no judge was named.
        """
        return (await self.judge(evidence)).outcomes

    async def judge(self, evidence: Evidence) -> Judgement:
        """The same, with the readings of the claims and what is no message of a user.

        Where the judge says nothing usable there are no readings. Raises what `score` raises.
        """
        return await self._judge(evidence, "turn")

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        """An outcome for every metric that speaks of whole conversations.

        One that the simulated user broke off says nothing of the bot. Raises what `score` raises.
        """
        if stop.reason in _BROKEN_OFF:
            return dict.fromkeys(self._names("talk"), Unscored(Gap.SIMULATOR_INVALID))
        return (await self._judge(evidence, "talk")).outcomes

    async def _judge(self, evidence: Evidence, scope: Scope) -> Judgement:
        names = self._names(scope)
        if isinstance(evidence.exchange.reply, TargetFailure):
            return Judgement(dict.fromkeys(names, Unscored(Gap.TARGET_FAILED)))
        sections, outcomes = self._due(evidence, scope)
        votes = await all_done([self.asking.ask(q, evidence) for q in self.questions(sections)])
        for judgement in votes:
            outcomes |= judgement.outcomes
        readings = tuple(reading for judgement in votes for reading in judgement.readings)
        odd = next((judgement.out_of_role for judgement in votes if judgement.out_of_role), "")
        return Judgement({name: outcomes[name] for name in names}, readings, odd)

    def _due(self, evidence: Evidence, scope: Scope) -> tuple[list[Section], dict[str, Outcome]]:
        """What applies to this turn, and the outcomes of what does not."""
        sections: list[Section] = []
        outcomes: dict[str, Outcome] = {}
        documents = evidence.talk.reports_documents
        for section in self.sections:
            if section.scope != scope:
                continue
            if why := section.why_not(evidence.scenario, documents=documents):
                gap = Unscored(Gap.NOT_APPLICABLE, why)
                outcomes |= dict.fromkeys((info.name for info in section.infos), gap)
            else:
                sections.append(section)
        # Without a claim the user alone is not worth a call.
        others = [section for section in sections if not isinstance(section, ClaimsSection)]
        is_worth = bool(evidence.claims) or (self._together and bool(others))
        return (sections if is_worth else others), outcomes

    def _names(self, scope: Scope) -> list[str]:
        return [info.name for info in self._infos if info.scope == scope]


def _check_names(rubrics: Sequence[Rubric]) -> None:
    owners: dict[str, str] = {}
    for rubric in rubrics:
        for aspect in rubric.aspects:
            if aspect.name in OWN_WORDS:
                raise InputError(
                    f"rubric {rubric.id}: an aspect can't be called {aspect.name!r}, "
                    "a name that is reserved for the judge's comments; rename it"
                )
            if aspect.name in owners:
                first = owners[aspect.name]
                raise InputError(
                    f"rubrics {first} and {rubric.id} both have an aspect {aspect.name!r}; "
                    "metric names must be unique, so rename one"
                )
            owners[aspect.name] = rubric.id
