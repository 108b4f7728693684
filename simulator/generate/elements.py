"""What a right answer has to hold, as short phrases: by rules, or those that a model picked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from simulator.core.claim import State
from simulator.core.clean import clean
from simulator.core.form import folded, normal_form
from simulator.core.persona import Language
from simulator.reading.words import says
from simulator.text.handover import Handover, handover, only_hands_over, sends_to_a_person
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_pattern = phrases("generate/elements").pattern
_FEW = 2  # from so many things on they are enumerated
_READ = 8_000  # characters of a text: lists that never end are looked for again at each place
_LONGEST_STEP = {"ja": 24, "en": 48}  # characters of a step

Enumeration = Sequence[tuple[int, str]]
"""The things that are enumerated, each with its place in the text before it."""


def enumerations(text: str, language: Language) -> list[Enumeration]:
    """What a text enumerates, in its order: lists of three and more, and choices between two."""
    text = text[:_READ]
    found = [_steps(text, language)]
    if language == "ja":
        lists = _pattern("ja_list").finditer(text)
        found += [_japanese(m) for m in lists if _pattern("ja_strong").search(m.group())]
        found += [_japanese(m) for m in _pattern("ja_pair").finditer(text)]
    else:
        found += [_english(m) for m in _pattern("en_list").finditer(text)]
        found += [_english(m) for m in _pattern("en_pair", re.IGNORECASE).finditer(text)]
    return [items for items in found if len(items) >= _FEW]


def _japanese(match: re.Match[str]) -> Enumeration:
    nouns = _pattern("ja_item").finditer(match.group())
    return [(match.start() + noun.start(), noun.group()) for noun in nouns]


def _english(match: re.Match[str]) -> Enumeration:
    first, *others = _parts(match, _pattern("en_part"))
    head, lead = (_pattern(name, re.IGNORECASE) for name in ("en_head", "en_lead"))
    items = [_without(first, head), *(_without(item, lead) for item in others)]
    named = [(at, _pattern("en_tail").sub("", text)) for at, text in items]
    clause = _pattern("en_clause", re.IGNORECASE)
    return [] if any(clause.search(text) for _, text in named) else named


def _parts(match: re.Match[str], parted_by: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    begin = 0
    for part in parted_by.finditer(match.group()):
        yield match.start() + begin, match.group()[begin : part.start()]
        begin = part.end()
    yield match.start() + begin, match.group()[begin:]


def _without(item: tuple[int, str], head: re.Pattern[str]) -> tuple[int, str]:
    """The item without what leads to it: `You can pay by card` is `card`."""
    place, text = item
    found = head.match(text)
    return (place + found.end(), text[found.end() :]) if found else item


_AROUND = " 　,、;；."  # what may stand around an item of a list


def _steps(text: str, language: Language) -> Enumeration:
    """The items of lists with numbers or marks before each, where these are short."""
    marks = list(_pattern("item_mark", re.MULTILINE).finditer(text))
    items = []
    for number, mark in enumerate(marks, 1):
        end = marks[number].start() if number < len(marks) else len(text)
        step = re.split(r"[\n。]|\.(?=\s|$)", text[mark.end() : end], maxsplit=1)[0]
        item = step.strip(_AROUND)
        items.append((mark.end() + len(step) - len(step.lstrip(_AROUND)), item))
    return items if all(0 < len(step) <= _LONGEST_STEP[language] for _, step in items) else []


_MOST = 4  # phrases of one answer
_LONGEST = {"ja": 30, "en": 60}  # characters of one phrase


def key_phrases(text: str, language: Language, *, question: str = "") -> tuple[str, ...]:
    """The phrases of an answer that a right one cannot do without, in its order, as it has them.

    Where the question asks what there is, what the answer enumerates. Else amounts, numbers with
    their units, deadlines, times, addresses; where there are none, what it enumerates; and where
    these are fewer than two, what one has to press: names in quotation marks, the last step of a
    menu's path. Each phrase stands in the text itself.
    """
    text = clean(text[:_READ])
    listed = max(enumerations(text, language), key=len, default=[])  # the first of the longest
    pattern = _pattern(f"{language}_amounts", re.IGNORECASE)
    amounts = [(m.start(), m.group().strip()) for m in pattern.finditer(text)]
    if listed:  # that they are three says nothing
        amounts = [amount for amount in amounts if not amount[1].endswith("種類")]
    first, second = (listed, amounts) if _asks_for_a_list(question, language) else (amounts, listed)
    chosen = _apart(first, language)[:_MOST] or _apart(second, language)[:_MOST]
    if len(chosen) < 2:
        marked = _pattern("named").finditer(text)
        named = [(m.start(), next(filter(None, m.groups()))) for m in marked]
        chosen = _apart([*chosen, *named], language)[:_MOST]
    phrases = [phrase for _, phrase in sorted(chosen)]
    return tuple(phrase for phrase in phrases if is_said(phrase, [text], language))


def phrases_for(question: str, text: str, language: Language) -> tuple[str, ...]:
    """The key phrases of those sentences of an answer that a question is about.

    These are the sentences with the most content words of the question; all, where none has any.
    """
    asked = set(content_tokens(question, language))
    said = sentences(text, "ja")  # in either language: 。 ends one, and a full stop before space
    shared = [(len(asked.intersection(content_tokens(s, language))), s) for s in said]
    best = max((n for n, _ in shared), default=0)
    near = "\n".join(s for n, s in shared if n == best) if best else text
    return key_phrases(near, language, question=question)


def grounded(phrases: Iterable[str], texts: Sequence[str], language: Language) -> tuple[str, ...]:
    """Those of a model's phrases that are short and really stand in the texts, each once."""
    said = [clean(phrase).strip() for phrase in phrases]
    short = [p for p in dict.fromkeys(said) if normal_form(p) and len(p) <= _LONGEST[language]]
    return tuple(p for p in short if is_said(p, texts, language))[:_MOST]


def is_said(phrase: str, texts: Iterable[str], language: Language) -> bool:
    """Whether a phrase stands in one of the texts as it is, or one of them meets it by words."""
    whole = re.compile(rf"(?<![a-z0-9.:/-]){re.escape(normal_form(phrase))}(?![a-z0-9])")
    return any(
        whole.search(normal_form(text)) or says(text, phrase, language) is State.MET
        for text in texts
    )


def is_for_a_person(text: str, language: Language) -> bool:
    """Whether an answer says of its matter no more than that a person deals with it.

    It tells the user to turn to somebody, or that somebody takes it up, or only by whom it is
    dealt with, and each of its sentences does so, refuses, or keeps the matter for people. What is
    told beside a number to call (*booked by telephone or online*), and pointers for other
    questions, are answers.
    """
    text = text[:_READ]
    told = [_kept_for_people(sentence, language) for sentence in sentences(text, language)]
    if not (sends_to_a_person(text, language) or any(t.keeps or t.comes for t in told)):
        return False
    is_kept = any(t.keeps for t in told)
    withholds = any(t.reserved for t in told)
    asks = [
        t.deals or (t.directs and (t.sends or is_kept)) or (t.comes and (withholds or is_kept))
        for t in told
    ]
    return any(asks) and all(
        asked or t.keeps or t.reserved or t.hands_over for asked, t in zip(asks, told, strict=True)
    )


class _Kept(NamedTuple):
    """What a sentence does to keep a matter for people.

    `reserved`: not here, not by chat; `keeps`: by them alone; `deals`: and what they do with it, or
    that they have it now; `directs`, `comes`: the user is to call, or to come to a desk.
    """

    reserved: bool
    keeps: bool
    deals: bool
    directs: bool
    comes: bool
    sends: bool
    hands_over: bool


def _kept_for_people(sentence: str, language: Language) -> _Kept:
    rules, said = phrases(f"text/{language}/handover"), folded(sentence)

    def has(name: str) -> bool:
        return bool(_pattern(f"{language}_{name}", re.IGNORECASE).search(sentence))

    helped = has("people") or any(rules.pattern(n).search(said) for n in ("anybody", "office"))
    keeps = has("limits") and helped
    return _Kept(
        reserved=has("reserved"),
        keeps=keeps,
        deals=handover(sentence, language) >= Handover.TAKEN_UP or (keeps and has("deals")),
        directs=bool(rules.pattern("directs").search(said)),
        comes=bool(rules.pattern("to_a_desk").search(said)),
        sends=sends_to_a_person(sentence, language),
        hands_over=only_hands_over(sentence, language),
    )


def _asks_for_a_list(question: str, language: Language) -> bool:
    what, amount = (
        _pattern(f"{language}_asks_{name}", re.IGNORECASE) for name in ("what", "amount")
    )
    return bool(what.search(question)) and not amount.search(question)


def _apart(found: Sequence[tuple[int, str]], language: Language) -> list[tuple[int, str]]:
    """Those of the phrases that are part of no other one, each once."""
    phrases = [phrase for _, phrase in found]
    apart = []
    for at, (place, phrase) in enumerate(found):
        form = normal_form(phrase)
        others = [*phrases[:at], *(p for p in phrases[at + 1 :] if normal_form(p) != form)]
        if form and not is_said(phrase, others, language):
            apart.append((place, phrase))
    return apart
