"""What `mogi review` says, in the client's language."""

from simulator.core.wording import Wording

# Behind each key: English, Japanese.
_WORDS = {
    "pulled": (
        "Verdicts of {source} in run {run}",
        "{source} の判定を取り込みました（ラン {run}）",
    ),
    "nothing": (
        "nobody wrote anything there yet ({rows} rows)",
        "まだ何も書かれていません（{rows} 行）",
    ),
    "reviewer": ("reviewer", "判定者"),
    "new": ("new", "新規"),
    "changed": ("changed", "変更"),
    "unchanged": ("unchanged", "変更なし"),
    "all": ("all", "合計"),
    "nobody": ("(no name)", "（名前なし）"),
    "changes": (
        "Changed ({n}); what was said before is kept",
        "変更した判定（{n} 件）。前のものも残っています",
    ),
    "change": ("{turn} ({who}): {what}", "{turn}（{who}）: {what}"),
    "then": ("; ", "、"),
    "odd": ("To look at ({n})", "確かめてください（{n} 件）"),
    "more": (
        "and {n} more of this kind (--json lists all)",
        "同じ種類がほか {n} 件（--json で全件）",
    ),
    "pushed": ("Run {run} is up to date there", "ラン {run} を最新にしました"),
    "pushed_rows": ("  {title}: {n} rows written", "  {title}: {n} 行を書き込み"),
    "status": ("Review of run {run} ({client})", "ラン {run} のレビュー（{client}）"),
    "none_shown": (
        "no turn is flagged and none was drawn: there is nothing to review",
        "要確認の往復も抜き取りもなく、レビューするものがありません",
    ),
    "done": (
        "Each turn has a verdict ({shown} turns).",
        "{shown} 往復すべてに判定があります。",
    ),
    "open": (
        "{open} of {shown} turns have no verdict yet.",
        "{shown} 往復のうち {open} 往復にまだ判定がありません。",
    ),
    "all_open": (
        "No turn has a verdict yet ({shown} turns).",
        "{shown} 往復のどれにも、まだ判定がありません。",
    ),
    "comments": (
        "On {n} of them somebody wrote, but gave no verdict.",
        "うち {n} 往復には、判定のない書き込みだけがあります。",
    ),
    "others": (
        "Judged, though not up for review: {n} turns.",
        "レビュー対象でない {n} 往復にも判定があります。",
    ),
    "flagged": ("flagged", "要確認"),
    "audit": ("audit", "抜き取り"),
    "why": ("shown as", "抽出"),
    "persona": ("persona", "ペルソナ"),
    "scenario": ("scenario", "シナリオ"),
    "left": ("open", "未判定"),
    "turns": ("turns", "対象"),
    "finished": ("and {n} more without an open turn", "ほか {n} 件はすべて判定済み"),
    "more_rows": ("and {n} more (--json lists all)", "ほか {n} 件（--json で全件）"),
    "splits": (
        "People differ on {n} turns; they count as unsure",
        "{n} 往復で判定が割れています（unsure として数えます）",
    ),
    "turn": ("{episode} turn {turn}", "{episode} {turn} 往復目"),
    "tune": (
        "All runs of {client}: {ok} OK, {ng} NG.",
        "{client} の全ランで OK {ok}・NG {ng}。",
    ),
    "tune_ready": (
        "These are enough verdicts for mogi tune {client}.",
        "mogi tune {client} に必要な件数の判定がそろっています。",
    ),
    "tune_not": (
        "Before mogi tune may write a threshold it needs {lacking}.",
        "mogi tune でしきい値を書くには、まだ足りません。あと必要な数: {lacking}",
    ),
    "lack": ("{n} more verdicts", "判定 {n} 件"),
    "lack_ok": ("{n} more OK", "OK {n} 件"),
    "lack_ng": ("{n} more NG", "NG {n} 件"),
    "and": (", ", "、"),
    "no_corrections": (
        "no corrected answers are to be taken over",
        "取り込む正しい回答はありません",
    ),
    "same": (
        "already as corrected: {n} scenarios",
        "{n} 件のシナリオは、すでに正しい回答になっています",
    ),
    "propose": (
        "To take over: {n} answers; look at the diff, then: mogi review apply {client} --write",
        "取り込む回答は {n} 件。差分を確かめたら mogi review apply {client} --write で書き込めます",
    ),
    "propose_shipped": (
        (
            "To take over: {n} answers; {file} comes with mogi and is not changed, so make a "
            "client of your own first: mogi init NAME"
        ),
        (
            "取り込む回答は {n} 件。{file} は mogi に付属のもので書き換えないので、先に "
            "mogi init NAME で自分のクライアントを作ってください"
        ),
    ),
    "lacks": (
        "Expected elements that the corrected answer lacks ({n}); mend one or the other",
        "正しい回答に、期待する要素が足りません（{n} 件）。回答か要素を直してください",
    ),
    "lacking": ("{scenario}: {items}", "{scenario}: {items}"),
    "propose_table": (
        "To take over: {n} answers; {file} is not written by mogi, so copy them there by hand",
        "取り込む回答は {n} 件。{file} は書き換えないので、手で写してください",
    ),
    "wrote": (
        "wrote {n} answers to {file} as expected ones",
        "{file} に、期待する回答を {n} 件書き込みました",
    ),
    "left_out": ("Not taken ({n})", "取り込まないもの（{n} 件）"),
    "before": ("before", "今"),
    "after": ("after", "新"),
    "empty": ("(none)", "（なし）"),
    "why.later_turn": (
        "answers a later question of the talk",
        "シナリオの質問ではなく、その後の質問への回答です",
    ),
    "why.differ": ("people correct it differently", "正しい回答が人によって違います"),
    "why.asked": ("the scenario's question has changed since", "シナリオの質問が変わっています"),
    "why.no_scenario": (
        "the client has no such scenario any more",
        "このシナリオはもうありません",
    ),
}


class ReviewWords(Wording):
    """The words of one language."""

    TABLE = _WORDS
