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
        exchange, talk = evidence.exchange, evidence.talk
        texts = exchange.user, exchange.assistant
        place = talk.episode, exchange.turn, Role.READER
        states = [
            await self.state(claim, *texts, CallId(*place, claim.id, talk.take)) for claim in wanted
        ]
        return tuple(
            Reading(claim.id, state, Reader.MODEL, against=claim.text)
            for claim, state in zip(wanted, states, strict=True)
        )

    async def state(self, claim: Claim, question: str, answer: str, call: CallId) -> State:
        """The state of one claim in an answer to a question.

        Raises:
            ModelError, RunStopped: as `read`.
        """
        key = claim.wordings, question, answer
        if (pending := self._pending.get(key)) is None:
            asking = self._ask(claim, question, answer, call)
            pending = self._pending[key] = asyncio.ensure_future(asking)
            pending.add_done_callback(lambda done: self._forget(key, done))
        state = await asyncio.shield(pending)
        return _TURNED.get(state, state) if claim.kind is ClaimKind.MUST_NOT else state

    def _forget(self, key: tuple[tuple[str, ...], str, str], done: asyncio.Future[State]) -> None:
        """What failed is asked again when somebody needs it."""
        if done.cancelled() or done.exception() is not None:
            self._pending.pop(key, None)

    async def _ask(self, claim: Claim, question: str, answer: str, call: CallId) -> State:
        fence = fence_of(self._secret, call.episode, call.turn, claim.id)
        texts = {"question": question, "answer": answer, "claim": " / ".join(claim.wordings)}
        shown = {name: fenced(name, cut(text, _LONGEST), fence) for name, text in texts.items()}
        messages = (
            Message("system", self._prompt.render("system")),
            Message("user", self._prompt.render("pair", **shown)),
        )
        try:
            completion = await self._chat.complete(call, messages, fence=fence)
        except ModelError as error:
            if error.leaves_unfinished:
                raise
            return State.UNKNOWN
        text = completion.text if completion.fault is None else ""
        words = set(_WORD.findall(text.casefold()))
        return State(words.pop()) if len(words) == 1 else State.UNKNOWN
