"""What a judge would do in a run, and how much of it falls to each rubric.

One call may ask several rubrics, so a rubric's own work is what leaving it out would save: its
instructions, the blocks that nothing else needs, its part of the answer, and the whole call where
nothing else is asked. What the rubrics share falls to none of them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from simulator.build.cast import judged
from simulator.core.plan import Cell, Plan
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.execution.bounds import Bounds, Range, total
from simulator.execution.lengths import seen_by_judge
from simulator.files.client.loading import LoadedClient
from simulator.llm.prices import TOKENS_PER_CHAR
from simulator.llm.structured import strict_schema
from simulator.metrics._asking import Question
from simulator.metrics._section import Section

_REPAIRS: Range = (1, 1, 2)  # each judgement may have to be asked for twice


@dataclass(frozen=True, slots=True)
class Work:
    """Calls, and the tokens that they read and write."""

    calls: Bounds
    reads: Bounds
    writes: Bounds

    def less(self, other: "Work") -> "Work":
        """What is left without some other work."""
        return Work(
            self.calls.less(other.calls),
            self.reads.less(other.reads),
            self.writes.less(other.writes),
        )


@dataclass(slots=True)
class _Kind:
    """Conversations of which the judge is asked the same: their number, and what they show.

    `shown` sums the characters of the blocks that are known, `written` the tokens of the answers
    by section. `asked` holds the sections' ids: surely, likely, at most.
    """

    asked: tuple[frozenset[str], frozenset[str], frozenset[str]]
    scenario: Scenario
    conversations: int = 0
    shown: Counter[str] = field(default_factory=Counter)
    written: dict[str, list[float]] = field(default_factory=dict)


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
        seen: Mapping[Scope, Mapping[str, Range]] | None = None,
    ) -> None:
        rubrics = judged(plan, loaded)
        self.sections = rubrics.sections
        self._rubrics = rubrics
        self._plan = plan
        self._kinds = list(_kinds(plan, cells, self.sections))
        self._assumed = seen or seen_by_judge(plan, loaded, turns.ends)
        self._rates = TOKENS_PER_CHAR[plan.client.language]
        votes = plan.client.judge.votes if plan.client.judge else 0
        surely = 0.0 if plan.client.user.chat else 1.0  # a user who fails leaves no whole talk
        self._times: Mapping[Scope, Range] = {
            "turn": _product(turns.ends, _REPAIRS, votes),
            "talk": _product((surely, 1, 1), _REPAIRS, votes),
        }
        self._constant: dict[tuple[str, ...], int] = {}

    def whole(self) -> Work:
        """All of it."""
        return self._of(self.sections)

    def saved_without(self, section: Section) -> Work:
        """What one section adds to the others."""
        return self.whole().less(self._of([s for s in self.sections if s is not section]))

    def _of(self, sections: Sequence[Section]) -> Work:
        parts = [self._in(kind, sections) for kind in self._kinds]
        return Work(
            total(p.calls for p in parts),
            total(p.reads for p in parts),
            total(p.writes for p in parts),
        )

    def _in(self, kind: _Kind, sections: Sequence[Section]) -> Work:
        figures = [self._at(end, kind, sections) for end in range(3)]
        calls, reads, writes = zip(*figures, strict=True)
        return Work(Bounds(*calls), Bounds(*map(round, reads)), Bounds(*map(round, writes)))

    def _at(self, end: int, kind: _Kind, sections: Sequence[Section]) -> tuple[float, float, float]:
        """Calls, tokens in and tokens out at one end of the bounds."""
        calls = reads = writes = 0.0
        for question in self._questions([s for s in sections if s.id in kind.asked[end]]):
            times = self._times[question.scope][end]
            assumed = self._assumed[question.scope]
            each = self._always(question, kind.scenario) + sum(
                assumed[block][end] for block in question.sees if block in assumed
            )
            known = sum(kind.shown[block] for block in question.sees)
            chars = kind.conversations * each + known
            calls += times * kind.conversations
            reads += times * chars * self._rates[end]
            writes += times * sum(kind.written[s.id][end] for s in question.sections)
        return calls, reads, writes

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
    kinds: dict[tuple[frozenset[str], ...], _Kind] = {}
    for (name, persona), count in Counter((c.scenario, c.persona) for c in cells).items():
        scenario = plan.scenarios[name]
        most = _asked(sections, scenario, documents=True)
        key = (_asked(sections, scenario, documents=False), most, most)
        kind = kinds.setdefault(key, _Kind(key, scenario))
        kind.conversations += count
        for block, length in _known(plan, scenario, persona).items():
            kind.shown[block] += count * length
        for section in sections:
            sums = kind.written.setdefault(section.id, [0.0] * 3)
            for end, tokens in enumerate(section.writes(scenario)):
                sums[end] += count * tokens
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


def _product(counts: Range, repairs: Range, votes: int) -> Range:
    low, likely, high = (n * r * votes for n, r in zip(counts, repairs, strict=True))
    return low, likely, high


def _length(schema: object) -> int:
    return len(json.dumps(schema, ensure_ascii=False))
