"""What a sentence holds: its words, amounts, names and denials, as they are compared."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.claims import Mention, Stance
from simulator.text.en.quantities import amounts_in
from simulator.text.en.words import stem, stop_words
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import morphemes, tokenized
from simulator.text.likeness import senses
from simulator.text.normal import folded
from simulator.text.phrases import phrases
from simulator.text.presence import AGREEING, denials, mentions
from simulator.text.quantities import Amounts, may_stand, units
from simulator.text.sentences import sentences

_CAPITAL = re.compile(r"(?<![\w'’.-])[A-Z][\w'’-]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_START = re.compile(r"(?:^|[.!?:;]\s+|[\n\"“‘(•*-]\s*|\d[.)]\s*)$")
_NEAR = 40  # characters before a word that tell whether it begins something
_BEFORE_UNIT = re.compile(r"(?<=\d)\s+(?=[A-Za-z%])")
_ROOT = 5  # letters by which two English words of one root begin
CAN = "出来る"
"""What is denied with it is the word before."""
DENIED = (Stance.DENIED, Stance.RULED_OUT)
"""The stances of a word that is denied, or what one does with it."""
_POLES = (
    ("allowed_no", "allowed_yes"),
    ("needed_no", "needed_yes"),
    ("included_no", "included_yes"),
    ("other_no", "other_yes"),
)
_OF_THE_SAME = 0.6
"""The share of common words from which on two sentences speak of the same."""
_SAID = frozenset(("為る", "居る", "頂く", "下さる", "申し付ける", "願う", "致す", "成る", "方"))
_LIMITS = ("at_most", "at_least", "ahead", "behind")


@dataclass(frozen=True, slots=True)
class Content:
    """A text as it is compared; `form` is it without what denies nothing, case folded."""

    form: str
    words: frozenset[str]
    amounts: Amounts
    mentions: tuple[Mention, ...]
    names: Mapping[str, str]  # each with its kind
    denials: int


@lru_cache(maxsize=4096)
def content(text: str, language: Language) -> Content:
    """What a text holds."""
    text = plain(unicodedata.normalize("NFKC", clean(text)), language)
    found = tuple(_without_number(mention) for mention in mentions(text, language))
    amounts = amounts_in(text) if language == "en" else amounts_of(tokenized(text))
    words = frozenset(m.key for m in found if not m.key[0].isdecimal())
    return Content(
        folded(text), words, amounts, found, names(text, language), denials(text, language)
    )


def plain(text: str, language: Language) -> str:
    """The text without apologies and the like, whose *not* denies nothing; 不要 is 必要ない."""
    data = phrases(f"text/{language}/expectations")
    text = data.pattern("denies_nothing", re.IGNORECASE).sub("", text)
    for said, meant in data.pairs("denials").items():
        text = text.replace(said, meant)
    return _BEFORE_UNIT.sub("", text) if language == "ja" else text


def _without_number(mention: Mention) -> Mention:
    """What stands behind a number and is no unit is a word as any other: *under 6 travel free*."""
    number, _, word = mention.key.partition(" ")
    is_word = word and number[0].isdecimal() and word not in units()
    return Mention(word, mention.stance) if is_word else mention


def has_amount(amounts: Amounts, kind: str, one: float | str) -> bool:
    """Whether an amount is there: in its kind, without a unit, or, if none measures it, at all."""
    if one in amounts.get(kind, ()) or one in amounts.get("", ()):
        return True
    known = {kind for kind, _ in units().values()}
    return kind not in known and any(one in some for some in amounts.values())


def says(there: Content, wanted: Content, language: Language) -> bool:
    """Whether a sentence says another one in other words, plainly.

    By its amounts (all of them, in any units and within the same limits) or by what it denies
    (返金されません, お戻しできません); its words have to be there as well, or synonyms of them, and
    denied where they are.
    """
    needed = [m for m in wanted.mentions if m.key in wanted.words and m.key != CAN]
    denied = any(m.stance in DENIED for m in needed)
    if not (wanted.amounts or denied) or not _within_its_limits(there, wanted, language):
        return False
    if not all(some <= there.amounts.get(kind, set()) for kind, some in wanted.amounts.items()):
        return False
    return all(
        any(
            m.stance in AGREEING[word.stance] and synonymous(word.key, m.key, language)
            for m in there.mentions
        )
        for word in needed
    )


def _within_its_limits(there: Content, wanted: Content, language: Language) -> bool:
    data = phrases(f"text/{language}/expectations")
    limits = (data.pattern(name) for name in _LIMITS)
    return all(not limit.search(wanted.form) or limit.search(there.form) for limit in limits)


def synonymous(one: str, other: str, language: Language) -> bool:
    """Whether two words are the same or may mean the same."""
    return one == other or not senses(one, language).isdisjoint(senses(other, language))


def words_there(words: Set[str], said: Set[str], language: Language) -> list[str]:
    """Those of the words that are said, or a synonym, or one of the same root."""
    return [
        word
        for word in words
        if akin(word, said, language) or any(synonymous(word, other, language) for other in said)
    ]


def akin(word: str, said: Set[str], language: Language) -> bool:
    """Whether a word is said, or one of the same root or with a kanji in common."""
    if word in said:
        return True
    if language == "en":
        root = word[:_ROOT]
        return len(root) == _ROOT and any(other.startswith(root) for other in said)
    own = {char for char in word if "\u4e00" <= char <= "\u9fff"}
    return any(not own.isdisjoint(other) for other in said)


def doubtful(one: str, other: str, language: Language) -> bool:
    """Whether a *not* more or less may mean the same: one denies in a word or hinges on more.

    お断りしています denies as できません does, and *open only on Fridays* as *not on Mondays*. Both
    texts are folded.
    """
    data = phrases(f"text/{language}/expectations")
    patterns = [data.pattern(name) for name in ("denies_in_a_word", "hinges_on")]
    here, there = ([set(p.findall(text)) for p in patterns] for text in (one, other))
    return here != there


def same_hinges(one: str, other: str, language: Language) -> bool:
    """Whether two folded texts hinge on the same: *only*, *after*."""
    hinges = phrases(f"text/{language}/expectations").pattern("hinges_on")
    return set(hinges.findall(one)) == set(hinges.findall(other))


def denies_in_a_word(text: str, language: Language) -> bool:
    """Whether a folded text denies anything without saying *not*."""
    return bool(denials_in_words(text, language))


def denials_in_words(text: str, language: Language) -> list[str]:
    """What denies in a folded text without saying *not*."""
    return phrases(f"text/{language}/expectations").pattern("denies_in_a_word").findall(text)


def names(text: str, language: Language) -> Mapping[str, str]:
    """The names of an NFKC text, as single words, each with its kind.

    English: words with a capital that do not begin a sentence, or stand beside another one, by
    their stems. Japanese: Sudachi's proper names, by normal form, and words in Latin letters. Days
    of the week and months are a kind of their own.
    """
    data = phrases(f"text/{language}/expectations")
    days = {m[0].removesuffix("s"): "day" for m in data.pattern("one_of").finditer(folded(text))}
    found = _english(text) if language == "en" else _japanese(text)
    none = data.words("no_names")
    kept = {n: kind for n, kind in found.items() if n not in none and n not in days}
    return {**kept, **days}


def _english(text: str) -> dict[str, str]:
    found = list(_CAPITAL.finditer(text))
    names = {}
    for at, match in enumerate(found):
        word = match[0].casefold().replace("’", "'").removesuffix("'s")
        if word in stop_words():
            continue
        begins = _START.search(text[max(0, match.start() - _NEAR) : match.start()])
        beside = at + 1 < len(found) and not text[match.end() : found[at + 1].start()].strip()
        if not begins or beside:
            names[stem(word)] = "name"
    return names


def _japanese(text: str) -> dict[str, str]:
    names = {m[0].casefold(): "latin" for m in _LATIN.finditer(text)}
    for morpheme in morphemes(text):
        if morpheme.pos[1] == "固有名詞" and not morpheme.surface.isascii():
            names[morpheme.normal.casefold()] = morpheme.pos[2]
    return names


@lru_cache(maxsize=4096)
def _polarities(text: str, language: Language) -> tuple[Mapping[str, bool], str]:
    """By pair of poles whether a sentence says yes or no; and what is left of it."""
    data = phrases(f"text/{language}/polarity")
    rest = data.pattern("softens").sub(" ", folded(unicodedata.normalize("NFKC", clean(text))))
    found = {}
    for no, yes in _POLES:
        without, denied = data.pattern(no).subn(" ", rest)
        rest, affirmed = data.pattern(yes).subn(" ", without)
        if bool(denied) != bool(affirmed):
            found[yes] = bool(affirmed)
    return found, rest


def reverses(one: str, other: str, language: Language) -> bool | None:
    """Whether a sentence turns another one round without a *not* more or less.

    ご遠慮ください and 歓迎します, *required* and *optional* (`ja/polarity.yaml`), where 0.6 of the
    words of either, without these, are those of the other, and both hinge on the same (*only*).

    Returns:
        False where they say the same in such words; None where nothing can be told.
    """
    (here, own), (there, theirs) = (_polarities(text, language) for text in (one, other))
    axes = here.keys() & there.keys()
    if not axes or denials(own, language) or denials(theirs, language):
        return None
    if not same_hinges(folded(one), folded(other), language):
        return None
    words, others = content(own, language).words - _SAID, content(theirs, language).words - _SAID
    if min(_share(words, others, language), _share(others, words, language)) < _OF_THE_SAME:
        return None
    if any(here[axis] is not there[axis] for axis in axes):
        return True
    return False if here == there else None  # *do not eat for free* says no by another word


def _share(words: Set[str], others: Set[str], language: Language) -> float:
    """The share of the words that are there, or a synonym, or in English one of the same root."""
    found = sum(
        any(synonymous(word, other, language) for other in others)
        or (language == "en" and akin(word, others, language))
        for word in words
    )
    return found / max(1, len(words))


def has_all_amounts(way: str, texts: Iterable[str], language: Language) -> bool:
    """Whether each amount of a text may stand in one of the others."""
    there = [some for text in texts for some in _amounts_read(text, language)]
    amounts = content(way, language).amounts
    return all(
        any(may_stand(kind, value, some) for some in there)
        for kind, values in amounts.items()
        for value in values
    )


def _amounts_read(text: str, language: Language) -> Iterator[Amounts]:
    """The amounts of each sentence; also as a month is one month, and 全額 100%."""
    data = phrases(f"text/{language}/expectations")
    for sentence in sentences(text, language):
        yield content(sentence, language).amounts
        read = data.pattern("one_unit").sub("1 ", folded(sentence))
        for said, meant in data.pairs("shares").items():
            read = read.replace(said, f" {meant} ")
        if read != folded(sentence):
            yield content(read, language).amounts


def permits(
    wanted: Content, sentence: Content, said: Sequence[Content], language: Language
) -> bool:
    """Whether it tells how to do all that is denied, in words of the same, and nothing is denied.

    *Cannot be paused*, *choose Pause*; ネットで変更できない, マイページで変更を選んでください.
    """
    if not any(mention.stance in DENIED for mention in wanted.mentions):
        return False
    if any(s.denials or denies_in_a_word(s.form, language) for s in said):
        return False
    tells_how = phrases(f"text/{language}/expectations").pattern("tells_how")
    if not tells_how.search(sentence.form) or not same_hinges(wanted.form, sentence.form, language):
        return False
    words = {mention.key for mention in sentence.mentions}
    needed = wanted.words - {CAN}
    return all(any(synonymous(w, other, language) for other in words) for w in needed)


def one_by_one(reply: str, language: Language) -> Iterator[str]:
    """What Japanese sentences say of several things, of each: A、BはP says AはP.

    Sudachi may read 破れ、紛失 as a verb. English words are read alike wherever they stand.
    """
    if language == "en":
        return
    data = phrases("text/ja/expectations")
    between = data.pattern("between_subjects")
    for sentence in sentences(reply, language):
        if subjects := data.pattern("subjects").search(sentence):
            rest = sentence[subjects.end() :]
            yield from (f"{one}{rest}" for one in between.split(subjects[0]) if one)


def other_side(one: str, other: str, language: Language) -> bool:
    """Whether one folded text speaks of *before* something, and the other of *after*."""
    data = phrases(f"text/{language}/expectations")
    ahead, behind = data.pattern("ahead"), data.pattern("behind")
    sides = [(bool(ahead.search(text)), bool(behind.search(text))) for text in (one, other)]
    return sides in ([(True, False), (False, True)], [(False, True), (True, False)])


def set_apart(reply: str, way: str, language: Language) -> bool:
    """Whether a reply says a text of other things and, before or after a *but*, not of its subject.

    *Theft is not covered, but fire is* says nothing such as *theft is covered*.
    """
    wanted = content(way, language)
    first = next((m.key for m in wanted.mentions if m.key in wanted.words), None)
    but = phrases(f"text/{language}/expectations").pattern("against_that")
    for sentence in sentences(reply, language):
        clauses = [content(c, language) for c in but.split(folded(sentence)) if c.strip()]
        own = [clause for clause in clauses if first in clause.words]
        if len(clauses) > len(own) == 1 and len(own[0].words & wanted.words) > 1:
            sides = {_denies(clause, language) for clause in clauses}
            return len(sides) > 1 and _denies(own[0], language) is not _denies(wanted, language)
    return False


def _denies(text: Content, language: Language) -> bool:
    return (text.denials + len(denials_in_words(text.form, language))) % 2 == 1
