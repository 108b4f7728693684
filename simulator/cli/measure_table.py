"""The table of `mogi personas --measure`."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.core.clean import visible
from simulator.core.persona import Language
from simulator.core.run import Interval, RunHeader
from simulator.core.wording import worded
from simulator.judging.realism import Manner
from simulator.reports._headline import labelled
from simulator.reports._palette import BOLD, DIM

_WIDE = 110  # cells; from here on there is room for more intervals

# Behind each key: English, Japanese.
_WORDS = {
    "title": (
        "How the users of run {run} wrote ({client})",
        "ラン {run} の利用者役の書き方（{client}）",
    ),
    "model": ("played by the model {model}", "演じたモデル: {model}"),
    "kind": ("users without a model ({kind})", "モデルを使わない利用者役（{kind}）"),
    "short": (
        "no talk went beyond its first turn; there is nothing to measure",
        "2 回目の発言がある会話がなく、測るものがありません",
    ),
    "who": ("persona", "ペルソナ"),
    "real": ("real customers", "実際の利用者"),
    "talks": ("talks", "会話"),
    "turns": ("turns", "発言"),
    "first": ("first", "初回"),
    "length": ("length", "長さ"),
    "median": ("median", "中央値"),
    "plain": ("plain", "普通体"),
    "polite": ("polite", "丁寧体"),
    "formal": ("formal", "改まった"),
    "questions": ("asks", "質問"),
    "orders": ("orders", "命令形"),
}
# What a column holds, one line each.
_LEGEND = {
    "turns": ("those after the first one", "2 回目以降の発言の数"),
    "first": (
        "words of the first turn, the scenario's query; all else is of the turns after it",
        "最初の発言（シナリオの query）の文字数。ほかはすべて 2 回目以降の発言",
    ),
    "length": (
        "words a turn: mean over talks, ± its 95 % interval",
        "1 回の発言の文字数。会話ごとの平均を平均した値と、その 95 % 区間（±）",
    ),
    "plain": (
        "and polite, formal: share of the turns that have a predicate",
        "丁寧体（です・ます）、改まった（敬語）も同じく、述語のある発言に占める割合",
    ),
    "questions": (
        "sentences a turn that ask or request something",
        "1 回の発言に、尋ねる文・頼む文がいくつあるか",
    ),
    "orders": ("turns with an imperative", "「〜しろ」のような命令形がある発言の数"),
}


def table(
    header: RunHeader, found: Sequence[Manner], real: Manner | None, width: int
) -> Iterator[RenderableType]:
    """The manners of the personas, those of real customers below, and what the columns hold."""
    language = header.language
    title = _words("title", language, run=header.id, client=visible(header.client))
    yield Text(title, BOLD)
    yield Text(_played_by(header), DIM)
    yield Text("")
    if not any(manner.turns for manner in found):
        yield Text(_words("short", language))
    yield _rows(found, real, language, wide=width >= _WIDE)
    yield Text("")
    yield labelled(
        [(_words(name, language), Text(texts[language == "ja"])) for name, texts in _LEGEND.items()]
    )


def _words(key: str, language: Language, **values: str) -> str:
    return worded(_WORDS, language, key, **values)


def _played_by(header: RunHeader) -> str:
    model = header.snapshot.get("client.user.chat.model")
    if model:
        return _words("model", header.language, model=visible(str(model)))
    kind = header.snapshot.get("client.user.kind") or "agenda"
    return _words("kind", header.language, kind=visible(str(kind)))


def _rows(found: Sequence[Manner], real: Manner | None, language: Language, *, wide: bool) -> Table:
    heads = ["talks", "turns", "first", "length", "median", "plain", "polite", "formal"]
    heads = [h for h in (*heads, "questions", "orders") if wide or h != "talks"]
    made = Table(box=None, padding=(0, 2 if wide else 1, 0, 0), header_style=BOLD)
    made.add_column(_words("who", language), no_wrap=True, overflow="ellipsis")
    for head in heads:
        made.add_column(_words(head, language), justify="right", no_wrap=True)
    for manner in found:
        cells = _cells(manner, wide=wide)
        made.add_row(visible(manner.name), *(cells[head] for head in heads))
    if real:
        cells = _cells(real, wide=wide)
        made.add_row(_words("real", language), *(cells[head] for head in heads), style=BOLD)
    return made


def _cells(row: Manner, *, wide: bool) -> dict[str, str]:
    return {
        "talks": f"{row.talks:,}",
        "turns": f"{row.turns:,}",
        "first": "–" if row.first is None else f"{row.first:.0f}",
        "length": _number(row.length, ".1f", wide=True),
        "median": "–" if row.median is None else f"{row.median:g}",
        "plain": _share(row.plain, wide=wide),
        "polite": _share(row.polite, wide=wide),
        "formal": _share(row.formal, wide=wide),
        "questions": _number(row.questions, ".2f", wide=wide),
        "orders": f"{row.orders:,}",
    }


def _number(value: Interval, form: str, *, wide: bool) -> str:
    if value.mean is None:
        return "–"
    return f"{value.mean:{form}}{_half(value, form) if wide else ''}"


def _share(value: Interval, *, wide: bool) -> str:
    if value.mean is None:
        return "–"
    return f"{value.mean:.0%}" + (_ends(value) if wide else "")


def _half(value: Interval, form: str) -> str:
    return "" if value.high is None or value.mean is None else f" ±{value.high - value.mean:{form}}"


def _ends(value: Interval) -> str:
    """The ends of a share; they are cut at 0 and 100 %, so they need not lie alike."""
    if value.low is None or value.high is None or value.low == value.high:
        return ""
    return f" {100 * value.low:.0f}–{100 * value.high:.0f}"
