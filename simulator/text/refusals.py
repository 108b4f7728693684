"""Whether an answer refuses: it says that it does not know, cannot answer, has no information.

A refusal speaks of answering, knowing or finding: 返品できません and *you cannot cancel* are none.
How it is said stands in `ja/refusals.yaml` and `en/refusals.yaml`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from simulator.core.form import folded
from simulator.core.persona import Language
from simulator.text.phrases import Phrases, phrases
from simulator.text.sentences import sentences

_READ = 4000  # characters: nobody answers that much before refusing
_NUMBER = re.compile(r"\d")


def is_refusal(text: str, language: Language) -> bool:
    """True if the text as a whole refuses to answer.

    Its clauses are read in order. Apologies, thanks, questions and pointing to a help desk state
    nothing. Whatever states something before the first refusal makes that refusal a hedge about
    another matter. What comes after a refusal undoes it only if it says what is usual
    (分かりかねますが、通常は3日で届きます), or names a number in the same Japanese sentence, or if
    exactness alone was refused (正確な日数は分かりかねます。3日ほどです。).
    """
    return _is_refusal(text[:_READ], language)


def states_nothing(text: str, language: Language) -> bool:
    """True if the text only apologises, thanks, asks back or points to where help is to be had."""
    rules = _rules(language)
    clauses = list(_clauses(text[:_READ], language, rules))
    return bool(clauses) and all(rules.pattern("says_nothing").search(clause) for clause in clauses)


def only_refuses(text: str, language: Language) -> bool:
    """True if all that the text does is to refuse, apologise, thank, ask back or point elsewhere.

    *I cannot advise you, but put some ice on it* is a refusal, and does more than that.
    """
    rules = _rules(language)
    return all(
        _refuses(clause, rules) or rules.pattern("says_nothing").search(clause)
        for clause in _clauses(text[:_READ], language, rules)
    )


def refuses_anything(text: str, language: Language) -> bool:
    """True if a clause refuses, whatever is said beside it."""
    rules = _rules(language)
    return any(_refuses(clause, rules) for clause in _clauses(text[:_READ], language, rules))


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _is_refusal(text: str, language: Language) -> bool:
    rules = _rules(language)
    refused = only_partly = False
    before = ""
    for clause in _clauses(text, language, rules):
        if _refuses(clause, rules):
            partly = rules.pattern("only_partly").search(clause)
            only_partly = bool(partly) and (only_partly or not refused)
            refused = True
        elif not rules.pattern("says_nothing").search(clause) and (
            not refused
            or only_partly
            or rules.pattern("as_a_rule").search(clause)
            or (before.endswith("、") and _NUMBER.search(clause))  # 資料はありませんが、500円です
        ):
            return False
        before = clause
    return refused


def _rules(language: Language) -> Phrases:
    return phrases(f"text/{language}/refusals")


def _clauses(text: str, language: Language, rules: Phrases) -> Iterator[str]:
    turn = rules.pattern("between_clauses")
    return (c for s in sentences(folded(text), language) for c in turn.split(s) if c)


@lru_cache(maxsize=2_048)  # the dearest pattern of all, asked for by several ways of reading
def _refuses(clause: str, rules: Phrases) -> bool:
    refuses, unless = rules.pattern("refuses"), rules.pattern("unless")
    return bool(refuses.search(clause)) and not unless.search(clause)
