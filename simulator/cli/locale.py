"""What a Japanese locale reads in Japanese: the help of some commands, and messages on stderr.

Both are data: `words/ja/help.yaml` and `words/ja/messages.yaml`. What is not there is English.
"""

import re
from functools import cache, partial
from typing import NamedTuple

from simulator import config

_PLACE = re.compile(r"\{(\w+)\}")


class _Message(NamedTuple):
    english: re.Pattern[str]
    japanese: str


def help_text(command_path: str) -> str | None:
    """The help of a command, or None if the English one is to be shown."""
    return _helps().get(command_path) if config.is_japanese() else None


def message(text: str) -> str:
    """A message in the language of the locale; one that has no translation as it is."""
    return "\n".join(map(_translated, text.split("\n"))) if config.is_japanese() else text


def _translated(line: str) -> str:
    for each in _messages():
        if match := each.english.fullmatch(line):
            return _PLACE.sub(partial(_value, match), each.japanese)
    return line


def _value(message: re.Match[str], place: re.Match[str]) -> str:
    value = _translated(message[place[1]])
    is_list = place[1] in ("names", "choices")
    return value.replace(", ", "、").replace("'", "") if is_list else value


@cache
def _helps() -> dict[str, str]:
    from simulator.words import document

    texts = document("ja", "help")
    shared = {name: text for name, text in texts.items() if name.startswith("shared.")}
    return {
        name: re.sub(r"\{(shared\.\w+)\}\n?", lambda place: shared[place[1]], text).rstrip()
        for name, text in texts.items()
    }


@cache
def _messages() -> tuple[_Message, ...]:
    from simulator.words import document

    return tuple(
        _Message(pattern(english), japanese)
        for english, japanese in document("ja", "messages").items()
    )


def pattern(english: str) -> re.Pattern[str]:
    """The lines that an English wording stands for: what it names in braces may be anything."""
    parts = _PLACE.split(english)
    return re.compile(
        "".join(
            f"(?P<{part}>.+?)" if is_name % 2 else re.escape(part)
            for is_name, part in enumerate(parts)
        )
    )
