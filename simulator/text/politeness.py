"""How politely a customer writes: plain, polite or formal, sentence by sentence."""

from dataclasses import dataclass

from simulator.core.persona import Language, Politeness
from simulator.text.en import asking as en
from simulator.text.ja import politeness as ja
from simulator.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Registers:
    """How many sentences of a text are in each register, and how many are in none."""

    plain: int = 0
    polite: int = 0
    formal: int = 0
    neither: int = 0

    @property
    def of_all(self) -> Politeness | None:
        """The register of the text as a whole; None where no sentence has one.

        Polite and formal sentences together have to be at least as many as plain ones, and formal
        ones at least half of them.
        """
        courteous = self.polite + self.formal
        if not courteous + self.plain:
            return None
        if self.plain > courteous:
            return Politeness.PLAIN
        return Politeness.FORMAL if 2 * self.formal >= courteous else Politeness.POLITE


def registers(text: str, language: Language) -> Registers:
    """Count the sentences of a text by register.

    Japanese: a sentence is polite if its last predicate ends in です, ます, ください or a form of
    them, formal if it is polite and holds an honorific or humble word (いただく, お伺いする),
    plain if it has another predicate. Noun phrases, calls and はい are neither.

    English has no such forms: a sentence is polite by its courtesies (please, could you, thanks,
    I'd like), formal by elaborate ones (would you kindly, I should be grateful). A plain sentence
    is not rude for that; as a courtesy covers what is said beside it, plain sentences do not
    count where there is one in the text.
    """
    rule = en.register_of if language == "en" else ja.register_of
    found = [rule(sentence) for sentence in sentences(text, language)]
    courteous = language == "en" and (Politeness.POLITE in found or Politeness.FORMAL in found)
    return Registers(
        plain=0 if courteous else found.count(Politeness.PLAIN),
        polite=found.count(Politeness.POLITE),
        formal=found.count(Politeness.FORMAL),
        neither=found.count(None),
    )


def politeness(text: str, language: Language) -> Politeness | None:
    """The register of an utterance; None for noun phrases, はい, and empty texts."""
    return registers(text, language).of_all
