"""Whether an answer refuses: it says that it does not know, cannot answer, has no information.

A refusal speaks of answering, knowing or finding: 返品できません and *you cannot cancel* are none.
How it is said stands in `ja/refusals.yaml` and `en/refusals.yaml`.
"""

from collections.abc import Iterator
from functools import lru_cache

from simulator.core.persona import Language
from simulator.text.normal import folded
from simulator.text.phrases import Phrases, phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_READ = 4000  # characters: nobody answers that much before refusing


def is_refusal(text: str, language: Language, *, matter: str = "") -> bool:
    """Whether the text as a whole refuses to answer.

    Its clauses are read in order. Apologies, thanks, questions and pointing to a help desk state
    nothing. Whatever states something before the first refusal makes that refusal a hedge about
    another matter. What comes after a refusal undoes it only if it says what is usual
    (分かりかねますが、通常は3日で届きます), or if exactness alone was refused (正確な日数は
    分かりかねます。3日ほどです。).

    `matter`: what was asked for, where the asker also said something beside it. Then a refusal
    that shares no content word with the matter may speak of the rest (他社の話はできません), and a
    statement about the matter beside it is the answer.
    """
    if matter:
        return _refuses_the_matter(text[:_READ], language, matter)
    return _is_refusal(text[:_READ], language)


def states_nothing(text: str, language: Language) -> bool:
    """Whether the text only apologises, thanks, asks back or points to where help is to be had."""
    rules = _rules(language)
    found = list(_clauses(text[:_READ], language, rules))
    return bool(found) and all(rules.pattern("says_nothing").search(clause) for clause in found)


def only_refuses(text: str, language: Language) -> bool:
    """Whether all that the text does is to refuse, apologise, thank, ask back or point elsewhere.

    *I cannot advise you, but put some ice on it* is a refusal, and does more than that.
    """
    rules = _rules(language)
    return all(
        _refuses(clause, rules) or rules.pattern("says_nothing").search(clause)
        for clause in _clauses(text[:_READ], language, rules)
    )


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _is_refusal(text: str, language: Language) -> bool:
    rules = _rules(language)
    refused = only_partly = False
    for clause in _clauses(text, language, rules):
        if _refuses(clause, rules):
            partly = rules.pattern("only_partly").search(clause)
            only_partly = bool(partly) and (only_partly or not refused)
            refused = True
        elif not rules.pattern("says_nothing").search(clause) and (
            not refused or only_partly or rules.pattern("as_a_rule").search(clause)
        ):
            return False
    return refused


@lru_cache(maxsize=256)
def _refuses_the_matter(text: str, language: Language, matter: str) -> bool:
    rules = _rules(language)
    of_the_matter = frozenset(content_tokens(matter, language))
    rest: list[str] = []
    declined = answered = False
    for clause in _clauses(text, language, rules):
        shares = not of_the_matter.isdisjoint(content_tokens(clause, language))
        if _refuses(clause, rules) and not shares:
            declined = True
            continue
        rest.append(clause)
        answered = answered or (shares and not rules.pattern("says_nothing").search(clause))
    if declined and answered:
        return _is_refusal("\n".join(rest), language)
    return _is_refusal(text, language)


def _rules(language: Language) -> Phrases:
    return phrases(f"text/{language}/refusals")


def _clauses(text: str, language: Language, rules: Phrases) -> Iterator[str]:
    turn = rules.pattern("between_clauses")
    return (c for s in sentences(folded(text), language) for c in turn.split(s) if c)


def _refuses(clause: str, rules: Phrases) -> bool:
    refuses, unless = rules.pattern("refuses"), rules.pattern("unless")
    return bool(refuses.search(clause)) and not unless.search(clause)
