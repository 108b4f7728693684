"""What `mogi metrics NAME` says around a metric, in the language that is asked for."""

from simulator.core.wording import Wording

# Behind each key: English, Japanese. Formulas and names of columns are the same in both.
_WORDS: dict[str, tuple[str, str]] = {
    "says": ("says", "説明"),
    "value": ("value", "値"),
    "parts": ("parts", "内訳"),
    "code": ("code", "コード"),
    "about": ("about", "対象"),
    "costs": ("costs", "費用"),
    "needs": ("needs", "必要"),
    "question": ("question", "問い"),
    "scale": ("scale", "尺度"),
    "rubric": ("rubric", "ファイル"),
    "with_it": ("with it", "同時に"),
    "sees": ("sees", "見るもの"),
    "na": ("n/a where", "対象外"),
    "judge": ("judge", "採点役へ"),
    "example": ("example {number}", "例 {number}"),
    "comment": ("comment", "講評"),
    "shipped": ("{file}, shipped with mogi", "{file}（mogi に付属）"),
    "turn": ("each turn", "往復ごと"),
    "talk": ("the whole conversation, once", "会話の全体（1 回）"),
    "range": ("{low} to {high}", "{low}〜{high}"),
    "nothing_more": ("nothing more", "特になし"),
    "does_not_apply": ("does not apply", "対象外"),
    "cost.nothing": ("nothing", "なし"),
    "cost.judge": (
        "its part of the judge's call; with `calls: apart` a call of its own",
        "採点役への 1 回の呼び出しの一部。`calls: apart` なら独立した 1 回",
    ),
    "cost.judge, at the end": (
        "its part of one more call when a conversation has ended",
        "会話が終わったあとの、もう 1 回の呼び出しの一部",
    ),
    "cost.embedding": ("embeddings", "埋め込み"),
    "need.answer": ("an expected answer", "期待する回答"),
    "need.elements": ("expected elements", "期待する要素"),
    "need.documents": ("expected documents", "期待する文書"),
    "need.answerable": (
        "a scenario that says whether it can be answered, or has to be handed over",
        "回答できるか、担当者につなぐべきかが書かれたシナリオ",
    ),
    "need.context": ("a bot that reports its documents", "参照した文書を返すボット"),
    "right.unanswerable": (
        "yes is right (1) where the scenario has no answer, and wrong (0) where it has",
        "yes は、答えのないシナリオなら正しく (1)、答えのあるシナリオなら誤り (0)",
    ),
    "right.escalate": (
        "yes is right (1) where the scenario says escalate, and wrong (0) where it can be answered",
        "yes は、引き継ぐべきシナリオなら正しく (1)、回答できるシナリオなら誤り (0)",
    ),
    "ratings": ("rating / {high}", "評点 / {high}"),
    "ratings.low": (
        "low is good: ({ends} - rating) / {high}",
        "低いほどよい: ({ends} - 評点) / {high}",
    ),
    "labels": ("as the label says", "ラベルの値のとおり"),
    "labels.low": (
        "low is good: 1 - the number behind the label",
        "低いほどよい: 1 - ラベルの値",
    ),
    "share": ("the share itself", "割合そのもの"),
    "share.low": ("low is good: 1 - the share", "低いほどよい: 1 - 割合"),
}


class MetricWords(Wording):
    """The words of one language."""

    TABLE = _WORDS

    def name(self, kind: str, name: str) -> str:
        """What a need or a cost is called; an unknown one as it is."""
        return self.find(f"{kind}.{name}") or name
