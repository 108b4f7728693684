"""What Japanese texts say and deny, clause by clause, and whether two texts contradict there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from simulator.text.sudachi import Lexicon, classes
from simulator.text.token_f1 import NOT
from simulator.text.tokens import EMPTY
from simulator.text.word_sets import word_set


@dataclass(frozen=True, slots=True)
class Claim:
    """That one clause says something of `word`, or denies it; `beside` are its other words.

    `strict`: the word alone says too little (かかる): claims of it are compared only where they
    speak of the same thing.
    """

    word: str
    denied: bool
    beside: frozenset[str] = frozenset()
    strict: bool = False


def contradicting(one: Iterable[Claim], other: Iterable[Claim]) -> bool:
    """Whether one text only affirms a word which the other only denies."""
    here, there = _by_word(one), _by_word(other)
    return any(_opposed(here[word], there[word]) for word in here.keys() & there.keys())


def _by_word(claims: Iterable[Claim]) -> Mapping[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(claim.word, []).append(claim)
    return found


def _opposed(here: Sequence[Claim], there: Sequence[Claim]) -> bool:
    sides = [{claim.denied for claim in claims} for claims in (here, there)]
    if len(sides[0]) > 1 or len(sides[1]) > 1 or sides[0] == sides[1]:
        return False
    return any(_comparable(a, b) for a in here for b in there)


def _comparable(a: Claim, b: Claim) -> bool:
    if not a.strict or not a.beside or not b.beside:
        return True
    return bool(a.beside & b.beside)


# ---- Japanese ----

_NEGATIONS = word_set("不 ない ず まい 無い 兼ねる 不可 不能 不可能 不要 無用 なし 無し")
# What is said of something, but says nothing by itself: the noun before it is what counts.
_GENERIC = word_set("""
    為る 有る 居る おる 成る 出来る 致す 御座る 下さる 頂く 呉れる 貰う 参る 得る 可能 不可能 可
    必要 不要 不可 なし 無し 要る 掛かる 承る 受ける 受け付ける 受付 対応 行う 実施 用意 提供 認める
    行く こと 事 訳 筈 予定 方針
""")
_HYPOTHETICAL = word_set("場合 時 際 とき ば たら なら か かどうか 方 限り 度")
_JOINING = frozenset(("が", "けど", "けれど", "けれども", "ので", "から", "し", "のに", "と", "ば"))
_NOT_BECAUSE = frozenset(("は", "も", "有る", "無い", "御座る"))  # できないのではありません
_MUST = frozenset(("行く", "成る"))  # 予約しなければなりません, しないといけません
_EMPTY = _GENERIC | _NEGATIONS
YES = "はい"
"""The word of a claim that a text begins with yes or no."""
_YES, _NO = word_set("はい ええ"), word_set("いいえ いえ")
_IS_LIGHT, _SUPPOSES, _DENIES = range(3)
_MEANINGS = {
    **dict.fromkeys(_GENERIC, _IS_LIGHT),
    **dict.fromkeys(_HYPOTHETICAL, _SUPPOSES),
    **dict.fromkeys(_NEGATIONS, _DENIES),
}
_SURE = _NEGATIONS | {NOT}
_REACH = 6  # words before a negation, among which the denied one is


def may_deny(text: str, words: Sequence[str]) -> bool:
    """Whether a Japanese text may claim a denial; false: it surely does not.

    Told by the text in NFKC and its words as `token_f1` counts them.
    """
    return "不" in text or begins_with_no(text) or not _SURE.isdisjoint(words)


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
    if _SURE.isdisjoint(words):  # most texts: one look instead of one at each word
        return set()
    return {
        tuple(words[max(0, at - _REACH) : at]) for at, word in enumerate(words) if word in _SURE
    }


def _doubted(denied: Iterable[tuple[str, ...]], words: Sequence[str]) -> bool:
    for before in denied:
        telling = [word for word in before if word not in _EMPTY and word not in EMPTY]
        if any(word in words for word in telling[-1:] or before):
            return True
    return False


def japanese_claims(lists: Iterable[Any]) -> list[Claim]:
    """The claims of a Japanese text in NFKC, by Sudachi's lists of its morphemes (SplitMode.A).

    A clause ends at a full stop, a line end, a conjunctive particle (が, ので, から …) and a comma
    after anything but a particle. It claims its last content word, or the noun before where that
    word says nothing by itself (できる, ある, 承る, 必要 …): 返品を承っておりません denies 返品.
    The negations after that word are counted, an even number affirms. Conditions and questions
    claim nothing.
    """
    found = _lexicon().of(lists)
    out: list[Claim] = []
    clause = _Clause()
    normals = [normal for normal, _ in found] + ["", ""]
    for at, (normal, role) in enumerate(found):
        if role in _MUTE and normal not in _MEANINGS and normal != "の":  # a third of the words
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
        meaning = _MEANINGS.get(normal)
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
        return normal not in EMPTY and any(map(str.isalnum, normal))

    def _tell(self, normal: str, role: int) -> None:
        if self._word:
            self._beside.append(self._word)
        self._word, self._acts = normal, role in (_ACTS, _HELPS)
        self._denials, self._supposes = 0, False


_MARKS = frozenset((_STOP, _COMMA, _SPACE))
