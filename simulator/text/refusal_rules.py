"""What the refusal rules of a language consist of."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RefusalRules:
    """Patterns that are searched in one clause (NFKC, case folded)."""

    between_clauses: re.Pattern[str]  # where a sentence turns: "…, but"
    refuses: re.Pattern[str]
    unless: re.Pattern[str]  # looks like a refusal, but is none
    only_partly: re.Pattern[str]  # a refusal of exactness alone
    says_nothing: re.Pattern[str]  # apologies, thanks, pointers elsewhere, questions
    as_a_rule: re.Pattern[str]  # a fact that answers in spite of a refusal: "usually …"


def any_line(text: str, **parts: str) -> re.Pattern[str]:
    """A pattern that matches where one of the lines does; `<name>` stands for one of the parts."""
    return re.compile(alternatives(text, **parts))


def alternatives(text: str, **parts: str) -> str:
    """The lines of a text as alternatives of one group, with `<name>` replaced by that part."""
    text = "|".join(line.strip() for line in text.splitlines() if line.strip())
    for name, part in parts.items():
        text = text.replace(f"<{name}>", f"(?:{part})")
    return f"(?:{text})"
