"""How a Japanese sentence ends: its last predicate, whatever is said after it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.clean import clean
from simulator.text.ja.sudachi import Morpheme, morphemes

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
