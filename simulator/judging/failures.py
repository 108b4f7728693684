"""How a bot failed, in the client's language; what it said itself stays as it is."""

from simulator.core.persona import Language
from simulator.core.talk import TargetFailure
from simulator.words import Words


def told(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = Words(language, "report").name("bot", failure.fault)
    return f"{kind}: {failure.message}" if failure.message else kind
