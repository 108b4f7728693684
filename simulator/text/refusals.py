"""Whether an answer refuses: it says that it does not know, cannot answer, has no information.

A refusal speaks of answering, knowing or finding: 返品できません and *you cannot cancel* are none.
"""

import unicodedata
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.refusal_rules import RefusalRules
from simulator.text.refusals_en import RULES as ENGLISH
from simulator.text.refusals_ja import RULES as JAPANESE
from simulator.text.sentences import sentences

_READ = 4000  # characters: nobody answers that much before refusing


def is_refusal(text: str, language: Language) -> bool:
    """Whether the text as a whole refuses to answer.

    Its clauses are read in order. Apologies, thanks, questions and pointing to a help desk state
    nothing. Whatever states something before the first refusal makes that refusal a hedge about
    another matter. What comes after a refusal undoes it only if it says what is usual
    (分かりかねますが、通常は3日で届きます), or if exactness alone was refused (正確な日数は
    分かりかねます。3日ほどです。).
    """
    return _is_refusal(text[:_READ], language)


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _is_refusal(text: str, language: Language) -> bool:
    rules = ENGLISH if language == "en" else JAPANESE
    text = unicodedata.normalize("NFKC", clean(text)).casefold().replace("’", "'")
    found = (c for s in sentences(text, language) for c in rules.between_clauses.split(s) if c)
    refused = only_partly = False
    for clause in found:
        if _refuses(clause, rules):
            only_partly = bool(rules.only_partly.search(clause)) and (only_partly or not refused)
            refused = True
        elif not rules.says_nothing.search(clause) and (
            not refused or only_partly or rules.as_a_rule.search(clause)
        ):
            return False
    return refused


def _refuses(clause: str, rules: RefusalRules) -> bool:
    return bool(rules.refuses.search(clause)) and not rules.unless.search(clause)
