"""What is odd about a Review table, in plain words and in the client's language."""

from collections.abc import Iterable, Mapping, Sequence

from simulator.core.persona import Language
from simulator.core.wording import worded
from simulator.sheet.columns import COLUMNS
from simulator.sheet.reading import Odd, Oddity, Place

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "row": ("row {row}", "{row} 行目"),
    "rows": ("rows {row}", "{row} 行目"),
    "rows_of": ("{sheet}, rows {row}", "{sheet} の {row} 行目"),
    "row_of": ("{sheet}, row {row}", "{sheet} の {row} 行目"),
    "between": (", ", "、"),
    Odd.NO_COLUMN: (
        'no column is called "{column}", so nothing is read there; there are: {there}',
        "「{column}」の列が見つからないので、その分は読んでいません（ある列: {there}）",
    ),
    Odd.RENAMED: (
        'the column "{head}" was taken for "{column}", by what stands in it',
        "「{head}」の列を、中身から「{column}」とみなしました",
    ),
    Odd.TWICE: (
        (
            'two columns are called "{column}" and differ ({texts}); neither counts, both are kept '
            "in the comment"
        ),
        (
            "「{column}」の列が 2 つあり、内容が違います（{texts}）。どちらも採らず、コメントに"
            "残しました"
        ),
    ),
    Odd.UNKNOWN_WORD: (
        '"{text}" is no verdict, so it was kept as a comment; choose OK, NG or unsure',
        (
            "「{text}」は判定として読めないので、コメントに残しました。OK、NG、unsure から選んで"
            "ください"
        ),
    ),
    Odd.BROKEN_KEY: (
        (
            'the hidden key was changed ("{key}"), so it is not known which turn this is about; '
            "not read: {typed}"
        ),
        (
            "隠れた列のキーが変わっていて（「{key}」）、どの往復のことか分かりません。読んでいない"
            "内容: {typed}"
        ),
    ),
    Odd.BROKEN_CELL: (
        (
            'the cell under "{column}" shows the error {error}, so what was written there is not '
            "read; write it again, with a ' before it"
        ),
        (
            "「{column}」のセルがエラー {error} になっていて、書かれたものを読めません。先頭に ' を"
            "付けて、書き直してください"
        ),
    ),
    Odd.NO_RESULT: (
        (
            'the cell under "{column}" holds a formula without its result; open the file in a '
            "spreadsheet program and save it there"
        ),
        (
            "「{column}」のセルの数式に結果がなく、読めません。表計算ソフトで開いて保存し直して"
            "ください"
        ),
    ),
    Odd.NO_DAY: (
        (
            'the cell under "{column}" has a format of dates and holds no date (####); give it '
            "another format"
        ),
        (
            "「{column}」のセルは書式が日付なのに日付ではなく（####）、読めません。書式を「標準」に"
            "変えてください"
        ),
    ),
    Odd.OTHER_RUN: (
        "{n} rows that people wrote in belong to run {run} and are not read; name that run",
        (
            "書き込みのある {n} 行は別のラン {run} のもので、読んでいません。そのランを指定すると"
            "取り込めます"
        ),
    ),
    Odd.NO_TURN: (
        "this run has no turn {turn} of {episode}; not read: {typed}",
        "このランに {episode} の {turn} 往復目はありません。読んでいない内容: {typed}",
    ),
    Odd.EDITED: (
        "edited since it was written: {columns} (this changes nothing in the store)",
        "書き出したあとに書き換えられています: {columns}（保存されている内容は変わりません）",
    ),
    Odd.DOUBTFUL: (
        (
            "edited since it was written: {columns}; the verdict counts, but perhaps it is about "
            "another text than the bot's"
        ),
        (
            "書き出したあとに書き換えられています: {columns}。判定は取り込みましたが、ボットの"
            "本当の回答についてのものか、確かめてください"
        ),
    ),
    Odd.SAME_PERSON: (
        (
            "{reviewer} says different things of one turn, in rows {rows} ({texts}); what differs "
            "does not count, and is kept in the comment"
        ),
        (
            "{reviewer} の判定が同じ往復について食い違っています（{rows} 行目: {texts}）。違う"
            "ところは採らず、コメントに残しました"
        ),
    ),
    Odd.CLEARED: (
        'the cell under "{column}" is empty now; what was read before stays: {text}',
        "「{column}」のセルが空になりました。前に取り込んだ内容は残ります: {text}",
    ),
    Odd.GONE: (
        "read here before and not there any more: {n} verdicts, kept in the store",
        "前にここから取り込んだ判定のうち {n} 件が、今は見当たりません。保存した分は残ります",
    ),
    Odd.NAMED: (
        "a reviewer was added to {n} verdicts that had none; nothing counts twice",
        "判定者のなかった判定 {n} 件に名前が付きました。1 人分として数えます",
    ),
    Odd.PRINTED: (
        (
            "the verdict that `mogi export` printed stands in {n} rows and counts as nobody's; "
            'add "reviewer" where somebody agrees'
        ),
        (
            "{n} 行の判定は mogi export が書き出したもので、新しい判定とは数えません。同じ判定を"
            '付けたい人がいるときは "reviewer" を書いてください'
        ),
    ),
    Odd.REPEATED: (
        (
            "read elsewhere already and not counted again: {n} verdicts without a reviewer; if it "
            "is another person, give a name with --reviewer"
        ),
        (
            "判定者のない判定 {n} 件は、ほかから取り込んだ判定者のない判定と同じなので、"
            "数えません。別の人のものなら --reviewer で名前を付けてください"
        ),
    ),
    Odd.NAMELESS: (
        (
            'differs from another verdict without a reviewer ("{text}", read from {source}); the '
            "two count as two people, unless --reviewer gives a name"
        ),
        (
            "判定者のない別の判定（「{text}」、{source} から）と違います。--reviewer で名前を"
            "付けなければ、別々の人として数えます"
        ),
    ),
    "nobody": ("somebody without a name", "名前のない人"),
}
_HEADS: dict[str, Mapping[Language, str]] = {c.id: c.heads for c in COLUMNS}


def told(oddity: Oddity, language: Language) -> str:
    """One sentence about an oddity, with its row if it is about one."""
    (sentence,) = told_together([oddity], language)
    return sentence


def told_together(oddities: Iterable[Oddity], language: Language) -> list[str]:
    """Sentences about oddities; one for all rows of which the same is to be said."""
    rows: dict[tuple[str, str], list[int]] = {}
    for oddity in oddities:
        place = oddity.place or Place(0)
        rows.setdefault((place.sheet, _sentence(oddity, language)), []).append(place.row)
    return [_where(sheet, of, language) + text for (sheet, text), of in rows.items()]


def _where(sheet: str, rows: Sequence[int], language: Language) -> str:
    """The rows as people find them in the sheet."""
    if not any(rows):
        return f"{sheet}: " if sheet else ""
    key = ("row" if len(rows) == 1 else "rows") + ("_of" if sheet else "")
    numbers = worded(_WORDS, language, "between").join(map(str, rows))
    return worded(_WORDS, language, key, row=numbers, sheet=sheet) + ": "


def _sentence(oddity: Oddity, language: Language) -> str:
    values = dict(oddity.values)
    if "columns" in values:
        names = [_HEADS[name][language] for name in values["columns"].split(",")]
        values["columns"] = worded(_WORDS, language, "between").join(names)
    if oddity.kind is Odd.SAME_PERSON and not values["reviewer"]:
        values["reviewer"] = worded(_WORDS, language, "nobody")
    return worded(_WORDS, language, oddity.kind, **values)
