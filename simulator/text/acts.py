"""What a sentence or a reply does beside stating something: it asks, greets, refuses, hands over.

How each is said stands in data files (`ja/refusals.yaml`, `en/handover.yaml`), in short lists for
handing over, since in measurements long ones decided no conversation otherwise. A refusal speaks
of answering, knowing or finding: 返品できません and *you cannot cancel* are none.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from typing import Literal

from simulator.core.clean import clean, folded, normal_form
from simulator.core.persona import Language
from simulator.core.talk import Exchange
from simulator.text.en import asking as en
from simulator.text.ja import endings as ja
from simulator.text.ja.sudachi import morphemes
from simulator.text.phrases import Phrases, phrases
from simulator.text.tokens import content_tokens, matter_tokens, sentences, stop_words, word_tokens

_READ = 4000  # characters of a reply, or its last ones: nobody answers that much before refusing
_SEVERAL, _HALF = 2, 0.5
_BARE, _POINTING = 2, 4  # content words of a message that leans on what was said before
_MARK = re.compile(r"[?？][)）」』\"'”!！?？]{0,50}$")
_MARK_AT_END = re.compile(r"\?[)\]」』\"'”]*$")


def asks(sentence: str, language: Language) -> bool:
    """True if one sentence of a customer asks a question or wants something to be done.

    Taking an offer (はい、お願いします), wishing (海の近くがいいです) and echoing (そうですか)
    do not.
    """
    text = unicodedata.normalize("NFKC", clean(sentence)).strip()
    if language == "en":
        text = text.casefold().replace("’", "'")
    rule = en.asks if language == "en" else ja.asks
    return rule(text, marked=_MARK.search(text) is not None)


def commands(sentence: str, language: Language) -> bool:
    """True if one sentence gives an order: しろ, してくれ, 送りなさい, するな; *Fix it now*.

    Requests (してください, *please fix it*) are none, nor is what is only quoted.
    """
    return en.commands(sentence) if language == "en" else ja.commands(sentence)


def is_request(sentence: str, language: Language) -> bool:
    """True if a bot's sentence, folded, requests something of the user (ja: or asks)."""
    return (en.asks_customer if language == "en" else ja.asks_customer)(sentence)


def asks_back(text: str, language: Language) -> bool:
    """True if a bot's text ends by asking the user something, or for something to be told.

    One remark may follow the question, unless the question opens the text: that is the user's own,
    repeated. Closing courtesies (*anything else I can help with?*, 他にご不明な点は
    ございますか) are passed over, as they ask for nothing; so is advice to tell somebody else
    (サポート窓口にお知らせください).
    """
    text = folded(text[-_READ:])
    courtesy = phrases(f"text/{language}/asking").pattern("courtesy")
    parts = sentences(text, language)
    ending = [at for at, sentence in enumerate(parts) if not courtesy.search(sentence)][-2:]
    return any(
        (at > 0 or at == ending[-1])
        and (_MARK_AT_END.search(parts[at]) or is_request(parts[at], language))
        for at in ending
    )


def points_back(question: str, language: Language) -> bool:
    """True if a message points back to what was said before: *that*, それ."""
    pattern = phrases(f"text/{language}/asking").pattern("points_back")
    return pattern.search(folded(question)) is not None


def stands_alone(question: str, language: Language) -> bool:
    """True if a question says what it is about without what was said before it.

    It has two words of its own at least; more than four, if it points back (*that*).
    """
    own = set(matter_tokens(question, language))
    return len(own) > (_POINTING if points_back(question, language) else 1)


def leans_back(message: str, before: str, language: Language) -> bool:
    """True if a message can be understood only by what was asked `before` it.

    It shares no word with that, and has no more than two words of its own, or points back (*that*)
    and has no more than four.
    """
    light = phrases(f"text/{language}/asking").words("light")
    own = asked_about(message, language) - light
    if own & asked_about(before, language):
        return False
    return len(own) <= (_POINTING if points_back(message, language) else _BARE)


def follows_up(message: str, before: str, query: str, goal: str, language: Language) -> bool:
    """True if a message asks what only the turns before it make clear.

    Where it asks for a part of a goal of several sentences, that sentence tells, however it is
    framed: it does where it leans on the query and on the first one.
    """
    parts = sentences(goal, language)
    if len(parts) < _SEVERAL:
        return leans_back(message, before, language)
    words = frozenset(content_tokens(message, language))
    shares = [_share_in(part, words, language) for part in parts]
    at = shares.index(max(shares))
    is_there = at > 0 and shares[at] >= _HALF
    return is_there and leans_back(parts[at], f"{query}\n{parts[0]}", language)


def _share_in(part: str, known: frozenset[str], language: Language) -> float:
    asking = phrases(f"text/{language}/words").words("asking")
    every = frozenset(content_tokens(part, language))
    words = every - asking or every
    return len(words & known) / len(words) if words else 0.0


def asked_about(question: str, language: Language) -> frozenset[str]:
    """Its content words without those by which people ask, also for an amount of anything."""
    amounts = phrases(f"text/{language}/asking").words("amount_asked")
    asking = phrases(f"text/{language}/words").words("asking")
    return frozenset(content_tokens(question, language)) - amounts - asking


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


class Handover(IntEnum):
    """What becomes of a talk; the higher, the more certain that a person has it now."""

    NONE = 0
    POINTED = 1  # 窓口までお問い合わせください: it is the user who has to go there
    TAKEN_UP = 2  # 担当者が調査します: a person deals with what the reply is about
    PASSED_ON = 3  # 担当者におつなぎします: the talk itself goes to a person


_LEVELS = {
    "passes_on": Handover.PASSED_ON,
    "takes_up": Handover.TAKEN_UP,
    "points": Handover.POINTED,
}


@lru_cache(maxsize=256)  # bots repeat themselves
def handover(text: str, language: Language) -> Handover:
    """What a reply does with the talk: the most that one of its sentences does.

    An offer (おつなぎしましょうか), a condition (解決しない場合は) and what is denied
    (おつなぎできません) do nothing yet, nor does a number to call below an answer.
    """
    rules = _of_handing_over(language)
    nothing = [rules.pattern(name) for name in ("not_yet", "aside", "denied")]
    active = (s for s in _read(text, language) if not any(p.search(s) for p in nothing))
    most = max((_of(sentence, rules) for sentence in active), default=Handover.NONE)
    beside = most is Handover.POINTED and not only_hands_over(text, language)
    return Handover.NONE if beside else most  # a number to call below an answer


@lru_cache(maxsize=256)  # several readers ask about the same reply
def sends_to_a_person(text: str, language: Language) -> bool:
    """True if a reply hands the user over to a person or says whom to turn to.

    An offer counts (おつなぎしましょうか). Contacts for other questions (ご不明な点は窓口まで) do
    not, nor does what is denied (おつなぎできません).
    """
    rules, read = _of_handing_over(language), _read(text, language)
    aside, denied = rules.pattern("aside"), rules.pattern("denied")
    return any(
        _of(sentence, rules) and not denied.search(sentence) and not aside.search(sentence)
        for sentence in read
    )


def names_a_person(text: str, language: Language) -> bool:
    """True if anybody or any desk is named to whom a talk could be passed on.

    People who are only counted (*a room for four people*) are not.
    """
    rules = _of_handing_over(language)
    nobody = rules.pattern("nobody")
    return any(rules.holds("anybody", nobody.sub(" ", s)) for s in _read(text, language))


def only_hands_over(text: str, language: Language) -> bool:
    """True if all that a text states is who has the matter now, or whom to turn to.

    Refusals, sympathy and *please wait* state nothing. *Put some ice on it, and call our desk*
    states more than that.
    """
    rules = _of_handing_over(language)
    between = phrases(f"text/{language}/reading").pattern("between_clauses")
    return all(
        only_refuses(clause, language)
        or sends_to_a_person(clause, language)
        or rules.pattern("beside").search(clause)
        for sentence in _read(text, language)
        for clause in between.split(sentence)
        if clause.strip()
    )


def _of(sentence: str, rules: Phrases) -> Handover:
    levels = (level for name, level in _LEVELS.items() if rules.holds(name, sentence))
    return next(levels, Handover.NONE)


def _read(text: str, language: Language) -> list[str]:
    return sentences(folded(text[:_READ]), language)


def _of_handing_over(language: Language) -> Phrases:
    return phrases(f"text/{language}/handover")


def only_asks_back(text: str, language: Language) -> bool:
    """True if a reply states nothing but asks the user something, to be able to answer.

    Greetings, thanks, apologies and what leads up to the question (*to help you, I need to know*,
    確認のため) state nothing. A reply that answers, refuses or hands over as well is no question
    back, nor is one that only asks whether there is *anything else*, or for what only another
    person may tell (*her date of birth*). How it is said stands in `ja/asking.yaml` and
    `en/asking.yaml`.
    """
    return _only_asks_back(text[:_READ], language)


def only_closes(talk: Sequence[Exchange], language: Language) -> bool:
    """True if the user asks nothing more after a turn, and the last reply only takes leave.

    Thanks, apologies and goodbyes do; what was answered or refused before stays as it was.
    """
    *before, last = talk
    reply = last.assistant[:_READ]
    if not before or any(asks(sentence, language) for sentence in sentences(last.user, language)):
        return False
    does = is_refusal(reply, language) or sends_to_a_person(reply, language)
    return bool(normal_form(reply)) and not (does or states_anything(reply, language))


def states_anything(reply: str, language: Language) -> bool:
    """True if any sentence of a reply states something: thanks, apologies and goodbyes do not."""
    read = sentences(reply[:_READ], language)
    return any(_states(without_opener(sentence, language), language) for sentence in read)


def _states(sentence: str, language: Language) -> bool:
    rules, form = phrases(f"text/{language}/pleasantries"), folded(sentence)
    if any(rules.pattern(name).search(form) for name in ("asks", "announces")):
        return False
    if is_pleasantry(sentence, language):
        return False
    return any(map(str.isdecimal, form)) or not only_refuses(sentence, language)


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _only_asks_back(text: str, language: Language) -> bool:
    parts = sentences(text, language)
    if not any(_asks(sentence, language) for sentence in parts):
        return False
    if not asks_back(f"。\n{text}" if len(parts) == 1 else text, language):
        return False
    if sends_to_a_person(text, language):
        return False
    rules = phrases(f"text/{language}/asking")
    if rules.pattern("of_another").search(folded(text)):
        return False
    if is_refusal(text, language) and not rules.pattern("understood_not").search(folded(text)):
        return False
    return all(_carries_nothing(sentence, language) for sentence in parts)


def _asks(sentence: str, language: Language) -> bool:
    form = folded(sentence)
    if phrases(f"text/{language}/asking").pattern("courtesy").search(form):
        return False
    asks = phrases(f"text/{language}/pleasantries").pattern("asks")
    return bool(asks.search(form)) or is_request(form, language)


def _carries_nothing(sentence: str, language: Language) -> bool:
    bare = without_opener(sentence, language)
    form = folded(bare)
    rules = phrases(f"text/{language}/asking")
    return (
        _asks(bare, language)
        or is_courtesy(bare, language)
        or states_nothing(bare, language)
        or any(rules.pattern(name).search(form) for name in ("lead_in", "courtesy"))
    )


Tone = Literal["praise", "fault", "mixed", "none"]
_SIDES = {"praise": ("praises", "no_fault"), "fault": ("faults", "no_praise")}
_FAULTING = 2  # sentences
_ECHO = 0.8  # of a comment that says something back
FEWEST = {"ja": 12, "en": 24}
"""Characters in normal form below which a comment is a word or two, and nobody's in particular."""


def is_plainly(side: Literal["praise", "fault"], comment: str, language: Language) -> bool:
    """True if that is the tone of a comment; most comments hold no word for it."""
    data, text = phrases(f"text/{language}/judgement"), folded(comment[:_READ])
    is_there = any(data.holds(name, text) for name in _SIDES[side])
    return is_there and tone(comment, language) == side


def tone(comment: str, language: Language) -> Tone:
    """Whether a comment plainly praises, plainly faults, does both, or neither.

    What is denied counts as its contrary (*no errors*, 誤りはない). A comment with a turn in it
    (*however*, ただし) is mixed, whatever its two sides are; unless two sentences without one find
    fault, and none praises.
    """
    text = folded(comment[:_READ])
    tones = _sides(text, language)
    if len(tones) > 1:
        return "mixed"
    turns = phrases(f"text/{language}/judgement").pattern("turns")
    if turns.search(text):
        plain = [s for s in sentences(text, language) if not turns.search(s)]
        faulting = sum("fault" in _sides(sentence, language) for sentence in plain)
        return "fault" if faulting >= _FAULTING else "mixed"
    return tones.pop() if tones else "none"


def _sides(text: str, language: Language) -> set[Literal["praise", "fault"]]:
    groups = {match.lastgroup for match in _tones(language).finditer(text)}
    tones: set[Literal["praise", "fault"]] = set()
    if not groups.isdisjoint(("praise", "no_fault")):
        tones.add("praise")
    if not groups.isdisjoint(("fault", "no_praise")):
        tones.add("fault")
    return tones


@cache
def _tones(language: Language) -> re.Pattern[str]:
    """Denied words first: of two that begin at one place, the longer saying is what is meant."""
    of = phrases(f"text/{language}/judgement").alternatives
    no_praise, no_fault = of("no_praise"), of("no_fault")
    praises, faults = of("praises"), of("faults")
    # Of what begins at one place, the first that holds is found.
    return re.compile(
        f"(?P<no_praise>{no_praise})|(?P<no_fault>{no_fault})"
        f"|(?P<fault>{faults})|(?P<praise>{praises})"
    )


def says_back(comment: str, source: str, language: Language) -> bool:
    """True if nearly all of a comment (80 % of its characters) stands in what it was given.

    Compared sentence by sentence in normal form; `given` is in it already, each text a line. A
    comment of a word or two says nothing back.
    """
    forms = [normal_form(s) for s in sentences(comment[:_READ], language)]
    total = sum(map(len, forms))
    if total < FEWEST[language]:
        return False
    back = sum(len(form) for form in forms if len(form) > 2 and form in source)
    return back >= _ECHO * total
