"""How many there are of something, as English says it: 1 answer, 2 answers."""

import re
from collections.abc import Mapping

_NOUNS = "conversation|turn|answer|verdict|question|run|row|way|scenario|persona"
_COUNTED = re.compile(
    rf"(?P<n>\{{(\w+)\}}(?: unfinished| changed| more)?) (?P<noun>{_NOUNS})s\b( are\b)?"
)


def counted(n: int, one: str, many: str = "") -> str:
    """A count with its noun; `many` where that is not `one` with an s."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def in_number(template: str, values: Mapping[str, object]) -> str:
    """An English wording with placeholders, its nouns in the singular behind those that are 1.

    `{n} answers are left` becomes `{n} answer is left`. What is filled in is never looked at.
    """

    def one(found: re.Match[str]) -> str:
        if str(values.get(found[2])) != "1":
            return found[0]
        return f"{found['n']} {found['noun']}{' is' if found[4] else ''}"

    return _COUNTED.sub(one, template)
