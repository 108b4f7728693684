"""Japanese slips: kana left out, doubled, swapped or half typed; wrong conversions; speech."""

import re
from collections.abc import Iterator

from simulator.text.sudachi import Morpheme, morphemes
from simulator.text.word_sets import word_set
from simulator.users._slip import Slip, Slips, pairs

# What is meant, and a word of the same sound that machines write instead.
_HOMOPHONES = pairs("""
    期間:機関 期限:起源 以外:意外 退会:大会 更新:行進 使用:仕様 利用:理容 有料:優良 容量:要領
    公開:後悔 招待:正体 移動:異動 自動:児童 回答:解答 答え:応え 商品:賞品 再開:再会 表示:標示
    参加:酸化 終了:修了 延長:園長 申請:神聖 氏名:指名 保証:保障 交換:好感 特典:得点 障害:傷害
    異常:以上 最近:細菌 変えた:代えた 変える:代える 変えら:代えら 変わ:代わ 送った:贈った
    送る:贈る 送り:贈り 送れ:贈れ 直した:治した 直す:治す 直せ:治せ 直る:治る 開け:空け 開く:空く
    聞きた:効きた 聞いて:効いて 合って:会って 早く:速く 押し:推し 止めた:辞めた 止める:辞める
    止めて:辞めて 作った:造った 作り:造り 撮った:取った 取れ:撮れ 移した:写した 返し:帰し 返す:帰す
    使え:仕え 使い:遣い 使って:遣って 買った:飼った
""")
_CONVERTED = re.compile("|".join(sorted(map(re.escape, _HOMOPHONES), key=len, reverse=True)))
# Without a letter of these, a sentence may say the opposite, or ask nothing.
_WEIGHTY = re.compile("ません|なかっ|ない|なく|ずに|か(?=[。？?\\s]|$)|まで|から")
_HIRAGANA = re.compile("[ぁ-ん]{2,}")
_PARTICLE = re.compile("(?<=[一-龠ァ-ヴー])[をはがに](?=[一-龠ァ-ヴ])")
_ROWS = pairs("""
    k:かきくけこ s:さすせそ t:たてと n:なにぬねの h:はひへほ m:まみむめも y:やゆよ r:らりるれろ w:わ
    g:がぎぐげご z:ざずぜぞ d:だでど b:ばびぶべぼ p:ぱぴぷぺぽ
""")
_CONSONANTS = {kana: consonant for consonant, row in _ROWS.items() for kana in row}
_FILLERS = ("えーと", "あのー", "えっと", "えー")
_FILLED = re.compile("えー|あのー|えっと|ええと|うーん|あー")
# People stop to think before a word that begins something, after one of these.
_BEFORE_A_BREATH = word_set("は が けど けども て ので から を に で")
_WORDS = word_set("名詞 代名詞 動詞 形容詞 形状詞 副詞 連体詞 接続詞 接頭辞")
_UNBROKEN = word_set("まる 改行 つい よっ とっ")  # said to the machine; or parts of について
_KANJI = re.compile("[一-龠々]")
_SPOKEN_FULL_STOP = re.compile(r"[。．！？!?…\n]+\s*(?=\S)")
_NOT_SPOKEN = re.compile(r"[、，,・「」『』“”\"（）()]|[。．！？!?…]+")


def typing(text: str) -> Slips:
    """What fingers do: to kana (left out, doubled, swapped; half typed), particles, conversions."""
    loose = [at for run in _HIRAGANA.finditer(text) for at in range(*run.span())]
    weighty = [found.span() for found in _WEIGHTY.finditer(text)]
    loose = [at for at in loose if not any(start <= at < end for start, end in weighty)]
    half = [Slip(at, at + 1, _CONSONANTS[text[at]]) for at in loose if text[at] in _CONSONANTS]
    dropped = [Slip(found.start(), found.end(), "") for found in _PARTICLE.finditer(text)]
    return [list(_on_kana(text, loose)), half, dropped, _conversions(text)]


def speech(text: str) -> Slips:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    filled = [found.start() for found in _FILLED.finditer(text)]
    free = [at for at in _breaths(text) if all(abs(at - other) > 4 for other in filled)]
    return [[Slip(at, at, filler) for at in free for filler in _FILLERS], _conversions(text)]


def unpunctuated(text: str) -> str:
    """The text as a voice gives it: no marks and no quotes, a gap where a sentence ended."""
    return _NOT_SPOKEN.sub("", _SPOKEN_FULL_STOP.sub(" ", text)).strip()


def _breaths(text: str) -> Iterator[int]:
    """Where a voice may pause: where it begins, and between words that are no parts of one."""
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or _may_pause(before, morpheme):
            yield at
        at += len(morpheme.surface)
        before = morpheme


def _may_pause(before: Morpheme, after: Morpheme) -> bool:
    kind, finer = after.pos[:2]
    if kind not in _WORDS or finer == "非自立可能" or after.surface in _UNBROKEN:
        return False
    is_particle = before.pos[0] == "助詞" and before.surface in _BEFORE_A_BREATH
    return is_particle or before.surface.isspace()


def _conversions(text: str) -> list[Slip]:
    """Whole words only: the 取れ of 受け取れ and the 有料 of 有料化 are never converted alone."""
    starts: set[int] = set()
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or before.pos[0] not in ("動詞", "接頭辞"):
            starts.add(at)
        at += len(morpheme.surface)
        before = morpheme
    return [
        Slip(found.start(), found.end(), _HOMOPHONES[found.group()])
        for found in _CONVERTED.finditer(text)
        if found.start() in starts and not _is_inside(found)
    ]


def _is_inside(found: re.Match[str]) -> bool:
    """Whether it is a part of a longer run of kanji."""
    text, start, end = found.string, found.start(), found.end()
    after = bool(_KANJI.match(text[end - 1])) and bool(_KANJI.match(text[end : end + 1]))
    return after or bool(_KANJI.match(text[max(0, start - 1) : start]))


def _on_kana(text: str, loose: list[int]) -> Iterator[Slip]:
    for at in loose:
        kana = text[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, kana * 2)
        if at + 1 in loose and text[at + 1] != kana:
            yield Slip(at, at + 2, text[at + 1] + kana)
