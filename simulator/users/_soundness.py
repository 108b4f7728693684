"""Detectors of an unsound simulated user, without a model: of one message, and of how a talk ends.

They are conservative: a wrong tag costs trust, and the conversation is held twice for it. What the
scenario or the persona's own phrases say word for word is never suspicious.

Every tag but `length` makes the conversation *unsound* from that turn on, because what the bot is
asked then is not what a user would have asked: nobody spoke (`empty`), the model spoke out of its
part (`leaked_mark`, `leaked_thought`, `leaked_brief`; where a judge says so, `out_of_role`) or took
the bot's (`assistant_voice`, `echo`), the talk started over or was broken off (`repeat`,
`stopped_at_once`), or it is about something that is not in the brief (`invented_id`) or not in the
bot's language (`language`). A message that is far too long asks the right thing in the wrong
manner, and a bot has to bear that.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from simulator.core.clean import normal_form, visible
from simulator.core.persona import Language, Politeness
from simulator.core.ports import Evidence
from simulator.core.run import Turn
from simulator.core.soundness import (
    ASSISTANT_VOICE,
    ECHO,
    EMPTY,
    INVENTED_ID,
    LANGUAGE,
    LEAKED_BRIEF,
    LEAKED_MARK,
    LEAKED_THOUGHT,
    LENGTH,
    REPEAT,
)
from simulator.core.talk import Stop, StopReason
from simulator.text.acts import is_courtesy
from simulator.text.tokens import sentences
from simulator.text.unsound import (
    announces,
    holds_frame,
    holds_mark,
    speaks_for_a_desk,
    unknown_ids,
    without_openers,
)

_GRAM = 5  # characters
_LOOKS_AT = 4_000  # characters of a text that are compared
_ECHOED = 0.85  # share of the utterance's own grams that stand in one reply
_FOREIGN = 0.8  # share of letters of another script
_FEWEST_LETTERS = 20
_TIMES = 5  # so many times the persona's usual length is far from it
# By language: Japanese counts characters; where English counts words instead, it says so.
_ECHO_GRAMS = {"ja": 20, "en": 50}
_SAID_LENGTH = {"ja": 12, "en": 20}  # of a reply's sentence that is said back
_SAID_BACK = 0.7  # share of the utterance that is such sentences
_BRIEF_LENGTH = {"ja": 12, "en": 30}
_REPEAT_LENGTH = {"ja": 8, "en": 12}
_NEVER_LONG = {"ja": 150, "en": 80}  # characters; words

_FIELD = re.compile(
    # Not \s: line ends would be gone through again from each line.
    r"^[^\S\n]*+[\"'{]*+[^\S\n]*+(?:thought|message|stop|reason)[\"']?\s*[:：]"
    r"|[\"'](?:thought|message|stop|reason)[\"']\s*:",
    re.MULTILINE,
)
_QUOTED = re.compile('「[^」]*」|『[^』]*』|"[^"]*"|“[^”]*”')
_YOURS = {"i": "you", "me": "you", "my": "your", "mine": "yours", "am": "are", "i'm": "you're"}
_MINE = re.compile(r"\b(?:i'm|i|me|my|mine|am)\b", re.IGNORECASE)
_KANA = re.compile("[\u3040-\u30ff\uff66-\uff9f]")
_JAPANESE = re.compile("[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def soundness(evidence: Evidence) -> tuple[str, ...]:
    """Tags of what looks wrong with the simulated user on this turn; empty where nothing does."""
    if evidence.scripted:  # what it says was written down before: no user made it up
        return ()
    message = evidence.exchange.user
    if not visible(message):
        return (EMPTY,)
    scenario = evidence.scenario
    if message in scenario.turns or (evidence.exchange.turn == 1 and message == scenario.query):
        return ()
    looks_wrong = {
        LEAKED_MARK: holds_mark(message) or bool(_FIELD.search(message)),
        LEAKED_THOUGHT: holds_frame(message, evidence.language, own=_own(evidence)),
        ASSISTANT_VOICE: _speaks_for_the_desk(evidence),
        LEAKED_BRIEF: _leaks_brief(evidence),
        REPEAT: _repeats(evidence),
        INVENTED_ID: _invents_an_id(evidence),
    }
    grams = _grams(message)
    fresh = _fresh(grams, evidence)
    if 2 * len(fresh) >= len(grams):  # else it mostly says what it was given to say
        looks_wrong[ECHO] = (
            _echoes(evidence, fresh - _quoted_grams(message))
            or _says_back(evidence)
            or _recites(evidence)
        )
        looks_wrong[LANGUAGE] = _is_foreign(message, evidence.language)
        looks_wrong[LENGTH] = _is_far_too_long(evidence)
    return tuple(tag for tag, is_so in looks_wrong.items() if is_so)


def ends_at_once(evidence: Evidence, stop: Stop, turns: Sequence[Turn]) -> bool:
    """True if the user leaves while the bot waits for an answer; `evidence.talk` is all of it.

    A bot that only asks back has not answered yet: to be content with that is not sound, nor to
    give up before as many replies came as the persona bears.
    """
    if evidence.scripted or not turns or not turns[-1].asks_back:
        return False
    if stop.reason is StopReason.GAVE_UP:
        return len(turns) <= evidence.persona.patience
    return stop.reason is StopReason.DONE


def _speaks_for_the_desk(evidence: Evidence) -> bool:
    """True if a desk's phrases stand in it, other than in what the scenario and persona hold."""
    message, language = evidence.exchange.user, evidence.language
    formal = evidence.persona.style.politeness is Politeness.FORMAL
    outside = _QUOTED.sub("", message[:_LOOKS_AT])
    outside = outside if visible(outside) else message
    own_words = _without_own(outside, evidence)
    if speaks_for_a_desk(own_words, language, formal=formal):
        return True
    return announces(own_words, language, _heard(evidence))


def _without_own(message: str, evidence: Evidence) -> str:
    """The sentences that neither the scenario nor the persona's phrases give it to say."""
    kept = [
        sentence
        for sentence in sentences(message, evidence.language)
        if not (grams := _grams(sentence)) or 4 * len(_fresh(grams, evidence)) >= len(grams)
    ]
    return "\n".join(kept)


def _invents_an_id(evidence: Evidence) -> bool:
    """True if a number or code stands in it that neither the brief nor the talk holds."""
    return bool(unknown_ids(evidence.exchange.user, _heard(evidence)))


def _heard(evidence: Evidence) -> tuple[str, ...]:
    """All that it was given to say, and the talk before."""
    persona, before = evidence.persona, evidence.talk.exchanges[:-1]
    talk = (text for exchange in before for text in (exchange.user, exchange.assistant))
    return (*_own(evidence), persona.description, *persona.traits, *talk)


def _own(evidence: Evidence) -> tuple[str, ...]:
    """All that the scenario and the persona's phrases give it to say."""
    scenario = evidence.scenario
    wordings = chain.from_iterable(evidence.persona.phrases.values())
    facts = (*scenario.known, *scenario.unknown, *scenario.turns)
    return (scenario.query, scenario.goal, *facts, *wordings)


def _leaks_brief(evidence: Evidence) -> bool:
    """True if a sentence that describes the persona stands in what it says."""
    persona = evidence.persona
    notes = (
        persona.description,
        persona.style.dissatisfaction,
        *persona.traits,
        *[text for b in persona.behaviours for text in (b.does, b.violation)],
    )
    message = _normal(evidence.exchange.user)
    return any(note in message for note in _long(notes, _BRIEF_LENGTH[evidence.language]))


@lru_cache(maxsize=64)
def _long(texts: tuple[str, ...], least: int) -> tuple[str, ...]:
    """The normal forms of those that are not too short to tell."""
    return tuple(form for form in map(_normal, texts) if len(form) >= least)


def _repeats(evidence: Evidence) -> bool:
    """True if it says again, word for word, what it said before: the talk starts over.

    Words before it, such as *sorry,* or すみません、, make it no other message.
    """
    language = evidence.language
    before = [exchange.user for exchange in evidence.talk.exchanges[:-1]]
    message = _normal(evidence.exchange.user)
    if len(message) < _REPEAT_LENGTH[language] or is_courtesy(evidence.exchange.user, language):
        return False
    if any(message == _normal(text) for text in before):
        return True
    bare = without_openers(evidence.exchange.user[:_LOOKS_AT], language)
    if len(bare) < _REPEAT_LENGTH[language] or _is_own(evidence):
        return False
    return any(bare == without_openers(text[:_LOOKS_AT], language) for text in before)


def _is_own(evidence: Evidence) -> bool:
    """True if its persona has a phrase that begins as it does, for asking once more."""
    wordings = tuple(chain.from_iterable(evidence.persona.phrases.values()))
    return evidence.exchange.user.startswith(_heads(wordings))


@lru_cache(maxsize=64)
def _heads(wordings: tuple[str, ...]) -> tuple[str, ...]:
    heads = (text.partition("{")[0] for text in wordings if "{" in text)
    return tuple(filter(None, heads))


def _says_back(evidence: Evidence) -> bool:
    """True if most of it are whole sentences of the bot, or their ends, as statements.

    Who asks back (*until 23:59?*) makes sure of something.
    """
    language, message = evidence.language, evidence.exchange.user[:_LOOKS_AT]
    least = _SAID_LENGTH[language]
    bare = without_openers(message, language)
    if len(bare) < least:
        return False
    back = 0
    for sentence in sentences(message, language):
        form = without_openers(sentence, language)
        if len(form) >= least and _is_said_back(sentence, form, evidence):
            back += len(form)
    return back >= _SAID_BACK * len(bare)


def _is_said_back(sentence: str, form: str, evidence: Evidence) -> bool:
    asks = sentence.rstrip().endswith(("?", "？"))
    for exchange in evidence.talk.exchanges[:-1]:
        for replied in sentences(exchange.assistant[:_LOOKS_AT], evidence.language):
            if asks and not replied.endswith(("?", "？")):
                continue
            whole, grams = _normal(replied), _grams(sentence)
            if whole.endswith(form):
                return True
            near = len(grams & _grams(replied)) >= _ECHOED * len(grams)
            if near and whole.endswith(form[-_GRAM:]):
                return True
    return False


def _echoes(evidence: Evidence, fresh: frozenset[str]) -> bool:
    """True if nearly all that is new in the utterance stands in one earlier reply of the bot."""
    if len(fresh) < _ECHO_GRAMS[evidence.language]:
        return False
    replies = (exchange.assistant for exchange in evidence.talk.exchanges[:-1])
    return any(len(fresh & _grams(reply)) >= _ECHOED * len(fresh) for reply in replies)


def _recites(evidence: Evidence) -> bool:
    """True if it is an earlier reply said as one's own, *I* for *you*, and asks nothing.

    Japanese names neither, so that there it is an echo as it stands.
    """
    message = evidence.exchange.user[:_LOOKS_AT]
    if evidence.language != "en" or "?" in message:
        return False
    turned = _grams(_as_told(message))
    fresh = turned.difference(*map(_grams, map(_as_told, _own(evidence))))
    if len(fresh) < _ECHO_GRAMS["en"]:
        return False
    replies = (exchange.assistant for exchange in evidence.talk.exchanges[:-1])
    return any(len(fresh & _grams(_as_told(reply))) >= _ECHOED * len(fresh) for reply in replies)


def _as_told(text: str) -> str:
    """An English text with *you* wherever it is about who speaks, and without openers."""
    turned = _MINE.sub(lambda own: _YOURS[own[0].lower()], text[:_LOOKS_AT])
    return without_openers(turned, "en")


def _quoted_grams(message: str) -> frozenset[str]:
    """What it says in quotation marks, if it says something outside of them, too."""
    outside = _QUOTED.sub("", message[:_LOOKS_AT])
    return _grams(message) - _grams(outside) if len(_normal(outside)) >= _GRAM else frozenset()


def _is_foreign(message: str, language: Language) -> bool:
    letters = "".join(c for c in message if c.isalpha())
    if len(letters) < _FEWEST_LETTERS:
        return False
    own = len((_JAPANESE if language == "ja" else _LATIN).findall(letters))
    if language == "ja" and not _KANA.search(letters):
        return True  # twenty letters without kana: Chinese, or another language altogether
    return len(letters) - own > _FOREIGN * len(letters)


def _is_far_too_long(evidence: Evidence) -> bool:
    message, language = visible(evidence.exchange.user), evidence.language
    length = len(message) if language == "ja" else len(message.split())
    return length > max(_NEVER_LONG[language], _TIMES * evidence.persona.style.length)


def _fresh(grams: frozenset[str], evidence: Evidence) -> frozenset[str]:
    """Those pieces of the utterance that are neither the scenario's nor the persona's own words."""
    scenario = evidence.scenario
    own = (scenario.query, scenario.goal, *scenario.known, *scenario.unknown)
    wordings = tuple(chain.from_iterable(evidence.persona.phrases.values()))
    fresh = grams - _all_grams(wordings)
    for text in own:
        fresh = fresh - _grams(text)  # not -=, which walks over the longer of the two
    return fresh


def _normal(text: str) -> str:
    return normal_form(text[:_LOOKS_AT])


def _grams(text: str) -> frozenset[str]:
    return _grams_of(text[:_LOOKS_AT])


@lru_cache(maxsize=256)  # a talk reads each text several times; of a long one they are half a MB
def _grams_of(text: str) -> frozenset[str]:
    normal = normal_form(text)
    return frozenset(normal[i : i + _GRAM] for i in range(len(normal) - _GRAM + 1))


@lru_cache(maxsize=64)
def _all_grams(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(_grams, texts))
