"""A user played by a model: one call per turn, in character, with the roles swapped."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from simulator.core.clean import cut
from simulator.core.errors import InputError, ModelError, ModelFault, UserError
from simulator.core.ports import CallId, Chat, Completion, Message, Role
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.llm.structured import FAULTS, form_of
from simulator.users._character import user_system_message
from simulator.users._context import UserContext
from simulator.users._hearing import MARK, Said, hear

_LONGEST_REPLY = 8_000  # characters of one reply of the bot that the model is shown

_UNREADABLE = "the simulated user's answer could not be read"
_EMPTY = "the simulated user said nothing"
_EARLY = "the simulated user had nothing to say before min_turns was reached"


class PersonaLlm:
    """The person of a brief, played by a chat model."""

    CALLS_MODEL: ClassVar[bool] = True

    def __init__(self, brief: Brief, context: UserContext, chat: Chat) -> None:
        self._brief = brief
        self._chat = chat
        self._prompt = context.prompts("user")
        self._form = form_of(Said, context.prompts("form"))
        self._start = (
            Message("system", user_system_message(brief, self._prompt, MARK)),
            Message("user", self._prompt.render("opening")),
        )

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation.

        Raises:
            InputError: no model was named.
        """
        if context.chat is None:
            raise InputError("the user persona_llm needs a model; name one with --model")
        return cls(brief, context, context.chat)

    async def speak(self, talk: Talk) -> Utterance:
        """What this person says next: a message, a stop, or both.

        An answer that cannot be sent (empty, unreadable, or an end without a message before
        `min_turns` exchanges) is asked for once more.

        Raises:
            UserError: the second answer cannot be sent either; or the model refused, was
                filtered or cut off, or the request was rejected.
            ModelError: UNAVAILABLE.
            RunStopped: from the chat.
        """
        said, spent_ms = await self._ask(talk)
        problem = self._problem(said, talk)
        if problem:
            said, more_ms = await self._ask(talk, "again")
            spent_ms += more_ms
            problem = self._problem(said, talk)
        if problem or said is None:
            raise UserError(f"{problem}, asked twice")
        stop = None if self._too_early(said, talk) else _stop(said)
        return Utterance(said.message, stop, said.thought, spent_ms)

    async def _ask(self, talk: Talk, part: str = "") -> tuple[Said | None, float]:
        messages = self._messages(talk, "\n" + self._prompt.render(part) if part else "")
        call = CallId(talk.episode, talk.next_turn, Role.USER, part)
        try:
            completion = await self._chat.complete(call, messages, form=self._form)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            raise UserError(f"the simulated user's model: {error}") from error
        return _taken(completion, messages), completion.latency_ms

    def _messages(self, talk: Talk, demand: str) -> list[Message]:
        """The talk as the user lived it; all but the last line is as in the turn before."""
        messages = list(self._start)
        for exchange in talk.exchanges:
            messages.append(Message("assistant", exchange.user))
            messages.append(Message("user", cut(exchange.assistant, _LONGEST_REPLY, " […]")))
        remind = self._prompt.render(
            "remind", turn=str(talk.next_turn), max_turns=str(self._brief.max_turns)
        )
        messages[-1] = replace(messages[-1], content=f"{messages[-1].content}\n\n{remind}{demand}")
        return messages

    def _problem(self, said: Said | None, talk: Talk) -> str:
        if said is None:
            return _UNREADABLE
        if said.message:
            return ""
        if said.stop == "none":
            return _EMPTY
        return _EARLY if self._too_early(said, talk) else ""

    def _too_early(self, said: Said, talk: Talk) -> bool:
        """It calls itself done before `min_turns` exchanges, this message's own among them."""
        exchanges = len(talk) + bool(said.message)
        return said.stop == "done" and exchanges < self._brief.min_turns


def _taken(completion: Completion, shown: list[Message]) -> Said | None:
    fault = completion.fault
    if fault in (None, ModelFault.EMPTY):
        return hear(completion.text, shown, whole=True)
    said = hear(completion.text, shown, whole=False) if fault is ModelFault.TRUNCATED else None
    if said is None:
        raise UserError(f"the simulated user could not speak: {FAULTS[fault]}")
    return said


def _stop(said: Said) -> Stop | None:
    return None if said.stop == "none" else Stop(StopReason(said.stop), said.reason)
