"""What is compared with the expected answer, and the words in which a comparison is told."""

from simulator.core.outcome import Gap, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence

NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")

_CONFLICTS: dict[Language, tuple[str, str, str]] = {
    "ja": ("肯定と否定が期待する回答と食い違う", "数値が期待する回答と食い違う", "、"),
    "en": ("says yes where the expected answer says no", "numbers differ", "; "),
}


def conflicts(evidence: Evidence, *, negation: bool, number: bool) -> str:
    """A comment that names the contradictions to the expected answer; empty without any."""
    denied, counted, between = _CONFLICTS[evidence.language]
    told = [text for text, there in ((denied, negation), (counted, number)) if there]
    return between.join(told)
