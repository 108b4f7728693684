"""A fourth round of phrasings that refuse and that do not, after those of `refusal_rounds`.

Written in one go before the rules were read. Right at that first look: 13/20 Japanese and 9/20
English refusals, 10/10 and 9/10 others. The second ten refusals of each were not looked at while
the rules were mended by the first ten: 6/10 and 6/10 before, 8/10 and 6/10 after that.
"""

REFUSALS_JA = (
    "恐れ入りますが、こちらでは判断がつきません。窓口にお尋ねください。",
    "その点につきましては、手元に情報がございません。",
    "申し訳ないのですが、そこまでは把握しておりません。",
    "駐車料金については資料に書かれていないため、ご案内いたしかねます。",
    "うーん、それはちょっと私では分かりかねますね。",
    "ご質問の件は、担当部署へ直接ご確認いただけますでしょうか。私からはお伝えできる内容がありません。",
    "残念ながら、ペットに関する記載は見つけられませんでした。",
    "正確なことを申し上げられないので、お電話でお問い合わせください。",
    "そのお問い合わせにはお応えすることができかねます。",
    "わからないので、受付で聞いてください。",
    "あいにく、そのことについては存じ上げておりません。",
    "こちらのデータには該当する内容が含まれておりませんでした。",
    "すみません、そのご質問は私の対応範囲を超えております。",
    "修理にかかる日数については伺っておりません。店舗にお電話ください。",
    "確かなことが言えませんので、スタッフにご確認ください。",
    "お調べしましたが、お答えとなる情報が見当たりませんでした。",
    "アレルギーについての情報は持ち合わせておりませんので、厨房へお問い合わせ願います。",
    "その件に関しましては、私の方からは何とも申し上げられません。",
    "ごめんなさい、ちょっとわからないです。",
    "恐縮ですが、ご案内できる情報がないため、お役に立てません。",
)

REFUSALS_EN = (
    "I am afraid I cannot tell. Please ask our desk.",
    "That is not something I have any record of.",
    "Sorry, I have nothing on that here. Reception will be able to advise.",
    "I wish I could say, but our notes don't go into it.",
    "You would need to check with the ward; I'm not in a position to comment.",
    "Regrettably, no details on parking fees have been given to me.",
    "Hmm, that one is beyond me. Could you ring the office?",
    "I can't be certain about this, so please confirm with the hotel directly.",
    "Our guide makes no mention of pets, I'm sorry to say.",
    "It's best that I leave this question to our specialists.",
    "I couldn't say, I'm sorry; the front desk would know.",
    "There's nothing in what I've been given that covers this.",
    "My apologies, but this lies outside what I can help with.",
    "I have not been told how long the repairs take. Please call the shop.",
    "Sadly I lack the information needed to reply to that.",
    "I'd rather not guess. Our staff can tell you for sure.",
    "We hold no data about allergies, so I must ask you to contact the kitchen.",
    "Unfortunately that's a question I am unable to settle for you.",
    "No idea, I'm afraid.",
    "I looked, but couldn't find an answer to that in our pages.",
)

OTHERS_JA = (
    "建物の前には駐車できませんが、裏の駐車場は無料です。",
    "ペットのご同伴はできません。",
    "朝食は7時からです。ご不明な点は窓口にお尋ねください。",
    "申し訳ございませんが、プールは月曜日が休みです。",
    "11時までのレイトチェックアウトに料金はかかりません。",
    "タオルはフロントでお申し付けください。無料でお渡ししています。",
    "開演後のチケットの払い戻しはいたしかねます。",
    "旧館にエレベーターはございません。新館には2基あります。",
    "お待たせして申し訳ありません。暗証番号は4412です。",
    "パスワードがわからない場合は、ログイン画面の「再設定」を押してください。",
    "この期間の返金のご要望にはお応えできません。",
    "完全な防水とは言えませんが、雨の日にも使えます。",
    "ご予約のときに電話番号は伺っておりません。",
)

OTHERS_EN = (
    "You cannot park in front of the door, but the yard behind is free.",
    "No, pets are not allowed in the rooms.",
    "Breakfast is at 7. If anything is unclear, please ask our desk.",
    "I am afraid the pool is closed on Mondays.",
    "I'm not sure which room you mean, but every room has a bath.",
    "There is no fee for late check-out until 11.",
    "Please ask the front desk for a towel; they hand them out for free.",
    "We cannot refund tickets after the show has begun.",
    "You won't find a lift in the old wing; the new wing has two.",
    "Sorry for the wait! The code is 4412.",
    "We have nothing on Mondays; the next concert is on Tuesday.",
    "You can't be sure of a seat without a booking.",
    "We leave the keys with our neighbours at number 4.",
)
