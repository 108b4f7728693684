"""English text fit to stand inside a person's sentence."""

import re

_FUNCTION_WORD = re.compile(
    r"(?:The|My|Our|It|There|This|That|These|Those|He|She|We|They|You|A|An|No|In|On|At|Since|When"
    r"|If|Only|Some|All|Both|For|From|Nothing|Nobody|Yes)\b(?!')"
)
_ENDS = re.compile(r"(?:(?<!\.)\.|[!?\n])[\"')]*\s*$")  # dots that trail off end nothing


def cased(text: str, before: str) -> str:
    """The text with a capital if a sentence begins there, and inside one without, if it may."""
    if not before.strip() or _ENDS.search(before):
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if _FUNCTION_WORD.match(text) else text
