"""What people say that carries no matter: greetings, thanks, yes, and words to begin with."""

import re
from functools import cache

from simulator.core.form import folded
from simulator.core.persona import Language
from simulator.text.en.words import stop_words, word_tokens
from simulator.text.ja.sudachi import morphemes
from simulator.text.phrases import Phrases, phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_MOST = 12  # in one sentence: ああああ can be cut in as many ways as there are numbers
_MARKS = r"[\s、,，。．.!！?？…~〜～ー♪^)(（）]*"
# In English a space is not enough: *no smoking room* is no *no, …*.
_AROUND = " \t\n、。.,!?…~〜ー♪☆★^'\"「」-–—"
_AFTER = {"ja": r"[\s、,，。．.!！…]+", "en": r"[,.!…]+\s*"}
_FEWEST = 2  # English content words of a statement that says something


def is_courtesy(text: str, language: Language) -> bool:
    """True if a text holds nothing but greetings, thanks, yes and the like; an empty one does."""
    empty = _empty(language)
    return all(empty.fullmatch(s) for s in sentences(text, language))


def is_pleasantry(sentence: str, language: Language) -> bool:
    """True if a sentence only wishes, greets, takes leave, praises or comforts: it states nothing.

    *See you in the sky!* and 素敵な朝を！ do. What names an amount, offers or reports anything does
    not, with or without an exclamation mark: *we'll hold it for you!*, お子さまは無料です！
    """
    rules, form = phrases(f"text/{language}/pleasantries"), folded(sentence).strip()
    if is_courtesy(sentence, language):
        return True
    if rules.pattern("offers").search(form):
        return False
    if language == "ja":
        bare = rules.pattern("mascot").sub("", form.strip(_AROUND))
        is_so = bool(rules.pattern("pleasant").fullmatch(bare))
    else:
        is_so = _is_pleasant(form, rules)
    return is_so or _is_warm(form, rules, language)


def _is_pleasant(form: str, rules: Phrases) -> bool:
    """True if an English clause is pleasant and the others are, or say too little to state much."""
    parts = (part.strip(_AROUND) for part in rules.pattern("parts").split(form))
    clauses = [rules.pattern("tails").sub("", part) for part in parts]
    rest = [part for part in clauses if part and not is_courtesy(part, "en")]
    pleasant = [part for part in rest if rules.pattern("pleasant").fullmatch(part)]
    beside = rules.pattern("beside_it") if form.endswith("!") else None
    return bool(pleasant) and all(
        part in pleasant or (beside and beside.fullmatch(part)) for part in rest
    )


def _is_warm(form: str, rules: Phrases, language: Language) -> bool:
    """True if a sentence is of feeling and manners by its content words, but for one at its end."""
    words, warm = content_tokens(form, language), _bag("warm", language)
    known = warm | _bag("small", language)
    rest = [at for at, word in enumerate(words) if word not in known]
    if warm.isdisjoint(words) or len(rest) > 1:
        return False
    return not rest or bool(rest[0] and rules.pattern("behind").search(form))


@cache
def _bag(name: str, language: Language) -> frozenset[str]:
    words = phrases(f"text/{language}/pleasantries").words(name)
    return words.union(token for word in words for token in content_tokens(word, language))


def without_opener(sentence: str, language: Language) -> str:
    """The sentence without はい、 あと、 *well,* and the like before its matter; never empty."""
    opener = _opening(language).match(sentence)
    return sentence[opener.end() :].strip() or sentence if opener else sentence


def is_substantial(sentence: str, language: Language) -> bool:
    """True if a sentence names something: a noun or a number (ja), two content words (en).

    海側がいいです does, それでいいです and あっています do not.
    """
    if is_courtesy(sentence, language):
        return False
    if language == "en":
        stop = stop_words()
        return len([w for w in word_tokens(sentence) if w not in stop]) >= _FEWEST
    vague = _phrases("ja").words("vague")
    return any(
        m.pos[0] == "名詞" and m.normal not in vague and any(c.isalnum() for c in m.surface)
        for m in morphemes(sentence)
    )


def names_a_matter(question: str, language: Language) -> bool:
    """True if a question says what it is about, by a noun or a verb of its own.

    いつまで使えますか does, そうしてください and お願いできますか do not.
    """
    return not _phrases(language).words("asking").issuperset(content_tokens(question, language))


@cache
def _opening(language: Language) -> re.Pattern[str]:
    openers = _phrases(language).alternatives("openers")
    return re.compile(rf"(?:{openers}(?:{_AFTER[language]}|$))+", re.IGNORECASE)


@cache
def _empty(language: Language) -> re.Pattern[str]:
    openers, courtesies = map(_phrases(language).alternatives, ("openers", "courtesies"))
    phrase = rf"(?:{courtesies}|{openers}){_MARKS}"
    return re.compile(rf"{_MARKS}(?:{phrase}){{0,{_MOST}}}", re.IGNORECASE)


def _phrases(language: Language) -> Phrases:
    return phrases(f"text/{language}/words")
