"""What a user wants to hear, how it asks for it or doubts a reply, and what it tells of itself."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from simulator.core.persona import Disclosure, Language, Persona, Politeness
from simulator.core.scenario import Brief
from simulator.text.acts import (
    Handover,
    asked_about,
    asks_back,
    handover,
    is_courtesy,
    is_refusal,
    points_back,
    states_nothing,
)
from simulator.text.phrases import Phrases, phrases
from simulator.text.tokens import Meanings, content_tokens, sentences
from simulator.users.agenda.en.matter import mention
from simulator.users.agenda.ja.matter import is_wish
from simulator.users.agenda.matter import heading, in_brief, keywords, plain_need, topic, wanted
from simulator.users.agenda.wording import MessagePlan, Realisation, Wording, neutral

_READ = 4000  # characters: no more is read of one reply
# Where to turn, told as a fact: a number or an address of the desk that is named.
_REACHED_AT = re.compile(r"\d|@|https?:")
_QUESTION = re.compile(r"[?？][)）」』\"”]*$")


@dataclass(frozen=True, slots=True)
class HeardReply:
    """A reply as a user reads it.

    `stated`: content words of what it states; `questioned`: those of its questions, if it asks the
    user for something. `about`: what it states and whom it sends the user to; passing a talk on, or
    naming a desk without saying how it is reached, states nothing. `answers`: it states something
    besides, and courtesies state nothing either; and it neither refuses nor asks back.
    """

    text: str
    stated: frozenset[str]
    questioned: frozenset[str]
    about: frozenset[str]
    asks: bool
    refuses: bool
    answers: bool
    handover: Handover


def read_reply(text: str, language: Language) -> HeardReply:
    """Read one reply."""
    return _read(text[:_READ], language)


def past_refused_aside(reading: HeardReply, language: Language) -> HeardReply:
    """The same reply to somebody who also said something beside the matter.

    What it refuses may be that: if it says anything else, what it refuses is passed over.
    """
    if not reading.refuses:
        return reading
    parts = sentences(reading.text, language)
    rest = [sentence for sentence in parts if not is_refusal(sentence, language)]
    return read_reply(" ".join(rest), language) if 0 < len(rest) < len(parts) else reading


@lru_cache(maxsize=256)  # bots repeat themselves
def _read(text: str, language: Language) -> HeardReply:
    parts = sentences(text, language)
    asks = asks_back(text, language)
    questions = [s for s in parts if _QUESTION.search(s)]
    stated = [s for s in parts if s not in questions]
    if asks and not questions:  # a request in words, such as 教えてください
        questions = stated[-2:]
    statements = [sentence for sentence in stated if not _sends_away(sentence, language)]
    refuses = is_refusal(text, language)
    return HeardReply(
        text=text,
        stated=_words(statements, language),
        questioned=_words(questions, language) if asks else frozenset(),
        about=_words(stated, language),
        asks=asks,
        refuses=refuses,
        answers=not (refuses or asks) and any(_says_something(s, language) for s in statements),
        handover=handover(text, language),
    )


def _words(parts: Sequence[str], language: Language) -> frozenset[str]:
    return frozenset(content_tokens(" ".join(parts), language))


def _sends_away(sentence: str, language: Language) -> bool:
    """True if a sentence does nothing but pass the talk on, or name a desk."""
    does = handover(sentence, language)
    if does is Handover.POINTED:
        return not _is_reached(sentence)
    return does is not Handover.NONE


def _says_something(sentence: str, language: Language) -> bool:
    return _is_reached(sentence) or not states_nothing(sentence, language)


def _is_reached(sentence: str) -> bool:
    return bool(_REACHED_AT.search(unicodedata.normalize("NFKC", sentence)))


_ENOUGH = 0.5  # share of a need's content words that a reply has to hold
_ENOUGH_FOR_SURE = 0.6  # where a sign weighs in, or the reply sends on to a person
_OF_THE_MATTER = 3  # or so many words of the whole matter,
_OF_THE_QUESTION = 2  # so many of them of the query or the goal,
_NEW = 2  # and so many others
_SIGN_WEIGHT = 2  # words
_TOUCHED = 0.4

_AT_ONCE = 2  # facts that one message tells: real customers seldom list more

_SIGNS = ("a_time", "a_price", "a_contact")


class NeedState(Enum):
    """Where a need stands."""

    OPEN = "open"
    COVERED = "covered"
    PASSED_ON = "passed on"  # a person takes it over
    BESIDE = "beside"  # what came shares no word with it
    SENT_AWAY = "sent away"  # the user is told to ask somebody else


@dataclass(slots=True)
class Need:
    """One thing that a user wants; `asked` counts how often it was asked for.

    `was_named`: in words that say what it is.
    `named`: the words in which the bot heard of it, or would. `is_query`: no goal says what would
    settle it, so that all that can be asked of an answer is that it is one. `is_first`: it is what
    the query asks. `own`: its words that are not of the query or of another need. `loses_thread`:
    it says nothing of the matter, and so is no question by itself.
    """

    text: str
    words: frozenset[str]
    signs: tuple[re.Pattern[str], ...]
    named: str = ""
    is_query: bool = False
    is_first: bool = False
    own: frozenset[str] = frozenset()
    loses_thread: bool = False
    question: frozenset[str] = frozenset()
    matter: frozenset[str] = frozenset()
    state: NeedState = NeedState.OPEN
    asked: int = 0
    was_named: bool = False

    def is_met_by(self, reading: HeardReply) -> bool:
        """True if a reply looks as if it settled this: an impression, for nobody told the user.

        It may not refuse. If the need asks for a time, a price or a contact, such a thing has to
        be there, beside a word of the matter (query, goal and facts), and counts as two words. And
        the reply has to be about this: it holds half of the need's content words; without such a
        thing, and where the bot never heard of the need, half of those that are its `own` as well:
        the others say no more than that what was asked was answered. What it only asks, and passing
        the talk on, does not count. A need without content words takes any statement; one that is
        only the query takes any answer, for who has no goal has nothing to insist on, and a bot
        that is asked again refuses what it has said. What leans on another question and wants no
        more than an amount is asked before any settles it: one that came may be of that question.

        What was put into words is taken for settled sooner, for the bot heard of it (so is one of
        whose kind something came): by three words of the matter, two of them of query or goal,
        beside two that are new to it. Once it was asked for by itself, any answer with a word of
        the matter will do. Who insists longer nags: by words alone, one right answer in four cannot
        be told from what is beside the point.
        """
        is_of_another = self.loses_thread and not self.is_voiced and (self.signs or not self.words)
        has_signs = all(sign.search(reading.text.casefold()) for sign in self.signs)
        if reading.refuses or is_of_another or not has_signs:
            return False
        if not self.words or (self.is_query and reading.answers):
            return bool(self.signs) or not reading.asks
        if not self.matter & reading.stated:
            return False  # a time or a price, but of something else
        is_told_apart = self.is_voiced or bool(self.signs)  # by a time, a price or a contact
        if not is_told_apart and len(self.own & reading.stated) < _ENOUGH * len(self.own):
            return False
        signs = _SIGN_WEIGHT * len(self.signs)
        enough = _ENOUGH_FOR_SURE if signs or reading.handover else _ENOUGH
        if len(self.words & reading.stated) + signs >= enough * (len(self.words) + signs):
            return True
        may_be = self.is_voiced or bool(signs)
        return may_be and not reading.handover and self._is_answered_by(reading)

    @property
    def is_voiced(self) -> bool:
        """True if the bot has heard of it: the query, or a message, put it into words."""
        return self.is_first or self.was_named

    def _is_answered_by(self, reading: HeardReply) -> bool:
        if self.asked and reading.answers:
            return True
        known, new = self.matter & reading.stated, reading.stated - self.matter
        about = self.question & reading.stated  # by facts alone, 3日 would be about anything
        return len(known) >= _OF_THE_MATTER and len(about) >= _OF_THE_QUESTION and len(new) >= _NEW

    def is_missed_by(self, reading: HeardReply, language: Language) -> bool:
        """True if it's only the query, and a reply states something without any word of it."""
        meanings = Meanings(reading.stated, language)
        is_shared = any(not meanings.of(word).isdisjoint(reading.stated) for word in self.matter)
        return self.is_query and bool(self.matter and reading.stated) and not is_shared

    def is_touched_by(self, reading: HeardReply) -> bool:
        """True if the reply is about this at all."""
        return len(self.words & reading.about) >= _TOUCHED * len(self.words)


def needs_of(brief: Brief) -> list[Need]:
    """Each sentence of the goal, or the query where there is no goal."""
    texts = sentences(brief.goal, brief.language) or [brief.query]
    question = need_words(f"{brief.query} {brief.goal}", brief.language)
    matter = question | need_words(" ".join(brief.known), brief.language)
    named = [brief.query, *texts[1:]]
    is_query = not brief.goal.strip()
    needs = [_need(text, brief.language) for text in texts]
    query_words = need_words(brief.query, brief.language)
    owns = [n.words.difference(query_words, *(o.words for o in needs if o is not n)) for n in needs]
    return [
        replace(
            need,
            named=name,
            own=own,
            loses_thread=at > 0 and own == need.words and _hangs(need.text, brief.language),
            question=question,
            matter=matter,
            is_query=is_query,
            is_first=at == 0,
        )
        for at, (need, name, own) in enumerate(zip(needs, named, owns, strict=True))
    ]


def _hangs(text: str, language: Language) -> bool:
    """True if a sentence says nothing of its matter: *I want to know how long it takes*."""
    return points_back(text, language) or not (
        asked_about(text, language) - _rules(language).words("asking")
    )


def _need(text: str, language: Language) -> Need:
    rules = _rules(language)
    low = rest = text.casefold()
    signs = []
    for sign in _SIGNS:
        cue = rules.pattern(f"asks_for_{sign}")
        if cue.search(low):
            rest = cue.sub(" ", rest)
            signs.append(rules.pattern(sign))
    return Need(text, need_words(rest, language), tuple(signs))


@lru_cache(maxsize=1024)  # each persona has the same needs in a scenario
def need_words(text: str, language: Language) -> frozenset[str]:
    """The content words of a text, without those by which people ask."""
    return frozenset(content_tokens(text, language)) - _rules(language).words("asking")


def _rules(language: Language) -> Phrases:
    return phrases(f"users/agenda/{language}/needs")


class UntoldFacts:
    """The facts of a brief that were not told yet."""

    def __init__(self, brief: Brief) -> None:
        self._language = brief.language
        self._disclosure = brief.persona.style.disclosure
        self._unknown = brief.unknown
        self.untold = list(brief.known)

    def asked_for(self, reading: HeardReply) -> list[str]:
        """What this person tells when the bot asks; empty where it cannot or does not tell."""
        wanted = reading.questioned - _rules(self._language).words("general")
        by_fit = sorted(self.untold, key=lambda fact: -self._fit(fact, wanted))
        fitting = [fact for fact in by_fit if self._fit(fact, wanted)]
        best = self._fit(fitting[0], wanted) if fitting else 0
        if any(self._fit(unknown, wanted) > best for unknown in self._unknown):
            return []
        # 詳しく教えてください: anything will do
        if self._disclosure is Disclosure.OPEN or not wanted:
            fitting = by_fit
        return fitting[: 1 if self._disclosure is Disclosure.GRUDGING else _AT_ONCE]

    @property
    def unasked(self) -> list[str]:
        """What this person tells without being asked."""
        return self.untold[:_AT_ONCE] if self._disclosure is Disclosure.OPEN else []

    def remove(self, facts: Iterable[str]) -> None:
        """Note that these are told now."""
        told_now = set(facts)
        self.untold = [fact for fact in self.untold if fact not in told_now]

    def _fit(self, fact: str, wanted: frozenset[str]) -> int:
        return len(wanted.intersection(content_tokens(fact, self._language)))


ACTS = ("ask", "rephrase")
_QUOTABLE: dict[Language, int] = {"ja": 24, "en": 60}  # characters that a person quotes
_THOUGHT = re.compile("{need}と(?:存じ|考え|思)")
_DEFINITE = ("the ", "my ", "our ", "this ")  # any other thing may be one of many
# In the unit of MessagePlan.cost: 1 is as bad as twice or half the usual length.
_OTHER_ACT = 0.6  # asked again in the same words, or by keywords at once
_IN_BRIEF = 0.3  # without I, or I want to know
_BY_KEYWORDS = 0.2  # a bot that sees no earlier turn learns less from them
_NO_COMPLAINT = 0.4
_HOLDS_BACK = 1.2  # an open person that tells nothing
_TELLS_ONE = 0.4
_COMPLAINTS = 4  # wordings that are weighed


class Pursuit:
    """Makes the plans; `wording` is the mouth of this person."""

    def __init__(self, persona: Persona, wording: Wording) -> None:
        self._language = persona.language
        self._style = persona.style
        self._wording = wording

    def plans(
        self,
        need: Need,
        *,
        complains: bool,
        facts: Sequence[str],
        before: Sequence[Realisation] = (),
        thread: Sequence[str] = (),
    ) -> list[MessagePlan]:
        """Ways to ask for a need: in its own words at first, by keywords when that was no use.

        `facts` are told unasked; `before` is said in any case, right before the question, and so is
        what the first of the texts of its `thread` is about that names anything.
        """
        again = _OTHER_ACT if need.asked else 0.0
        ways = [
            *((way, cost + again) for way, cost in self._asking(need)),
            *((way, cost + _OTHER_ACT - again) for way, cost in self._asking_again(need)),
        ]
        named = next((name for text in thread if (name := topic(text, self._language))), "")
        fixed = tuple(part for part in (before, [self._topic(named)] if named else ()) if part)
        return [
            MessagePlan((*complaint, *telling, *fixed, way), cost + unsaid + untold)
            for way, cost in ways
            for complaint, unsaid in self._complaints(complains=complains)
            for telling, untold in self._tellings(facts)
        ]

    def doubts(self, need: Need, before: Sequence[Realisation] = ()) -> list[MessagePlan]:
        """Ways to question what settled a need; what it is about is named."""
        fixed = (before,) if before else ()
        doubts = self._wording.lines("doubt")
        return [
            MessagePlan((*fixed, [self._topic(name)], doubts), cost)
            for name, cost in self._names(need)
        ]

    def _topic(self, name: str) -> Realisation:
        """*About my plan:*, for what follows to be understood by itself."""
        (opening,) = neutral(self._language).lines(f"topic_{self._style.politeness}")
        return self._wording.fixed("topic", opening.format(topic=name))

    def _names(self, need: Need) -> Iterator[tuple[str, float]]:
        """What a need asks for, whole where it is short; or the thing that it is about."""
        thing = topic(need.text, self._language)
        short = wanted(plain_need(need.text, self._language), self._language)
        if 0 < len(short) <= _QUOTABLE[self._language]:
            yield mention(short), 0.0
        elif not thing:
            yield self._quoted(need), 0.0
        if thing and (self._language == "ja" or thing.startswith(_DEFINITE)):
            yield thing, _BY_KEYWORDS

    def _complaints(
        self, *, complains: bool
    ) -> Iterator[tuple[tuple[list[Realisation], ...], float]]:
        if complains:
            yield (self._wording.lines("dissatisfied", most=_COMPLAINTS),), 0.0
        yield (), _NO_COMPLAINT if complains else 0.0

    def _tellings(
        self, facts: Sequence[str]
    ) -> Iterator[tuple[tuple[list[Realisation], ...], float]]:
        if facts:
            yield (self._wording.tellings(facts, is_asked=False),), 0.0
        if len(facts) > 1:
            yield (self._wording.tellings(facts[:1], is_asked=False),), _TELLS_ONE
        yield (), _HOLDS_BACK if facts else 0.0

    def _asking(self, need: Need) -> Iterator[tuple[list[Realisation], float]]:
        text = plain_need(need.text, self._language)
        short = topic(need.text, self._language)
        yield self._fitting("ask", text, short), 0.0
        brief = in_brief(text, self._language)
        if brief and self._style.politeness is Politeness.PLAIN:
            yield self._wording.lines("ask", need=brief, keywords=""), _IN_BRIEF

    def _fitting(self, act: str, need: str, short: str) -> list[Realisation]:
        """The wordings of an act that a need may stand in: only a wish is thought or hoped."""
        lines = self._wording.lines(act, need=need, keywords=short)
        if self._language == "en" or is_wish(need):
            return lines
        return [line for line in lines if not _THOUGHT.search(line.wording)]

    def _asking_again(self, need: Need) -> Iterator[tuple[list[Realisation], float]]:
        """The matter named in the words that it came with, or by its keywords."""
        text = plain_need(need.text, self._language)
        yield self._fitting("rephrase", text, self._quoted(need)), 0.0
        short = topic(need.text, self._language)
        if short:
            yield self._wording.lines("rephrase", keywords=short, need=""), _BY_KEYWORDS

    def _quoted(self, need: Need) -> str:
        """The words in which it came; of a long text the keywords, which nobody quotes."""
        named = heading(need.named, self._language)
        short = keywords(need.named, self._language)
        if is_courtesy(named, self._language) or not any(map(str.isalnum, named)):
            return neutral(self._language).lines("no_name")[0]
        if len(named) > _QUOTABLE[self._language] and short:
            return short if self._language == "ja" else f'"{short}"'
        return f"「{named}」" if self._language == "ja" else f'"{named}"'
