"""How politely somebody writes: the register of each sentence, and of an utterance."""

from collections import Counter

from simulator.core.persona import Language, Politeness
from simulator.text.en import asking as en
from simulator.text.ja import endings as ja
from simulator.text.tokens import sentences


def registers(text: str, language: Language) -> Counter[Politeness | None]:
    """Count the sentences of a text by register; None: those in none.

    Japanese: a sentence is polite if its last predicate ends in です, ます, ください or a form of
    them, formal if it is polite and holds an honorific or humble word (いただく, お伺いする),
    plain if it has another predicate. Noun phrases, calls and はい are neither.

    English has no such forms: a sentence is polite by its courtesies (please, could you, thanks,
    I'd like), formal by elaborate ones (would you kindly, I should be grateful). A plain sentence
    is not rude for that; as a courtesy covers what is said beside it, plain sentences do not
    count where there is one in the text.
    """
    rule = en.register_of if language == "en" else ja.register_of
    counts = Counter(rule(sentence) for sentence in sentences(text, language))
    if language == "en" and counts[Politeness.POLITE] + counts[Politeness.FORMAL]:
        del counts[Politeness.PLAIN]
    return counts


def politeness(text: str, language: Language) -> Politeness | None:
    """The register of an utterance; None for noun phrases, はい, and empty texts.

    Polite and formal sentences together have to be at least as many as plain ones, and formal ones
    at least half of them.
    """
    counts = registers(text, language)
    courteous = counts[Politeness.POLITE] + counts[Politeness.FORMAL]
    if not courteous + counts[Politeness.PLAIN]:
        return None
    if counts[Politeness.PLAIN] > courteous:
        return Politeness.PLAIN
    return Politeness.FORMAL if 2 * counts[Politeness.FORMAL] >= courteous else Politeness.POLITE
