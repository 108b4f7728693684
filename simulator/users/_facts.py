"""What a user tells of what it knows: which facts fit a bot's question, and how many at once."""

from collections.abc import Iterable

from simulator.core.persona import Disclosure, Language
from simulator.core.scenario import Brief
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set
from simulator.users._reading import Reading

# A question that holds nothing but these asks for whatever the user can tell.
_GENERAL: dict[Language, frozenset[str]] = {
    "ja": word_set("""
        教える 聞く 聞かせる 知る 伺う 尋ねる 詳しい 詳細 状況 様子 経緯 内容 具体 的 情報
        用件 事情 件 問題 もう 少し 今 現在 只今 御 客 様 利用 宜しい 入る 恐れる 差す 支える
        教示 起きる 困る 背景 お話し 話す 何様 不明 点 差し支える 恐れ入る 現状
    """),
    "en": word_set("""
        tel know shar giv provid describ explain elaborat bit littl exactli detail situation problem
        issu case context information specific happen help seem current addit mind clarifi mean
        exact further background additional current detail kind please make
    """),
}


class Facts:
    """The facts of a brief that were not told yet."""

    def __init__(self, brief: Brief) -> None:
        self._language = brief.language
        self._disclosure = brief.persona.style.disclosure
        self._unknown = brief.unknown
        self.untold = list(brief.known)

    def asked_for(self, reading: Reading) -> list[str]:
        """What this person tells when the bot asks; empty where it cannot or does not tell."""
        wanted = reading.asked - _GENERAL[self._language]
        by_fit = sorted(self.untold, key=lambda fact: -self._fit(fact, wanted))
        fitting = [fact for fact in by_fit if self._fit(fact, wanted)]
        best = self._fit(fitting[0], wanted) if fitting else 0
        if any(self._fit(unknown, wanted) > best for unknown in self._unknown):
            return []
        # 詳しく教えてください: anything will do
        if self._disclosure is Disclosure.OPEN or not wanted:
            fitting = by_fit
        return fitting[:1] if self._disclosure is Disclosure.GRUDGING else fitting

    @property
    def unasked(self) -> list[str]:
        """What this person tells without being asked."""
        return self.untold if self._disclosure is Disclosure.OPEN else []

    def told(self, facts: Iterable[str]) -> None:
        """Note that these were given away."""
        told = set(facts)
        self.untold = [fact for fact in self.untold if fact not in told]

    def _fit(self, fact: str, wanted: frozenset[str]) -> int:
        return len(wanted.intersection(content_tokens(fact, self._language)))
