"""What `mogi agreement` says, in the client's language."""

from simulator.core.wording import Wording

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "title": ("agreement with people", "人の判定との一致"),
    "nobody": (
        "Nobody has judged an answer of this client yet. How to begin:",
        "このクライアントの回答には、まだ人の判定がありません。始め方:",
    ),
    "sheet": ("a sheet for reviewers", "判定用の表を作る"),
    "pull": ("their verdicts taken in", "書き込まれた判定を取り込む"),
    "rule": ("NG under {value}", "{value} 未満を NG とみなす"),
    "no_threshold": (
        "no threshold, so it says neither OK nor NG",
        "しきい値がないので、OK・NG は決まりません",
    ),
    "size": (
        "turns with a verdict: {turns}   people: {people}   runs: {runs}",
        "判定のある往復 {turns}・判定者 {people} 人・ラン {runs} 件",
    ),
    "all": (
        "The figures speak of all turns: those drawn at random stand for the rest.",
        "数値は全往復についての推定です（無作為に選んだ往復が、残りを代表します）。",
    ),
    "flagged_only": (
        "Only flagged turns were reviewed: what the metric lets pass is not known.",
        "判定があるのは要確認の往復だけです。指標が見逃した回答については何も言えません。",
    ),
    "unflagged_only": (
        (
            "Only turns that were not flagged were judged (drawn by --audit), and no flagged one: "
            "how many flags are right is not known. Judge some of the flagged rows as well."
        ),
        (
            "判定があるのは要確認でない往復（--audit の抜き取り）だけで、要確認の往復にはまだ"
            "ありません。要確認がどれだけ正しいかは分かりません。要確認の行もいくつか判定して"
            "ください。"
        ),
    ),
    "biased": (
        "Kappa is too low or not defined there. Draw others as well: mogi run --audit 0.1",
        "κ は低く出るか、計算できません。mogi run --audit 0.1 でほかの往復も無作為に選べます。",
    ),
    "few_drawn": (
        "Only {n} turns drawn at random stand for all the others: intervals promise too much.",
        "無作為に選んだ {n} 往復だけがほかのすべてを代表しており、区間は実際より狭く出ています。",
    ),
    "aside": (
        "Not in the figures, since they stand for no others: {n} of these turns.",
        "うち {n} 往復は、ほかの往復を代表しないので、数値に入れていません。",
    ),
    "unscored": (
        "{n} of these turns have no score of {name} and are left out.",
        "うち {n} 往復には {name} の点数がないため、除いています。",
    ),
    "left_out.client": (
        "Left out, of another client of this name: {runs}",
        "同じ名前の別のクライアントのものなので除いたラン: {runs}",
    ),
    "left_out.metric": (
        "Left out, no such metric in the run: {runs}",
        "この指標がないため除いたラン: {runs}",
    ),
    "left_out.judge": (
        "Left out, another judge: {runs}",
        "採点役のモデルが違うため除いたラン: {runs}",
    ),
    "left_out.rubric": (
        "Left out, another wording of the rubric: {runs}",
        "ルーブリックの文面が違うため除いたラン: {runs}",
    ),
    "with_people": ("{name} and people", "{name} と人"),
    "among_people": ("people and people", "人どうし"),
    "alone": (
        "No turn has the verdicts of two people: how far people agree is not known.",
        "2 人以上が判定した往復がないため、人どうしがどれだけ一致するかは分かりません。",
    ),
    "agreement": ("same word", "一致率"),
    "ok_second": ("OK by people", "人が OK"),
    "ok_first": ("OK by {name}", "{name} が OK"),
    "bias": ("bias", "偏り"),
    "kappa": ("kappa", "κ"),
    "quadratic_kappa": ("kappa, quadratic", "κ（2 乗の重み）"),
    "alpha": ("alpha", "α"),
    "spearman": ("Spearman", "順位相関"),
    "to": (" to ", "〜"),
    "counts": ("verdicts, unweighted", "判定の件数（重みなし）"),
    "people_say": ("people {word}", "人 {word}"),
    "metric_says": ("{name} {word}", "{name} {word}"),
    "word.ok": ("OK", "OK"),
    "word.ng": ("NG", "NG"),
    "word.unsure": ("unsure", "unsure"),
    "too_few": (
        "Too few: {n} pairs of words without an unsure one, and below {fewest} there is no figure.",
        "判定が足りません。unsure のない組が {n} 組で、{fewest} 組未満では数値を出しません。",
    ),
    "no_kappa": (
        "Kappa is not defined: one side said one word only.",
        "κ は計算できません（どちらか一方が同じ判定しかしていません）。",
    ),
    "no_interval.few": (
        "Too few conversations for an interval of kappa: {n}, and it takes {fewest}.",
        "会話が {n} 件しかなく（{fewest} 件以上必要）、κ の区間は出せません。",
    ),
    "no_interval.alike": (
        "No interval of kappa: it came out the same in every sample drawn anew.",
        "会話を引き直しても κ がまったく変わらないため、区間は出せません。",
    ),
    "no_interval.rare": (
        "No interval of kappa: one word is too rare, so many samples drawn anew lack it.",
        "一方の判定がまれで、会話を引き直すと出てこないことが多いため、κ の区間は出せません。",
    ),
    "more": (
        "Kappa is known to ±{half} only; about {n} more verdicts would make that ±{wanted}.",
        "κ の幅はまだ ±{half} です。±{wanted} にするには、判定があと {n} 件ほど必要です。",
    ),
    "two_people": ("people", "判定者"),
    "turns": ("turns", "往復"),
    "persona": ("persona", "ペルソナ"),
    "tag": ("tag", "タグ"),
    "people_kappa": ("people's kappa", "人どうしの κ"),
    "somebody": ("(no name)", "（名前なし）"),
    "rest": ("and {n} more; --json has them all", "ほか {n} 件（--json にすべてあります）"),
    "about.agreement": (
        "share of pairs with the same word. Here, in bias and in kappa unsure is left out",
        "同じ判定の割合。一致率・偏り・κ では、unsure を除く",
    ),
    "about.bias": (
        "how much more often the first side says OK; above 0 it is the more lenient",
        "左側が OK とする割合の、右側との差（正なら左側のほうが甘い）",
    ),
    "about.kappa": (
        "agreement beyond chance: 1 is all of it, 0 is none",
        "偶然を超える一致（1 なら完全な一致、0 なら偶然と同じ）",
    ),
    "about.quadratic_kappa": (
        "the same, with unsure halfway between NG and OK",
        "同じく偶然を超える一致。unsure は NG と OK の中間",
    ),
    "about.alpha": (
        "Krippendorff's alpha, ordinal: likewise, for any number of people",
        "クリッペンドルフの α（順序尺度）。同様の値で、何人でもよい",
    ),
    "about.spearman": (
        "rank correlation of the metric's value with NG < unsure < OK",
        "指標の値と、人の判定（NG < unsure < OK）の順位相関（スピアマン）",
    ),
    "about.among_people": (
        "the ceiling: no metric can be asked to agree with people better than people do",
        "指標に求められる一致の上限。人どうし以上の一致は求められない",
    ),
}


class Words(Wording):
    """The words of one language."""

    TABLE = _WORDS
