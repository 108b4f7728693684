"""What reports say, in the client's language. Ids in files and JSON are never translated."""

from collections.abc import Mapping

from simulator.core.counting import in_number
from simulator.core.persona import Language

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "run": ("run {id}", "ラン {id}"),
    "size": (
        "{conversations} conversations, {turns} turns",
        "会話 {conversations} 件・{turns} 往復",
    ),
    "size_of": (
        "{conversations} of {planned} conversations, {turns} turns",
        "会話 {planned} 件のうち {conversations} 件・{turns} 往復",
    ),
    "rows": (
        "{rows} answers of {file} (SHA-256 {sha})",
        "{file} の回答 {rows} 件（SHA-256 {sha}）",
    ),
    "rows_of": (
        "{rows} of {planned} answers of {file} (SHA-256 {sha})",
        "{file} の回答 {planned} 件のうち {rows} 件（SHA-256 {sha}）",
    ),
    "again": ("run {id} judged again", "ラン {id} を採点し直したもの"),
    "model.user": ("users played by {model}", "利用者役 {model}"),
    "model.judge": ("judged by {model}", "採点役 {model}"),
    "offline": ("No model was called.", "モデルは呼んでいません。"),
    "lexical": (
        "Lexical metrics, no judge: these numbers are not a judge's.",
        "語句による指標です。採点役のモデルが付けた点数ではありません。",
    ),
    "simulator": ("Users", "利用者役"),
    "unsound": (
        "look at these turns before you trust the score: {tags}",
        "スコアを信じる前に確かめるべき発言があります: {tags}",
    ),
    "users_failed": (
        "the simulated user broke {n} conversations",
        "利用者役の不備で終わった会話が {n} 件あります",
    ),
    "score": ("Score", "スコア"),
    "interval": ("95 % {low}–{high}", "95 % 区間 {low}–{high}"),
    "few": ("too few conversations for an interval", "会話が少なく、区間は出せません"),
    "raw": ("rating {raw}", "評点 {raw}"),
    "no_score": ("nothing could be scored", "採点できたものがありません"),
    "corrected": ("Corrected", "補正後"),
    "corrected_text": (
        "by {n} verdicts ({audited} drawn at random): share people would call OK",
        "人が OK とする回答の割合の推定（判定 {n} 件、うち無作為抽出 {audited} 件）",
    ),
    "corrected_few": (
        "too few verdicts: {lacks}",
        "判定が不足（{lacks}）",
    ),
    "corrected_few.and": ("; ", "。"),
    "corrected_few.flagged": (
        "{n} of {total} flagged turns are judged, it takes {needed}",
        "要確認 {total} 件のうち判定は {n} 件、{needed} 件必要",
    ),
    "corrected_few.drawn": (
        "{n} of {total} unflagged turns are drawn and judged, it takes {needed}: {way}",
        "要確認でない {total} 件のうち抜き取って判定したのは {n} 件、{needed} 件必要。{way}",
    ),
    "corrected_few.larger": (
        "a run with --audit {share} draws about enough",
        "--audit {share} のランなら、ほぼ足ります",
    ),
    "corrected_few.rest": (
        "judge the rows that are left",
        "残りの行も判定してください",
    ),
    "corrected_few.together": (
        "they lie in fewer than {needed} scenarios (or conversations, where there are no more)",
        "判定のあるシナリオが {needed} 件未満。シナリオ自体が少ないランでは会話で数えます",
    ),
    "bounds": ("Bounds", "範囲"),
    "bounds_text": (
        "{worst}–{best}, whatever the missing scores would have been",
        "{worst}–{best}（採点できなかった分が最低でも最高でも、この中）",
    ),
    "bounds_failed": (
        "turns on which the bot failed count as the lowest score here",
        "ここでは、ボットが失敗した往復を最低点として数えます",
    ),
    "scored": ("Scored", "採点"),
    "scored_text": ("{scored} of {total} turns", "{total} 往復のうち {scored}"),
    "scored_rows": ("{scored} of {total} answers", "{total} 件のうち {scored} 件"),
    "missing": ("missing: {reasons}", "採点なし: {reasons}"),
    "idle": ("does not apply: {n}", "対象外: {n}"),
    "flagged": ("Flagged", "要確認"),
    "flagged_text": ("{n} of {total} turns", "{total} 往復のうち {n}"),
    "flagged_rows": ("{n} of {total} answers", "{total} 件のうち {n} 件"),
    "threshold": ("{name} under {value}", "{name} が {value} 未満"),
    "no_threshold": ("no threshold", "しきい値なし"),
    "gate": ("Gate", "合格ライン"),
    "gate.true": ("{under}: passed", "{under}: 合格"),
    "gate.false": ("{under}: failed", "{under}: 不合格"),
    "gate.none": (
        "{under}: undecided, it depends on the missing scores",
        "{under}: 判定できません（採点できなかった分しだいです）",
    ),
    "heat": (
        "{score} by scenario and persona, worst first",
        "シナリオ × ペルソナの {score}（低い順）",
    ),
    "all": ("all", "全体"),
    "legend": (
        "!2 = two flagged turns   ?1 = one turn without a score   – = nothing to show",
        "!2 = 要確認の往復が 2   ?1 = 採点なしの往復が 1   – = なし",
    ),
    "more_scenarios": ("and {n} more scenarios", "ほか {n} シナリオ"),
    "more_personas": ("and {n} more personas", "ほか {n} ペルソナ"),
    "worst": (
        "Worst turns first ({shown} of {n})",
        "要確認の往復（{n} 件のうち低い順に {shown} 件）",
    ),
    "lowest": (
        "Lowest {score} first ({shown} of {n} answers)",
        "{score} の低い順（{n} 件のうち {shown} 件）",
    ),
    "alike": ("and {n} more like it ({personas})", "同様の往復がほか {n} 件（{personas}）"),
    "more_weak": ("{n} more in this scenario", "このシナリオにほか {n} 件"),
    "faults": ("Flagged turns by fault: {faults}", "要確認の往復の原因: {faults}"),
    "none_flagged": ("No turn is flagged.", "要確認の往復はありません。"),
    "none_under": (
        "No answer is under its threshold.",
        "しきい値を下回った回答はありません。",
    ),
    "none_low": (
        "No threshold is set, and no {score} is below 1.",
        "しきい値の設定はなく、1 を下回る {score} もありません。",
    ),
    "unwatched": (
        "Without a threshold, so never flagged: {metrics}",
        "しきい値がなく、低くても要確認にならない指標: {metrics}",
    ),
    "turn": ("turn {n}", "{n} 往復目"),
    "repeat": ("repeat {n}", "{n} 回目"),
    "user": ("user", "利用者"),
    "bot": ("bot", "ボット"),
    "why": ("why", "理由"),
    "no_answer": ("(no answer)", "（回答なし）"),
    "metric": ("Metric", "指標"),
    "mean": ("Mean", "平均"),
    "ci": ("95 %", "95 % 区間"),
    "rating": ("Rating", "評点"),
    "limit": ("Threshold", "しきい値"),
    "auc": ("AUC", "AUC"),
    "verdicts": ("Verdicts", "人の判定"),
    "verdicts_text": ("OK {ok}, NG {ng}", "OK {ok}・NG {ng}"),
    "verdicts_unsure": (", unsure {unsure}", "・unsure {unsure}"),
    "auc_text": (
        "AUC: the chance that a metric puts an OK answer above an NG one (0.5: tells nothing)",
        "AUC: OK の回答に NG の回答より高い値が付く確率（0.5 なら見分けられていない）",
    ),
    "rag_sum": (
        "RAG metrics added up: {sum} of {of} over {turns} turns",
        "RAG 指標の合計: {of} 点中 {sum}（{turns} 往復）",
    ),
    "stops": ("Ended", "終わり方"),
    "failures": ("Failures", "失敗"),
    "calls": ("Calls", "呼び出し"),
    "tokens": ("Tokens", "トークン"),
    "tokens_text": (
        "{input} in ({cached} cached), {output} out",
        "入力 {input}（うちキャッシュ {cached}）・出力 {output}",
    ),
    "cost": ("Cost", "費用"),
    "no_price": (
        "not known: a model's price is missing (prices: in client.yaml)",
        "不明（client.yaml の prices: にモデルの単価がありません）",
    ),
    "time": ("Time", "時間"),
    "next": ("How to go on", "次にできること"),
    "show": ("a conversation, turn by turn", "会話をはじめから読む"),
    "export": ("every turn as a line of JSON", "全往復を JSON で書き出す（1 往復 1 行）"),
    "resume": ("play the {n} unfinished conversations", "終わっていない会話 {n} 件を続ける"),
    "scored_file": ("the file again, with its scores beside it", "点数を並べたファイルを作る"),
    "score_parts": ("{metric}: {parts} (n = {n})", "{metric} の内訳: {parts}（n = {n}）"),
    "trial.question": ("question", "質問"),
    "trial.answer": ("answer", "回答"),
    "trial.no_answer": ("no answer", "回答なし"),
    "trial.note": ("note", "注意"),
    "trial.found_none": ("none found", "見つからず"),
    "trial.reports_none": ("the bot reports none", "ボットが文書を返していません"),
    "trial.no_id": ("(no id)", "(id なし)"),
    "documents": ("documents", "文書"),
    "scores": ("scores", "点数"),
    "comment": ("comment", "講評"),
    "expected": ("expected", "期待"),
    "expected.answer": ("answer", "回答"),
    "expected.elements": ("elements", "要素"),
    "expected.documents": ("documents", "文書"),
    "expected.handover": ("handover", "引き継ぎ"),
    "expected.none": ("none: the question cannot be answered", "なし（答えのない質問）"),
    "expected.some": ("the question can be answered", "答えられる質問"),
    "expected.person": ("to a person", "担当者へ"),
    "fault": ("fault", "原因"),
    "odd_user": ("odd user", "利用者役"),
    "end": ("end", "終わり"),
    "whole_talk": ("whole conversation", "会話の全体"),
    "no_turns": ("nothing was said", "発言がありません"),
    "stop.done": ("solved", "解決"),
    "stop.gave_up": ("gave up", "見切り"),
    "stop.escalated": ("handed over", "担当者へ"),
    "stop.max_turns": ("turn limit", "回数の上限"),
    "stop.target_failed": ("bot failed", "ボットの失敗"),
    "stop.user_failed": ("user failed", "利用者役の失敗"),
    "stop.user_invalid": ("user unsound", "利用者役の不備"),
    "stop.budget": ("budget", "予算切れ"),
    "stop.interrupted": ("interrupted", "中断"),
    "gap.judge_unparsable": ("judgement unreadable", "採点結果が読めない"),
    "gap.judge_refused": ("judge refused", "採点の拒否"),
    "gap.judge_truncated": ("judgement cut off", "採点が途中で切れた"),
    "gap.judge_error": ("judge failed", "採点役の失敗"),
    "gap.metric_error": ("metric failed", "指標の失敗"),
    "gap.target_failed": ("bot failed", "ボットの失敗"),
    "gap.simulator_invalid": ("user unsound", "利用者役の不備"),
    "gap.budget": ("budget", "予算切れ"),
    "gap.not_applicable": ("does not apply", "対象外"),
    "failure.target": ("bot", "ボット"),
    "failure.user": ("simulated user", "利用者役"),
    "failure.judge": ("judging", "採点"),
    "failure.infrastructure": ("unfinished", "未完了"),
    "role.target": ("bot", "ボット"),
    "role.user": ("user", "利用者役"),
    "role.judge": ("judge", "採点役"),
    "role.embedding": ("embedding", "埋め込み"),
    "role.generate": ("generate", "生成"),
    "role.probe": ("probe", "試し"),
    "fault.retrieval_miss": ("retrieval missed it", "検索もれ"),
    "fault.unused": ("retrieved but left out", "検索できたのに答えにない"),
    "fault.wrong_fact": ("factually wrong", "事実と違う"),
    "fault.off_question": ("beside the question", "質問とずれている"),
    "fault.unsupported": ("made up: not in the documents", "資料にないことを言っている"),
    "fault.style": ("tone or wording", "言葉づかい・案内のしかた"),
    "fault.knowledge_gap": ("not in the knowledge base", "ナレッジにない"),
    "fault.wrong_refusal": ("refused without need", "答えられるのに断った"),
    "fault.should_have_refused": ("should have refused", "断るべきだった"),
    "fault.should_have_escalated": ("should have handed over", "担当者につなぐべきだった"),
    "tag.empty": ("empty", "空"),
    "tag.leaked_mark": ("stop mark in the text", "終わりの印が本文にある"),
    "tag.leaked_brief": ("brief in the text", "設定を口にした"),
    "tag.assistant_voice": ("talks like the desk", "窓口のような口ぶり"),
    "tag.echo": ("repeats the bot", "ボットの言葉のくり返し"),
    "tag.repeat": ("repeats itself", "自分の言葉のくり返し"),
    "tag.language": ("other language", "別の言語"),
    "tag.length": ("far too long", "長すぎる"),
}


class Words:
    """The words of one language."""

    def __init__(self, language: Language) -> None:
        self._column = 1 if language == "ja" else 0

    def __call__(self, key: str, **values: object) -> str:
        """The wording behind a key, with its values filled in."""
        template = _WORDS[key][self._column]
        return (template if self._column else in_number(template, values)).format_map(values)

    def name(self, kind: str, name: str) -> str:
        """What a stop, gap, failure, role, fault or tag is called; an unknown one as it is."""
        found = _WORDS.get(f"{kind}.{name}")
        return found[self._column] if found else name

    def counts(self, kind: str, counts: Mapping[str, int]) -> str:
        """Names with their counts, such as `solved 3 · gave up 1`; zeros are left out."""
        return " · ".join(f"{self.name(kind, k)} {n:,}" for k, n in counts.items() if n)
