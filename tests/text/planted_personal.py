"""Personal data as people write it, 28 kinds in two languages: each text with what must not stay.

`SEEN` is what the rules were written by, `UNSEEN` was written before them and never looked at.
"""

from collections.abc import Mapping

Planted = Mapping[str, tuple[tuple[str, str], ...]]

SEEN: Planted = {
    "own full name": (
        ("田中太郎と申します。予約の件です。", "田中"),
        ("My name is Mary Johnson and I lost my card.", "Johnson"),
    ),
    "full name of somebody else": (
        ("予約は佐藤花子で入っていると思います。", "佐藤"),
        ("It was booked by John Smith last week.", "Smith"),
    ),
    "name with an honorific": (
        ("先日は鈴木さんに対応していただきました。", "鈴木"),
        ("Mr. Thompson told me to call back.", "Thompson"),
    ),
    "reading of a name": (
        ("フリガナはタナカ タロウです。", "タナカ"),
        ("Name: O'Brien, Patrick", "O'Brien"),
    ),
    "relative by name": (
        ("妻の高橋由美も一緒に泊まります。", "高橋"),
        ("My wife Susan Miller is coming too.", "Miller"),
    ),
    "phone number": (("電話は090-1234-5678です。", "1234"), ("Call me at (555) 123-4567.", "123")),
    "phone number in kanji": (("電話は〇九〇−一二三四−五六七八です。", "一二三四"),),
    "phone number spelled out": (
        ("It is five five five, one two three, four five six seven.", "one two three"),
        ("番号はゼロキュウゼロ、イチニサンヨン、ゴロクナナハチです。", "イチニサンヨン"),
    ),
    "e-mail address": (("taro@example.co.jp に送ってください", "taro"),),
    "e-mail address spelled out": (
        ("It's mary at example dot com.", "mary"),
        ("taro アットマーク example ドット com です", "taro"),
    ),
    "address": (
        ("東京都新宿区西新宿2-8-1に送ってください。", "西新宿"),
        ("Ship it to 221 Baker Street, please.", "Baker"),
    ),
    "address without a prefecture": (
        ("住所は横浜市中区山下町1-2-3サンハイツ101です。", "山下町"),
        ("I live at 5 Elm Ave, Apt 3B.", "Elm"),
    ),
    "postal code": (
        ("〒160-0023です。", "160-0023"),
        ("Springfield, IL 62704", "62704"),
    ),
    "birth date": (
        ("1985年3月2日生まれです。", "1985"),
        ("I was born on March 2, 1985.", "1985"),
    ),
    "birth date behind a label": (
        ("生年月日は昭和60年3月2日です。", "60年"),
        ("DOB: 03/02/1985", "1985"),
    ),
    "age with a birthday": (
        ("誕生日は3月2日です。", "3月2日"),
        ("my birthday is March 2nd", "2nd"),
    ),
    "password": (
        ("パスワードはsakura123です。", "sakura123"),
        ("My password is hunter2!", "hunter2"),
    ),
    "PIN": (("暗証番号は4821です。", "4821"), ("the PIN is 4821", "4821")),
    "My Number, social security number": (
        ("マイナンバーは1234 5678 9012です。", "5678"),
        ("My SSN is 123-45-6789.", "6789"),
    ),
    "card number": (("カードは4111 1111 1111 1111です。", "1111"),),
    "card's date and code": (
        ("有効期限は12/27、セキュリティコードは123です。", "123"),
        ("Expires 12/27, CVV 123", "123"),
    ),
    "bank account": (
        ("みずほ銀行、普通1234567です。", "1234567"),
        ("account number 000123456789", "000123456789"),
    ),
    "passport or licence": (
        ("パスポート番号はTR1234567です。", "TR1234567"),
        ("My passport number is 533401234.", "533401234"),
    ),
    "order or booking number": (
        ("注文番号はA-20481-99です。", "20481"),
        ("My order number is 112-9981-22.", "9981"),
    ),
    "member number": (
        ("会員番号 00123456", "00123456"),
        ("membership no. 00123456", "00123456"),
    ),
    "handle": (("LINE IDはtaro_88です。", "taro_88"), ("I'm @mary_j on Instagram", "mary_j")),
    "address on the net": (("IPは192.168.10.24です。", "192.168"), ("from 203.0.113.7", "203.0")),
    "key or token": (
        ("APIキーはsk-abcDEF1234567890xyzです", "abcDEF"),
        ("token: ghp_abcdefABCDEF1234567890", "ghp_"),
    ),
}

UNSEEN: Planted = {
    "own full name": (
        ("お世話になります、中村健一です。", "中村"),
        ("This is Robert Chen calling about my bill.", "Chen"),
    ),
    "full name of somebody else": (
        ("山本 直樹が宿泊する予定です。", "山本"),
        ("Please send the invoice to Emily Davis.", "Davis"),
    ),
    "name with an honorific": (
        ("担当の渡辺様はいらっしゃいますか。", "渡辺"),
        ("I spoke with Mrs. Alvarez yesterday.", "Alvarez"),
    ),
    "reading of a name": (
        ("カナ：ヤマモト ナオキ", "ヤマモト"),
        ("Full name: Garcia Maria", "Garcia"),
    ),
    "relative by name": (
        ("息子の大輔くんの分もお願いします。", "大輔"),
        ("My son Daniel Brown has the ticket.", "Brown"),
    ),
    "phone number": (("０３（１２３４）５６７８まで", "１２３４"), ("+44 20 7946 0958", "7946")),
    "phone number in kanji": (("〇三の一二三四の五六七八にかけてください", "一二三四"),),
    "phone number spelled out": (
        ("my number is zero two zero seven nine four six oh nine five eight", "seven nine"),
        ("電話はぜろはちぜろ、にいさんよんご、ろくななはちきゅうです", "ろくなな"),
    ),
    "e-mail address": (("Reach me: j.doe+x@mail.example.org", "j.doe"),),
    "e-mail address spelled out": (
        ("john dot smith at mail dot example dot org", "smith at"),
        ("hanako あっと example どっと jp です", "hanako"),
    ),
    "address": (
        ("大阪府大阪市北区梅田三丁目1番3号です", "梅田"),
        ("My address is 1600 Pennsylvania Avenue NW", "Pennsylvania"),
    ),
    "address without a prefecture": (
        ("届け先は札幌市中央区北1条西2丁目です", "北1条"),
        ("Deliver to 77 Massachusetts Rd.", "Massachusetts"),
    ),
    "postal code": (
        ("郵便番号は5300001です。", "5300001"),
        ("Postcode SW1A 2AA", "2AA"),
    ),
    "birth date": (
        ("平成2年11月5日生です", "平成2年"),
        ("I was born 5 November 1990", "1990"),
    ),
    "birth date behind a label": (
        ("誕生日：1990/11/05", "1990"),
        ("Date of birth is 1990-11-05", "1990-11"),
    ),
    "age with a birthday": (
        ("11月5日が誕生日なんです", "11月5日"),
        ("born on the 5th of November", "5th"),
    ),
    "password": (
        ("PWは「Tokyo#2024」にしました", "Tokyo#2024"),
        ("password: correct-horse", "correct-horse"),
    ),
    "PIN": (("PINコードは0099にしています", "0099"), ("my pin code: 7710", "7710")),
    "My Number, social security number": (
        ("個人番号は987654321098です", "987654321098"),
        ("social security number 987 65 4321", "4321"),
    ),
    "card number": (("5500-0000-0000-0004で払いました", "5500"),),
    "card's date and code": (
        ("CVCは987、期限は2028年3月です", "987"),
        ("security code 987, valid until 03/28", "987"),
    ),
    "bank account": (
        ("口座番号は7654321です", "7654321"),
        ("IBAN DE89 3704 0044 0532 0130 00", "3704"),
    ),
    "passport or licence": (
        ("免許証の番号は第123456789012号です", "123456789012"),
        ("driver's license D1234567", "D1234567"),
    ),
    "order or booking number": (
        ("予約番号は「XK72PQ」です", "XK72PQ"),
        ("booking reference XK72PQ", "XK72PQ"),
    ),
    "member number": (
        ("お客様番号: 7788-1234", "7788"),
        ("customer ID 77881234", "77881234"),
    ),
    "handle": (("ツイッターは@hana_koです", "hana_ko"), ("my Telegram is @jdoe99", "jdoe99")),
    "address on the net": (
        ("2001:db8:85a3::8a2e:370:7334からです", "85a3"),
        ("my IP is 198.51.100.23", "198.51"),
    ),
    "key or token": (
        ("アクセストークンはeyJhbGciOiJIUzI1NiJ9.abcです", "eyJhb"),
        ("my API key is AKIAIOSFODNN7EXAMPLE", "AKIA"),
    ),
}
# What only looks like it, and has to stay.
INNOCENT = (
    "3月2日から2泊でお願いします。",
    "料金は12,000円、人数は4名です。",
    "お客様はどちらにお泊まりですか。",
    "皆さんで3000円の予算です。",
    "東京駅の近くのホテルを探しています。",
    "横浜市内で、駅から徒歩5分がいいです。",
    "パスワードを忘れました。",
    "パスワードはどこで変更できますか。",
    "注文番号はどこに書いてありますか。",
    "暗証番号は4桁ですか。",
    "My password is not working.",
    "I forgot my password.",
    "Where is my order number?",
    "My order number is not shown.",
    "How do I reset the PIN?",
    "The meeting is at Example Hall.",
    "Delivery takes 3 to 5 days and costs 12.50.",
    "I was born to travel.",
    "Can I change my birthday on the site?",
    "Is there a shop on Main Street?",
    "The Grand Hotel is open from 9 to 18.",
    "version 10.2.1 of the app",
)
