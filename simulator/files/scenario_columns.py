"""The columns of a table of scenarios: their names in English and Japanese."""

from collections.abc import Mapping

from simulator.files.hints import hint
from simulator.files.rows import same_name

# Column, its name in Japanese, and what else it may be called.
_NAMES = (
    ("id",),
    ("query", "質問", "question"),
    ("goal", "目的"),
    ("known", "知っていること"),
    ("unknown", "知らないこと"),
    ("turns", "発話"),
    ("expected.answer", "期待する回答"),
    ("expected.elements", "期待する要素"),
    ("expected.documents", "期待する文書"),
    ("expected.answerable", "回答可能"),
    ("expected.escalate", "引き継ぎ"),
    ("personas", "ペルソナ"),
    ("tags", "タグ"),
)
_KNOWN = {same_name(name): names[0] for names in _NAMES for name in names}
_ENGLISH = tuple(names[0] for names in _NAMES)
_JAPANESE = tuple(names[1] if len(names) > 1 else names[0] for names in _NAMES)


def known_columns(written: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Column as written -> column as known, and what is wrong with the others.

    Columns without a name are left out.
    """
    known: dict[str, str] = {}
    wrong = []
    for column in filter(None, written):
        meant = _KNOWN.get(same_name(column))
        if meant is None:
            names = _ENGLISH if column.isascii() else _JAPANESE
            wrong.append(f'no column "{column}"; {hint(same_name(column), names)}')
        elif meant in known.values():
            first = _written(known, meant)
            wrong.append(f'the columns "{first}" and "{column}" are the same; keep one of them')
        else:
            known[column] = meant
    return known, wrong


def _written(known: Mapping[str, str], meant: str) -> str:
    return next(column for column, name in known.items() if name == meant)
