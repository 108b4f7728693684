"""What models would read and write in a run, and how much of the judge's falls to each rubric.

What is written down is measured (prompts, rubrics, personas, guidelines, documents); what will
be said is assumed, and the assumptions stand below. One call may ask several rubrics, so a rubric's
own work is what leaving it out would save: its instructions, the blocks that nothing else needs,
its part of the answer, and the whole call where nothing else is asked. What the rubrics share falls
to none of them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from os.path import commonprefix
from typing import Self

from pydantic import BaseModel

from simulator import plugins
from simulator.core.health import Scope
from simulator.core.plan import Cell, Plan
from simulator.core.scenario import Brief, Scenario
from simulator.execution.cast import judge_rubrics
from simulator.files.client.folder import LoadedClient
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, ModelUse
from simulator.llm.structured import strict_schema
from simulator.metrics._context import Section
from simulator.metrics._judge.asking import JudgeQuestion
from simulator.metrics._judge.prompt import LONGEST_DOCUMENTS, LONGEST_TALK
from simulator.targets.document import Items
from simulator.users.persona_llm import MARK, Said
from simulator.users.persona_llm import user_system_message as user_message

# Characters of one answer of the bot, and of one message of a user.
ANSWER = {"ja": Bounds(20, 150, 1200), "en": Bounds(40, 400, 3000)}
MESSAGE = {"ja": Bounds(5, 35, 150), "en": Bounds(10, 90, 400)}
_USUAL_TOP_K = 3  # documents that come with an answer


@dataclass(frozen=True, slots=True)
class UserPrompts:
    """The characters of one call for a user: `mean` of all, and those with which each begins."""

    mean: float
    head: int

    @classmethod
    def of(cls, plan: Plan, loaded: LoadedClient, cells: Sequence[Cell]) -> Self:
        """Of the users of these cells, as providers cache their beginning."""
        prompt = loaded.catalog.prompt(plan.client.language, "user")
        pairs = Counter((cell.scenario, cell.persona) for cell in cells)
        texts = {
            (scenario, persona): user_message(
                Brief.of(
                    plan.scenarios[scenario],
                    plan.personas[persona],
                    max_turns=1,
                    min_turns=1,
                    seed=0,
                ),
                prompt,
                MARK,
            )
            for scenario, persona in pairs
        }
        schema = _schema(plan, Said)
        around = sum(_length(plan, prompt.texts[part]) for part in ("opening", "remind"))
        written = sum(n * _length(plan, texts[pair]) for pair, n in pairs.items())
        head = _length(plan, commonprefix([*texts.values()]))  # noqa: RUF071  texts
        return cls(schema + around + written / max(1, len(cells)), schema + head)


def read_by_target(plan: Plan, loaded: LoadedClient) -> Bounds:
    """The characters of one call of a bot of ours, but for the talk."""
    read, _ = _documents(plan, loaded)
    return Bounds.sure(_of_target(plan, loaded)) + read


def seen_by_judge(
    plan: Plan, loaded: LoadedClient, turns: Bounds, before: float
) -> Mapping[Scope, Mapping[str, Bounds]]:
    """The characters of what will be said and found, by the block in which a judge sees it.

    `turns` are those of one conversation, of which `before` stand before a turn on average.
    """
    answer, message = ANSWER[plan.client.language], MESSAGE[plan.client.language]
    exchange, most = answer + message, plan.client.max_turns
    _, documents = _documents(plan, loaded)
    return {
        "turn": {
            "talk": (exchange * Bounds(0, before, most - 1)).at_most(LONGEST_TALK),
            "documents": documents.at_most(LONGEST_DOCUMENTS),
            "question": message,
            "answer": answer,
        },
        "talk": {"talk": (exchange * turns).at_most(LONGEST_TALK)},
    }


def _of_target(plan: Plan, loaded: LoadedClient) -> int:
    """The prompts of a bot of ours, and the files that it answers from."""
    client = plan.client
    names = getattr(plugins.find("targets", client.target.kind), "PROMPTS", ())
    prompts = [loaded.catalog.prompt(client.language, name).texts for name in names]
    written = (texts.get(part, "") for texts in prompts for part in ("system", "user"))
    return sum(_length(plan, text) for text in written) + _of_files(plan, loaded)


def _of_files(plan: Plan, loaded: LoadedClient) -> int:
    """The files that a bot of ours answers from."""
    files = map(loaded.catalog.file, plan.client.target.files)
    return sum(len(file.table_text()) for file in files)


def _documents(plan: Plan, loaded: LoadedClient) -> tuple[Bounds, Bounds]:
    """The characters of documents that a bot of ours reads in one call, and that it shows.

    A bot of your own may show any.
    """
    passages = loaded.knowledge.documents() if loaded.knowledge else ()
    lengths = [len(d.title) + len(d.text) for d in passages] or [0]
    mean, longest = sum(lengths) / len(lengths), max(lengths)
    spec = plan.client.target
    settings = plugins.find("targets", spec.kind).Settings(**spec.settings)
    if hasattr(settings, "top_k"):  # it searches the client's knowledge and nothing else
        passages_shown = Bounds(0, mean, longest) * settings.top_k
        return passages_shown, passages_shown
    if plan.target_model and spec.files:  # it is shown its files each time, and shows them
        return NOTHING, Bounds.sure(_of_files(plan, loaded))
    return NOTHING, Bounds(0, mean * _USUAL_TOP_K, LONGEST_DOCUMENTS)


def _schema(plan: Plan, form: type[BaseModel]) -> int:
    """Providers charge for the schema of an answer as for text."""
    return _length(plan, json.dumps(strict_schema(form), ensure_ascii=False))


def _length(plan: Plan, text: str) -> int:
    """How long a text is in characters of the client's language, of which others make a token.

    Marks, digits, blanks and Latin letters in a Japanese prompt are as dear as in an English one.
    """
    plain = sum(char < "\u0100" for char in text)
    english, here = (TOKENS_PER_CHAR[name].likely for name in ("en", plan.client.language))
    return round(len(text) - plain + plain * english / here)


@dataclass(frozen=True, slots=True)
class QuestionLists:
    """Lists of questions that are still to be asked, each in one call.

    `answer_first`: first questions are answered from a list. They are not where users word their
    first question themselves: then no list is needed, as a rule. `lowest`: so many are surely
    asked, and not before the run was taken up again.
    """

    questions: tuple[tuple[str, ...], ...] = ()
    lowest: int = 0
    answer_first: bool = False

    @classmethod
    def of(cls, plan: Plan, complete: Set[str]) -> Self:
        """The lists that the cells of a plan need which are not `complete`."""
        spec = plan.client.target
        kind = plugins.find("targets", spec.kind)
        size = kind.together(kind.Settings(**spec.settings)) if hasattr(kind, "together") else 0
        if not size or plan.target_model is None:
            return cls()
        cells = [(plan.scenarios[c.scenario].query, c.key in complete) for c in plan.cells()]
        every = tuple(dict.fromkeys(query for query, _ in cells))
        lists = [every[at : at + size] for at in range(0, len(every), size)]
        left = {query for query, done in cells if not done}
        played = {query for query, done in cells if done}
        needed = tuple(some for some in lists if left.intersection(some))
        fresh = sum(not played.intersection(some) for some in needed)
        answer_first = {plan.client.user.opening(p) for p in plan.personas.values()} == {"exact"}
        return cls(needed, fresh if answer_first else 0, answer_first)

    def work(self, plan: Plan, loaded: LoadedClient, writes: Bounds) -> ModelUse:
        """What asking them takes, where an answer has so many tokens; each may need a repair."""
        needed = len(self.questions)
        if not needed:
            return ModelUse()
        language = plan.client.language
        names = plugins.find("targets", plan.client.target.kind).PROMPTS
        texts = [loaded.catalog.prompt(language, name).texts for name in names]
        together = sum(len(text.get("together", "")) for text in texts)
        always = _of_target(plan, loaded) + together + _schema(plan, Items)
        questions = [f"{n}. \n{text}" for some in self.questions for n, text in enumerate(some, 1)]
        read = Bounds.sure(always + sum(map(len, questions)) / needed) * TOKENS_PER_CHAR[language]
        written = Bounds.sure(len(questions) / needed) * writes
        return ModelUse.of(Bounds(self.lowest, self.lowest, 2 * needed), read, written)


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
    """The judge's work over some cells; `turns` are those of one take, `takes` of a conversation.

    `seen`: the characters of what was or will be said and found, as `seen_by_judge` has them.
    """

    def __init__(
        self,
        plan: Plan,
        loaded: LoadedClient,
        cells: Sequence[Cell],
        turns: Bounds,
        takes: Bounds,
        seen: Mapping[Scope, Mapping[str, Bounds]],
    ) -> None:
        rubrics = judge_rubrics(plan, loaded)
        self.sections = rubrics.sections
        self._rubrics = rubrics
        self._plan = plan
        self._kinds = list(_kinds(plan, cells, self.sections))
        self._assumed = seen
        self._rates = TOKENS_PER_CHAR[plan.client.language]
        votes = Bounds.sure(plan.client.judge.votes if plan.client.judge else 0)
        surely = 0.0 if plan.client.user.chat else 1.0  # a user who fails leaves no whole talk
        self._times: Mapping[Scope, Bounds] = {
            "turn": turns * takes * _REPAIRS * votes,
            "talk": Bounds(surely, 1, 1) * _REPAIRS * votes,
        }
        self._constant: dict[tuple[str, ...], tuple[int, int]] = {}
        self.whole = self._of(self.sections)

    def saved_without(self, section: Section) -> ModelUse:
        """What one section adds to the others."""
        return self.whole - self._of([s for s in self.sections if s is not section])

    @property
    def head(self) -> float:
        """The tokens, likely, that stand in the same words at the head of calls."""
        return sum(
            self._times[question.scope].likely
            * kind.conversations
            * self._always(question, kind.scenario)[0]
            * self._rates.likely
            for kind in self._kinds
            for question in self._questions([s for s in self.sections if s.id in kind.most])
        )

    def _of(self, sections: Sequence[Section]) -> ModelUse:
        return sum((self._in(kind, sections) for kind in self._kinds), ModelUse())

    def _in(self, kind: _Kind, sections: Sequence[Section]) -> ModelUse:
        least = self._asking(kind, [s for s in sections if s.id in kind.surely])
        most = self._asking(kind, [s for s in sections if s.id in kind.most])
        return ModelUse(
            replace(most.calls, lowest=least.calls.lowest),
            replace(most.reads, lowest=least.reads.lowest).rounded(),
            replace(most.writes, lowest=least.writes.lowest).rounded(),
        )

    def _asking(self, kind: _Kind, sections: Sequence[Section]) -> ModelUse:
        work = ModelUse()
        for question in self._questions(sections):
            times, assumed = self._times[question.scope], self._assumed[question.scope]
            unknown = sum((assumed[block] for block in question.sees if block in assumed), NOTHING)
            each = Bounds.sure(sum(self._always(question, kind.scenario))) + unknown
            known = Bounds.sure(sum(kind.shown[block] for block in question.sees))
            written = sum((kind.written[s.id] for s in question.sections), NOTHING)
            work += ModelUse(
                times * kind.conversations,
                times * (each * kind.conversations + known) * self._rates,
                times * written,
            )
        return work

    def _questions(self, sections: Sequence[Section]) -> Iterator[JudgeQuestion]:
        for scope in ("turn", "talk"):
            yield from self._rubrics.questions([s for s in sections if s.scope == scope])

    def _always(self, question: JudgeQuestion, scenario: Scenario) -> tuple[int, int]:
        """The characters that stand in every call, at its head and after what differs.

        A schema is paid for like text, and stands before all.
        """
        key = tuple(section.id for section in question.sections)
        if key not in self._constant:
            asking = self._rubrics.asking
            system = asking.system(question, self._plan.client.guidelines).content
            schema = _schema(self._plan, asking.form(question, scenario).model)
            frame = asking.frame(question)
            self._constant[key] = _length(self._plan, system) + schema, _length(self._plan, frame)
        return self._constant[key]


def _kinds(plan: Plan, cells: Sequence[Cell], sections: Sequence[Section]) -> Iterator[_Kind]:
    kinds: dict[tuple[frozenset[str], frozenset[str]], _Kind] = {}
    for (name, persona), count in Counter((c.scenario, c.persona) for c in cells).items():
        scenario = plan.scenarios[name]
        surely, most = (
            _sections_asked(sections, scenario, documents=known) for known in (False, True)
        )
        kind = kinds.setdefault((surely, most), _Kind(surely, most, scenario))
        kind.conversations += count
        for block, length in _known_blocks(plan, scenario, persona).items():
            kind.shown[block] += count * length
        for section in sections:
            tokens = Bounds(*section.writes(scenario)) * count
            kind.written[section.id] = kind.written.get(section.id, NOTHING) + tokens
    yield from kinds.values()


def _sections_asked(
    sections: Sequence[Section], scenario: Scenario, *, documents: bool
) -> frozenset[str]:
    return frozenset(s.id for s in sections if not s.why_not(scenario, documents=documents))


def _known_blocks(plan: Plan, scenario: Scenario, persona: str) -> Mapping[str, int]:
    """The characters of the blocks that are written down."""
    who = plan.personas[persona]
    return {
        "persona": len(who.name) + len(who.description) + sum(map(len, who.traits)),
        "goal": len(scenario.goal or scenario.query),
        "expected_answer": sum(map(len, scenario.expected.answers)),
        "expected_elements": sum(
            len(way) for element in scenario.expected.elements for way in element
        ),
    }
