"""A model that is asked about what words leave unknown, one short question for each claim."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State
from simulator.core.clean import cut
from simulator.core.errors import ModelError
from simulator.core.ports import CallId, Chat, Evidence, Message, Role
from simulator.files.prompts import fence_of, fenced

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt

_KINDS = frozenset({ClaimKind.SAYS, ClaimKind.MUST_NOT})
_LONGEST = 4_000  # characters of each text
_WORD = re.compile(r"\b(met|unmet|violated)\b")
# What is said of a statement that must not be made, as a state of the claim.
_TURNED = {State.MET: State.VIOLATED, State.UNMET: State.MET, State.VIOLATED: State.MET}


class ModelReader:
    """Reads claims one by one; one object serves all episodes of a run at once.

    A claim in an answer to a question is asked about once in a run; equal ones wait for it.

    Args:
        chat: the model.
        prompts: finds the prompt `reader` of the client's language.
        secret: the run's; the fences around texts are derived from it.
    """

    def __init__(self, chat: Chat, prompts: Callable[[str], Prompt], secret: str) -> None:
        self._chat = chat
        self._prompt = prompts("reader")
        self._secret = secret
        self._pending: dict[tuple[tuple[str, ...], str, str], asyncio.Future[State]] = {}

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        """The readings of the claims that are unknown in `evidence.readings`, without a quote.

        A model that says anything but a state, or fails, leaves a claim unknown.

        Raises:
            ModelError: (UNAVAILABLE, REJECTED) infrastructure.
            RunStopped: the run was halted before a call.
        """
        unknown = {r.claim for r in evidence.readings if r.state is State.UNKNOWN}
        wanted = [c for c in evidence.claims if c.id in unknown and c.kind in _KINDS]
        states = [await self._state(claim, evidence) for claim in wanted]
        return tuple(
            Reading(claim.id, state, Reader.MODEL, against=claim.text)
            for claim, state in zip(wanted, states, strict=True)
        )

    async def _state(self, claim: Claim, evidence: Evidence) -> State:
        exchange = evidence.exchange
        key = claim.wordings, exchange.user, exchange.assistant
        if (pending := self._pending.get(key)) is None:
            pending = self._pending[key] = asyncio.ensure_future(self._ask(claim, evidence))
            pending.add_done_callback(lambda done: self._forget(key, done))
        state = await asyncio.shield(pending)
        return _TURNED.get(state, state) if claim.kind is ClaimKind.MUST_NOT else state

    def _forget(self, key: tuple[tuple[str, ...], str, str], done: asyncio.Future[State]) -> None:
        """What failed is asked again when somebody needs it."""
        if done.cancelled() or done.exception() is not None:
            self._pending.pop(key, None)

    async def _ask(self, claim: Claim, evidence: Evidence) -> State:
        exchange, talk = evidence.exchange, evidence.talk
        fence = fence_of(self._secret, talk.episode, exchange.turn, claim.id)
        texts = {
            "question": exchange.user,
            "answer": exchange.assistant,
            "claim": " / ".join(claim.wordings),
        }
        shown = {name: fenced(name, cut(text, _LONGEST), fence) for name, text in texts.items()}
        messages = (
            Message("system", self._prompt.render("system")),
            Message("user", self._prompt.render("pair", **shown)),
        )
        call = CallId(talk.episode, exchange.turn, Role.READER, claim.id, talk.take)
        try:
            answer = await self._chat.complete(call, messages, fence=fence)
        except ModelError as error:
            if error.leaves_unfinished:
                raise
            return State.UNKNOWN
        words = set(_WORD.findall(answer.text.casefold())) if answer.fault is None else set()
        return State(words.pop()) if len(words) == 1 else State.UNKNOWN
