"""A Japanese matter as a wish or a statement in plain form, so that phrases can go on from it."""

import re
from collections.abc import Sequence

from simulator.text.acts import is_courtesy
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases
from simulator.text.tokens import sentences
from simulator.users.agenda.wording import verb_stem

_PHRASES = phrases("users/agenda/ja/matter")

_JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")
_AT_THE_END = r"(?:です|だ|なの)?\W*$"
_MARKS = " 　。．.、,!！…?？〜~～"
_BARE_KNOW = re.compile("知る(?:こと)?$")
_WISHES = re.compile("(?:たい|ほしい|欲しい)$")
_PARTICLE = re.compile("[にはがをのでとも](?![ぁ-ん]*[一-龠])|に(?=なり)")
_NOUNS = ("名詞", "接尾辞")
_STATES = ("有る", "出来る", "居る", "要る", "分かる")
_TOPICS = ("は", "が", "を", "も", "って", "とか", "で", "の", "に")


def plain_need(text: str) -> str:
    """The matter in a plain form that んです, のですが and わけ can follow; "" where it has none.

    A wish stays one, a request becomes one (直してほしい), and so do a task (プランを変更したい), a
    question (いつまでか知りたい) and a noun (送料が知りたい, 返品について知りたい).
    """
    needs = (_of(sentence) for sentence in sentences(text, "ja") if not is_courtesy(sentence, "ja"))
    return next((need for need in needs if need), "")


def is_wish(need: str) -> bool:
    """True if it can be thought or hoped: と存じます and と思いまして may follow."""
    return bool(_WISHES.search(need))


def heading(text: str) -> str:
    """A text as people quote it to name a matter; a question keeps its mark."""
    text = _bare(text, "。．.、,!！…")
    short = _PHRASES.pattern("desu").sub("", _PHRASES.pattern("open_end").sub("", text))
    words = morphemes(short)
    if len(words) > 1 and words[-1].surface in _TOPICS and words[-2].pos[0] in _NOUNS:
        short = short.removesuffix(words[-1].surface)
    return _PHRASES.pattern("about").sub("", short) or short or text


def _bare(text: str, marks: str = _MARKS) -> str:
    """The text without marks and pictures at its ends."""
    start, end = 0, len(text)
    while start < end and not _says(text[start], ""):
        start += 1
    if start and _PARTICLE.match(text, start):  # 👍になりたい
        start = 0
    while end > start and not _says(text[end - 1], "?？" if "?" not in marks else ""):
        end -= 1
    return text[start:end]


def _says(char: str, kept: str) -> bool:
    return char.isalnum() or char in kept or char in "ー々「」『』()（）〔〕%％円"


def _of(sentence: str) -> str:
    bare = _bare(sentence)
    stated = _PHRASES.pattern("open_end").sub("", bare)  # 来週引っ越すんですけど: told, and no task
    text = _BARE_KNOW.sub("知りたい", _PHRASES.pattern("desu").sub("", stated))
    if not _JAPANESE.search(text):
        return ""
    about = _PHRASES.pattern("about").sub("", text)
    if about != text:
        return f"{about}について知りたい" if about and _ends_in_noun(about) else ""
    if stated != bare and not _ends_in_noun(text):
        return _stated(text)
    return _request(text) or _question(text) or _task(text) or _stated(text) or _noun(text)


def _request(text: str) -> str:
    if _PHRASES.pattern("ask_for").search(text):
        return f"{_PHRASES.pattern('ask_for').sub('', text)}お願いしたい" if len(text) > 8 else ""
    bare = _PHRASES.pattern("please").sub("", text)
    if bare != text or _PHRASES.pattern("request").search(_last_clause(text)):
        return f"{bare}ほしい"
    thing = _PHRASES.pattern("give_me").sub("", text)
    return f"{thing}が欲しい" if thing != text and _ends_in_noun(thing) else ""


def _question(text: str) -> str:
    if (
        text.endswith("か")
        and not text.endswith("とか")
        and not _PHRASES.pattern("polite").search(text)
    ):
        return f"{text}知りたい"
    words = morphemes(text)
    asks = len(words) > 1 and words[-1].surface in _PHRASES.words("question_words")
    return f"{text}か知りたい" if asks else ""


def _task(text: str) -> str:
    """A thing to do, which a goal may be put as, as a wish: プランを変更したい."""
    *before, last = morphemes(text)
    is_verb = last.pos[0] == "動詞" and last.form.startswith(("終止形", "連体形"))
    if not is_verb or last.normal in _STATES or any(m.surface in ("が", "は") for m in before):
        return ""
    of_it = verb_stem(last)
    return f"{text.removesuffix(last.surface)}{of_it}たい" if of_it else ""


def _stated(text: str) -> str:
    """A predicate in plain form, as it stands."""
    last = morphemes(text)[-1]
    is_plain = last.form.startswith(("終止形", "連体形")) and last.surface not in ("だ", "な", "ん")
    if _PHRASES.pattern("polite").search(text) or not is_plain:
        return ""
    return text if last.pos[0] in ("動詞", "形容詞", "助動詞", "接尾辞") else ""


def _noun(text: str) -> str:
    words = morphemes(text)
    if len(words) > 1 and words[-1].surface in _TOPICS and "、" not in text:
        words, text = words[:-1], text.removesuffix(words[-1].surface)
    # 請求が二重: what is said of it, and no thing to ask for
    if not _ends_in_noun(text) or "、" in text or any(m.surface in ("が", "は") for m in words):
        return ""
    acts = words[-1].pos[2] == "サ変可能" or words[-1].surface.isascii()
    return f"{text}について知りたい" if acts else f"{text}が知りたい"


def _ends_in_noun(text: str) -> bool:
    words = morphemes(text)
    return bool(words) and words[-1].pos[0] in _NOUNS


def _last_clause(text: str) -> str:
    return re.split("けど|けれど|ので|から|が、|、", text)[-1]


def runs(text: str) -> list[str]:
    """The runs of nouns that name something; what is said of the matter is no part of it."""
    if not _JAPANESE.search(text):
        return []  # refundとplease: no words that Japanese particles can join
    named = [
        run for run in _runs(text) if not re.search(rf"{re.escape(run)}に(?:な[っりる]|し)", text)
    ]
    if len(named) > 1 and re.search(f"[がは]{re.escape(named[-1])}{_AT_THE_END}", text):
        named.pop()  # 請求が二重: what is said of it
    return named


def _runs(text: str) -> list[str]:
    out: list[str] = []
    run: list[Morpheme] = []
    words = [*morphemes(text), None]
    for at, morpheme in enumerate(words):
        if morpheme is not None and (_is_nominal(morpheme, run) or _is_link(words, at, run)):
            run.append(morpheme)
            continue
        if any(_says_something(m) for m in run):
            out.append("".join(m.surface for m in run))
        run = []
    return out


def _is_nominal(morpheme: Morpheme, run: Sequence[Morpheme] = ()) -> bool:
    kind = morpheme.pos[0]
    if kind == "接尾辞":
        return morpheme.pos[1] == "名詞的"
    if kind == "名詞" and morpheme.pos[2] == "副詞可能":  # あと, 今日: when, not what; but 撮影日
        return bool(run) and run[-1].pos[0] == "名詞"
    return kind in ("名詞", "接頭辞") and morpheme.surface not in _PHRASES.words("vague")


def _is_link(words: list[Morpheme | None], at: int, run: list[Morpheme]) -> bool:
    """The の between two nouns; only one a run, or it grows too long to be a keyword."""
    here, after = words[at], words[at + 1] if at + 1 < len(words) else None
    if here is None or after is None or here.surface != "の" or not run:
        return False
    return _is_nominal(after) and all(m.surface != "の" for m in run)


def _says_something(morpheme: Morpheme) -> bool:
    return morpheme.pos[0] == "名詞" and morpheme.pos[1] != "数詞"
