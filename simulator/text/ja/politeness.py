"""The register of a Japanese sentence, by the forms of its last predicate and its honorifics."""

import re

from simulator.core.persona import Politeness
from simulator.text.ja.endings import Ending, endings
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_PHRASES = phrases("text/ja/politeness")

_PREDICATES = ("動詞", "形容詞", "形状詞")
_ROWS = dict(zip("カガサタナバマラワ", "きぎしちにびみりい", strict=True))
_CLOSE = re.compile(r"[よねぞわ]?(?:\s*\([^()]*\))?[。.!…\s]*$")  # what follows the last predicate


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None where it has no predicate."""
    found = endings(sentence)
    if not found:
        return None
    polite = _is_polite(found[0])
    if polite is None:  # どうなってるんですか、これ。
        polite = next((p for e in found[1:] if (p := _closed(e)) is not None), None)
    if polite is None:
        return None
    if not polite:
        return Politeness.PLAIN
    return Politeness.FORMAL if _is_formal(sentence) else Politeness.POLITE


def _is_polite(ending: Ending) -> bool | None:
    """Whether the predicate of this clause is polite; None where there is none."""
    if any(_is_polite_helper(m) for m in ending.helpers):
        return True
    core = ending.core
    if core is None:
        return False if ending.final or ending.helpers else None
    if core.normal == "下さる" and core.form == "命令形":
        return True
    if ending.is_sorry:
        return True
    if core.pos[0] in _PREDICATES or core.normal in _PHRASES.words("stock") or ending.final:
        return False
    return False if any(m.pos[0] == "助動詞" for m in ending.helpers) else None


def _is_polite_helper(morpheme: Morpheme) -> bool:
    # でしょ and っす are short for what is polite, and are said by those who are not.
    return morpheme.normal in ("です", "ます") and morpheme.surface not in ("でしょ", "っす")


def _closed(ending: Ending) -> bool | None:
    """Like `_is_polite`, for a clause that something follows: it has to be visibly at its end."""
    polite = _is_polite(ending)
    closed = ending.final or any(p.surface in _PHRASES.words("closing") for p in ending.particles)
    return polite if polite or closed else None


def _is_formal(sentence: str) -> bool:
    if _PHRASES.pattern("humble_phrase").search(sentence):
        return True
    found = morphemes(sentence)
    return any(_is_honorific(found, at) or _is_framed(found, at) for at in range(len(found)))


def _is_honorific(found: list[Morpheme], at: int) -> bool:
    here = found[at].normal
    if here in _PHRASES.words("favours"):
        return _is_lofty_favour(found, at)
    before, after = found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None
    if here == "為さる":
        return found[at].form != "命令形"
    if here == "御座る":
        return before is None or before.normal not in _PHRASES.words("thanks")
    if here == "申す":  # 申し込む
        return after is None or after.normal not in ("込む", "出る", "付ける", "合わせる")
    return here in _PHRASES.words("honorific")


def _is_lofty_favour(found: list[Morpheme], at: int) -> bool:
    """ご確認いただく, 相談させていただく, くださいませ; 教えていただけますか is polite, no more."""
    if at + 1 < len(found) and found[at + 1].form == "命令形":  # ませ
        return True
    if found[at].normal == "下さる" and found[at].form == "命令形":  # ください
        return False
    if at < 2 or found[at - 1].pos[1] != "接続助詞":
        return True
    return found[at - 2].normal in ("せる", "させる")


def _is_framed(found: list[Morpheme], at: int) -> bool:
    """お調べする, ご連絡します, お申し込みになる."""
    if found[at].normal != "御" or found[at].pos[0] != "接頭辞" or at + 2 >= len(found):
        return False
    middle, follower = found[at + 1], found[at + 2]
    if middle.normal in _PHRASES.words("no_humble") or middle.pos[0] not in ("名詞", "動詞"):
        return False
    if follower.normal == "為る":
        return True
    after = found[at + 3] if at + 3 < len(found) else None
    return follower.surface == "に" and after is not None and after.normal == "成る"


def made_polite(sentence: str) -> str:
    """The sentence (NFKC) with its plain last predicate in the polite form, where it has one.

    対応する。 is 対応します。, 電話してほしい is 電話してください, and so with what is left out:
    店へ電話を。 is 店へ電話をお願いします。 What is denied or polite stays as it is.
    """
    found = _CLOSE.search(sentence)
    said = sentence[: found.start()] if found else sentence
    return (_whole(said) or _polite_end(said)) + sentence[len(said) :]


def _whole(said: str) -> str:
    """The sentence with what plain Japanese leaves out at its end; "" where nothing is."""
    for pattern, polite in _PHRASES.rewrites("elliptic"):
        whole, count = pattern.subn(polite, said, count=1)
        if count:
            return whole
    return ""


def _polite_end(said: str) -> str:
    if not (found := morphemes(said)):
        return said
    *before, last = found
    bare = said[: -len(last.surface)]
    is_copula = last.normal == last.surface == "だ"
    if is_copula or last.pos[0] == "名詞":
        return f"{bare if is_copula else said}です"
    if last.normal == "た" and before and (stem := _masu_stem(before[-1])):
        return f"{bare[: -len(before[-1].surface)]}{stem}ました"
    if last.pos[0] not in ("動詞", "助動詞") or not (stem := _masu_stem(last)):
        return said
    if last.form == "命令形" and last.normal not in ("下さる", "為さる", "ます"):
        return f"{bare}してください" if stem == "し" else f"{bare}お{stem}ください"
    return f"{bare}{stem}ます" if last.form.startswith(("終止形", "連体形")) else said


def _masu_stem(verb: Morpheme) -> str:
    """What stands before ます, or nothing: 受け of 受ける, 聞き of 聞く and of 聞い(た)."""
    if verb.kind.startswith("助動詞"):  # ない, です
        return ""
    row = _ROWS.get(verb.kind.removeprefix("五段-")[:1]) if verb.kind.startswith("五段") else None
    if verb.form.startswith("連用形") and (row is None or verb.form == "連用形-一般"):
        return verb.surface
    if row:
        return verb.surface[:-1] + row
    stem = {"サ行変格": "し", "カ行変格": "来"}.get(verb.kind)
    return stem or (verb.surface[:-1] if "一段" in verb.kind else "")
