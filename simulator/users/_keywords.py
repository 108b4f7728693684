"""A user's matter in a few words: for asking again, and in a form that phrases can hold."""

import re
from collections.abc import Sequence

from simulator.core.persona import Language
from simulator.text.backchannels import is_courtesy
from simulator.text.english import STOP_WORDS
from simulator.text.sentences import sentences
from simulator.text.sudachi import Morpheme, morphemes
from simulator.text.word_sets import word_set
from simulator.users import _need_en, _need_ja
from simulator.users._topic_en import noun_phrase

_LONGEST = {"ja": 14, "en": 40}  # characters of one run of words
_VAGUE = {
    "ja": word_set(
        "こと もの とき 時 方法 件 場合 自分 ほう 方 ため 今 何 これ それ 私 僕 うち 元"
    ),
    "en": word_set(
        "want wants know like need needs tell wonder whether able ask get find able new much many "
        "possible thing things way still again now all"
    ),
}
_WANTING = re.compile(
    r"^(?:i(?: want| need|'d like| would like) to (?:know |find out |understand |be able to )?"
    r"|i need (?=a ))",
    re.IGNORECASE,
)
_WANTING_TO_DO = re.compile(
    r"i(?: want| need|'d like| would like) to (?!know |find out |understand )", re.IGNORECASE
)
_MASK = re.compile(r"〔[^〕]+〕|\[(?:name|phone number|e-mail address|card number)\]")
_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
_AT_THE_END = r"(?:です|だ|なの)?\W*$"
_MUCH_LONGER = 1.5  # a run of words that is so many times as long as the other says it all
_WORD = re.compile(
    r"\b(?:log|sign|set|opt|back|turn|check)(?:g?ed|n?ed|g?ing|n?ing|s)? (?:in|out|up|off|on)\b"
    r"|[a-z0-9][\w'’.@-]*\w|\w",
    re.IGNORECASE,
)


def keywords(text: str, language: Language) -> str:
    """The one or two runs of nouns (ja) or content words (en) that say most; "" without any."""
    text = _matter(text, language)
    runs = _japanese_runs(text) if language == "ja" else _english_runs(text)
    runs = [run for run in dict.fromkeys(runs) if len(run) <= _LONGEST[language]]
    chosen = sorted(runs, key=len, reverse=True)[:2]
    return ("と" if language == "ja" else " and ").join(run for run in runs if run in chosen)


def topic(text: str, language: Language) -> str:
    """What a text is about, in as few words as possible; "" where it says nothing of that."""
    if language == "en":
        return noun_phrase(text)
    found = keywords(text, language)
    *short, long = sorted(found.split("と"), key=len)
    return long if all(len(long) >= _MUCH_LONGER * len(other) for other in short) else found


def wanted(need: str, language: Language) -> str:
    """What an English need wants, without *I want to*; "" where nothing is cut."""
    cut = _WANTING.sub("", need) if language == "en" else need
    return "" if cut == need else cut


def in_brief(need: str, language: Language) -> str:
    """An English need without *I*, as people write in a hurry, or *I want to know*; "" without any.

    *Want to cancel my plan*: without its *want to* it would be an order to the bot.
    """
    cut = wanted(need, language)
    return f"want to {cut}" if _WANTING_TO_DO.match(need) and cut else cut.removeprefix("about ")


def heading(text: str, language: Language) -> str:
    """A text as people quote it to name a matter: without its loose end, a question with its mark.

    メアドを変えたいんですけど is メアドを変えたい.
    """
    return _need_ja.heading(text) if language == "ja" else text.strip(" .,!…")


def plain_need(text: str, language: Language) -> str:
    """A need without its final marks, fit to stand in a phrase; "" where it cannot.

    The Japanese phrases go on with んだけど, のですが, the English ones with a full stop.
    """
    return _need_ja.plain_need(text) if language == "ja" else _need_en.plain_need(text)


def _matter(text: str, language: Language) -> str:
    """A text of several sentences without greetings, and without who it is that writes."""
    found = sentences(text, language)
    told = [s for s in found if not is_courtesy(s, language) and not _MASK.search(s)]
    return " ".join(told) if 0 < len(told) < len(found) else text


def _japanese_runs(text: str) -> list[str]:
    if not _JAPANESE.search(text):
        return []  # refundとplease: no words that Japanese particles can join
    runs = [
        run for run in _runs(text) if not re.search(rf"{re.escape(run)}に(?:な[っりる]|し)", text)
    ]
    if len(runs) > 1 and re.search(f"[がは]{re.escape(runs[-1])}{_AT_THE_END}", text):
        runs.pop()  # 請求が二重: what is said of it
    return runs


def _runs(text: str) -> list[str]:
    runs: list[str] = []
    run: list[Morpheme] = []
    found = [*morphemes(text), None]
    for at, morpheme in enumerate(found):
        if morpheme is not None and (_is_nominal(morpheme, run) or _is_link(found, at, run)):
            run.append(morpheme)
            continue
        if any(_says_something(m) for m in run):
            runs.append("".join(m.surface for m in run))
        run = []
    return runs


def _is_nominal(morpheme: Morpheme, run: Sequence[Morpheme] = ()) -> bool:
    kind = morpheme.pos[0]
    if kind == "接尾辞":
        return morpheme.pos[1] == "名詞的"
    if kind == "名詞" and morpheme.pos[2] == "副詞可能":  # あと, 今日: when, not what; but 撮影日
        return bool(run) and run[-1].pos[0] == "名詞"
    return kind in ("名詞", "接頭辞") and morpheme.surface not in _VAGUE["ja"]


def _is_link(found: list[Morpheme | None], at: int, run: list[Morpheme]) -> bool:
    """The の between two nouns; only one a run, or it grows too long to be a keyword."""
    here, after = found[at], found[at + 1] if at + 1 < len(found) else None
    if here is None or after is None or here.surface != "の" or not run:
        return False
    return _is_nominal(after) and all(m.surface != "の" for m in run)


def _says_something(morpheme: Morpheme) -> bool:
    return morpheme.pos[0] == "名詞" and morpheme.pos[1] != "数詞"


def _english_runs(text: str) -> list[str]:
    runs: list[list[str]] = [[]]
    at = 0
    for found in _WORD.finditer(text):
        word = found.group().casefold()
        if text[at : found.start()].strip(" "):  # punctuation parts them
            runs.append([])
        at = found.end()
        if word in STOP_WORDS or word in _VAGUE["en"] or word.split("'")[0] in STOP_WORDS:
            runs.append([])
        else:
            runs[-1].append(found.group())
    phrases = [" ".join(run) for run in runs if run]
    longer = [phrase for phrase in phrases if " " in phrase or "-" in phrase]
    return longer[:1] or phrases
