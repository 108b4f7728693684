"""What a run says of itself beside its figures, in the client's language."""

from simulator.core.persona import Language
from simulator.core.wording import worded

# Behind each key: English, Japanese.
_WORDS: dict[str, tuple[str, str]] = {
    "gate": (
        "the gate of client.yaml speaks of {asked}; this run has {has} only",
        (
            "client.yaml の gate は {asked} についてのものです。"
            "このランにあるのは {has} だけなので、合否は判定しません"
        ),
    ),
    "left_out": (
        "left out of run {run}: {conversations}; the client has no {names} any more",
        "ラン {run} のうち{conversations}を除きました。{names} がクライアントから消えています",
    ),
    "unfinished": (
        "run {run} is unfinished: {done} of {conversations}",
        "ラン {run} は途中までです（{conversations}のうち {done} 件）",
    ),
    "changed.scenarios": (
        "changed since run {run}, judged as they are now: scenarios {names}",
        "ラン {run} のあとで変わり、いまの内容で採点したシナリオ: {names}",
    ),
    "changed.personas": (
        "changed since run {run}, judged as they are now: personas {names}",
        "ラン {run} のあとで変わり、いまの内容で採点したペルソナ: {names}",
    ),
    "guidelines": (
        "the guidelines changed since run {run}; it is judged by what they say now",
        "ラン {run} のあとでガイドラインが変わりました。いまの内容で採点しています",
    ),
    "more": ("{names} and {n} more", "{names} ほか {n} 件"),
    "stale": (
        (
            "the threshold of {name} ({limit}) is stale: it was tuned with {was}, and this run has "
            "{now}; have people review turns that are scored like this, then: {command}"
        ),
        (
            "{name} のしきい値（{limit}）は古くなっています。"
            "決めたときは{was}、このランは{now}です。"
            "いまの採点で選んだ往復を人に判定してもらってから、実行してください: {command}"
        ),
    ),
    "stale_in_files": (
        (
            "the threshold of {name} ({limit}) is stale: it was tuned with {was}, and now it is "
            "{now}; have people review turns that are scored like this, then: {command}"
        ),
        (
            "{name} のしきい値（{limit}）は古くなっています。決めたときは{was}、いまは{now}です。"
            "いまの採点で選んだ往復を人に判定してもらってから、実行してください: {command}"
        ),
    ),
    "judge": ("judge {name}", "採点役 {name}"),
    "rubric": ("rubric {name}", "ルーブリック {name}"),
    "no_judge": ("no judge", "採点役なし"),
    "no_rubric": ("no rubric", "ルーブリックなし"),
    "and": (" and ", "・"),
}


def note(language: Language, key: str, **values: object) -> str:
    """The wording behind a key, with its values filled in."""
    return worded(_WORDS, language, key, **values)
