"""What a model is told in the conversation about one unit: the task, what was wrong, the check."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from simulator.core.clean import cut
from simulator.core.ports import Message
from simulator.core.talk import Document
from simulator.files.prompts import Prompt
from simulator.generate.forms import Candidate, QuestionFault, Rejected
from simulator.generate.units import Method, Nearness, Unit
from simulator.users.persona_llm import style_of

_TITLES = 12  # entries nearby of which the titles are shown
_NEAR_EACH = 3  # entries nearby that each unanswerable question is checked against
_LONGEST_TITLE = 120
_LONGEST_REASON = 300
_MARK = 16  # hexadecimal digits


class Prompts(NamedTuple):
    """The prompts of one language."""

    generate: Prompt
    verify: Prompt
    form: Prompt
    user: Prompt

    @classmethod
    def of(cls, prompt: Callable[[str], Prompt]) -> Prompts:
        """Read by name."""
        return cls(*map(prompt, cls._fields))

    def digest(self) -> dict[str, str]:
        """The hashes of their texts."""
        return {"generate": self.generate.sha, "verify": self.verify.sha, "form": self.form.sha}


@dataclass(slots=True)
class Conversation:
    """The messages about one unit so far; grows with each attempt. Checks are not part of it."""

    messages: list[Message] = field(default_factory=list)

    def hears(self, answer: str, reply: str) -> None:
        """The model said this, and is told that next; an empty answer is no message."""
        if answer.strip():
            self.messages += [Message("assistant", answer), Message("user", reply)]
        else:
            last = self.messages[-1]
            self.messages[-1] = replace(last, content=f"{last.content}\n\n{reply}")

    def then(self, answer: str, reply: str) -> tuple[Message, ...]:
        """The conversation with one step more, while it stays as it is."""
        branch = Conversation(list(self.messages))
        branch.hears(answer, reply)
        return tuple(branch.messages)


@dataclass(frozen=True, slots=True)
class TaskWriter:
    """Puts into words what a model is to do; `session` makes the fences of its data its own."""

    prompts: Prompts
    near: Nearness
    session: str

    def opening(self, unit: Unit, number: int, have: Sequence[str]) -> Conversation:
        """System message and task: write `number` questions, and none of those that there are."""
        prompt = self.prompts.generate
        entries = self._entries(unit.entries)
        question = unit.question if unit.method is Method.LOG else ""
        values = {
            "entries": entries,
            "fence": self._fence(unit.key, question + entries),
            "have": self._listed("have", have),
            "number": str(number),
        }
        if unit.method is Method.UNANSWERABLE:
            values["titles"] = self._titles(unit.entries[0])
        else:
            values["facts"] = self.examples
        if unit.question:
            del values["have"]
        if question:
            values["question"] = question
        if unit.persona:
            persona = unit.persona
            values |= {
                "name": persona.name,
                "description": persona.description,
                "traits": "\n".join(f"- {trait}" for trait in persona.traits),
                "style": style_of(persona, self.prompts.user),
            }
        task = prompt.render(f"task.{unit.method.part}", **values)
        return Conversation([Message("system", prompt.render("system")), Message("user", task)])

    @property
    def examples(self) -> str:
        """The part of the task that shows what facts are, with examples."""
        return self.prompts.generate.render("facts")

    def again(self, problems: Sequence[Rejected], number: int) -> str:
        """What was wrong with the last answer, and how many questions are still wanted."""
        prompt, count = self.prompts.generate, str(number)
        of_questions = [problem for problem in problems if problem.question]
        if of_questions:
            lines = "\n".join(map(self._problem, of_questions))
            return prompt.render("again", problems=lines, number=count)
        unread = next((p for p in problems if p.fault is not QuestionFault.TOO_FEW), None)
        if unread is None:
            return prompt.render("again.too_few", number=count)
        reason = cut(unread.detail, _LONGEST_REASON)
        return prompt.render("again.unreadable", reason=reason, number=count)

    def check(self, unit: Unit, candidates: Sequence[Candidate]) -> str:
        """The second step: are these questions sound?"""
        prompt = self.prompts.verify
        lines = "\n".join(
            line
            for number, candidate in enumerate(candidates, start=1)
            for line in self._checked_lines(number, candidate)
        )
        if unit.method is Method.TWO_ENTRIES:
            return prompt.render("check.two_entries", questions=lines)
        if unit.method is not Method.UNANSWERABLE:
            return prompt.render("check", questions=lines)
        entries = self._entries(self._nearby(unit, candidates))
        return prompt.render(
            "check.unanswerable",
            questions=lines,
            entries=entries,
            fence=self._fence(unit.key, entries),
        )

    def _checked_lines(self, number: int, candidate: Candidate) -> Iterator[str]:
        """A question, and below it what its right answer says and does not say, by numbers."""
        prompt, facts = self.prompts.verify, candidate.facts
        yield prompt.render("line", number=str(number), question=candidate.question)
        for at, text in enumerate(facts.statements, start=1):
            part = "says" if at <= len(facts.required) else "must_not"
            yield prompt.render(part, number=str(at), text=text)

    def _problem(self, rejected: Rejected) -> str:
        prompt, question, detail = self.prompts.generate, rejected.question, rejected.detail
        if rejected.fault is QuestionFault.DUPLICATE:
            fault = prompt.render("fault.duplicate", other=detail)
            return prompt.render("problem", question=question, fault=fault)
        fault = prompt.render(f"fault.{rejected.fault}")
        if not detail:
            return prompt.render("problem", question=question, fault=fault)
        reason = cut(detail, _LONGEST_REASON)
        return prompt.render("problem.because", question=question, fault=fault, reason=reason)

    def _listed(self, part: str, questions: Sequence[str]) -> str:
        prompt = self.prompts.generate
        lines = "\n".join(prompt.render("line", question=question) for question in questions)
        return prompt.render(part, questions=lines) if lines else ""

    def _entries(self, entries: Sequence[Document]) -> str:
        return "\n\n".join(
            self.prompts.generate.render(
                "entry", id=str(entry.id), title=entry.title, content=entry.text
            )
            for entry in entries
        )

    def _titles(self, entry: Document) -> str:
        near = self.near.nearest(f"{entry.title}\n{entry.text}", _TITLES + 1)
        titles = [cut(d.title or d.text, _LONGEST_TITLE) for d in near if d.id != entry.id]
        return "\n".join(f"- {title}" for title in titles[:_TITLES])

    def _nearby(self, unit: Unit, candidates: Sequence[Candidate]) -> list[Document]:
        """The entries that are nearest to any of the questions, but for the unit's own."""
        own = {entry.id for entry in unit.entries}
        neighbours = (
            entry
            for candidate in candidates
            for entry in self.near.nearest(candidate.question, _NEAR_EACH)
        )
        return list({entry.id: entry for entry in neighbours if entry.id not in own}.values())

    def _fence(self, key: str, text: str) -> str:
        """A mark that the text cannot hold, since it is made of its hash; the same each time."""
        whole = f"{self.session}\n{key}\n{text}"
        return hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:_MARK]
