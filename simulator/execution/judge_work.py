"""What a judge would do in a run, and how much of it falls to each rubric.

One call may ask several rubrics, so a rubric's own work is what leaving it out would save: its
instructions, the blocks that nothing else needs, its part of the answer, and the whole call where
nothing else is asked. What the rubrics share falls to none of them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simulator.build.cast import judged
from simulator.core.plan import Cell, Plan
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.execution.lengths import seen_by_judge
from simulator.files.client import LoadedClient
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, Work
from simulator.llm.structured import strict_schema
from simulator.metrics._asking import Question
from simulator.metrics._section import Section

_REPAIRS = Bounds(1, 1, 2)  # each judgement may have to be asked for twice


@dataclass(slots=True)
class _Kind:
    """Conversations of which the judge is asked the same: their number, and what they show.

    `surely` and `most` hold the ids of the sections that are asked; likely are most. `shown` sums
    the characters of the blocks that are known, `written` the tokens of the answers by section.
    """

    surely: frozenset[str]
    most: frozenset[str]
    scenario: Scenario
    conversations: int = 0
    shown: Counter[str] = field(default_factory=Counter)
    written: dict[str, Bounds] = field(default_factory=dict)


class JudgeWork:
    """The judge's work over some cells; `turns` are those of one conversation.

    `seen`: the characters of what was said and found, where that is known; see `seen_by_judge`.
    """

    def __init__(
        self,
        plan: Plan,
        loaded: LoadedClient,
        cells: Sequence[Cell],
        turns: Bounds,
        seen: Mapping[Scope, Mapping[str, Bounds]] | None = None,
    ) -> None:
        rubrics = judged(plan, loaded)
        self.sections = rubrics.sections
        self._rubrics = rubrics
        self._plan = plan
        self._kinds = list(_kinds(plan, cells, self.sections))
        self._assumed = seen or seen_by_judge(plan, loaded, turns)
        self._rates = TOKENS_PER_CHAR[plan.client.language]
        votes = Bounds.sure(plan.client.judge.votes if plan.client.judge else 0)
        surely = 0.0 if plan.client.user.chat else 1.0  # a user who fails leaves no whole talk
        self._times: Mapping[Scope, Bounds] = {
            "turn": turns * _REPAIRS * votes,
            "talk": Bounds(surely, 1, 1) * _REPAIRS * votes,
        }
        self._constant: dict[tuple[str, ...], int] = {}
        self.whole = self._of(self.sections)

    def saved_without(self, section: Section) -> Work:
        """What one section adds to the others."""
        return self.whole - self._of([s for s in self.sections if s is not section])

    def _of(self, sections: Sequence[Section]) -> Work:
        return sum((self._in(kind, sections) for kind in self._kinds), Work())

    def _in(self, kind: _Kind, sections: Sequence[Section]) -> Work:
        least = self._asking(kind, [s for s in sections if s.id in kind.surely])
        most = self._asking(kind, [s for s in sections if s.id in kind.most])
        return Work(
            replace(most.calls, lowest=least.calls.lowest),
            replace(most.reads, lowest=least.reads.lowest).rounded(),
            replace(most.writes, lowest=least.writes.lowest).rounded(),
        )

    def _asking(self, kind: _Kind, sections: Sequence[Section]) -> Work:
        work = Work()
        for question in self._questions(sections):
            times, assumed = self._times[question.scope], self._assumed[question.scope]
            unknown = sum((assumed[block] for block in question.sees if block in assumed), NOTHING)
            each = Bounds.sure(self._always(question, kind.scenario)) + unknown
            known = Bounds.sure(sum(kind.shown[block] for block in question.sees))
            written = sum((kind.written[s.id] for s in question.sections), NOTHING)
            work += Work(
                times * kind.conversations,
                times * (each * kind.conversations + known) * self._rates,
                times * written,
            )
        return work

    def _questions(self, sections: Sequence[Section]) -> Iterator[Question]:
        for scope in ("turn", "talk"):
            yield from self._rubrics.questions([s for s in sections if s.scope == scope])

    def _always(self, question: Question, scenario: Scenario) -> int:
        """The characters that stand in every call; a schema is paid for like text."""
        key = tuple(section.id for section in question.sections)
        if key not in self._constant:
            asking = self._rubrics.asking
            told = asking.system(question, self._plan.client.guidelines).content
            schema = strict_schema(asking.form(question, scenario).model)
            frame = asking.frame(question)
            self._constant[key] = len(told) + len(frame) + _length(schema)
        return self._constant[key]


def _kinds(plan: Plan, cells: Sequence[Cell], sections: Sequence[Section]) -> Iterator[_Kind]:
    kinds: dict[tuple[frozenset[str], frozenset[str]], _Kind] = {}
    for (name, persona), count in Counter((c.scenario, c.persona) for c in cells).items():
        scenario = plan.scenarios[name]
        surely, most = (_asked(sections, scenario, documents=known) for known in (False, True))
        kind = kinds.setdefault((surely, most), _Kind(surely, most, scenario))
        kind.conversations += count
        for block, length in _known(plan, scenario, persona).items():
            kind.shown[block] += count * length
        for section in sections:
            tokens = Bounds(*section.writes(scenario)) * count
            kind.written[section.id] = kind.written.get(section.id, NOTHING) + tokens
    yield from kinds.values()


def _asked(sections: Sequence[Section], scenario: Scenario, *, documents: bool) -> frozenset[str]:
    return frozenset(s.id for s in sections if not s.why_not(scenario, documents=documents))


def _known(plan: Plan, scenario: Scenario, persona: str) -> Mapping[str, int]:
    """The characters of the blocks that are written down."""
    who = plan.personas[persona]
    return {
        "persona": len(who.name) + len(who.description) + sum(map(len, who.traits)),
        "goal": len(scenario.goal or scenario.query),
        "expected_answer": len(scenario.expected.answer),
        "expected_elements": sum(map(len, scenario.expected.elements)),
    }


def _length(schema: object) -> int:
    return len(json.dumps(schema, ensure_ascii=False))
