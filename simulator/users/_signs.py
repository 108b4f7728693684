"""What times, prices and contacts look like, and by which words people ask for them."""

import re

from simulator.core.persona import Language
from simulator.text.refusal_rules import any_line

# What kind of thing is asked for, and what it looks like when it is there; that there is no limit
# and no charge are answers as well. 料金がかからないように asks for no price.
_ASKED_FOR = "(?=いくら|いつ|どれ|どの|何|ある|あり|知|教|聞|伺|分か|わか|確認|[。?？]|$)"
_NUMBERS = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|few"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
SIGNS: dict[Language, tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = {
    "ja": (
        (
            any_line(
                r"""
                いつ(?!でも|も(?!ら|ど))|何日|何年|何時|何か月|(?<=時間)の?制限
                (?:どれ|どの)くらい(?:待|かか|で)
                (?:期限|期間)(?:[をがはも]|について)?<asked_for>
                """,
                asked_for=_ASKED_FOR,
            ),
            any_line(
                r"""
                (?!十分)[\d一二三四五六七八九十百数半]+ ?(?:分|時|日|年|週間|[かヶカヵケ]月|営業日)
                前日|翌日|当日|即日|即時|翌月|月末|いつでも|無期限|無制限|すぐに?(?!ご?連絡|お電話)
                [月火水木金土日]曜|平日|毎日|年中無休|本日中|明日|今週|来週|今月|来月|[上中下]旬|年末
                ただちに|直ちに|その場で|午前|午後|\d{1,2}[:/]\d{2}
                (?:期限|期間|制限)[^。]{0,8}(?:ありません|ございません|設けて|ない|なし)
                """
            ),
        ),
        (
            any_line(
                """
                いくら(?!でも)|(?:料金|金額|値段|費用|価格)(?:[をがはも]|について)?<asked_for>
                (?:(?<=送料)|(?<=手数料)|(?<=代金))(?:[をがはも]|について)?<asked_for>
                """,
                asked_for=_ASKED_FOR,
            ),
            re.compile(
                "[\\d,一二三四五六七八九十百千万]+ ?円|[¥￥]\\d|[\\d.,]+ ?(?:ドル|ユーロ)|無料|無償"
                "|[\\d.]+ ?(?:[%％割倍]|パーセント|ポイント)|[半全定実]額"
                "|(?:料金?|費用|代金)[^。]{0,6}(?:かかりません|いただきません|ありません)"
            ),
        ),
        (
            re.compile("どこ[にへ](?:連絡|送|電話|相談)|連絡先"),
            re.compile(r"@|\d{2,4}-\d{2,4}-\d{3,4}|窓口|フォーム"),
        ),
    ),
    "en": (
        (
            any_line(
                r"""
                (?:\b(?:know|ask|tell me|find out|see|understand)|^)(?: by| until| from)? when\b
                \bhow (?:long|soon|many (?:hours|days|weeks|months|years))\b|\bby when\b
                \buntil when\b|\bdeadline\b|\btime limit\b
                """
            ),
            any_line(
                r"""
                \b(?:<number>)[ -](?:business |working )?(?:minute|hour|day|week|month|year)s?\b
                \b(?:within|in|after|takes?) an? (?:hour|day|week|month|year)\b
                \d:\d\d|\b(?:<months>) \d|\d(?:st|nd|rd|th)?(?: of)? (?:<months>)\b
                \b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:today|tomorrow|weekdays|daily)\b
                \b(?:next|this) (?:week|month)\b|\b\d{1,2} ?[ap]\.?m\b
                \b(?:immediately|right away|straight away|instantly|midnight|the day before)\b
                \bend of (?:the|each|every|this|next) (?:month|year)\b|\bat any time\b
                \bno (?:time )?(?:limit|deadline)\b
                """,
                number=_NUMBERS,
                months=_MONTHS,
            ),
        ),
        (
            any_line(
                r"""
                \bhow much(?= (?:<of_it>)\b|[.?]|$)
                \b(?:know|ask|tell me|find out|what)\b<not_denied>\b(?:costs?|prices?|fees?)\b
                """,
                of_it="is|are|do|does|will|would|it|they|that|this|the|my|i|we|each|per|for|money",
                not_denied="(?:(?!\\b(?:no|not|without|why|whether|if)\\b)[^.]){0,40}?",
            ),
            any_line(
                r"""
                \d ?(?:yen|dollars?|euros?|pounds?|%|per ?cent\b|cents?|pence|points?)(?!\w)
                [¥$€£] ?\d|\b(?:is|for|are) free\b|\b(?:half|full) (?:the )?(?:price|amount)\b
                \bcosts? nothing\b|\bfree of charge\b|\bno (?:extra )?(?:charge|cost|fee)s?\b
                \b(?:not|n't|never) (?:be )?charged?\b
                """
            ),
        ),
        (
            re.compile(
                r"\b(?:where (?:to|do i|i) (?:send|write|call)|who to contact|whom? .*contact)"
            ),
            re.compile(r"@|\d{2,4}-\d{2,4}-\d{3,4}|\bdesk\b|\bform\b"),
        ),
    ),
}
