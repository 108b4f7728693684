"""What the comparison of two runs says, in the client's language."""

from simulator.core.persona import Language
from simulator.core.recorded import NOBODY
from simulator.core.wording import Wording, worded

# Behind each key: English, Japanese. {things} are conversations, or answers of a file.
_WORDS = {
    "things.talks": ("conversations", "会話"),
    "things.rows": ("answers", "回答"),
    "before": ("before", "前"),
    "after": ("after", "後"),
    "mean_before": ("Before", "前"),
    "mean_after": ("After", "後"),
    "done": ("{things}: {n}", "{things} {n} 件"),
    "done_of": (
        "{things}: {n} of {planned}, unfinished",
        "{things} {planned} 件のうち {n} 件（未完了）",
    ),
    "of_run": ("run {of} judged again", "ラン {of} を採点し直したもの"),
    "pairs_label": ("Pairs", "組"),
    "pairs": ("{n} {things} in both", "両方にある{things} {n} 件"),
    "regressed": ("REGRESSED", "悪化しました"),
    "improved": ("IMPROVED", "改善しました"),
    "no_difference": ("NO DIFFERENCE SEEN", "差は見られません"),
    "undecided": ("UNDECIDED", "判定できません"),
    "moved": (
        "{score} went from {before} to {after} ({change}; {interval}{p}).",
        "{score} は {before} から {after} になりました（{change}、{interval}{p}）。",
    ),
    "interval": ("95 % {low} to {high}; ", "95 % 区間 {low}〜{high}、"),
    "same": (
        "{score} is the same on every pair, {before}.",
        "{score} はすべての組で同じです（{before}）。",
    ),
    "least": (
        (
            "A true difference of {least} or more would have been seen four times in five; "
            "a smaller one may be there."
        ),
        (
            "本当に {least} 以上の差があれば、5 回に 4 回は見つかったはずです。"
            "それより小さい差は、ないとは言えません。"
        ),
    ),
    "tested": (
        "Test: {n} pairs of {things}, {clusters} {of}; alpha {alpha}.",
        "検定: {things} {n} 組（{of} {clusters}）・有意水準 {alpha}。",
    ),
    "tested_each": (
        "Test: {n} pairs of {things}; alpha {alpha}.",
        "検定: {things} {n} 組・有意水準 {alpha}。",
    ),
    "of.scenarios": ("scenarios", "シナリオ"),
    "of.talks": ("taken one by one", "1 件ずつ独立とみなす"),
    "why.nothing": (
        "No pair of {things} has a score on both sides.",
        "両方で採点できた{things}が 1 組もありません。",
    ),
    "why.few": (
        (
            "{n} {of} are too few: whatever they show may be chance. "
            "From {needed} on, a difference can be told at alpha {alpha}."
        ),
        (
            "{of}が {n} では少なすぎて、偶然と区別できません。"
            "有意水準 {alpha} で差を言うには {needed} 以上必要です。"
        ),
    ),
    "few.scenarios": ("scenarios", "シナリオ"),
    "few.talks": ("pairs of {things}", "{things}の組"),
    "why.gaps": (
        "It depends on the missing scores: with them the difference is {low} to {high}.",
        "採点できなかった分しだいです。その分によって、差は {low}〜{high} のどこにもなりえます。",
    ),
    "why.yardstick": (
        "The runs were not scored by the same yardstick: their difference says nothing of the bot.",
        "採点のものさしが二つのランで違うため、差からボットのことは何も言えません。",
    ),
    "failed_low": (
        (
            "Where the bot failed there is no score; the test takes that as the lowest one "
            "({low} to {high})."
        ),
        (
            "ボットが失敗した往復には点数がありません。検定では最低点とみなします"
            "（差は {low}〜{high}）。"
        ),
    ),
    "gaps": (
        (
            "Turns without a score among the pairs: {before} before, {after} after. "
            "Whatever they would have been, the difference is {low} to {high}."
        ),
        (
            "組の中で採点できなかった往復: 前 {before}・後 {after}。"
            "その分が最低でも最高でも、差は {low}〜{high} の中です。"
        ),
    ),
    "doubt": ("Careful", "ご注意"),
    "doubt.judge": (
        "the judge differs, so the scores are not comparable: {names}",
        "採点役が違うため、点数は比べられません: {names}",
    ),
    "doubt.rubrics": (
        "rubrics differ, so the scores are not comparable: {names}",
        "ルーブリックが違うため、点数は比べられません: {names}",
    ),
    "doubt.guidelines": (
        "the guidelines that the judge goes by differ, so the scores are not comparable",
        "採点の拠りどころになるガイドラインが違うため、点数は比べられません",
    ),
    "doubt.embedding": (
        "the embedding model differs, so the scores are not comparable: {names}",
        "埋め込みモデルが違うため、点数は比べられません: {names}",
    ),
    "doubt.score_by": (
        "the runs are not scored by the same metric ({names}); compared by {score}",
        "スコアの指標が違います（{names}）。ここでは {score} で比べます",
    ),
    "doubt.thresholds": (
        "the thresholds differ ({names}); flags here are by the same on both sides",
        "しきい値が違います（{names}）。要確認かどうかは、両方とも同じしきい値で数えています",
    ),
    "doubt.scenarios": (
        "these scenarios were changed in between, and are compared all the same: {names}",
        "次のシナリオは途中で書き換えられていますが、そのまま比べています: {names}",
    ),
    "doubt.client": (
        "the runs are of different clients: {names}",
        "別のクライアントのランです: {names}",
    ),
    "doubt.questions": (
        ("rows that ask something else under the same id are left out: {n} ({names})"),
        ("同じ id なのに質問が違う行は比べていません: {n} 件（{names}）"),
    ),
    "hint.questions": (
        "; rows without an id are known by their place: give both files a column `id`",
        "。id のない行は位置で見分けるので、両方のファイルに id の列を付けてください",
    ),
    "failing": (
        "Newly failing: {n}, worst drop first",
        "新たに要確認になった{things}: {n} 件（下げの大きい順）",
    ),
    "fixed": (
        "Newly fixed: {n}, greatest rise first",
        "要確認でなくなった{things}: {n} 件（上げの大きい順）",
    ),
    "fell": (
        "Lower {score}: {n}, worst drop first",
        "{score} が下がった{things}: {n} 件（下げの大きい順）",
    ),
    "rose": (
        "Higher {score}: {n}, greatest rise first",
        "{score} が上がった{things}: {n} 件（上げの大きい順）",
    ),
    "others": ("also", "ほか"),
    "repeat": ("repeat {n}", "{n} 回目"),
    "left": (
        "and {n} more; --json has the first 200 of all",
        "ほか {n} 件（--json には全体のはじめの 200 件が出ます）",
    ),
    "none_failing": ("Nothing newly fails.", "新たに要確認になった{things}はありません。"),
    "none_fell": ("No {score} fell.", "{score} が下がった{things}はありません。"),
    "rating": ("rating {before} → {after}", "評点 {before} → {after}"),
    "flags": ("Flags", "要確認"),
    "flips": (
        (
            "newly failing {failing} · newly fixed {fixed} · failing in both {failing_still} · "
            "fine in both {passing_still}"
        ),
        (
            "新たに {failing}・解消 {fixed}・両方で要確認 {failing_still}・"
            "両方とも問題なし {passing_still}"
        ),
    ),
    "flips_p": ("   (McNemar {p})", "（マクネマー検定 {p}）"),
    "flips_unknown": (" · not known {n}", "・不明 {n}"),
    "scores": ("Scores", "スコア"),
    "ways": (
        "lower {lower} · higher {higher} · the same {same}",
        "下がった {lower}・上がった {higher}・同じ {same}",
    ),
    "metric": ("Metric", "指標"),
    "difference": ("Difference", "差"),
    "ci": ("95 %", "95 % 区間"),
    "ends": ("{low} to {high}", "{low}〜{high}"),
    "p": ("p", "p"),
    "p_adjusted": ("p (Holm)", "p（Holm）"),
    "n": ("Pairs", "組"),
    "apart": ("Not compared", "比べていない{things}"),
    "only_before": ("only before", "前だけ"),
    "only_after": ("only after", "後だけ"),
    "questions": ("other question", "質問が違う"),
    "unmeasured": ("no score", "採点なし"),
    "not_applicable": ("does not apply", "対象外"),
    "keys": ("{n}: {keys}", "{n} 件: {keys}"),
    "keys_more": ("{n}: {keys}, and {more} more", "{n} 件: {keys}、ほか {more} 件"),
    "differs": ("What else differs", "ほかに違うところ"),
    "differs_none": (
        "Nothing else that is known differs between the two.",
        "ほかに違うところは、分かる限りありません。",
    ),
    "changed": ("changed", "変わりました"),
    "more": (" and {n} more", " ほか {n} 件"),
    "group.judge": ("judge", "採点役"),
    "group.rubrics": ("rubrics", "ルーブリック"),
    "group.embedding": ("embedding", "埋め込み"),
    "group.guidelines": ("guidelines", "ガイドライン"),
    "group.thresholds": ("thresholds", "しきい値"),
    "group.metrics": ("metrics", "指標"),
    "group.knowledge": ("knowledge base", "ナレッジ"),
    "group.users": ("users", "利用者役"),
    "group.personas": ("personas", "ペルソナ"),
    "group.scenarios": ("scenarios", "シナリオ"),
    "group.target": ("bot", "ボット"),
    "group.language": ("language", "言語"),
    "group.file": ("file", "ファイル"),
    "group.versions": ("versions", "バージョン"),
    "group.models": ("models", "モデル"),
    "show": ("how it was before", "変わる前の{things}を読む"),
    "show_after": ("and after", "変わったあとの{things}を読む"),
    "json": ("all of it as JSON", "すべてを JSON で"),
}


class CompareWords(Wording):
    """The words of one language; {things} is filled in."""

    TABLE = _WORDS

    def __init__(self, language: Language, *, rows: bool) -> None:
        super().__init__(language)
        self._rows = rows
        self._things = worded(_WORDS, language, "things.rows" if rows else "things.talks")

    def __call__(self, key: str, **values: object) -> str:
        """The wording behind a key, with its values filled in."""
        return super().__call__(key, **{"things": self._things, **values})

    def name(self, key: str) -> str:
        """A conversation's key as people know it: of a row its id, and its persona if it has one.

        Other names are as they are.
        """
        return key.removesuffix("/1").removesuffix(f"/{NOBODY}") if self._rows else key
