"""The columns of a file of answers: which holds what, by their names in English and Japanese."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Literal

from simulator.formats.complaints import shown
from simulator.formats.tables import same_name

Meaning = Literal[
    "id",
    "question",
    "answer",
    "ground_truth",
    "context",
    "retrieved",
    "elements",
    "documents",
    "answerable",
    "escalate",
    "persona",
    "tags",
    "verdict",
    "reviewer",
]
# Short on purpose: whatever other columns a file has are left alone.
_NAMES: Mapping[Meaning, tuple[str, ...]] = {
    "id": ("id",),
    "question": ("question", "query", "質問", "問い合わせ"),
    "answer": ("answer", "response", "回答", "応答"),
    "ground_truth": (
        *("ground_truth", "ground truth", "reference", "expected_answer", "expected.answer"),
        *("正解", "正答", "模範解答", "期待する回答"),
    ),
    "context": (
        *("context", "contexts", "retrieved_contexts"),
        *("文脈", "コンテキスト", "参照文書"),
    ),
    "retrieved": ("retrieved", "retrieved_ids", "context_ids", "検索結果", "検索文書"),
    "elements": ("elements", "expected_elements", "expected.elements", "要素", "期待する要素"),
    "documents": ("documents", "expected_documents", "expected.documents", "文書", "期待する文書"),
    "answerable": ("answerable", "expected.answerable", "回答可能"),
    "escalate": ("escalate", "expected.escalate", "引き継ぎ"),
    "persona": ("persona", "ペルソナ"),
    "tags": ("tags", "タグ"),
    "verdict": ("verdict", "判定", "正誤"),
    "reviewer": ("reviewer", "判定者", "確認者"),
}
_MEANINGS: Mapping[str, Meaning] = {
    same_name(name): meaning for meaning, names in _NAMES.items() for name in names
}


@lru_cache(maxsize=1024)
def meaning_of(column: str) -> Meaning | None:
    """What a column of this name holds; None for any other column."""
    return _MEANINGS.get(same_name(column))


def meanings(columns: Iterable[str]) -> tuple[dict[Meaning, str], list[str]]:
    """What the columns hold -> the column's name as written, and what is wrong with them.

    Two columns that may both be the answer are complained of: taking the wrong one would score
    something else. Columns of other names are left alone.
    """
    found: dict[Meaning, str] = {}
    wrong = []
    for column in columns:
        meaning = meaning_of(column)
        if meaning is None:
            continue
        if meaning in found:
            both = f"{shown(found[meaning])} and {shown(column)}"
            what = meaning.replace("_", " ")
            wrong.append(f"the columns {both} may both hold the {what}; rename the one that is not")
        found.setdefault(meaning, column)
    return found, wrong


def has_answers(found: Collection[Meaning]) -> bool:
    """Whether there is anything to score: answers, or what a search retrieved."""
    return "answer" in found or "retrieved" in found


def no_answers(columns: Iterable[str]) -> str:
    """The complaint that no column holds the answers."""
    there = ", ".join(shown(c) for c in columns if c) or "none"
    return f"no column holds the answers; name it answer or 回答 (there are: {there})"
