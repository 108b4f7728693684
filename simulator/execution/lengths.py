"""How long, in characters, is what a model reads in one call: lowest, likely, highest.

What is written down is measured (prompts, rubrics, personas, guidelines, documents); what will
be said is assumed, and the assumptions stand below.
"""

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from simulator import plugins
from simulator.core.persona import Language
from simulator.core.plan import Cell, Plan
from simulator.core.ports import Role
from simulator.core.rubric import Scope
from simulator.core.scenario import Brief
from simulator.execution.bounds import Range
from simulator.files.client.loading import LoadedClient
from simulator.formats.sources import Source
from simulator.llm.structured import Answer, strict_schema
from simulator.metrics._evidence import LONGEST_DOCUMENTS, LONGEST_TALK
from simulator.targets.document.together import Items
from simulator.users._character import system_message as user_message
from simulator.users._hearing import MARK, Said

_Count = Callable[[Cell], float]

# Characters of one answer of the bot, and of one message of a user.
ANSWER: dict[Language, Range] = {"ja": (20, 150, 1200), "en": (40, 400, 3000)}
_MESSAGE: dict[Language, Range] = {"ja": (5, 35, 150), "en": (10, 90, 400)}
_USUAL_TOP_K = 3  # documents that come with an answer


def read_in_a_call(plan: Plan, loaded: LoadedClient, cells: Sequence[Cell]) -> dict[Role, Range]:
    """The characters of one call of each role but the judge's, over these cells."""
    client, turns = plan.client, plan.client.max_turns
    constant: dict[Role, _Count] = {}
    if client.user.chat:
        constant[Role.USER] = _of_user(plan, loaded)
    if plan.target_model:
        told = _of_target(plan, loaded)
        constant[Role.TARGET] = lambda _: told
    answers, messages = ANSWER[client.language], _MESSAGE[client.language]
    seen = (1.0, (1 + turns) / 2, float(turns))
    talk = [n * (a + m) for n, a, m in zip(seen, answers, messages, strict=True)]
    documents: Mapping[Role, Range] = {
        Role.USER: (0.0, 0.0, 0.0),
        Role.TARGET: _documents(plan, loaded).read,
    }
    found: dict[Role, Range] = {}
    for role, count in constant.items():
        fixed = sum(map(count, cells)) / len(cells) if cells else 0.0
        lowest, likely, highest = (
            fixed + said + more for said, more in zip(talk, documents[role], strict=True)
        )
        found[role] = lowest, likely, highest
    return found


def seen_by_judge(
    plan: Plan, loaded: LoadedClient, turns: Range
) -> Mapping[Scope, Mapping[str, Range]]:
    """The characters of what will be said and found, by the block in which a judge sees it.

    `turns` are those of one conversation; of several judgements of one talk this is the mean.
    """
    answer, message = ANSWER[plan.client.language], _MESSAGE[plan.client.language]
    exchange = [a + m for a, m in zip(answer, message, strict=True)]
    most = plan.client.max_turns
    before = (0.0, (most - 1) / 2, float(most - 1))
    documents = _documents(plan, loaded).shown
    return {
        "turn": {
            "talk": _times(before, exchange, LONGEST_TALK),
            "documents": _times((1, 1, 1), documents, LONGEST_DOCUMENTS),
            "question": message,
            "answer": answer,
        },
        "talk": {"talk": _times(turns, exchange, LONGEST_TALK)},
    }


def _times(counts: Range, each: Sequence[float], limit: float) -> Range:
    low, likely, high = (min(n * e, limit) for n, e in zip(counts, each, strict=True))
    return low, likely, high


def read_in_a_list(plan: Plan, loaded: LoadedClient, questions: Sequence[str]) -> int:
    """The characters of one call that asks a bot of ours all of these questions."""
    names = plugins.find("targets", plan.client.target.kind).PROMPTS
    texts = [loaded.catalog.prompt(plan.client.language, name).texts for name in names]
    told = sum(len(text.get("together", "")) for text in texts)
    numbers = sum(len(f"{n}. \n") for n in range(1, len(questions) + 1))
    return _of_target(plan, loaded) + told + numbers + sum(map(len, questions)) + _schema(Items)


def _of_user(plan: Plan, loaded: LoadedClient) -> _Count:
    prompt = loaded.catalog.prompt(plan.client.language, "user")
    always = sum(len(prompt.texts[part]) for part in ("opening", "remind")) + _schema(Said)

    @cache
    def told(scenario: str, persona: str) -> int:
        brief = Brief.of(
            plan.scenarios[scenario], plan.personas[persona], max_turns=1, min_turns=1, seed=0
        )
        return always + len(user_message(brief, prompt, MARK))

    return lambda cell: told(cell.scenario, cell.persona)


def _of_target(plan: Plan, loaded: LoadedClient) -> int:
    """The prompts of a bot of ours, and the files that it answers from."""
    client = plan.client
    names = getattr(plugins.find("targets", client.target.kind), "PROMPTS", ())
    prompts = [loaded.catalog.prompt(client.language, name).texts for name in names]
    written = sum(len(texts.get(part, "")) for texts in prompts for part in ("system", "user"))
    return written + _of_files(plan)


def _of_files(plan: Plan) -> int:
    """The files that a bot of ours answers from."""
    files = [Path(plan.client.folder) / name for name in plan.client.target.files]
    return sum(len(Source.of(file).table_text()) for file in files)


@dataclass(frozen=True, slots=True)
class _Documents:
    """The characters of the documents that a bot of ours reads, and of those that it shows."""

    read: Range
    shown: Range


def _documents(plan: Plan, loaded: LoadedClient) -> _Documents:
    """In one call; a bot of your own may show any."""
    passages = loaded.knowledge.documents() if loaded.knowledge else ()
    lengths = [len(d.title) + len(d.text) for d in passages] or [0]
    mean, longest = sum(lengths) / len(lengths), max(lengths)
    spec = plan.client.target
    settings = plugins.find("targets", spec.kind).Settings(**spec.settings)
    nothing: Range = (0.0, 0.0, 0.0)
    if hasattr(settings, "top_k"):  # it searches the client's knowledge and nothing else
        found = (0.0, mean * settings.top_k, float(longest * settings.top_k))
        return _Documents(found, found)
    if plan.target_model and spec.files:  # it is shown its files each time, and shows them
        return _Documents(nothing, (float(_of_files(plan)),) * 3)
    return _Documents(nothing, (0.0, mean * _USUAL_TOP_K, float(LONGEST_DOCUMENTS)))


def _schema(form: type[Answer]) -> int:
    """Providers charge for the schema of an answer as for text."""
    return len(json.dumps(strict_schema(form), ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of questions that are still to be asked.

    `answer_first`: first questions are answered from a list. They are not where users word their
    first question themselves: then no list is needed, as a rule. `asked`: so many of these were
    surely asked before the run was taken up again.
    """

    questions: tuple[tuple[str, ...], ...] = ()
    asked: int = 0
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
        asked = sum(1 for some in needed if played.intersection(some))
        return cls(needed, asked, plan.client.user.open == "exact")

    def __bool__(self) -> bool:
        return bool(self.questions)

    @property
    def needed(self) -> int:
        """How many lists there are."""
        return len(self.questions)

    @property
    def lowest(self) -> int:
        """How many of them are surely asked."""
        return self.needed - self.asked if self.answer_first else 0

    def mean(self, plan: Plan, loaded: LoadedClient) -> tuple[float, float]:
        """The characters that the call of one list reads, and the questions that it holds."""
        read = sum(read_in_a_list(plan, loaded, some) for some in self.questions)
        return read / self.needed, sum(map(len, self.questions)) / self.needed
