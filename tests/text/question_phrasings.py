"""Endings by which a bot asks the user for something, and such as ask for nothing."""

ASKING_JA = (
    "ご利用のプランを教えていただけますか？",
    "どちらの端末をお使いでしょうか。",
    "登録したメールアドレスを教えてください。",
    "お調べしますので、注文番号をお知らせください。",
    "かしこまりました。何名様でご利用ですか?",
    "いつ頃からその状態なのか、お聞かせいただけますでしょうか。",
    "承知しました。月払いと年払いのどちらをご希望でしょうか？料金はどちらも同じです。",
    "お部屋はいかがいたしましょうか。",
    "もう少し詳しい状況を教えていただけると助かります。",
    "念のため、お名前をご入力ください。",
    "確認のため、いくつか質問させてください。",
    "パスワードを5回間違えましたか？ほかに何か気になる点がございましたらお知らせください。",
)
ASKING_EN = (
    "Which plan are you on?",
    "Could you tell me your order number?",
    "Please let me know which device you use.",
    "I can look into it. Please provide the date of the payment.",
    "To help you, I need to know the e-mail address you signed up with.",
    "Sure. Do you pay monthly or yearly? The price per month differs.",
    "Sure. Can you describe what you see on the screen",
    "Is it the phone app? Let me know if you have any other questions.",
)
NOT_ASKING_JA = (
    "設定から変更できます。",
    "設定から変更できます。他にご不明な点はございますか？",
    "設定から変更できます。ほかにお困りのことはございませんか。",
    "以上でよろしいでしょうか？",
    "ご不明な点がございましたら、お気軽にお問い合わせください。",
    "重複した請求は、サポート窓口にお知らせください。",
    "件名に「緊急」と書き、気づいた日時をお知らせください。",
    "登録画面でメールアドレスを入力してください。",
    "「削除しますか？」と表示されたら「はい」を押してください。",
    "領収書はどこで出せますか？「設定」の「履歴」から出せます。",
    "この説明で解決しましたでしょうか？",
    "別のブラウザーをお試しになってはいかがでしょうか。",
    "申し訳ございません。分かりかねます。",
    "",
)
NOT_ASKING_EN = (
    "You can change it under Settings.",
    "You can change it under Settings. Is there anything else I can help with?",
    "Done. Do you have any other questions?",
    "If you have any questions, please let us know.",
    "Please tell the support desk about the double charge.",
    "How do I get a receipt? Go to Settings > Payment > History.",
    'When it says "Delete?", press Yes.',
    "I hope this helps. Feel free to ask.",
    "Did that answer your question?",
    "",
)
