"""What `mogi tune` says, in the client's language."""

from simulator.core.wording import Wording

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "head": (
        "{client}: threshold of {metric} by {objective}",
        "{client}: {metric} のしきい値（基準 {objective}）",
    ),
    "verdicts": (
        "{n} verdicts (OK {ok}, NG {ng}) on {talks} conversations in {runs} runs",
        "人の判定 {n} 件（OK {ok}・NG {ng}）・会話 {talks} 件・ラン {runs} 件",
    ),
    "measured": ("judge {judge}, rubric {rubric}", "採点役 {judge}・ルーブリック {rubric}"),
    "measured_by": ("model {judge}", "モデル {judge}"),
    "weights": (
        "An answer with a verdict stands for up to {heaviest} like it.",
        "判定のある回答 1 件が、同じように選ばれた回答を最大 {heaviest} 件分代表しています。",
    ),
    "unused": ("not used: {reasons}", "使わなかった判定: {reasons}"),
    "unused.unsure": ("{n} unsure, or people differ", "unsure・意見の不一致 {n} 件"),
    "unused.unscored": ("{n} without a score", "点数なし {n} 件"),
    "unused.undrawn": ("{n} on turns that were not drawn", "抽出されていない往復 {n} 件"),
    "unused.flagged_only": (
        "{n} of runs of which only flagged turns were reviewed",
        "要確認の往復だけを見たラン {n} 件",
    ),
    "unused.unflagged_only": (
        "{n} drawn at random, of runs of which one part only was reviewed",
        "片方（要確認か抜き取り）にしか判定のないランの抜き取り {n} 件",
    ),
    "unused.other_flag": ("{n} flagged by something else", "ほかの理由で要確認 {n} 件"),
    "left_out": ("left out: run {run}, {why}", "除いたラン {run}: {why}"),
    "why.client": (
        "of another client called {client} ({folder})",
        "同じ名前の別のクライアント（{folder}）のものです",
    ),
    "why.metric": ("which has no {metric}", "{metric} の点数がありません"),
    "why.judge": (
        "judged by {judge} (now: {now}); mogi rejudge {run} judges it anew",
        "採点役が {judge}（今は {now}）。mogi rejudge {run} で採点し直せます",
    ),
    "why.rubric": (
        "scored by the rubric {rubric} (now: {now}); mogi rejudge {run} scores it anew",
        "ルーブリックが {rubric}（今は {now}）。mogi rejudge {run} で採点し直せます",
    ),
    "nobody": ("(none)", "（なし）"),
    "threshold": ("Threshold", "しきい値"),
    "flagged": ("Flagged", "要確認"),
    "precision": ("Precision", "適合率"),
    "recall": ("Recall", "再現率"),
    "mark_best": ("→ recommended", "→ おすすめ"),
    "mark_today": ("= today's", "= 今のしきい値"),
    "meaning": (
        (
            "Precision: how many of the flagged answers people call NG. Recall: how many of the "
            "answers that people call NG are flagged; the rest is missed. In brackets the 95 % "
            "interval."
        ),
        (
            "適合率は、要確認とした回答のうち人も NG とした割合。再現率は、人が NG とした回答のうち"
            "要確認にできた割合で、残りが見逃しです。かっこ内は 95 % 区間。"
        ),
    ),
    "mark_candidate": ("→ the best of these", "→ この中では最良"),
    "meaning_precision": (
        "Precision: how many of the flagged answers people call NG. In brackets the 95 % interval.",
        "適合率は、要確認とした回答のうち人も NG とした割合。かっこ内は 95 % 区間。",
    ),
    "candidate": ("The best", "最良の値"),
    "no_gain": (
        (
            "No clear gain over today's {own}: keep it. {threshold} stands out on these verdicts, "
            "and not on others; more verdicts may tell."
        ),
        (
            "今のしきい値 {own} より良くなるとは言えません。今のままで構いません。{threshold} は"
            "この判定では最良ですが、ほかの判定でも良いとは限りません。判定が増えれば分かるかも"
            "しれません。"
        ),
    ),
    "recommended": ("Recommended", "おすすめ"),
    "fresh": (
        (
            "{threshold}; on conversations that it was not chosen on: precision {precision}, "
            "recall {recall}"
        ),
        "{threshold}。選ぶのに使わなかった会話では、適合率 {precision}・再現率 {recall}",
    ),
    "no_fresh": (
        "{threshold}; too few verdicts to try it on others",
        "{threshold}。判定が少なく、ほかの会話では試せません",
    ),
    "sure": ("How sure", "確かさ"),
    "sure_text": (
        "{low}–{high} in 95 % of 1,000 samples drawn anew; this very one in {same}",
        "会話を引き直した標本 1,000 回のうち 95 % で {low}〜{high}、ちょうどこの値は {same}",
    ),
    "today": ("Today", "今"),
    "today_text": (
        "{threshold}: precision {precision}, recall {recall}",
        "{threshold}: 適合率 {precision}・再現率 {recall}",
    ),
    "today_precision": (
        "{threshold}: precision {precision}",
        "{threshold}: 適合率 {precision}",
    ),
    "no_today": ("no threshold: nothing is flagged", "しきい値なし（要確認になりません）"),
    "beyond": (
        "{threshold}: more than was ever shown to people",
        "{threshold}: 人が見ていない範囲にかかるため、分かりません",
    ),
    "few": (
        "Not enough yet: {n} more verdicts are needed ({fewest} in all){kinds}.",
        "まだ足りません。判定があと {n} 件必要です（全部で {fewest} 件以上）{kinds}。",
    ),
    "few_kinds": (", at least {kinds} of them", "。そのうち {kinds} 以上"),
    "few_ok": ("{n} OK", "OK {n} 件"),
    "few_ng": ("{n} NG", "NG {n} 件"),
    "no_recall": (
        (
            "Only flagged answers were reviewed. They tell how many flags are right, and never how "
            "much is missed: no recall, so no threshold is recommended. `mogi run {client} --audit "
            "0.1` has people see some of the others as well."
        ),
        (
            "人が見たのは要確認の回答だけです。これで分かるのは要確認がどれだけ正しいかまでで、"
            "見逃しは分かりません。再現率が出せないので、しきい値はおすすめできません。"
            "mogi run {client} --audit 0.1 なら、ほかの回答も一部が確認に回ります。"
        ),
    ),
    "no_precision": (
        (
            "Only answers that were not flagged have been judged (drawn by --audit), none of the "
            "flagged ones. So nobody knows how many flags are right: no precision, and no "
            "threshold is recommended. Judge some of the flagged rows as well."
        ),
        (
            "判定があるのは、要確認でない回答（--audit の抜き取り）だけです。要確認の行にはまだ"
            "判定がなく、要確認がどれだけ正しいか（適合率）が分からないので、しきい値はおすすめ"
            "できません。要確認の行もいくつか判定してください。"
        ),
    ),
    "few_talks": (
        (
            "A promise of {objective} takes at least {needed} conversations with an NG answer "
            "(so far: {n})."
        ),
        (
            "{objective} を約束するには、NG の回答がある会話が {needed} 件以上必要です"
            "（今は {n} 件）。"
        ),
    ),
    "no_cut": (
        "No threshold can do that: the scores do not tell these answers apart well enough.",
        "条件を満たすしきい値がありません。点数では、これらの回答を十分に見分けられていません。",
    ),
    "no_metric": (
        "No run that people reviewed has {metric}. `mogi rejudge RUN --metric {metric}` adds it.",
        (
            "人が確認したランに {metric} の点数がありません。"
            "mogi rejudge RUN --metric {metric} で付けられます。"
        ),
    ),
    "no_verdicts": (
        "Nobody has reviewed a run of {client} yet.",
        "{client} のランには、まだ人の判定がありません。",
    ),
    "same": (
        (
            "The recommended threshold is today's, so the same answers are flagged. --write would "
            "only note beside it what it was found with."
        ),
        (
            "おすすめは今のしきい値と同じで、要確認になる回答も変わりません。--write で変わるのは、"
            "書き添える採点役・判定の件数・日付などだけです。"
        ),
    ),
    "written": ("Written", "書き込み"),
    "written_text": (
        "thresholds.{metric}: {old} → {new} in {file}",
        "{file} の thresholds.{metric}: {old} → {new}",
    ),
    "written_same": (
        (
            "That is what it was before: the same answers are flagged. Only what it was found with "
            "was noted beside it."
        ),
        (
            "値は前と同じで、要確認になる回答も変わりません。変わったのは、書き添えた採点役・判定の"
            "件数・日付などだけです。"
        ),
    ),
    "next": ("How to go on", "次にできること"),
    "next_run": ("flagged answers, and a tenth of the others", "要確認と、ほかの 1 割を見る"),
    "next_sheet": ("its sheet, with the flagged rows", "要確認の行もある判定用の表"),
    "next_pull": ("their verdicts taken in", "書き込まれた判定を取り込む"),
    "next_write": ("put it into client.yaml", "client.yaml に書き込む"),
}


class TuneWords(Wording):
    """The words of one language."""

    TABLE = _WORDS
