"""What the worksheets say, in the client's language. Ids and titles are never translated."""

from simulator.core.persona import Language
from simulator.core.wording import Wording
from simulator.reports._words import Words

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "sampled.flagged": ("flagged", "要確認"),
    "sampled.audit": ("audit", "抜き取り"),
    "flag": ("flag", "要確認"),
    "metric": ("metric", "指標"),
    "threshold": ("threshold", "しきい値"),
    "in_run": ("in this run", "実行時の値"),
    "source": ("where it comes from", "値の出どころ"),
    "source.run": ("this run ({id})", "この実行（{id}）"),
    "source.none": (
        (
            "no threshold: this metric flags no turn. A number here colours its mean on Summary, "
            "and nothing on Review"
        ),
        (
            "なし: この指標では要確認になりません。数値を入れても、色が付くのは Summary の"
            "平均だけで、Review は変わりません"
        ),
    ),
    "source.none_score": (
        "no threshold: nothing is flagged. A number here colours Review and Summary",
        "なし: 要確認になりません。数値を入れると Review と Summary に色が付きます",
    ),
    "threshold_note": (
        (
            "You can edit this cell (0 to 1). Review and Summary follow it at once; a row of "
            "Review goes by the metric that is named in it. Turns that are not on Review do not "
            "appear there: run again with the new threshold for that."
        ),
        (
            "書き換えられます（0〜1）。Review と Summary の色と要確認がすぐに変わります"
            "（Review の各行は、その行の「指標」のしきい値に従います）。"
            "Review にない往復は増えません。新しいしきい値でもう一度実行すると出てきます。"
        ),
    ),
    "guide": ("How to review", "レビューのしかた"),
    "guide.1": (
        (
            "On the worksheet Review, choose OK, NG or unsure for each answer, and write your "
            "name under reviewer. Save the file and send it back."
        ),
        (
            "Review シートで、回答ごとに OK / NG / unsure（判断できない）を選び、判定者に名前を"
            "書きます。終わったら保存して返してください。"
        ),
    ),
    "guide.2": (
        (
            "Judge the answer, not the score: is it right for this user? Scores and colours may "
            "be wrong, and your verdict is what tells."
        ),
        (
            "見るのは点数ではなく回答です。この利用者への答えとして正しければ OK です。"
            "点数や色は間違っていることがあり、それを確かめるのが判定です。"
        ),
    ),
    "guide.3": (
        (
            "Write in the yellow columns only. You may sort, filter, and insert rows and "
            "columns: rows are found again by hidden keys."
        ),
        (
            "書くのは黄色の欄だけです。並べ替え・絞り込み・行や列の挿入は自由です"
            "（行は隠れたキーで照合します）。"
        ),
    ),
    "guide.4": (
        (
            "On the worksheet Config, another threshold changes the colours of Review and "
            "Summary at once."
        ),
        ("Config シートのしきい値を書き換えると、Review と Summary の色がすぐに変わります。"),
    ),
    "mean": ("mean", "平均"),
    "rating": ("rating", "評点"),
    "low": ("95 % from", "95 % 下限"),
    "high": ("95 % to", "95 % 上限"),
    "scored": ("scored", "採点数"),
    "gaps": ("missing", "採点なし"),
    "flagged": ("flagged", "要確認"),
    "flagged_note": (
        "Counted when the run ended; it does not follow Config.",
        "実行が終わったときの数です。Config を書き換えても変わりません。",
    ),
    "heat_note": (
        "conversations: {conversations} · flagged turns: {flagged} · turns without a score: {gaps}",
        "会話 {conversations} 件・要確認 {flagged} 往復・採点なし {gaps} 往復",
    ),
    "heat_legend": (
        (
            "Colours turn at the threshold above. A note on a cell tells what is flagged or "
            "missing there; – = no score."
        ),
        (
            "色は上のしきい値を境に変わります。要確認や採点なしのあるセルには、"
            "件数のメモが付いています。– = 点数なし。"
        ),
    ),
    "warning": (
        (
            "This column was written by mogi. Your verdict goes into the yellow columns; "
            "change it all the same?"
        ),
        "mogi が書いた欄です。判定は黄色の欄に書いてください。このまま書き換えますか？",
    ),
    "note.sampled": (
        (
            "flagged: the program doubts this answer. audit: drawn at random from the others, "
            "to find out what the program misses."
        ),
        (
            "要確認: プログラムが疑った回答。抜き取り: それ以外からランダムに選んだ回答"
            "（見落としの割合を知るため）。"
        ),
    ),
    "note.before": (
        (
            "What was said earlier in this conversation, the latest last; empty on its first turn. "
            "Select the cell to read all of it. The whole conversation is on Log."
        ),
        (
            "この会話で先に話したこと（下ほど新しい）。1 往復目は空です。入りきらないときは、"
            "セルを選ぶと全部読めます。会話の全文は Log シートにあります。"
        ),
    ),
    "before.user": ("User: {text}", "利用者: {text}"),
    "before.bot": ("Bot: {text}", "ボット: {text}"),
    "before.cut": ("[earlier part left out] … ", "（前略）… "),
    "plain.run": ("run {id}", "実行 {id}"),
    "plain.again": ("run {id} judged again", "実行 {id} を採点し直したもの"),
    "note.verdict": (
        (
            "OK, NG or unsure. Judge the answer, not the score: would you give this answer to "
            "the user? The score and the colour may be wrong; that is what you tell us."
        ),
        (
            "OK / NG / unsure（判断できない）から選びます。点数ではなく、回答そのものを見て"
            "ください。この利用者にこの回答を返してよければ OK です。点数や色は間違っている"
            "ことがあり、それを確かめるための欄です。"
        ),
    ),
    "note.error_type": (
        "What is wrong, if it is NG. Choose from the list, or write your own words.",
        "NG のとき、何が悪いか。一覧から選ぶか、自由に書いてください。",
    ),
    "note.corrected": (
        "How the bot should have answered, if you know it. May stay empty.",
        "ボットが返すべきだった回答。分かるときだけで構いません。",
    ),
    "note.comment": (
        "Anything else. May stay empty.",
        "気づいたこと。空欄で構いません。",
    ),
    "note.reviewer": (
        (
            "Your name. Where two people judge one answer, the second copies the row and writes "
            "another name, or works in a copy of the file."
        ),
        (
            "お名前。同じ回答を 2 人で見るときは、行をコピーして判定者を変えるか、"
            "ファイルをコピーして別々に書いてください。"
        ),
    ),
}


class SheetWords(Wording):
    """The words of one language."""

    TABLE = _WORDS


class PlainWords(Words):
    """The words of reports; what only those know who run the commands is said more plainly."""

    def __init__(self, language: Language) -> None:
        super().__init__(language)
        self._own = SheetWords(language)

    def __call__(self, key: str, **values: object) -> str:
        """The wording behind a key, with its values filled in."""
        plain = self._own.find(f"plain.{key}")
        return plain.format_map(values) if plain else super().__call__(key, **values)
