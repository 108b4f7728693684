"""How the agenda user words its acts: phrases, register and slips, never twice the same."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from math import log
from typing import NamedTuple

from simulator.core.persona import Language, Persona, Politeness, Slips
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import Phrases, phrases

_JA, _EN = phrases("users/agenda/ja/slips"), phrases("users/agenda/en/slips")
_MASK = "\ue000"  # a character of no script: no slip is made on it
_KEPT = re.compile(
    rf"{_MASK}|https?://[!-~]+|[!-~]{{1,64}}@[!-~]{{0,200}}[A-Za-z]"
    r"|[#＃]?[A-Za-z._/-]{0,60}[0-9０-９](?:[A-Za-z0-9０-９.,:：_/+-]*[A-Za-z0-9０-９])?"
    r"|[A-Za-z]{1,60}(?:\.[A-Za-z]+)+|[A-Z]{2,}\w*"
)


class Slip(NamedTuple):
    """One mistake: `text` in place of the characters from `start` to `end` of a message."""

    start: int
    end: int
    text: str


_Places = Sequence[Sequence[Slip]]  # for slips in a message, those of one sort together


def slipped(text: str, slips: Slips, language: Language, rng: random.Random) -> str:
    """The text with slips of a kind: one at least if there is a place for it.

    There is at most one for every dozen characters (ja; of speech, twenty) or five words (en).
    Speech has no punctuation either.
    """
    if slips is Slips.NONE:
        return text
    kept = iter(_KEPT.findall(text))
    text = _KEPT.sub(_MASK, text)
    if slips is Slips.SPEECH:
        text = _unpunctuated_en(text) if language == "en" else _unpunctuated_ja(text)
    for slip in sorted(_chosen(text, slips, language, rng), key=lambda place: -place.start):
        text = text[: slip.start] + slip.text + text[slip.end :]
    return re.sub(_MASK, lambda _: next(kept), text)


def _chosen(text: str, slips: Slips, language: Language, rng: random.Random) -> list[Slip]:
    """Some places, all sorts alike, far enough apart from each other."""
    places, apart = _SORTS[language, slips]
    sorts = places(text)
    most = max(1, len(text) // apart)
    chosen: list[Slip] = []
    for _ in range(rng.randint((most + 1) // 2, most)):
        sorts = [
            [place for place in sort if _is_clear(place, chosen, apart // 2)] for sort in sorts
        ]
        left = [sort for sort in sorts if sort]
        if not left:
            break
        chosen.append(rng.choice(rng.choice(left)))
    return chosen


def _is_clear(slip: Slip, chosen: list[Slip], apart: int) -> bool:
    return all(slip.start >= c.end + apart or slip.end + apart <= c.start for c in chosen)


# ---- Japanese ----

_HIRAGANA = re.compile("[ぁ-ん]{2,}")
_PARTICLE = re.compile("(?<=[一-龠ァ-ヴー])[をはがに](?=[一-龠ァ-ヴ])")
_KANJI = re.compile("[一-龠々]")
_SPOKEN_FULL_STOP = re.compile(r"[。．！？!?…\n]+\s*(?=\S)")
_NOT_SPOKEN = re.compile(r"[、，,・「」『』“”\"（）()]|[。．！？!?…]+")


def _typing_ja(text: str) -> _Places:
    """What fingers do: to kana (left out, doubled, swapped; half typed), particles, conversions."""
    of = _consonants()
    loose = [at for run in _HIRAGANA.finditer(text) for at in range(*run.span())]
    weighty = [match.span() for match in _JA.pattern("weighty").finditer(text)]
    loose = [at for at in loose if not any(start <= at < end for start, end in weighty)]
    half = [Slip(at, at + 1, of[text[at]]) for at in loose if text[at] in of]
    dropped = [Slip(*match.span(), "") for match in _PARTICLE.finditer(text)]
    return [list(_on_kana(text, loose)), half, dropped, _conversions(text)]


def _speech_ja(text: str) -> _Places:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    filled = [match.start() for match in _JA.pattern("filled").finditer(text)]
    free = [at for at in _breaths(text) if all(abs(at - other) > 4 for other in filled)]
    fillers = _JA.lines("fillers")
    return [[Slip(at, at, filler) for at in free for filler in fillers], _conversions(text)]


def _unpunctuated_ja(text: str) -> str:
    """The text as a voice gives it: no marks and no quotes, a gap where a sentence ended."""
    return _NOT_SPOKEN.sub("", _SPOKEN_FULL_STOP.sub(" ", text)).strip()


@cache
def _consonants() -> dict[str, str]:
    rows = _JA.pairs("rows")
    return {kana: consonant for consonant, row in rows.items() for kana in row}


@cache
def _converted() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _JA.pairs("homophones")), key=len, reverse=True)
    return re.compile("|".join(longest_first))


def _breaths(text: str) -> Iterator[int]:
    """Where a voice may pause: where it begins, and between words that are no parts of one."""
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or _may_pause(before, morpheme):
            yield at
        at += len(morpheme.surface)
        before = morpheme


def _may_pause(before: Morpheme, after: Morpheme) -> bool:
    kind, finer = after.pos[:2]
    if kind not in _JA.words("words") or finer == "非自立可能":
        return False
    if after.surface in _JA.words("unbroken"):
        return False
    is_particle = before.pos[0] == "助詞" and before.surface in _JA.words("before_a_breath")
    return is_particle or before.surface.isspace()


def _conversions(text: str) -> list[Slip]:
    """Whole words only: the 取れ of 受け取れ and the 有料 of 有料化 are never converted alone."""
    starts: set[int] = set()
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or before.pos[0] not in ("動詞", "接頭辞"):
            starts.add(at)
        at += len(morpheme.surface)
        before = morpheme
    return [
        Slip(*match.span(), _JA.pairs("homophones")[match.group()])
        for match in _converted().finditer(text)
        if match.start() in starts and not _is_inside(match)
    ]


def _is_inside(match: re.Match[str]) -> bool:
    """True if it is a part of a longer run of kanji."""
    text, start, end = match.string, match.start(), match.end()
    after = bool(_KANJI.match(text[end - 1])) and bool(_KANJI.match(text[end : end + 1]))
    return after or bool(_KANJI.match(text[max(0, start - 1) : start]))


def _on_kana(text: str, loose: list[int]) -> Iterator[Slip]:
    for at in loose:
        kana = text[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, kana * 2)
        if at + 1 in loose and text[at + 1] != kana:
            yield Slip(at, at + 2, text[at + 1] + kana)


# ---- English ----

_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_LONG_WORD = re.compile(r"\b[a-z]{4,}\b")
_APOSTROPHE = re.compile(r"(?<=[a-z])['’](?=(?:t|s|re|ll|ve|d|m)\b)")
_CAPITAL = re.compile(r"(?:(?:^|(?<=[.!?…:] )|(?<=\n))[A-Z](?=[a-z' ]))|\bI\b")
_MARKS = re.compile(r"[“”\"()…]|(?<![.,!?;:])[.,!?;:]++(?=\s|$|[\"”)])|(?<=\s)[-–—]+(?=\s)")


def _typing_en(text: str) -> _Places:
    """What fingers do: to letters inside words, and to apostrophes and capitals."""
    letters = [
        slip
        for match in _LONG_WORD.finditer(text)
        if match.group() not in _EN.words("weighty")
        for slip in _in_a_word(match)
    ]
    dropped = [Slip(*match.span(), "") for match in _APOSTROPHE.finditer(text)]
    lowered = [Slip(*match.span(), match.group().lower()) for match in _CAPITAL.finditer(text)]
    return [letters, dropped, lowered]


def _speech_en(text: str) -> _Places:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    homophones = _EN.pairs("homophones")
    filled = [match.start() for match in _EN.pattern("filled", re.IGNORECASE).finditer(text)]
    breaths = {0, *(match.start() for match in _EN.pattern("breath").finditer(text))}
    free = [at for at in sorted(breaths) if all(abs(at - other) > 6 for other in filled)]
    fillers = [Slip(at, at, f"{filler} ") for at in free for filler in _EN.lines("fillers")]
    sounds = [
        Slip(*match.span(), homophones[match.group()])
        for match in _WORD.finditer(text)
        if match.group() in homophones
    ]
    return [fillers, sounds]


def _unpunctuated_en(text: str) -> str:
    """The text as a voice gives it: no marks, no quotes, no capital where a sentence begins."""
    lowered = _CAPITAL.sub(lambda match: _lower(match.group()), text)
    return " ".join(_MARKS.sub(" ", lowered).split())


def _lower(capital: str) -> str:
    return capital if capital == "I" else capital.lower()


def _in_a_word(match: re.Match[str]) -> Iterator[Slip]:
    """The first letter stays, so that the word is still known by sight."""
    for at in range(match.start() + 1, match.end()):
        letter = match.string[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, letter * 2)
        if at + 1 < match.end() and match.string[at + 1] != letter:
            yield Slip(at, at + 2, match.string[at + 1] + letter)


# By language and kind: where slips may be made, and how many characters are from one to the next;
# 25 of English are about five words.
_SORTS: dict[tuple[Language, Slips], tuple[Callable[[str], _Places], int]] = {
    ("ja", Slips.TYPING): (_typing_ja, 12),
    ("ja", Slips.SPEECH): (_speech_ja, 20),
    ("en", Slips.TYPING): (_typing_en, 25),
    ("en", Slips.SPEECH): (_speech_en, 25),
}


_VERBS = phrases("users/agenda/ja/register")
_U_ROW, _I_ROW, _A_ROW = "うくぐすつぬぶむる", "いきぎしちにびみり", "わかがさたなばまら"
_TO_I = dict(zip(_U_ROW, _I_ROW, strict=True)) | dict(zip(_A_ROW, _I_ROW, strict=True))
_TO_U = dict(zip(_I_ROW, _U_ROW, strict=True))
_TO_A = dict(zip(_I_ROW, _A_ROW, strict=True))
_NOUNS = ("名詞", "代名詞", "形状詞")
_LIKE_NOUNS = ("くらい", "ぐらい", "ほど", "だけ", "まで", "ばかり", "」", "』")
_DESU = ("ない", "無い", "たい", "らしい", "みたい")  # they take です as adjectives do

# What follows needs the plain form (という, んです) or brings the polite one itself (です).
_NEEDS_PLAIN = re.compile(
    "、?(?:と|って|いう|みたい|よう|ん|の|わけ|です|でし|だ|かも|らしい|感じ)"
)

_Form = Callable[[Morpheme], str]
_Made = Callable[[str], str]


def fitted(statement: str, politeness: Politeness, follows: str) -> str:
    """A statement in the register of who says it, before the words that follow it."""
    if politeness is Politeness.PLAIN:
        return to_plain(statement)
    return statement if _NEEDS_PLAIN.match(follows) else to_polite(statement)


@lru_cache(maxsize=4_096)  # each persona tells the same facts
def to_polite(statement: str) -> str:
    """The statement with a polite ending, or as it was."""
    words = morphemes(statement)
    if not words or any(m.normal in ("です", "ます") for m in words[-4:]):
        return statement
    last = words[-1]
    if _is_nominal(last):
        return f"{statement}です"
    if last.surface == "だ" and last.normal != "た":
        return f"{_text(words[:-1])}です"
    if not last.form.startswith("終止形"):
        return statement
    is_past = last.normal == "た" and len(words) > 1
    return _polite_past(words) if is_past else _polite_present(words)


@lru_cache(maxsize=4_096)
def to_plain(statement: str) -> str:
    """The statement with a plain ending, or as it was."""
    words = morphemes(statement)
    endings: dict[tuple[str, ...], Callable[[Sequence[Morpheme]], str]] = {
        ("です",): _without_desu,
        ("ます",): lambda rest: _conjugated(rest, _dictionary_form),
        ("ませ", "ん"): lambda rest: _conjugated(rest, _negative),
        ("まし", "た"): lambda rest: _conjugated(rest, _past),
    }
    for ending, made in endings.items():
        rest = words[: -len(ending)]
        if rest and tuple(m.surface for m in words[len(rest) :]) == ending:
            return made(rest) or statement
    return statement


def _text(words: Sequence[Morpheme]) -> str:
    return "".join(m.surface for m in words)


def _polite_present(words: Sequence[Morpheme]) -> str:
    last, rest = words[-1], words[:-1]
    if last.normal == "ない" and rest and (stem := verb_stem(rest[-1])):
        return f"{_text(rest[:-1])}{stem}ません"
    if last.pos[0] == "形容詞" or last.normal in _DESU:
        return f"{_text(words)}です"
    stem = verb_stem(last)
    return f"{_text(rest)}{stem}ます" if stem else _text(words)


def _polite_past(words: Sequence[Morpheme]) -> str:
    before, rest = words[-2], words[:-2]
    if before.surface == "だっ":
        return f"{_text(rest)}でした"
    if before.surface == "なかっ" and rest and (stem := verb_stem(rest[-1])):
        return f"{_text(rest[:-1])}{stem}ませんでした"
    if before.pos[0] == "形容詞" or before.normal in _DESU:
        return f"{_text(words)}です"
    stem = verb_stem(before)
    return f"{_text(rest)}{stem}ました" if stem else _text(words)


def _is_nominal(last: Morpheme) -> bool:
    return last.pos[0] in _NOUNS or last.pos[1] == "名詞的" or last.surface in _LIKE_NOUNS


def _is_ichidan(verb: Morpheme) -> bool:
    return "一段" in verb.kind or verb.kind == "助動詞-レル"


def verb_stem(verb: Morpheme) -> str:
    """What ます is put to; empty where the word is no verb, or of a kind that is not known."""
    surface = verb.surface
    if _is_ichidan(verb):
        return surface.removesuffix("る") if verb.form.startswith("終止形") else surface
    if verb.kind.startswith("サ行変格"):
        return "し" if surface in ("する", "し", "さ") else ""
    if verb.kind.startswith("カ行変格"):
        return "来" if surface.startswith("来") else "き"
    return _godan_stem(verb) if verb.kind.startswith("五段") else ""


def _godan_stem(verb: Morpheme) -> str:
    but_last, last = verb.surface[:-1], verb.surface[-1]
    if verb.form == "連用形-一般":
        return verb.surface
    if verb.form.startswith("連用形"):  # 買っ, 書い, 読ん
        last = _VERBS.pairs("rows").get(verb.kind.removeprefix("五段-").removesuffix("行"), "")
        return but_last + last if last else ""
    return but_last + _TO_I[last] if last in _TO_I else ""


def _without_desu(rest: Sequence[Morpheme]) -> str:
    last = rest[-1]
    takes_it = _is_nominal(last) or last.pos[0] == "形容詞" or last.normal in _DESU
    return _text(rest) if takes_it else ""


def _conjugated(rest: Sequence[Morpheme], form: _Form) -> str:
    verb = form(rest[-1]) if rest[-1].form.startswith(("連用形", "未然形")) else ""
    return f"{_text(rest[:-1])}{verb}" if verb else ""


def _dictionary_form(verb: Morpheme) -> str:
    return _by_kind(verb, ("る", "する", "来る"), lambda s: s[:-1] + _TO_U[s[-1]])


def _negative(verb: Morpheme) -> str:
    if verb.surface == "あり":
        return "ない"
    return _by_kind(verb, ("ない", "しない", "来ない"), lambda s: s[:-1] + _TO_A[s[-1]] + "ない")


def _past(verb: Morpheme) -> str:
    if verb.surface.endswith(("行き", "いき")) and verb.normal.endswith("行く"):
        return f"{verb.surface[:-1]}った"
    return _by_kind(verb, ("た", "した", "来た"), lambda s: s[:-1] + _VERBS.pairs("past")[s[-1]])


def _by_kind(verb: Morpheme, endings: tuple[str, str, str], godan: _Made) -> str:
    """A form of a verb from what stands before ます; empty where its kind is not known."""
    ichidan, suru, kuru = endings
    if _is_ichidan(verb):
        return f"{verb.surface}{ichidan}"
    if verb.kind.startswith("サ行変格"):
        return suru if verb.surface == "し" else ""
    if verb.kind.startswith("カ行変格"):
        return kuru if verb.surface == "来" else ""
    known = verb.kind.startswith("五段") and verb.surface[-1] in _TO_U
    return godan(verb.surface) if known else ""


_FUNCTION_WORD = re.compile(
    r"(?:The|My|Our|It|There|This|That|These|Those|He|She|We|They|You|A|An|No|In|On|At|Since|When"
    r"|If|Only|Some|All|Both|For|From|Nothing|Nobody|Yes)\b(?!')"
)
_NEAR = 40  # characters
_ENDS = re.compile(r"(?:(?<!\.)\.|[!?\n])[\"')]*\s*$")  # dots that trail off end nothing
_FINAL = " 。．.、,"
_HEAD = re.compile(r"[\s、。,.!…:：]")
_ASKS = re.compile('[?？][」"]?$')
_JA_PAUSES = ("。", "、")
_STOPS = ("?", "？", ".", "。")
_QUESTION_ENDS = ("?", "？", "か。", "か", "…？")
# What makes a message less fit.
_FAR = 1.5  # times the distance of its length from the usual one: twice or half of it costs 1
_USED = 1.0
_TELLINGS = 3  # wordings of one set of facts that are weighed
_TASTE = 0.35  # at most, by chance: one person does not always find the same words
_SPREAD = 0.25  # of the lengths of one person's messages, as a standard deviation of logarithms


@dataclass(frozen=True, slots=True)
class Realisation:
    """A wording of one act, filled in; `facts` are those that it gives away.

    `size` is in characters (ja) or words (en); `cost` says how much less fit it is than others.
    """

    act: str
    text: str
    wording: str
    facts: tuple[str, ...] = ()
    size: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """The parts of one message in order, each with its wordings.

    `cost` is how much less this person would like to say it so; a message of twice or half the
    usual length costs 1.
    """

    parts: tuple[Sequence[Realisation], ...]
    cost: float = 0.0


class Wording:
    """The mouth of one user in one conversation."""

    def __init__(self, persona: Persona, rng: random.Random) -> None:
        self._persona = persona
        self._rng = rng
        self._used: Counter[str] = Counter()
        typing = persona.style.slips is Slips.TYPING
        self._sets_capitals = persona.language == "en" and not typing

    def lines(self, act: str, *, most: int = 99, **values: str) -> list[Realisation]:
        """The wordings of an act, filled in, the fittest first; those that were used come last.

        A wording that needs a value which is empty is left out.
        """
        lacking = [f"{{{name}}}" for name, value in values.items() if not value]
        realisations = [
            self._line(act, wording, cost, self._filled(wording, values))
            for wording, cost in self._wordings(act)
            if not any(slot in wording for slot in lacking)
        ]
        return realisations[:most]

    def fixed(self, act: str, text: str) -> Realisation:
        """A line that is no wording of the persona's."""
        return Realisation(act, text, text, size=size(text, self._persona.language))

    def tellings(self, facts: Sequence[str], *, is_asked: bool) -> list[Realisation]:
        """Wordings that give away these facts at once; unasked, none that ends with a question."""
        between = "。" if self._persona.language == "ja" else ". "
        bare = [fact.strip(_FINAL) for fact in facts]
        lines = []
        for wording, cost in self._wordings("tell"):
            statement = between.join(self._embedded(wording, bare))
            line = self._line("tell", wording, cost, self._filled(wording, {"fact": statement}))
            lines.append(replace(line, facts=tuple(facts)))
        plain = [line for line in lines if not line.text.endswith(_QUESTION_ENDS)]
        return (lines if is_asked else plain or lines)[:_TELLINGS]

    def farewell(self, act: str) -> str:
        """A last word that is not sent."""
        return self._rng.choice(phrases_of(self._persona, act))

    def compose(
        self, history: Iterable[str], plans: Iterable[MessagePlan]
    ) -> tuple[str, tuple[Realisation, ...]] | None:
        """The fittest message that is new; None if there is none.

        Fit is what is about as long as this person writes (its usual length, varied by chance),
        in the plan that it likes best, in words that it has not used yet.
        """
        before = set(history)
        space = "" if self._persona.language == "ja" else " "
        chosen: tuple[str, tuple[Realisation, ...]] | None = None
        for lines in self._by_fitness(plans):
            texts = [line.text for line in lines]
            text = space.join(texts)
            if text in before:
                continue
            alike = _starts_alike(texts)
            if chosen is None or not alike:
                chosen = text, lines
            if not alike:
                break
        self._used.update(line.wording for line in (chosen[1] if chosen else ()))
        return chosen

    def _by_fitness(self, plans: Iterable[MessagePlan]) -> Iterator[tuple[Realisation, ...]]:
        usual = log(self._persona.style.length) + self._rng.gauss(0, _SPREAD)
        ranked = [
            (
                plan.cost
                + sum(line.cost for line in lines)
                + _FAR * abs(log(max(1, sum(line.size for line in lines))) - usual),
                lines,
            )
            for plan in plans
            for lines in product(*plan.parts)
        ]
        ranked.sort(key=lambda item: item[0])
        return (lines for _, lines in ranked)

    def _wordings(self, act: str) -> list[tuple[str, float]]:
        """The wordings of an act with their costs, the fittest first."""
        wordings = phrases_of(self._persona, act)
        least = min(self._used[wording] for wording in wordings)
        costs = [
            (wording, _TASTE * self._rng.random() + _USED * (self._used[wording] - least))
            for wording in wordings
        ]
        return sorted(costs, key=lambda pair: pair[1])

    def _line(self, act: str, wording: str, cost: float, text: str) -> Realisation:
        return Realisation(act, text, wording, size=size(text, self._persona.language), cost=cost)

    def _filled(self, wording: str, values: dict[str, str]) -> str:
        for name, value in values.items():  # one slot each, so nothing is filled in twice
            before, slot, after = wording.partition(f"{{{name}}}")
            fit = cased(value, before) if self._sets_capitals else value
            if name == "need" and after[:1] in _JA_PAUSES and self._persona.language == "ja":
                fit = fitted(value, self._persona.style.politeness, after)
            if _ASKS.search(fit):  # a question that is quoted brings its own mark
                after = after[1:] if after[:1] in _STOPS else after
            wording = f"{before}{fit}{after}" if slot else wording
        return wording

    def _embedded(self, wording: str, facts: Sequence[str]) -> Iterator[str]:
        """The facts as this person puts them; only the first and last meet the wording."""
        before, _, after = wording.partition("{fact}")
        for at, fact in enumerate(facts):
            if self._persona.language == "ja":
                follows = after if at == len(facts) - 1 else ""
                yield fitted(fact, self._persona.style.politeness, follows)
            else:
                yield cased(fact, before if at == 0 else "") if self._sets_capitals else fact


def phrases_of(persona: Persona, act: str) -> tuple[str, ...]:
    """The persona's wordings of an act, or the neutral ones of its language; never empty.

    Raises:
        KeyError: there is no such act.
    """
    return persona.phrases.get(act) or neutral(persona.language).lines(act)


def neutral(language: Language) -> Phrases:
    """The wordings of somebody who has none of its own."""
    return phrases(f"users/agenda/{language}/phrases")


def cased(text: str, before: str) -> str:
    """English text, with a capital where a sentence begins, and inside one without if it may."""
    if not before.strip() or _ENDS.search(before[-_NEAR:]):
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if _FUNCTION_WORD.match(text) else text


def size(text: str, language: Language) -> int:
    """How long a message is: characters in Japanese, words in English."""
    return len(text) if language == "ja" else len(text.split())


def _starts_alike(texts: Sequence[str]) -> bool:
    """True if a part starts as an earlier one does or ends: *I'm lost, sorry. Sorry, …*."""
    heads = [_HEAD.split(text.casefold(), maxsplit=1)[0] for text in texts]
    return any(
        len(head) > 2 and head in earlier.casefold()
        for at, head in enumerate(heads)
        for earlier in texts[:at]
    )
