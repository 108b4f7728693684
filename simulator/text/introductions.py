"""Where somebody says its own name in Japanese: 田中です, 株式会社山田の鈴木と申します."""

import re
from collections.abc import Iterator, Sequence

from simulator.text.sudachi import Morpheme, morphemes
from simulator.text.word_sets import word_set

_SAID_AFTER = re.compile(
    "(?:です(?!か|ね)|で[ーあぁ]す(?!か|ね)|でございます|と(?:申|もう)"
    "|って?(?:言|い)い?(?:ます|う(?:者|もの|名))|と(?:言|い)(?:い|う者|うもの)|だ(?:が|けど|けれど))"
)
_READ = 200  # characters; nobody gives its name later in one line
# As names they are told from the thing or the place only by what stands before them.
_ALSO_THINGS = word_set(
    "森 林 原 東 関 堀 岡 辻 沢 岸 柳 菅 星 泉 島 平 谷 南 西 北 牧 畑 浜 浦 滝 桜"
)
_ALSO_PLACES = word_set("""
    青森 岩手 宮城 秋田 山形 福島 茨城 栃木 群馬 埼玉 千葉 東京 神奈川 新潟 富山 石川 福井 山梨 長野
    岐阜 静岡 愛知 三重 滋賀 京都 大阪 兵庫 奈良 和歌山 鳥取 島根 岡山 広島 山口 徳島 香川 愛媛 高知
    福岡 佐賀 長崎 熊本 大分 宮崎 鹿児島 沖縄 松本 成田 品川 上野 目黒 中野 練馬 高松 松山 松江
""")
# Who says 株式会社の, 営業部の or お電話代わりました goes on with a name.
_OF_A_BODY = re.compile(
    "(?:会社[^。、\\s]{0,12}|商事|商店|工業|銀行|法人|協会|大学|病院|[部課店社局係]|会員|契約者|名義人|本人)の$"
)
_TURNED_TO = re.compile(
    "(?:代わりました|替わりました|お世話(?:に|様)[^。]{0,12}"
    "|(?:私|わたし|わたくし|僕|名前|氏名|[契約申込名義注文]{2}[者人主])[はが、])[。、,\\s]*$"
)
_REPORTS = re.compile("(?:た|たい|ている|ました)$")  # 先日電話した中村です
_JOINTS = (" ", "\u3000", "・")
_OPENS = re.compile("(?:^|[。、,!！?？\\s])$")


def own_names(text: str) -> list[tuple[int, int]]:
    """The places, as (start, end), where a speaker says its own name, in order.

    A name is what the dictionary knows as one, at the beginning of a clause and before です,
    と申します and the like. What is a place or a thing as well counts only after words that call
    for a name (営業部の森です), or before a given name. Names of others (鈴木さんです) are left.
    """
    found: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        if _SAID_AFTER.search(line[:_READ]):
            found += [(at + start, at + end) for start, end in _in_line(line[:_READ])]
        at += len(line) + 1
    return found


def _in_line(line: str) -> Iterator[tuple[int, int]]:
    read = morphemes(line)
    starts = [0]
    for morpheme in read:
        starts.append(starts[-1] + len(morpheme.surface))
    if starts[-1] != len(line):
        return  # what was cleaned away stands nowhere
    at = 0
    while at < len(read):
        end = _name_end(read, at)
        if end > at and _is_own(line, read[at:end], starts[at], starts[end]):
            yield starts[at], starts[end]
        at = max(end, at + 1)


def _name_end(read: Sequence[Morpheme], start: int) -> int:
    """Where a run that may be a name ends; its start where there is none."""
    end = start
    while end < len(read) and (_may_name(read[end]) or _joins(read, start, end)):
        end += 1
    return end


def _may_name(morpheme: Morpheme) -> bool:
    return morpheme.pos[2] in ("人名", "地名") or morpheme.surface in _ALSO_THINGS


def _joins(read: Sequence[Morpheme], start: int, at: int) -> bool:
    """The space or dot between family name and given name."""
    inside = start < at < len(read) - 1 and read[at].surface in _JOINTS
    return inside and read[at + 1].pos[2] == "人名"


def _is_own(line: str, name: Sequence[Morpheme], start: int, end: int) -> bool:
    if not _SAID_AFTER.match(line, end):
        return False
    before = line[:start]
    if _OF_A_BODY.search(before) or _TURNED_TO.search(before):
        return True
    if not _OPENS.search(before) and not _REPORTS.search(before):
        return False
    if any(m.pos[3] == "名" for m in name[1:]):
        return True
    words = [m for m in name if m.surface not in _JOINTS]
    return all(m.pos[2] == "人名" and m.surface not in _ALSO_PLACES for m in words)
