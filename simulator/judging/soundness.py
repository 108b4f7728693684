"""Is the simulated user sound? Detectors without a model, for one utterance at a time.

They are conservative: a tag is a reason to look at the transcript, and a wrong one costs trust.
What the scenario or the persona's own phrases say word for word is never suspicious.
"""

import re
from functools import lru_cache

from simulator.core.clean import visible
from simulator.core.persona import Language, Politeness
from simulator.core.ports import Evidence
from simulator.text.normal import normal_form

EMPTY = "empty"
LEAKED_MARK = "leaked_mark"
LEAKED_BRIEF = "leaked_brief"
ASSISTANT_VOICE = "assistant_voice"
REPEAT = "repeat"
ECHO = "echo"
LANGUAGE = "language"
LENGTH = "length"

_GRAM = 5  # characters
_LOOKS_AT = 4_000  # characters of a text that are compared
_ECHOED = 0.85  # share of the utterance's own grams that stand in one reply
_FOREIGN = 0.8  # share of letters of another script
_FEWEST_LETTERS = 20
_TIMES = 5  # so many times the persona's usual length is far from it
# By language: Japanese counts characters; where English counts words instead, it says so.
_ECHO_GRAMS = {"ja": 20, "en": 50}
_BRIEF_LENGTH = {"ja": 12, "en": 30}
_REPEAT_LENGTH = {"ja": 8, "en": 12}
_NEVER_LONG = {"ja": 150, "en": 80}  # characters; words

_MARK = re.compile(
    r"\*\*(?:DONE|STOP|END)\*\*"  # the mark of models without structured output
    r"|^\s*[\[<]/?(?:DONE|STOP|END|EOS)[\]>]\s*$"
    r"|^\s*[\"'{]*\s*(?:thought|message|stop|reason)[\"']?\s*[:：]"
    r"|[\"'](?:thought|message|stop|reason)[\"']\s*:"
    r"|</?think>",
    re.MULTILINE,
)
_VOICE: dict[Language, re.Pattern[str]] = {
    "ja": re.compile(
        "お手伝い(?:でき|いたし|させて)|ご案内(?:いたします|させていただ)|"
        "お困りのことが(?:ござい|あり)ましたら|サポートいたします|お役に立てて|"
        "お問い合わせ(?:いただき|ください)?、?ありがとうござい|"
        "ご利用(?:いただき|ください)?、?ありがとうござい|"
        "私は(?:AI|人工知能|言語モデル)|(?:AIアシスタント|AI|言語モデル)として[、は]?(?:私|お|ご)"
    ),
    "en": re.compile(
        r"how (?:can|may) i (?:help|assist) you|(?:happy|glad|here) to (?:help|assist) you|"
        r"anything else (?:i|we) can (?:help|assist|do) (?:you )?(?:with|for)|"
        r"thank(?:s| you) for (?:contacting|reaching)|feel free to (?:contact|reach)|"
        r"as an ai(?: \w+){0,2}, (?:i|we)\b|i(?:'m| am) (?:an ai|a (?:large )?language model)\b|"
        r"we apologi[sz]e for (?:the|any) inconvenience",
        re.IGNORECASE,
    ),
}
# Desks say so, and so do customers who write like letters.
_COURTESY: dict[Language, re.Pattern[str]] = {
    "ja": re.compile("(?:ご不明(?:な)?点|ご質問)が(?:ござい|あり)ましたら|お気軽に"),
    "en": re.compile(
        r"(?:do not|don't) hesitate to (?:contact|reach|call|write)|"
        r"i apologi[sz]e for (?:the|any) inconvenience",
        re.IGNORECASE,
    ),
}
_QUOTED = re.compile('「[^」]*」|『[^』]*』|"[^"]*"|“[^”]*”')
_KANA = re.compile("[\u3040-\u30ff\uff66-\uff9f]")
_JAPANESE = re.compile("[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")


def soundness(evidence: Evidence) -> tuple[str, ...]:
    """Tags of what looks wrong with the simulated user on this turn; empty where nothing does."""
    said = evidence.exchange.user
    if not visible(said):
        return (EMPTY,)
    scenario = evidence.scenario
    if said in scenario.turns or (evidence.exchange.turn == 1 and said == scenario.query):
        return ()
    found = {
        LEAKED_MARK: bool(_MARK.search(said)),
        ASSISTANT_VOICE: _speaks_for_the_desk(evidence),
        LEAKED_BRIEF: _leaks_brief(evidence),
        REPEAT: _repeats(evidence),
    }
    grams = _grams(said)
    fresh = _fresh(grams, evidence)
    if 2 * len(fresh) >= len(grams):  # else it mostly says what it was given to say
        found[ECHO] = _echoes(evidence, fresh - _quoted_grams(said))
        found[LANGUAGE] = _is_foreign(said, evidence.language)
        found[LENGTH] = _is_far_too_long(evidence)
    return tuple(tag for tag, is_so in found.items() if is_so)


def _speaks_for_the_desk(evidence: Evidence) -> bool:
    said, language = evidence.exchange.user, evidence.language
    if _VOICE[language].search(said):
        return True
    formal = evidence.persona.style.politeness is Politeness.FORMAL
    return not formal and bool(_COURTESY[language].search(said))


def _leaks_brief(evidence: Evidence) -> bool:
    """Whether a sentence that describes the persona stands in what it says."""
    persona = evidence.persona
    notes = (
        persona.description,
        persona.style.dissatisfaction,
        *persona.traits,
        *(text for b in persona.behaviours for text in (b.does, b.violation)),
    )
    said = _normal(evidence.exchange.user)
    least = _BRIEF_LENGTH[evidence.language]
    return any(len(note) >= least and note in said for note in map(_normal, notes))


def _repeats(evidence: Evidence) -> bool:
    """Whether it says again, word for word, what it said before: the talk starts over."""
    said = _normal(evidence.exchange.user)
    if len(said) < _REPEAT_LENGTH[evidence.language]:
        return False
    return any(said == _normal(e.user) for e in evidence.talk.exchanges[:-1])


def _echoes(evidence: Evidence, fresh: set[str]) -> bool:
    """Whether nearly all that is new in the utterance stands in one earlier reply of the bot."""
    if len(fresh) < _ECHO_GRAMS[evidence.language]:
        return False
    replies = (exchange.assistant for exchange in evidence.talk.exchanges[:-1])
    return any(len(fresh & _grams(reply)) >= _ECHOED * len(fresh) for reply in replies)


def _quoted_grams(said: str) -> set[str]:
    """What it says in quotation marks, if it says something outside of them, too."""
    outside = _QUOTED.sub("", said)
    return _grams(said) - _grams(outside) if len(_normal(outside)) >= _GRAM else set()


def _is_foreign(said: str, language: Language) -> bool:
    letters = "".join(c for c in said if c.isalpha())
    if len(letters) < _FEWEST_LETTERS:
        return False
    own = len((_JAPANESE if language == "ja" else _LATIN).findall(letters))
    if language == "ja" and not _KANA.search(letters):
        return True  # twenty letters without kana: Chinese, or another language altogether
    return len(letters) - own > _FOREIGN * len(letters)


def _is_far_too_long(evidence: Evidence) -> bool:
    said, language = visible(evidence.exchange.user), evidence.language
    length = len(said) if language == "ja" else len(said.split())
    return length > max(_NEVER_LONG[language], _TIMES * evidence.persona.style.length)


def _fresh(grams: set[str], evidence: Evidence) -> set[str]:
    """Those pieces of the utterance that are neither the scenario's nor the persona's own words."""
    scenario = evidence.scenario
    own = (scenario.query, scenario.goal, *scenario.known, *scenario.unknown)
    wordings = tuple(text for texts in evidence.persona.phrases.values() for text in texts)
    fresh = grams - _all_grams(wordings)
    for text in own:
        fresh = fresh - _kept_grams(text)  # not -=, which walks over the longer of the two
    return fresh


def _normal(text: str) -> str:
    return _kept_normal(text[:_LOOKS_AT])


def _grams(text: str) -> set[str]:
    normal = _normal(text)
    return {normal[i : i + _GRAM] for i in range(len(normal) - _GRAM + 1)}


@lru_cache(maxsize=64)
def _all_grams(texts: tuple[str, ...]) -> set[str]:
    return set().union(*map(_grams, texts))


_kept_grams = lru_cache(maxsize=2_048)(_grams)
_kept_normal = lru_cache(maxsize=2_048)(normal_form)  # a talk reads each text several times
