"""The wordings of the agenda user's acts: the persona's own, or neutral ones where it has none."""

from simulator.core.persona import Language, Persona

_NEUTRAL: dict[Language, dict[str, tuple[str, ...]]] = {
    "ja": {
        "styled_query": ("質問があります。{query}", "教えてください。{query}"),
        "ask": (
            "{need}のですが、どうすればよいですか。",
            "{need}のですが、教えてもらえますか。",
            "{need}のですが、ご案内いただけますか。",
        ),
        "rephrase": (
            "{keywords}のことを聞いています。",
            "{keywords}について教えてください。",
            "知りたいのは{keywords}のことです。",
        ),
        "tell": ("{fact}。", "こちらは、{fact}。", "お伝えします。{fact}。"),
        "cannot_tell": ("それは分かりません。", "分からないです。", "こちらでは分かりません。"),
        "doubt": (
            "それは確かですか。",
            "どこに書いてありますか。",
            "間違いありませんか。",
        ),
        "aside": ("ところで、今日はいい天気ですね。", "話は変わりますが、最近忙しいです。"),
        "dissatisfied": ("まだ分かりません。", "聞きたいことと違います。", "解決していません。"),
        "give_up": ("もう結構です。", "ここまでにします。"),
        "satisfied": ("分かりました。", "必要なことは分かりました。"),
    },
    "en": {
        "styled_query": ("I have a question. {query}", "Could you help me? {query}"),
        "ask": (
            "This is what I need: {need}. How does that work?",
            "What I would like to hear: {need}.",
            "What I am after: {need}. What should I do?",
        ),
        "rephrase": (
            "My question is about this: {keywords}.",
            "Please tell me more about this: {keywords}.",
            "I am asking about the {keywords} part.",
        ),
        "tell": (
            "Here is what I know: {fact}.",
            "For your information: {fact}.",
            "It is this: {fact}.",
        ),
        "cannot_tell": ("I do not know that.", "I cannot tell.", "I have no information on that."),
        "doubt": (
            "Are you sure about that?",
            "Where does it say so?",
            "Is that really the case?",
        ),
        "aside": ("Nice weather today, by the way.", "I have been busy lately, by the way."),
        "dissatisfied": ("That does not help.", "That is not what I asked.", "It is still open."),
        "give_up": ("I will leave it at that.", "Never mind."),
        "satisfied": ("I see, thank you.", "That is all I needed."),
    },
}


def phrases_of(persona: Persona, act: str) -> tuple[str, ...]:
    """The persona's wordings of an act, or the neutral ones of its language; never empty.

    Raises:
        KeyError: there is no such act.
    """
    return persona.phrases.get(act) or _NEUTRAL[persona.language][act]
