"""A user played by a model: what it is told, a call per turn with the roles swapped, its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import BeforeValidator, model_validator

from simulator.core.clean import cut, visible
from simulator.core.errors import InputError, ModelError, ModelFault, UserError
from simulator.core.persona import Persona, Slips
from simulator.core.ports import CallId, Chat, Completion, Message, Role
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.files.prompts import fence_of, fenced
from simulator.llm.structured import (
    CleanText,
    FormModel,
    Unreadable,
    after_reasoning,
    form_of,
    read_form,
    what_failed,
)
from simulator.users._context import UserContext

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


_OF_SO_MANY = 5


def user_system_message(brief: Brief, prompt: Prompt, mark: str) -> str:
    """The part `system` of user.md, filled from a brief; the same in all turns.

    `mark` is what ends the talk where the model cannot answer in fields.
    """
    persona = brief.persona
    return prompt.render(
        "system",
        name=persona.name,
        description=persona.description,
        traits=_listed(persona.traits, prompt),
        style=style_of(persona, prompt),
        behaviours=_behaviours(persona, prompt),
        query=brief.query,
        goal=brief.goal or brief.query,
        known=_listed(brief.known, prompt),
        unknown=_listed(brief.unknown, prompt),
        max_turns=str(brief.max_turns),
        mark=mark,
    )


def _behaviours(persona: Persona, prompt: Prompt) -> str:
    rendered = [
        prompt.render("behaviour", does=behaviour.does, violation=behaviour.violation)
        for behaviour in persona.behaviours
    ]
    return "\n".join(rendered) or prompt.render("none")


def style_of(persona: Persona, prompt: Prompt) -> str:
    """How a persona writes, in words: lines that begin with `- `, from the parts of user.md."""
    style = persona.style
    always = prompt.render(
        "style",
        length=str(style.length),
        politeness=prompt.render(f"politeness.{style.politeness}"),
        disclosure=prompt.render(f"disclosure.{style.disclosure}"),
        dissatisfaction=style.dissatisfaction,
        patience=str(persona.patience),
    )
    return "\n".join([always, *_where_it_applies(persona, prompt)])


def _where_it_applies(persona: Persona, prompt: Prompt) -> Iterator[str]:
    """What only some people do: nobody is told not to do the rest, or it would be on their mind."""
    style = persona.style
    if style.slips is not Slips.NONE:
        yield prompt.render(f"slips.{style.slips}")
    if style.asides:
        yield prompt.render("asides", **_ratio(style.asides))
    if persona.doubts:
        yield prompt.render("doubts", doubts=str(persona.doubts))


def _ratio(share: float) -> dict[str, str]:
    """A share as people say it: 2 of 3; never 0 of anything."""
    nearest = Fraction(share).limit_denominator(_OF_SO_MANY)
    nearest = max(nearest, Fraction(1, _OF_SO_MANY))
    return {"asides": str(nearest.numerator), "asides_of": str(nearest.denominator)}


def _listed(items: Sequence[str], prompt: Prompt) -> str:
    return "\n".join(f"- {item}" for item in items) or prompt.render("none")


MARK = "**DONE**"
"""What a model that cannot answer in fields writes, alone or as its last line, to end the talk."""

# Fields in a form that is not JSON, JSON that is broken, reasoning without an end: its author's
# thoughts are in there, so it is never taken for a message.
_FIELD = "(?:thought|message|stop|reason)"
_FIELDS = re.compile(rf'^[^\w\n]*{_FIELD}\W{{0,3}}[:：]|"{_FIELD}"\s*:|<think', re.MULTILINE | re.I)


def _text(value: object) -> object:
    return "" if value is None else value


def _stop_word(value: object) -> object:
    return value.strip().lower() or "none" if isinstance(value, str) else value or "none"


class Said(FormModel):
    """What the model says in one turn. It thinks first: fields are written in their order."""

    thought: Annotated[CleanText, BeforeValidator(_text)] = ""
    message: Annotated[CleanText, BeforeValidator(_text)] = ""
    stop: Annotated[
        Literal["none", "done", "gave_up", "escalated"], BeforeValidator(_stop_word)
    ] = "none"
    reason: Annotated[CleanText, BeforeValidator(_text)] = ""

    @model_validator(mode="before")
    @classmethod
    def _has_a_field(cls, value: object) -> object:
        """JSON that a person pastes into a message is not an answer in fields."""
        if isinstance(value, dict) and not cls.model_fields.keys() & value.keys():
            raise ValueError("none of the fields is there")
        return value


def hear(text: str, shown: Sequence[Message], *, whole: bool) -> Said | None:
    """What was said; None for an answer that is meant to be in fields but cannot be read.

    A text without fields is the message itself, if it is `whole` (not cut off). The mark ends
    the talk only as the whole message or its last line; at the end of a sentence it is taken off.
    """
    try:
        return _unmarked(read_form(text, Said, shown))
    except Unreadable:
        bare = after_reasoning(text)
        if not whole or _FIELDS.search(bare):
            return None
        return _unmarked(Said(message=bare))


def _unmarked(answer: Said) -> Said:
    *before, last = answer.message.strip().split("\n")
    ended = last.strip() == MARK
    message = (
        "\n".join(before).strip() if ended else answer.message.strip().removesuffix(MARK).rstrip()
    )
    return answer.model_copy(
        update={
            "message": message if visible(message) else "",
            "stop": "done" if ended and answer.stop == "none" else answer.stop,
        }
    )


_LONGEST_REPLY = 8_000  # characters of one reply of the bot that the model is shown

_UNREADABLE = "the simulated user's answer could not be read"
_EMPTY = "the simulated user's message was empty"
_EARLY = "the simulated user had nothing to say before min_turns was reached"


class PersonaLlm:
    """The person of a brief, played by a chat model."""

    CALLS_MODEL: ClassVar[bool] = True

    def __init__(self, brief: Brief, context: UserContext, chat: Chat) -> None:
        self._brief = brief
        self._chat = chat
        self._prompt = context.prompts("user")
        self._form = form_of(Said, context.prompts("form"))
        self._secret = context.secret
        self._system = Message("system", user_system_message(brief, self._prompt, MARK))

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation.

        Raises:
            InputError: no model was named.
        """
        if context.chat is None:
            raise InputError("the user persona_llm needs a model; set one with --model")
        return cls(brief, context, context.chat)

    async def speak(self, talk: Talk) -> Utterance:
        """What this person says next: a message, a stop, or both.

        An answer that cannot be sent (empty, unreadable, or an end without a message before
        `min_turns` exchanges) is asked for once more.

        Raises:
            UserError: the second answer cannot be sent either; or the model refused or was cut off.
            ModelError: UNAVAILABLE, REJECTED or FILTERED: the endpoint's doing, not this person's.
            RunStopped: from the chat.
        """
        answer, spent_ms = await self._ask(talk)
        problem = self._problem(answer, talk)
        if problem:
            answer, more_ms = await self._ask(talk, "again")
            spent_ms += more_ms
            problem = self._problem(answer, talk)
        if problem or answer is None:
            raise UserError(f"{problem}, asked twice")
        stop = None if self._too_early(answer, talk) else _stop(answer)
        return Utterance(answer.message, stop, answer.thought, spent_ms)

    async def _ask(self, talk: Talk, part: str = "") -> tuple[Said | None, float]:
        fence = fence_of(self._secret, talk.episode)
        messages = self._messages(talk, fence, "\n" + self._prompt.render(part) if part else "")
        call = CallId(talk.episode, talk.next_turn, Role.USER, part, talk.take)
        try:
            completion = await self._chat.complete(call, messages, form=self._form, fence=fence)
        except ModelError as error:
            if error.fault.excuses_the_user:
                raise
            raise UserError(f"the simulated user's model: {error}") from error
        return _taken(completion, messages, fence), completion.latency_ms

    def _messages(self, talk: Talk, fence: str, demand: str) -> list[Message]:
        """The talk as the user lived it; all but the last line is as in the turn before.

        What the bot said is fenced: it stands in one message with what mogi tells this person,
        since many models want the roles to take turns.
        """
        opening = Message("user", fenced("desk", self._prompt.render("opening"), fence))
        messages = [self._system, opening]
        for exchange in talk.exchanges:
            messages.append(Message("assistant", exchange.user))
            reply = cut(exchange.assistant, _LONGEST_REPLY, " […]")
            messages.append(Message("user", fenced("desk", reply, fence)))
        remind = self._prompt.render(
            "remind", turn=str(talk.next_turn), max_turns=str(self._brief.max_turns)
        )
        last_text = f"{messages[-1].content}\n\n{remind}{self._held_again()}{demand}"
        messages[-1] = Message(messages[-1].role, last_text)
        return messages

    def _held_again(self) -> str:
        """What was wrong with this user before; at the end, so that what is constant is cached."""
        faults = [self._prompt.render(f"fault.{tag}") for tag in self._brief.faults]
        return "\n" + self._prompt.render("held_again", faults="\n".join(faults)) if faults else ""

    def _problem(self, answer: Said | None, talk: Talk) -> str:
        if answer is None:
            return _UNREADABLE
        if answer.message:
            return ""
        if answer.stop == "none":
            return _EMPTY
        return _EARLY if self._too_early(answer, talk) else ""

    def _too_early(self, answer: Said, talk: Talk) -> bool:
        """It calls itself done before `min_turns` exchanges, this message's own among them."""
        exchanges = len(talk) + bool(answer.message)
        return answer.stop == "done" and exchanges < self._brief.min_turns


def _taken(completion: Completion, shown: list[Message], fence: str) -> Said | None:
    """What was said, without fences: a bot that is told them could forge what the user is shown."""
    fault = completion.fault
    text = completion.text
    if fence in text:
        text = re.sub(rf"</?data-desk-{fence}>(?:\\n|\s)*", "", text)
    if fault in (None, ModelFault.EMPTY):
        return hear(text, shown, whole=True)
    answer = hear(text, shown, whole=False) if fault is ModelFault.TRUNCATED else None
    if answer is None:
        why = f"the simulated user could not speak: {what_failed(fault, completion.finish)}"
        raise ModelError(fault, why) if fault.excuses_the_user else UserError(why)
    return answer


def _stop(answer: Said) -> Stop | None:
    return None if answer.stop == "none" else Stop(StopReason(answer.stop), answer.reason)
