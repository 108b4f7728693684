"""The one thing that a title asks for, where the passage says it and nothing like it beside."""

import re
from collections.abc import Sequence

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.normal import folded, normal_form
from simulator.text.phrases import phrases
from simulator.text.presence import missing
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_pattern = phrases("generate/asked").pattern
# Of these a title asks the first that it matches.
KINDS = ("contact", "duration", "count", "money", "share", "size", "clock", "when", "where", "who")
_NAMED = ("when", "where", "who")  # a month, a page and a person begin with a capital letter


def asked_elements(title: str, text: str, language: Language) -> tuple[str, ...]:
    """What a right answer to a title has to hold: one phrase of the passage, or nothing.

    The title has to ask how much, how many, how long, when, where or who; and those sentences of
    the passage that share the most content words with it have to hold exactly one thing of that
    kind. Where two of them could be meant, neither is taken: no element is better than a wrong
    one, since an answer without it fails.
    """
    kind = asked_kind(title, language)
    if kind is None:
        return ()
    near = "\n".join(_nearest(title, text, language))
    found = _of_kind(kind, near, title, language)
    said = {normal_form(phrase): phrase for phrase in found}
    if len(said) != 1:
        return ()
    (phrase,) = said.values()
    return () if missing([(phrase,)], [text], language) else (phrase,)


def asked_kind(title: str, language: Language) -> str | None:
    """Which of KINDS a title asks for; None where it asks for something else, or for nothing."""
    title = folded(title)
    flags = re.IGNORECASE
    return next((k for k in KINDS if _pattern(f"{language}_asks_{k}", flags).search(title)), None)


def _nearest(title: str, text: str, language: Language) -> list[str]:
    """The sentences with the most content words of the title; none, where none has any."""
    asked = set(content_tokens(title, language))
    said = sentences(clean(text), language)
    shared = [len(asked.intersection(content_tokens(sentence, language))) for sentence in said]
    best = max(shared, default=0)
    return [s for s, n in zip(said, shared, strict=True) if n == best] if best else []


def _of_kind(kind: str, near: str, title: str, language: Language) -> Sequence[str]:
    """All that is of this kind in the sentences, in order, but what cannot be meant."""
    flags = re.NOFLAG if kind in _NAMED else re.IGNORECASE
    found = _pattern(f"{language}_{kind}", flags).finditer(near)
    told = normal_form(title)
    return [
        phrase
        for match in found
        if (phrase := next(filter(None, match.groups()), match.group()).strip())
        and normal_form(phrase) not in told  # what the title itself says
        and not _stands_by("outlived", match, language)
        and not (kind == "when" and _stands_by("on_condition", match, language))
        and not _is_stray_year(phrase, title, language)
        and _counts_the_same(phrase, title, kind, language)
    ]


def _stands_by(what: str, match: re.Match[str], language: Language) -> bool:
    """Whether a phrase stands behind what was found in Japanese, and before it in English.

    `outlived`: something holds once it is over (30日を過ぎると, after 30 days).
    """
    pattern = _pattern(f"{language}_{what}", re.IGNORECASE)
    if language == "ja":
        return pattern.match(match.string, match.end()) is not None
    return pattern.search(match.string[: match.start()]) is not None


def _is_stray_year(phrase: str, title: str, language: Language) -> bool:
    """Whether it is a year by itself, and nobody asks when something was."""
    if not _pattern(f"{language}_bare_year").fullmatch(phrase):
        return False
    return not _pattern(f"{language}_past", re.IGNORECASE).search(title)


def _counts_the_same(phrase: str, title: str, kind: str, language: Language) -> bool:
    """何名 is answered in 名 or 人, 何日前 by something before; English counts with nouns."""
    if kind == "duration" and language == "ja":
        return "前" in phrase or not _pattern("ja_asks_before").search(folded(title))
    if kind != "count":
        return True
    if language == "en":
        asked = _pattern("en_counted", re.IGNORECASE).search(title)
        return asked is None or bool(
            set(content_tokens(asked["noun"], "en")) & set(content_tokens(phrase, "en"))
        )
    asked = _pattern("ja_counter").search(folded(title))
    if asked is None:
        return True
    same = phrases("generate/asked").pairs("ja_same_counters")
    counters = {asked["counter"], same.get(asked["counter"], "")}
    counters |= {name for name, other in same.items() if other in counters}
    return any(name and name in phrase for name in counters)
