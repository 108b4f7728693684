"""The register of a Japanese sentence, by the forms of its last predicate and its honorifics."""

from simulator.core.persona import Politeness
from simulator.text.ja.endings import Ending, endings
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_PHRASES = phrases("text/ja/politeness")

_PREDICATES = ("動詞", "形容詞", "形状詞")


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None where it has no predicate."""
    ends = endings(sentence)
    if not ends:
        return None
    polite = _is_polite(ends[0])
    if polite is None:  # どうなってるんですか、これ。
        polite = next((p for e in ends[1:] if (p := _closed(e)) is not None), None)
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
    words = morphemes(sentence)
    return any(_is_honorific(words, at) or _is_framed(words, at) for at in range(len(words)))


def _is_honorific(words: list[Morpheme], at: int) -> bool:
    here = words[at].normal
    if here in _PHRASES.words("favours"):
        return _is_lofty_favour(words, at)
    before, after = words[at - 1] if at else None, words[at + 1] if at + 1 < len(words) else None
    if here == "為さる":
        return words[at].form != "命令形"
    if here == "御座る":
        return before is None or before.normal not in _PHRASES.words("thanks")
    if here == "申す":  # 申し込む
        return after is None or after.normal not in ("込む", "出る", "付ける", "合わせる")
    return here in _PHRASES.words("honorific")


def _is_lofty_favour(words: list[Morpheme], at: int) -> bool:
    """ご確認いただく, 相談させていただく, くださいませ; 教えていただけますか is polite, no more."""
    if at + 1 < len(words) and words[at + 1].form == "命令形":  # ませ
        return True
    if words[at].normal == "下さる" and words[at].form == "命令形":  # ください
        return False
    if at < 2 or words[at - 1].pos[1] != "接続助詞":
        return True
    return words[at - 2].normal in ("せる", "させる")


def _is_framed(words: list[Morpheme], at: int) -> bool:
    """お調べする, ご連絡します, お申し込みになる."""
    if words[at].normal != "御" or words[at].pos[0] != "接頭辞" or at + 2 >= len(words):
        return False
    middle, follower = words[at + 1], words[at + 2]
    if middle.normal in _PHRASES.words("no_humble") or middle.pos[0] not in ("名詞", "動詞"):
        return False
    if follower.normal == "為る":
        return True
    after = words[at + 3] if at + 3 < len(words) else None
    return follower.surface == "に" and after is not None and after.normal == "成る"
