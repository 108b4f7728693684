"""What a run says of itself beside its figures, in the client's language."""

from simulator.core.persona import Language
from simulator.words import Words


def note(language: Language, key: str, **values: object) -> str:
    """The wording behind a key, with its values filled in."""
    return Words(language, "notes")(key, **values)
