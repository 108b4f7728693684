"""The variables of the environment that a request is filled in with; they are never repeated."""

import json
import re
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import quote

from simulator import config
from simulator.core.errors import InputError, TargetError
from simulator.core.talk import Reply
from simulator.formats.sources import LIKE_A_SECRET
from simulator.targets._shapes import with_texts
from simulator.targets._wire import Verbatim
from simulator.targets._wire.templates import TemplateError

SECRET_NAME = re.compile(
    "key|token|secret|pass|pwd|auth|cookie|credential|session|signature|bearer", re.IGNORECASE
)
# What is shorter stands in any text by chance (test, none): a message of ours may say ${NAME} there
# all the same, a bot's answer may not be changed.
SHORTEST, SHORTEST_IN_ANSWERS = 4, 8


@dataclass(frozen=True, slots=True)
class Secrets:
    """Values by their variables' names. `quiet` are the names of those that are secret.

    A value counts as secret where its name or the place that it is written to says so (a key, a
    token, a password, an authorization), or where it looks like one.
    """

    values: Mapping[str, Verbatim] = field(repr=False)
    quiet: frozenset[str] = frozenset()

    @classmethod
    def read(cls, written: Iterable[tuple[str, str]]) -> Self:
        """The values of variables: of each a name, and a place that its value is written to.

        Raises:
            InputError: some are not set; all at once.
        """
        places: dict[str, list[str]] = {}
        for name, place in written:
            places.setdefault(name, []).append(place)
        variables = {name: config.secret(name) for name in places}
        unset = [
            f"target.{places[name][0]}: the environment variable {name} is not set; "
            f"set it before you start mogi, such as with: export {name}=..."
            for name, value in sorted(variables.items())
            if value is None
        ]
        if unset:
            raise InputError(*unset)
        values = {name: Verbatim(value) for name, value in variables.items() if value is not None}
        quiet = frozenset(
            name
            for name, value in values.items()
            if LIKE_A_SECRET.search(value) or any(map(SECRET_NAME.search, (name, *places[name])))
        )
        return cls(values, quiet)

    def hidden(self, text: str) -> str:
        """A message of ours with every value replaced by its `${NAME}`."""
        return without(text, _named(self.values), SHORTEST)

    def hidden_in_answer(self, text: str) -> str:
        """What a bot said, with the secret values alone replaced: nothing else of it is changed."""
        quiet = {name: self.values[name] for name in self.quiet}
        return without(text, _named(quiet), SHORTEST_IN_ANSWERS)

    async def kept(self, answering: Awaitable[Reply]) -> Reply:
        """The reply without the secrets that it repeats, or a failure without any of the values.

        Raises:
            TargetError: the bot failed.
            InputError: the settings cannot be filled in for this turn.
        """
        try:
            reply = await answering
        except TargetError as error:
            raise TargetError(error.fault, self.hidden(str(error))) from None
        except (InputError, TemplateError) as error:
            where = "target: " if isinstance(error, TemplateError) else ""
            raise InputError(where + self.hidden(str(error))) from None
        if not self.values:
            return reply
        notes = tuple(map(self.hidden, reply.notes))
        return replace(with_texts(reply, self.hidden_in_answer), notes=notes)


def _named(values: Mapping[str, str]) -> dict[str, str]:
    return {value: f"${{{name}}}" for name, value in values.items()}


def without(text: str, shown: Mapping[str, str], shortest: int) -> str:
    """The text with each of these values, however it is encoded, as it may be shown."""
    for value in sorted(shown, key=len, reverse=True):
        if len(value) < shortest:
            continue
        for form in {value, json.dumps(value)[1:-1], quote(value, safe=""), quote(value)}:
            if form in text:
                text = text.replace(form, shown[value])
    return text
