"""Whether an answer refuses: it says that it does not know, cannot answer, has no information.

A refusal speaks of answering, knowing or finding: 返品できません and *you cannot cancel* are none.
How it is said stands in `ja/refusals.yaml` and `en/refusals.yaml`. What none of these phrases has,
and states nothing else, refuses if its letters are like those of refusals: the weights of groups of
letters in `*/refusals_like.json` are learnt (`python -m tests.text.refusal_learning`).
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from simulator.core.persona import Language
from simulator.text.normal import folded
from simulator.text.phrases import Phrases, phrases
from simulator.text.sentences import sentences

_READ = 4000  # characters: nobody answers that much before refusing
_LETTERS = {"ja": (1, 4), "en": (2, 5)}  # in a group
_SHORTEST = 4  # characters: *No.* answers
_LONGEST = 150  # who goes on for longer says something
_NUMBER = re.compile(r"\d")


def is_refusal(text: str, language: Language) -> bool:
    """Whether the text as a whole refuses to answer.

    Its clauses are read in order. Apologies, thanks, questions and pointing to a help desk state
    nothing. Whatever states something before the first refusal makes that refusal a hedge about
    another matter. What comes after a refusal undoes it only if it says what is usual
    (分かりかねますが、通常は3日で届きます), or names a number in the same Japanese sentence, or if
    exactness alone was refused (正確な日数は分かりかねます。3日ほどです。).
    """
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


def refuses_anything(text: str, language: Language) -> bool:
    """Whether a clause refuses, whatever is said beside it."""
    rules = _rules(language)
    return any(_refuses(clause, rules) for clause in _clauses(text[:_READ], language, rules))


def letters(text: str, language: Language) -> frozenset[str]:
    """The groups of letters by which a clause (NFKC, case folded) is compared.

    In Japanese one to four that follow one another; in English two to five of a word with the
    spaces around it.
    """
    least, most = _LETTERS[language]
    words = [text] if language == "ja" else [f" {word} " for word in text.split()]
    return frozenset(
        word[at : at + n]
        for word in words
        for n in range(least, most + 1)
        for at in range(len(word) - n + 1)
    )


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _is_refusal(text: str, language: Language) -> bool:
    rules = _rules(language)
    clauses = list(_clauses(text, language, rules))
    return _refuses_by_phrases(clauses, rules) or _refuses_by_letters(clauses, rules, language)


def _refuses_by_phrases(clauses: Sequence[str], rules: Phrases) -> bool:
    refused = only_partly = False
    before = ""
    for clause in clauses:
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


def _refuses_by_letters(clauses: Sequence[str], rules: Phrases, language: Language) -> bool:
    """Whether a clause is like refusals, and none states or asks anything else."""
    asks = phrases(f"text/{language}/pleasantries").pattern("asks")
    if any(asks.search(clause) for clause in clauses):
        return False
    found = [c for c in clauses if not rules.pattern("says_nothing").search(c)]
    return bool(found) and all(
        _refuses(clause, rules) or _is_like_refusals(clause, rules, language) for clause in found
    )


class _Like(NamedTuple):
    """A logistic regression on the presence of groups of letters, each text of length 1."""

    bias: float
    weights: dict[str, float]


@cache
def _like(language: Language) -> _Like:
    text = (Path(__file__).parent / language / "refusals_like.json").read_text("utf-8")
    return _Like(**json.loads(text))


def _is_like_refusals(clause: str, rules: Phrases, language: Language) -> bool:
    """By its letters alone; who names a number or says what comes next does something else."""
    vetoes = _NUMBER, rules.pattern("unless"), rules.pattern("announces")
    if not _SHORTEST <= len(clause) <= _LONGEST or any(veto.search(clause) for veto in vetoes):
        return False
    found, like = letters(clause, language), _like(language)
    score = like.bias + sum(like.weights.get(g, 0.0) for g in found) / math.sqrt(len(found) or 1)
    return score >= 0  # as likely as not


def _rules(language: Language) -> Phrases:
    return phrases(f"text/{language}/refusals")


def _clauses(text: str, language: Language, rules: Phrases) -> Iterator[str]:
    turn = rules.pattern("between_clauses")
    return (c for s in sentences(folded(text), language) for c in turn.split(s) if c)


@lru_cache(maxsize=2_048)  # the dearest pattern of all, asked for by several ways of reading
def _refuses(clause: str, rules: Phrases) -> bool:
    refuses, unless = rules.pattern("refuses"), rules.pattern("unless")
    return bool(refuses.search(clause)) and not unless.search(clause)
