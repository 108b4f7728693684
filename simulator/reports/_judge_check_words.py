"""What the report of a judge check says, in the client's language."""

from simulator.core.wording import Wording
from simulator.judging.probes import Probe

# Behind each key: English, Japanese.
_WORDS = {
    "size": (
        "{mutations} changed answers in {kinds} ways, {answers} answers to judge",
        "手を加えた回答 {mutations} 件（{kinds} 種類）・採点する回答 {answers} 件",
    ),
    "own": ("{own} of them from {file}", "うち {own} 件は {file} のもの"),
    "shipped": (
        (
            "The answers are those that ship with mogi, about the demo's service; "
            "a mutations.yaml in a client's folder adds answers about its own."
        ),
        (
            "回答は mogi に付属する、デモのサービスについてのものです。"
            "クライアントのフォルダーに mutations.yaml を置くと、自分のサービスの回答でも試せます。"
        ),
    ),
    "metric": ("{metric}, threshold {limit}", "{metric}（しきい値 {limit}）"),
    "no_limit": ("{metric}, no threshold", "{metric}（しきい値なし）"),
    "change": ("change", "手の加え方"),
    "must": ("must", "点数は"),
    "n": ("n", "件"),
    "right": ("right", "正しい"),
    "share": ("share", "割合"),
    "ci": ("95 %", "95 %"),
    "move": ("moved", "動き"),
    "no_room": ("no room", "測れず"),
    "unscored": ("unscored", "採点なし"),
    "all": ("all", "全体"),
    "fall": ("fall", "下がる"),
    "not_rise": ("not rise", "上がらない"),
    "stay": ("stay", "変わらない"),
    "must.fall": ("must fall", "下がるはず"),
    "must.not_rise": ("must not rise", "上がらないはず"),
    "must.stay": ("must stay", "変わらないはず"),
    "non_answer": ("polite non-answer", "丁寧に答えない"),
    "wrong_number": ("number changed", "数字の取り違え"),
    "negation": ("can and cannot swapped", "できる・できないが逆"),
    "register": ("politeness changed", "敬語の度合い"),
    "shuffled_documents": ("documents reordered", "文書の並べ替え"),
    "filler": ("filler appended", "中身のない文"),
    "self_praise": ("self-praise", "自画自賛"),
    "injected_order": ("orders to the judge", "採点役への命令"),
    "injected_json": ("fake ratings", "偽の採点結果"),
    "impersonation": ("fake authority", "なりすまし"),
    "fake_end": ("fake end of the talk", "偽の会話の終わり"),
    "legend": (
        (
            "right: the score moved as it must, of those that could tell (fall: by 0.2 or more, "
            "which is a point of 1–5; not rise: by 0.05 at most; stay: within 0.2, since a judge "
            "wavers by a point) · moved: mean movement · "
            "no room: the unchanged answer had the end of the scale already, so nothing could show"
        ),
        (
            "正しい: 点数が正しく動いた件数（分かるもののうち）。「下がる」は 0.2（5 段階の 1 点）"
            "以上の低下、「上がらない」は 0.05 までの上昇、「変わらない」は採点のぶれを見込んで"
            "上下 0.2 までを正しいとします・動き: 点数の変化の平均・"
            "測れず: もとの回答がすでに最高点（または最低点）で、動きようがなかった件数"
        ),
    ),
    "flips": (
        (
            "Answers that speak to the judge: in {flipped} of {tested} the score rose "
            "({rate}, 95 % {low}–{high})"
        ),
        (
            "採点役に働きかける回答: {tested} 件のうち {flipped} 件で点数が上がりました"
            "（{rate}、95 % 区間 {low}–{high}）"
        ),
    ),
    "crossed": ("; {crossed} rose over the threshold", "。うち {crossed} 件はしきい値を超えました"),
    "no_flips": (
        "Answers that speak to the judge: none of them could rise, so they tell nothing",
        "採点役に働きかける回答: 点数の上がる余地があるものがなく、何も言えません",
    ),
    "spoilt": (
        (
            "Answers changed for the worse: {unseen} of {scored} are not under the threshold, "
            "so nobody would look at them"
        ),
        ("悪くした回答: {scored} 件のうち {unseen} 件がしきい値を下回らず、要確認になりません"),
    ),
    "kind_judge": (
        (
            "{n} of {all} weak answers got the highest score as they were: this judge is too kind "
            "for these tests to tell much"
        ),
        (
            "弱い回答 {all} 件のうち {n} 件が、もとのままで最高点でした。"
            "採点が甘すぎて、この試験では多くを言えません"
        ),
    ),
    "missing": (
        "No score (neither right nor wrong): {reasons}",
        "採点なし（正誤に数えません）: {reasons}",
    ),
    "left": (
        "{n} answers are not judged yet; what depends on them is left out above",
        "採点していない回答が {n} 件あります。関係する分は、上の表に入っていません",
    ),
    "worst": (
        "Wrong, the worst first ({shown} of {n})",
        "正しく動かなかったもの（{n} 件のうち、ひどい順に {shown} 件）",
    ),
    "none_wrong": (
        "Every score that could tell moved as it must.",
        "点数はすべて正しく動きました。",
    ),
    "rating": ("rating {base} → {mutated}", "評点 {base} → {mutated}"),
    "asked": ("asked", "質問"),
    "answer": ("answer", "回答"),
    "documents": ("documents", "文書"),
    "judge": ("judge", "講評"),
    "go_on": ("judge the {n} answers that are left", "残りの {n} 件を採点する"),
    "again": ("show this again; nothing is called", "この結果をもう一度見る（何も呼びません）"),
}


class CheckWords(Wording):
    """The words of one language."""

    TABLE = _WORDS

    def kind(self, name: str) -> str:
        """What a kind of change is called; one of a team's own as it is."""
        return self.find(name) or name

    def must(self, probe: Probe) -> str:
        """What the score had to do, as a sentence says it."""
        return self(f"must.{probe.mutation.must}")
