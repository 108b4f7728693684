"""What stands between a simulated user and the loop: its opening line, its failures, min_turns."""

import random
from dataclasses import replace

from simulator.core.clean import clean, plain_talk, visible
from simulator.core.errors import ModelError, RunStopped, StoreError, UserError
from simulator.core.persona import Opening
from simulator.core.plan import seed_of
from simulator.core.ports import User
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance

_EARLY = "the simulated user called itself done, without a message, before min_turns was reached"


class UserGuard:
    """A Speaker made of a User: one conversation long, like the user inside.

    Turn 1 is the scenario's query, word for word, for every kind of user; with `styled` it stands
    in one of the persona's own wordings, with its slips, drawn by the brief's seed. No user is
    asked for it.
    """

    def __init__(self, user: User, brief: Brief, open_style: Opening) -> None:
        self._user = user
        self._brief = brief
        self._open_style = open_style

    async def speak(self, talk: Talk) -> Utterance:
        """What is said next; a user that fails is a stop (USER_FAILED), with the reason in words.

        An end that comes before `min_turns` exchanges is not accepted: its message is said and its
        stop dropped; without a message there is nothing to go on with, and the user has failed.

        Raises:
            RunStopped: the run was halted.
            StoreError: something could not be saved.
            ModelError: UNAVAILABLE, REJECTED or FILTERED.
        """
        if not talk.exchanges:
            return Utterance(self._opening())
        try:
            utterance = await self._user.speak(plain_talk(talk))
        except (RunStopped, StoreError):
            raise
        except UserError as error:
            return _failed(str(error))
        except ModelError as error:
            if error.fault.excuses_the_user:
                raise
            return _failed(f"the simulated user's model: {error}")
        except Exception as error:  # noqa: BLE001 (an outsider's user may raise anything)
            return _failed(f"the simulated user raised {type(error).__name__}: {error}")
        return self._checked(utterance, talk)

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        """The questions of its goal that this talk ended without, where the user knows that."""
        knows = getattr(self._user, "unasked", None)
        return knows(talk) if knows and talk.exchanges else ()

    def _opening(self) -> str:
        query = self._brief.query
        if self._open_style == "exact":
            return query
        from simulator.users.agenda.wording import phrases_of, slipped

        wordings = phrases_of(self._brief.persona, "styled_query")
        drawn = random.Random(seed_of(self._brief.seed, "styled_query")).choice(wordings)
        drawn = drawn.replace("{query}", query)
        rng = random.Random(seed_of(self._brief.seed, "slips", 1))
        return slipped(drawn, self._brief.persona.style.slips, self._brief.language, rng)

    def _checked(self, utterance: Utterance, talk: Talk) -> Utterance:
        text = clean(utterance.text).strip()
        text = text if visible(text) else ""
        utterance = utterance if utterance.text == text else replace(utterance, text=text)
        exchanges = len(talk) + bool(utterance.text)
        if utterance.stop is None or utterance.stop.reason is not StopReason.DONE:
            return utterance
        if exchanges >= self._brief.min_turns:
            return utterance
        return replace(utterance, stop=None) if utterance.text else _failed(_EARLY)


def _failed(detail: str) -> Utterance:
    return Utterance(stop=Stop(StopReason.USER_FAILED, detail))
