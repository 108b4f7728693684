"""A Japanese statement in plain or polite style: 使っている and 使っています.

Only the ending is changed, and only where the rule is safe; whatever else comes back as it was.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from simulator.core.persona import Politeness
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

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
