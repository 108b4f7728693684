"""What a sentence holds: its words, amounts, names and denials, as they are compared."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.claims import Mention, Stance
from simulator.text.en.quantities import amounts_in
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import morphemes, tokenized
from simulator.text.likeness import days_of_the_week, is_meant, synonymous
from simulator.text.normal import folded, normal_form
from simulator.text.phrases import phrases
from simulator.text.presence import AGREEING, denials, mentions
from simulator.text.proper_names import names_by_kind, spelled_out
from simulator.text.quantities import Amounts, amounts_there, may_stand, units
from simulator.text.refusals import states_nothing
from simulator.text.sentences import sentences

_BEFORE_UNIT = re.compile(r"(?<=\d)\s+(?=[A-Za-z%])")
CAN = "出来る"
"""What is denied with it is the word before."""
DENIED = (Stance.DENIED, Stance.RULED_OUT)
"""The stances of a word that is denied, or what one does with it."""
_LIMITS = ("at_most", "at_least", "ahead", "behind")
_HINGES = (
    ("hinge_just", "hinge_just_said"),
    ("hinge_until", "hinge_until_said"),
    ("hinge_from", "hinge_from_said"),
    ("hinge_after", "hinge_after_said"),
)
_BEYOND = ("at_least", "behind")
_FROM_TO = 2  # times of the day
_UNTIL = "(until when)"  # beside the words of what was asked


@dataclass(frozen=True, slots=True)
class Content:
    """A text as it is compared; `form` is it without what denies nothing, case folded."""

    form: str
    words: frozenset[str]
    amounts: Amounts
    mentions: tuple[Mention, ...]
    names: Mapping[str, str]  # each with its kind
    denials: int


class Told:
    """All that is told around a sentence, as it is asked for of each of them: found once."""

    def __init__(self, sentences: Iterable[Content], language: Language) -> None:
        self.sentences = tuple(sentences)
        self._language = language

    @cached_property
    def amounts(self) -> Mapping[str, Set[float | str]]:
        """By kind."""
        found: dict[str, set[float | str]] = {}
        for sentence in self.sentences:
            for kind, some in sentence.amounts.items():
                found.setdefault(kind, set()).update(some)
        return found

    @cached_property
    def names(self) -> frozenset[str]:
        """Of all kinds."""
        return frozenset(name for sentence in self.sentences for name in sentence.names)

    @cached_property
    def stances(self) -> Mapping[str, Set[Stance]]:
        """By word."""
        found: dict[str, set[Stance]] = {}
        for mention in (m for sentence in self.sentences for m in sentence.mentions):
            found.setdefault(mention.key, set()).add(mention.stance)
        return found

    @cached_property
    def denies_in_a_word(self) -> bool:
        """Whether any of them does without saying *not*."""
        return any(denies_in_a_word(s.form, self._language) for s in self.sentences)

    @cached_property
    def deadlines(self) -> Set[str]:
        """Those that make a day a limit, by their forms."""
        deadline = phrases(f"text/{self._language}/expectations").pattern("deadline")
        dated = (s.form for s in self.sentences if "day" in s.names.values())
        return {form for form in dated if deadline.search(form)}


@lru_cache(maxsize=4096)
def content(text: str, language: Language) -> Content:
    """What a text holds."""
    text = plain(unicodedata.normalize("NFKC", clean(text)), language)
    found = tuple(_without_number(mention) for mention in mentions(text, language))
    amounts = amounts_in(text) if language == "en" else amounts_of(tokenized(text))
    words = frozenset(m.key for m in found if not m.key[0].isdecimal())
    return Content(
        folded(text), words, amounts, found, names_by_kind(text, language), denials(text, language)
    )


def plain(text: str, language: Language) -> str:
    """The text without apologies and the like, whose *not* denies nothing; 不要 is 必要ない."""
    data = phrases(f"text/{language}/expectations")
    text = data.pattern("denies_nothing", re.IGNORECASE).sub("", text)
    for said, meant in (
        *data.rewrites("denials"),
        *data.rewrites("same_time"),
        *data.rewrites("numbers"),
    ):
        text = said.sub(meant, text)
    text = spelled_out(text, language)
    return _BEFORE_UNIT.sub("", text) if language == "ja" else text


def with_common_words(texts: Iterable[str], language: Language) -> tuple[str, ...]:
    """Texts, and each with one word for what has many: *costs nothing* is *free*, 一度 is 1回.

    Only for what is looked for: an amount such as 0円 is no amount any more.
    """
    found, rewrites = list(texts), phrases(f"text/{language}/expectations").rewrites("common_words")
    for text in tuple(found):
        for said, meant in rewrites:
            text = said.sub(meant, text)  # noqa: PLW2901 (one after the other)
        found.append(text)
    return tuple(dict.fromkeys(found))


def _without_number(mention: Mention) -> Mention:
    """What stands behind a number and is no unit is a word as any other: *under 6 travel free*."""
    number, _, word = mention.key.partition(" ")
    is_word = word and number[0].isdecimal() and word not in units()
    return Mention(word, mention.stance) if is_word else mention


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


def doubtful(one: str, other: str, language: Language) -> bool:
    """Whether a *not* more or less may mean the same: one denies in a word or hinges on more.

    お断りしています denies as できません does, and *open only on Fridays* as *not on Mondays*. Both
    texts are folded.
    """
    data = phrases(f"text/{language}/expectations")
    patterns = [data.pattern(name) for name in ("denies_in_a_word", "hinges_on")]
    here, there = ([set(p.findall(text)) for p in patterns] for text in (one, other))
    return here != there or other_side(one, other, language)


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
    for sentence in sentences(text, language):
        yield content(sentence, language).amounts
        read = in_figures(sentence, language)
        if read is not None:
            yield content(read, language).amounts


@lru_cache(maxsize=4096)  # the same sentences come again with each check
def in_figures(text: str, language: Language) -> str | None:
    """A folded text with its amounts in words (半額, *the day before*) as figures; or None."""
    told = read = folded(text)
    for said, meant in phrases(f"text/{language}/expectations").rewrites("same_amount"):
        read = said.sub(f" {meant} ", read)
    return None if read == told else read


def permits(wanted: Content, sentence: Content, said: Told, language: Language) -> bool:
    """Whether it tells how to do all that is denied, in words of the same, and nothing is denied.

    *Cannot be paused*, *choose Pause*; ネットで変更できない, マイページで変更を選んでください.
    """
    if not any(mention.stance in DENIED for mention in wanted.mentions):
        return False
    if said.denies_in_a_word or any(s.denials for s in said.sentences):
        return False
    tells_how = phrases(f"text/{language}/expectations").pattern("tells_how")
    if not tells_how.search(sentence.form) or not same_hinges(wanted.form, sentence.form, language):
        return False
    if not all(some <= sentence.amounts.get(k, set()) for k, some in wanted.amounts.items()):
        return False
    words = {mention.key for mention in sentence.mentions}
    needed = wanted.words - {CAN}
    return all(is_meant(word, words, language) for word in needed)


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
    """Whether folded texts lie on two sides of something: *before* and *after*, 未満 and 以上."""
    here, there = (sides(text, language) for text in (one, other))
    return bool(here and there) and here.isdisjoint(there)


def sides(form: str, language: Language) -> set[bool]:
    """On which sides of a time or an amount something lies: True for beyond."""
    data = phrases(f"text/{language}/expectations")
    names = _LIMITS if content(form, language).amounts else _LIMITS[2:]
    return {name in _BEYOND for name in names if data.pattern(name).search(form)}


def clause_of(wanted: Content, sentence: Content, language: Language) -> Content:
    """The clause that has all amounts of a text: *two weeks at no charge, then £5 a day*."""
    if not wanted.amounts or wanted.form == sentence.form:
        return sentence
    between = phrases(f"text/{language}/polarity").pattern("between_clauses")
    parts = (part for part in between.split(sentence.form) if part.strip())
    clauses = (content(part, language) for part in parts)
    return next((one for one in clauses if amounts_there(wanted.amounts, one.amounts)), sentence)


def keeps_hinges(wanted: str, sentence: str, language: Language) -> bool:
    """Whether what a text hinges on (*only*, まで) stands in a sentence, beside words of the text.

    Who says *bisque* says nothing of *bisque only*, and 1週間前まで nothing of 前日まで.
    """
    data, form = phrases(f"text/{language}/expectations"), folded(wanted)
    hinges = [said for hinge, said in _HINGES if data.pattern(hinge).search(form)]
    if not hinges:
        return True
    read = _read_in_figures(wanted, language)
    beside = [
        part
        for part in data.pattern("clause_ends").split(folded(sentence))
        if _share_anything(read, _read_in_figures(part, language), language)
    ]
    return not beside or all(any(data.pattern(h).search(b) for b in beside) for h in hinges)


def _read_in_figures(text: str, language: Language) -> Content:
    return content(in_figures(text, language) or text, language)


def _share_anything(one: Content, other: Content, language: Language) -> bool:
    return any(is_meant(word, other.words, language) for word in one.words) or any(
        some & other.amounts.get(kind, frozenset()) for kind, some in one.amounts.items()
    )


def is_of_another_amount(one: str, other: str, language: Language) -> bool:
    """Whether a *not* more or less stands in a clause that says another amount than one of them."""
    pair = content(one, language), content(other, language)
    if not all(read.amounts for read in pair):
        return False
    for own, there in (pair, pair[::-1]):
        clause = clause_of(own, there, language)
        if clause is not there and (clause.denials - own.denials) % 2 == 0:
            return True
    return False


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


def claims(reply: str, language: Language) -> Iterator[Content]:
    """What the reply claims, sentence by sentence."""
    asks = phrases(f"text/{language}/grounding").pattern("asks")
    condition = phrases(f"text/{language}/expectations").pattern("condition")
    for sentence in sentences(reply, language):
        form = folded(sentence)
        if asks.search(form):
            continue
        whole = content(sentence, language)
        told = condition.sub(" ", form)
        if told == form:
            yield whole
        else:
            yield replace(whole, mentions=content(told, language).mentions)


def asked_words(asked: str, language: Language) -> frozenset[str]:
    """The words of what was asked, and that it was asked until when."""
    deadline = phrases(f"text/{language}/expectations").pattern("deadline")
    words = content(asked, language).words
    return words | {_UNTIL} if deadline.search(folded(asked)) else words


def nearness(sentence: Content, about: frozenset[str], said: Told) -> float:
    """The share of what was asked; who asks until when is answered where a day is a limit."""
    if _UNTIL in about and said.deadlines:
        return float(sentence.form in said.deadlines)
    return len(about & sentence.words) / max(1, len(about))


def only_points(sentence: Content, wanted: Content, language: Language) -> bool:
    """Whether a sentence only says whom to turn to, by what is no word of the text: its hours."""
    return len(sentence.words & wanted.words) <= 1 and states_nothing(sentence.form, language)


def of_the_same_hours(one: Content, other: Content, language: Language) -> bool:
    """Whether both say from when to when the same is open: two times, and a word for what it is."""
    rules = phrases(f"text/{language}/grounding")
    if any(len(c.amounts.get("clock", ())) < _FROM_TO for c in (one, other)):
        return False
    if not all(rules.pattern("opening_hours").search(text.form) for text in (one, other)):
        return False
    return bool((one.words & other.words) - rules.words("opens") - days_of_the_week(language))


def is_cut_short(way: str, replies: Iterable[str], language: Language) -> bool:
    """Whether a text that ends within a verb (かから), which a *not* may follow, stands there."""
    if language == "en" or not any(normal_form(way) in normal_form(reply) for reply in replies):
        return False
    found = morphemes(way)
    return bool(found) and found[-1].form.startswith("未然形")
