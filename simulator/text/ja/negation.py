"""What Japanese texts say and deny, clause by clause and word by word."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from simulator.text.claims import YES, Claim, Mention, Stance
from simulator.text.ja.sudachi import Lexicon, Morpheme, classes
from simulator.text.phrases import phrases
from simulator.text.token_f1 import NOT
from simulator.text.tokens import empty_words, is_content

_PHRASES = phrases("text/ja/negation")
_JOINING = frozenset(("が", "けど", "けれど", "けれども", "ので", "から", "し", "のに", "と", "ば"))
_NOT_BECAUSE = frozenset(("は", "も", "有る", "無い", "御座る"))  # できないのではありません
_MUST = frozenset(("行く", "成る"))  # 予約しなければなりません, しないといけません
_YES, _NO = frozenset(("はい", "ええ")), frozenset(("いいえ", "いえ"))
_IS_LIGHT, _SUPPOSES, _DENIES = range(3)
_REACH = 6  # words before a negation, among which the denied one is


@cache
def _meanings() -> dict[str, int]:
    """What some words do in their clause."""
    return {
        **dict.fromkeys(_PHRASES.words("generic"), _IS_LIGHT),
        **dict.fromkeys(_PHRASES.words("hypothetical"), _SUPPOSES),
        **dict.fromkeys(_PHRASES.words("negations"), _DENIES),
    }


@cache
def _sure() -> frozenset[str]:
    return _PHRASES.words("negations") | {NOT}


@cache
def _empty() -> frozenset[str]:
    return _PHRASES.words("generic") | _PHRASES.words("negations") | empty_words()


def may_deny(text: str, words: Sequence[str]) -> bool:
    """Whether a Japanese text may claim a denial; false: it surely does not.

    Told by the text in NFKC and its words as `token_f1` counts them.
    """
    return "不" in text or begins_with_no(text) or not _sure().isdisjoint(words)


def begins_with_no(text: str) -> bool:
    """Whether a Japanese text may begin with いいえ."""
    return text.lstrip().startswith(("いいえ", "いえ"))


def may_contradict(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether it is worth while to compare the claims of two Japanese texts.

    Told by their words as `token_f1` counts them, at a twentieth of the price: the last word of
    content before a negation may be denied, and it is in doubt where only one text has it so and
    the other has it at all.
    """
    here, there = _denials_among(one), _denials_among(other)
    return here != there and (_doubted(here - there, other) or _doubted(there - here, one))


def _denials_among(words: Sequence[str]) -> set[tuple[str, ...]]:
    """The words before each negation."""
    sure = _sure()
    if sure.isdisjoint(words):  # most texts: one look instead of one at each word
        return set()
    return {tuple(words[max(0, at - _REACH) : at]) for at, word in enumerate(words) if word in sure}


def _doubted(denied: Iterable[tuple[str, ...]], words: Sequence[str]) -> bool:
    for before in denied:
        telling = [word for word in before if word not in _empty()]
        if any(word in words for word in telling[-1:] or before):
            return True
    return False


def claims(lists: Iterable[Any]) -> list[Claim]:
    """The claims of a Japanese text in NFKC, by Sudachi's lists of its morphemes (SplitMode.A).

    A clause ends at a full stop, a line end, a conjunctive particle (が, ので, から …) and a comma
    after anything but a particle. It claims its last content word, or the noun before where that
    word says nothing by itself (できる, ある, 承る, 必要 …): 返品を承っておりません denies 返品.
    The negations after that word are counted, an even number affirms. Conditions and questions
    claim nothing.
    """
    found = _lexicon().of(lists)
    out: list[Claim] = []
    meanings = _meanings()
    clause = _Clause()
    normals = [normal for normal, _ in found] + ["", ""]
    for at, (normal, role) in enumerate(found):
        if role in _MUTE and normal not in meanings and normal != "の":  # a third of the words
            clause.pass_over(role)
            continue
        if normal == "の" and normals[at + 1] == "だ" and normals[at + 2] not in _NOT_BECAUSE:
            normal, role = "ので", _JOINS  # noqa: PLW2901 (Sudachi cuts it in two)
        if clause.is_over(normal, role, normals[at + 1]):
            out += clause.claims()
            clause = _Clause()
    out += clause.claims()
    if found and found[0][0] in _YES | _NO:
        out.append(Claim(YES, found[0][0] in _NO))
    return out


# What a morpheme may be in its clause, by its class alone. (Plain numbers: this is read for every
# morpheme, and members of an enumeration take three times as long.)
_OTHER = 0
_TELLS = 1  # a content word
_ACTS = 2  # one that is a verb
_HELPS = 3  # a verb, or after a conjunctive particle an auxiliary
_COUNTS = 4  # a noun, or after a number its unit
_NUMBER = 5
_STOP = 6
_COMMA = 7
_SPACE = 8
_JOINS = 9  # a conjunctive particle
_PARTICLE = 10
_CLOSES = 11  # a particle at the end


@cache
def _lexicon() -> Lexicon[tuple[str, int]]:
    """Each word in normal form, with its role."""
    roles = tuple(map(_role, classes()))
    return Lexicon(lambda normal, number: (normal, roles[number]))


def _role(pos: Sequence[str]) -> int:
    kind, detail = pos[:2]
    if kind in _BY_DETAIL:
        known = _BY_DETAIL[kind]
        return known.get(detail, known[""])
    if detail == "数詞":
        return _NUMBER
    if "助数詞" in pos[2] and kind == "名詞":
        return _COUNTS
    return _TELLS if kind in ("名詞", "代名詞", "形容詞", "形状詞", "副詞") else _OTHER


_BY_DETAIL: dict[str, dict[str, int]] = {
    "補助記号": {"": _STOP, "読点": _COMMA},
    "空白": {"": _SPACE},
    "助詞": {"": _PARTICLE, "接続助詞": _JOINS, "終助詞": _CLOSES},
    "動詞": {"": _ACTS, "非自立可能": _HELPS},
}
_PARTICLES = frozenset((_PARTICLE, _JOINS, _CLOSES))
_MUTE = frozenset((_OTHER, _NUMBER, _PARTICLE, _CLOSES))


class _Clause:
    """A clause as far as it was read: the word that it may claim, and what followed that."""

    __slots__ = ("_acts", "_asks", "_beside", "_denials", "_last", "_light", "_supposes", "_word")

    def __init__(self) -> None:
        self._word = self._light = ""
        self._acts = self._supposes = self._asks = False
        self._denials = 0
        self._beside: list[str] = []
        self._last = _OTHER  # marks apart

    def is_over(self, normal: str, role: int, after: str) -> bool:
        """Read one more morpheme; whether the clause ends with it."""
        if role >= _STOP and self._ends(normal, role, after):
            return True
        meaning = _meanings().get(normal)
        if meaning is None:
            if _TELLS <= role <= _COUNTS and self._is_telling(normal, role):
                self._tell(normal, role)
        elif meaning == _DENIES and (self._word or self._light):
            self._denials += 1
        elif meaning == _SUPPOSES:
            self._supposes = self._supposes or after not in _MUST
        else:
            self._light = self._light or normal
        if role not in _MARKS:
            self._last = role
        return False

    def pass_over(self, role: int) -> None:
        """Read one more morpheme that tells nothing, such as a particle."""
        self._last = role

    def claims(self) -> Iterator[Claim]:
        """What the clause claims: at most one thing."""
        word = self._word or self._light
        if word and not (self._supposes or self._asks or self._last is _PARTICLE):
            denied = self._denials % 2 == 1
            beside = frozenset(self._beside) if self._acts else frozenset()
            yield Claim(word, denied, beside, strict=self._acts)

    def _ends(self, normal: str, role: int, after: str) -> bool:
        if role is _STOP:
            self._asks = normal == "?"
            return True
        if role is _COMMA:  # 返品は、できません is one clause
            return self._last not in _PARTICLES
        if role is _SPACE:
            return "\n" in normal
        if role is not _JOINS or normal not in _JOINING or after in _MUST:
            return False
        self._supposes = self._supposes or normal in ("ば", "と")
        self._last = role
        return True

    def _is_telling(self, normal: str, role: int) -> bool:
        if role is _COUNTS and self._last is _NUMBER:
            return False
        if role is _HELPS and self._last is _JOINS:
            return False
        return normal not in empty_words() and any(map(str.isalnum, normal))

    def _tell(self, normal: str, role: int) -> None:
        if self._word:
            self._beside.append(self._word)
        self._word, self._acts = normal, role in (_ACTS, _HELPS)
        self._denials, self._supposes = 0, False


_MARKS = frozenset((_STOP, _COMMA, _SPACE))


# ---- Word by word ----

_LINKS = frozenset("をがはもてで")
_DONE = ("サ変可能", "サ変形状詞可能")  # nouns of what one does
_BECOMES = ("成る", "なれる")
_LONGEST_CHAIN = 16  # morphemes


def mentions(found: list[Morpheme]) -> list[Mention]:
    """The content words of a sentence (NFKC) with their stance, by its morphemes."""
    out: list[Mention] = []
    at = 0
    while at < len(found):
        end = _number_end(found, at)
        if end > at:
            key = "".join(m.normal for m in found[at:end]).casefold()
            out.append(Mention(key, _stance(found, end - 1)))
        elif key := _key(found, at):
            out.append(Mention(key, _stance(found, at)))
        at = max(end, at + 1)
    return out


def _key(found: list[Morpheme], at: int) -> str:
    normal = found[at].normal
    if normal in ("出来る", "可能", "なれる"):
        return "出来る"
    if normal in _PHRASES.words("denials_in_a_chain") or not is_content(found, at):
        return ""
    return normal.casefold()


def _number_end(found: list[Morpheme], at: int) -> int:
    """Where the number that starts here ends, with its unit; `at` where none starts."""
    end = at
    while end < len(found) and (_is_number(found[end]) or _joins_numbers(found, at, end)):
        end += 1
    if end == at:
        return at
    for _ in range(2 if end < len(found) and found[end].normal == "営業" else 1):
        end += end < len(found) and found[end].pos[0] in ("名詞", "接尾辞")
    while end < len(found) and found[end].surface in _PHRASES.words("limits"):
        end += 1
    return end


def _is_number(morpheme: Morpheme) -> bool:
    return morpheme.pos[1] == "数詞"


def _joins_numbers(found: list[Morpheme], start: int, at: int) -> bool:
    inside = start < at < len(found) - 1 and found[at].surface in "-:./"
    return inside and _is_number(found[at - 1]) and _is_number(found[at + 1])


def _stance(found: Sequence[Morpheme], at: int) -> Stance:
    """Read the chain of helping words that follows the word at this place."""
    verbal = found[at].pos[0] in ("動詞", "形容詞") or found[at].normal == "可能"
    denials, light = _PHRASES.words("denials_in_a_chain"), _PHRASES.words("light_verbs")
    denied = 0
    for here in range(at + 1, min(len(found), at + _LONGEST_CHAIN)):
        morpheme = found[here]
        if morpheme.normal in denials:
            denied += 1
        elif not _helps(found, here):
            break
        says_nothing = morpheme.normal in ("有る", *(() if found[at].pos[2] in _DONE else _BECOMES))
        verbal = verbal or (morpheme.normal in light and not says_nothing)
    if denied % 2:
        return Stance.DENIED if verbal else Stance.RULED_OUT
    return Stance.AFFIRMED if verbal else Stance.NAMED


def _helps(found: Sequence[Morpheme], at: int) -> bool:
    morpheme = found[at]
    kind = morpheme.pos[0]
    if kind in ("助動詞", "接尾辞") or morpheme.normal in _light():
        return True
    if kind != "助詞":
        return False
    if morpheme.surface == "の":  # 連絡のない
        return at + 1 < len(found) and found[at + 1].normal == "無い"
    if morpheme.surface == "に":  # 無料にはなりません, ご利用になれません
        after = (m.normal for m in found[at + 1 : at + 3] if m.surface not in ("は", "も"))
        return next(after, "") in _BECOMES
    if morpheme.surface in ("と", "ば"):  # 送らないといけません, but not 更新するとできません
        return at + 1 < len(found) and found[at + 1].normal in ("行く", "成る")
    return morpheme.surface == "て" or (
        morpheme.surface in _LINKS and morpheme.pos[1] != "接続助詞"
    )


@cache
def _light() -> frozenset[str]:
    return _PHRASES.words("light_verbs") | _PHRASES.words("light_nouns")
