"""How a Japanese sentence ends: its last predicate, whether it asks or orders, and its register."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.clean import clean
from simulator.core.persona import Politeness
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_QUOTED = re.compile('「[^「」]*」|『[^『』]*』|“[^“”]*”|"[^"]*"')
_ASIDE = re.compile(r"[（(][^（()）]*[)）]")
_BREAKS = frozenset("、,，")
_LAUGHS = frozenset(("笑", "w", "ｗ", "ww", "ｗｗ", "汗", "泣", "草"))
_MARKS = ("補助記号", "空白", "記号")


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a sentence or of a clause, read backwards.

    `core` is the word that says something; None where only particles are there. `helpers` are the
    auxiliaries after it, `particles` what follows those; both in the order of the text.
    """

    core: Morpheme | None
    before: tuple[Morpheme, ...]
    helpers: tuple[Morpheme, ...]
    particles: tuple[Morpheme, ...]

    @property
    def final(self) -> bool:
        """True if a final particle (よ, ね, か …) closes it."""
        return any(p.pos[1] == "終助詞" for p in self.particles)

    @property
    def is_sorry(self) -> bool:
        """ごめんなさい, whose verb is no order."""
        if self.core is None or self.core.surface != "なさい":
            return False
        return bool(self.before) and self.before[-1].normal == "御免"


def endings(sentence: str) -> list[Ending]:
    """The ending of each clause, the last one first; what is quoted counts as a noun."""
    text = _ASIDE.sub("", clean(sentence))
    text = _QUOTED.sub("それ", text) if _QUOTED.sub("", text).strip(" 。!?！？") else text
    clauses: list[list[Morpheme]] = [[]]
    for morpheme in morphemes(text):
        if morpheme.surface in _BREAKS or morpheme.pos[0] == "空白":
            clauses.append([])
        elif morpheme.pos[0] not in _MARKS and morpheme.surface not in _LAUGHS:
            clauses[-1].append(morpheme)
    return [_ending(clause) for clause in reversed(clauses) if clause]


def _ending(clause: Sequence[Morpheme]) -> Ending:
    end = len(clause)
    while end and _is_particle(clause[end - 1]):
        end -= 1
    core = end
    while core and _helps(clause[core - 1]):
        core -= 1
    return Ending(
        core=clause[core - 1] if core else None,
        before=tuple(clause[: max(0, core - 1)]),
        helpers=tuple(clause[core:end]),
        particles=tuple(clause[end:]),
    )


def _is_particle(morpheme: Morpheme) -> bool:
    if morpheme.pos[0] == "助詞":
        return True
    # 朝食付きで: the copula is no predicate yet
    return morpheme.normal == "だ" and morpheme.surface == "で"


def _helps(morpheme: Morpheme) -> bool:
    return morpheme.pos[0] in ("助動詞", "助詞")


_PHRASES = phrases("text/ja/asking")

_FINAL = " 。．.!！…〜～ー"


def asks(text: str, *, marked: bool) -> bool:
    """See `text.acts.asks`; `marked`: a question mark ends the sentence."""
    if _PHRASES.pattern("echo").match(text):
        return False
    if marked:
        return True
    bare = text.strip(_FINAL)
    by_form = bool(_PHRASES.pattern("asks_by_form").search(bare))
    if by_form or _PHRASES.pattern("indifferent").search(bare):
        return by_form
    if _PHRASES.pattern("request").search(bare) and not _PHRASES.pattern("no_request").search(bare):
        return True
    if _PHRASES.pattern("open_end").search(bare):
        return True
    return commands(text) or _is_question_without_ka(bare)


def _is_question_without_ka(text: str) -> bool:
    """どうすればいいの."""
    ends = text.endswith(("の", "んだ", "わけ", "んだろう", "ですの", "ねん", "のよ"))
    return ends and bool(_PHRASES.pattern("question_word").search(text))


def commands(sentence: str) -> bool:
    """See `text.acts.commands`."""
    ends = endings(sentence)
    return bool(ends) and _is_order(ends[0])


def _is_order(ending: Ending) -> bool:
    core, helpers, particles = ending.core, ending.helpers, ending.particles
    if core is None or core.pos[0] != "動詞" or any(h.pos[0] == "助動詞" for h in helpers):
        return False
    if core.form == "命令形":
        return core.normal not in ("下さる", "いらっしゃる", "居らっしゃる") and not ending.is_sorry
    if not particles or particles[0].surface != "な" or not core.form.startswith("終止形"):
        return False
    return core.normal not in _PHRASES.words("felt")


def asks_customer(sentence: str) -> bool:
    """True if a bot's sentence (NFKC, case folded) asks or requests something of a customer."""
    if _PHRASES.pattern("question_of_a_desk").search(sentence):
        return True
    requests = _PHRASES.pattern("request_of_a_desk").search(sentence)
    unless = _PHRASES.pattern("elsewhere"), _PHRASES.pattern("at_another_time")
    return bool(requests) and not any(pattern.search(sentence) for pattern in unless)


_REGISTERS = phrases("text/ja/politeness")

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
    if core.pos[0] in _PREDICATES or core.normal in _REGISTERS.words("stock") or ending.final:
        return False
    return False if any(m.pos[0] == "助動詞" for m in ending.helpers) else None


def _is_polite_helper(morpheme: Morpheme) -> bool:
    # でしょ and っす are short for what is polite, and are said by those who are not.
    return morpheme.normal in ("です", "ます") and morpheme.surface not in ("でしょ", "っす")


def _closed(ending: Ending) -> bool | None:
    """Like `_is_polite`, for a clause that something follows: it has to be visibly at its end."""
    polite = _is_polite(ending)
    closed = ending.final or any(p.surface in _REGISTERS.words("closing") for p in ending.particles)
    return polite if polite or closed else None


def _is_formal(sentence: str) -> bool:
    if _REGISTERS.pattern("humble_phrase").search(sentence):
        return True
    words = morphemes(sentence)
    return any(_is_honorific(words, at) or _is_framed(words, at) for at in range(len(words)))


def _is_honorific(words: list[Morpheme], at: int) -> bool:
    here = words[at].normal
    if here in _REGISTERS.words("favours"):
        return _is_lofty_favour(words, at)
    before, after = words[at - 1] if at else None, words[at + 1] if at + 1 < len(words) else None
    if here == "為さる":
        return words[at].form != "命令形"
    if here == "御座る":
        return before is None or before.normal not in _REGISTERS.words("thanks")
    if here == "申す":  # 申し込む
        return after is None or after.normal not in ("込む", "出る", "付ける", "合わせる")
    return here in _REGISTERS.words("honorific")


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
    if middle.normal in _REGISTERS.words("no_humble") or middle.pos[0] not in ("名詞", "動詞"):
        return False
    if follower.normal == "為る":
        return True
    after = words[at + 3] if at + 3 < len(words) else None
    return follower.surface == "に" and after is not None and after.normal == "成る"
