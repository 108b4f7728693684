"""Japanese slips: kana left out, doubled, swapped or half typed; wrong conversions; speech."""

import re
from collections.abc import Iterator

from simulator.users._slip import Slip, Slips, pairs

# What is meant, and a word of the same sound that machines write instead.
_HOMOPHONES = pairs("""
    変更:偏光 期間:機関 期限:起源 以外:意外 退会:大会 解約:改訳 更新:交信 請求:性急 使用:仕様
    利用:理容 有料:優良 無料:無量 領収:領袖 容量:要領 動画:童画 公開:後悔 招待:正体 移動:異動
    機能:昨日 昨日:機能 自動:児童 回答:解答 答え:応え 種類:酒類 例外:冷害 商品:賞品 再開:再会
    復元:復原 配送:敗走 写真:捨身 家族:華族 解決:怪傑 明細:迷彩 認証:人称 表示:標示 共有:享有
    参加:酸化 開始:怪死 終了:修了 延長:園長 継続:係属 申請:新生 発送:発想 氏名:使命 会員:改印
    機種:騎手 保証:保障 交換:交歓 特典:得点 障害:生涯 故障:胡椒 異常:以上 最近:細菌 先週:選集
    変えた:買えた 変える:買える 変えら:買えら 変わ:代わ 送った:贈った 送る:贈る 送り:贈り 送れ:贈れ
    直した:治した 直す:治す 直せ:治せ 直る:治る 開け:空け 開く:空く 聞きた:効きた 聞いて:効いて
    合って:会って 早く:速く 切れ:着れ 押し:推し 止めた:辞めた 止める:辞める 待って:舞って
    見られ:診られ 見た:診た 見る:診る 作った:造った 作り:造り 払い:祓い 払っ:祓っ 取れ:撮れ
    撮った:取った 移した:写した 今は:居間は 今の:居間の 後で:跡で 店に:見せに
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
_BREATH = re.compile(
    "(?<=けど)(?![もね])|(?<=ですが)|(?<=[一-龠ァ-ヴー]は)|(?<=って)(?![いねくたもは])|(?<= )"
)
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
    breaths = {0, *(found.start() for found in _BREATH.finditer(text))} - {len(text)}
    free = [at for at in sorted(breaths) if all(abs(at - other) > 4 for other in filled)]
    return [[Slip(at, at, filler) for at in free for filler in _FILLERS], _conversions(text)]


def unpunctuated(text: str) -> str:
    """The text as a voice gives it: no marks and no quotes, a gap where a sentence ended."""
    return _NOT_SPOKEN.sub("", _SPOKEN_FULL_STOP.sub(" ", text)).strip()


def _conversions(text: str) -> list[Slip]:
    return [
        Slip(found.start(), found.end(), _HOMOPHONES[found.group()])
        for found in _CONVERTED.finditer(text)
    ]


def _on_kana(text: str, loose: list[int]) -> Iterator[Slip]:
    for at in loose:
        kana = text[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, kana * 2)
        if at + 1 in loose and text[at + 1] != kana:
            yield Slip(at, at + 2, text[at + 1] + kana)
