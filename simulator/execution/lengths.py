"""How long, in characters, is what a model reads in one call: lowest, likely, highest.

What is written down is measured (prompts, rubrics, personas, guidelines, documents); what will
be said is assumed, and the assumptions stand below.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from simulator import plugins
from simulator.core.persona import Language
from simulator.core.plan import Cell, Plan
from simulator.core.ports import Role
from simulator.core.rubric import Rubric
from simulator.core.scenario import Brief
from simulator.files.client import LoadedClient
from simulator.llm.structured import Answer, strict_schema
from simulator.metrics._evidence import LONGEST_DOCUMENTS
from simulator.metrics._form import JudgeForm
from simulator.metrics._instructions import system_message as judge_message
from simulator.users._character import system_message as user_message
from simulator.users._hearing import MARK, Said

Range = tuple[float, float, float]
_Count = Callable[[Cell], float]

# Characters of one answer of the bot, and of one message of a user.
_ANSWER: dict[Language, Range] = {"ja": (20, 150, 1200), "en": (40, 400, 3000)}
_MESSAGE: dict[Language, Range] = {"ja": (5, 35, 150), "en": (10, 90, 400)}
_USUAL_TOP_K = 3  # documents that come with an answer


def read_in_a_call(plan: Plan, loaded: LoadedClient, cells: Sequence[Cell]) -> dict[Role, Range]:
    """The characters of one call of each role that this plan's models play, over these cells."""
    client, turns = plan.client, plan.client.max_turns
    constant: dict[Role, _Count] = {}
    if client.user.chat:
        constant[Role.USER] = _of_user(plan, loaded)
    if client.judge:
        constant[Role.JUDGE] = _of_judge(plan, loaded)
    if plan.target_model:
        told = _of_target(plan, loaded)
        constant[Role.TARGET] = lambda _: told
    answers, messages = _ANSWER[client.language], _MESSAGE[client.language]
    seen = (1.0, (1 + turns) / 2, float(turns))
    talk = [n * (a + m) for n, a, m in zip(seen, answers, messages, strict=True)]
    documents = _documents(plan, loaded)
    found: dict[Role, Range] = {}
    for role, count in constant.items():
        fixed = sum(map(count, cells)) / len(cells) if cells else 0.0
        lowest, likely, highest = (
            fixed + said + more for said, more in zip(talk, documents[role], strict=True)
        )
        found[role] = lowest, likely, highest
    return found


def _of_user(plan: Plan, loaded: LoadedClient) -> _Count:
    prompt = loaded.shelf.prompt(plan.client.language, "user")
    always = sum(len(prompt.texts[part]) for part in ("opening", "remind")) + _schema(Said)

    @cache
    def told(scenario: str, persona: str) -> int:
        brief = Brief.of(
            plan.scenarios[scenario], plan.personas[persona], max_turns=1, min_turns=1, seed=0
        )
        return always + len(user_message(brief, prompt, MARK))

    return lambda cell: told(cell.scenario, cell.persona)


def _of_judge(plan: Plan, loaded: LoadedClient) -> _Count:
    prompt = loaded.shelf.prompt(plan.client.language, "judge")
    rubrics, guidelines = loaded.rubrics, plan.client.guidelines
    apart = plan.client.judge is not None and plan.client.judge.calls == "apart"
    asked: list[tuple[Rubric, ...]] = [(r,) for r in rubrics] if apart else [rubrics]
    told = [
        len(judge_message(some, guidelines, prompt).strip()) + _schema(JudgeForm(some).model)
        for some in asked
    ]
    always = sum(told) / len(told) + len(prompt.texts["evidence"])

    def shown(cell: Cell) -> float:
        scenario, persona = plan.scenarios[cell.scenario], plan.personas[cell.persona]
        goal = scenario.goal or scenario.query
        about = len(persona.name) + len(persona.description) + sum(map(len, persona.traits))
        expected = len(scenario.expected.answer) + sum(map(len, scenario.expected.elements))
        return always + len(goal) + about + expected

    return shown


def _of_target(plan: Plan, loaded: LoadedClient) -> int:
    """The prompts of a bot of ours, and the files that it answers from."""
    client = plan.client
    names = getattr(plugins.find("targets", client.target.kind), "PROMPTS", ())
    prompts = [loaded.shelf.prompt(client.language, name).texts for name in names]
    written = sum(len(texts[part]) for texts in prompts for part in ("system", "user"))
    files = [Path(client.folder) / name for name in client.target.files]
    return written + sum(len(file.read_text("utf-8", errors="replace")) for file in files)


def _documents(plan: Plan, loaded: LoadedClient) -> Mapping[Role, Range]:
    """The characters of the documents that one call holds; a bot of your own may return any."""
    passages = loaded.knowledge.documents() if loaded.knowledge else ()
    lengths = [len(d.title) + len(d.text) for d in passages] or [0]
    mean, longest = sum(lengths) / len(lengths), max(lengths)
    spec = plan.client.target
    settings = plugins.find("targets", spec.kind).Settings(**spec.settings)
    of_ours = hasattr(settings, "top_k")  # it searches the client's knowledge and nothing else
    top_k = settings.top_k if of_ours else _USUAL_TOP_K
    found = (0.0, mean * top_k, float(longest * top_k))
    if not any("documents" in rubric.sees for rubric in loaded.rubrics):
        judged: Range = (0.0, 0.0, 0.0)
    else:
        most = min(found[2], LONGEST_DOCUMENTS) if of_ours else float(LONGEST_DOCUMENTS)
        judged = (0.0, min(found[1], LONGEST_DOCUMENTS), most)
    return {Role.USER: (0.0, 0.0, 0.0), Role.JUDGE: judged, Role.TARGET: found}


def _schema(form: type[Answer]) -> int:
    """Providers charge for the schema of an answer as for text."""
    return len(json.dumps(strict_schema(form), ensure_ascii=False))
