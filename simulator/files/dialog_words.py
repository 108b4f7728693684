"""How logs call things: who speaks, what is said, in which conversation."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.text.phrases import word_set

# In order: where several are there, the first counts.
SPEAKER = (
    *("role", "speaker", "発話者", "話者", "発言者", "送信者", "役割", "ロール"),
    *("from", "author", "sender", "name", "名前"),
)
TEXT = (
    *("text", "content", "message", "utterance", "発話", "発言", "発話内容", "発言内容"),
    *("メッセージ", "本文", "内容", "テキスト", "body", "value"),
)
UTTERANCES = (
    *("utterances", "messages", "turns", "dialog", "dialogue", "conversation", "conversations"),
    *("log", "会話", "対話", "発話", "やりとり"),
)
CONVERSATION = (
    *("conversation", "conversationid", "session", "sessionid", "dialog", "dialogid"),
    *("dialogue", "dialogueid", "thread", "threadid", "chat", "chatid", "ticket", "ticketid"),
    *("talk", "talkid", "call", "callid", "会話", "会話id", "会話番号", "対話", "対話id"),
    *("セッション", "セッションid", "スレッド", "スレッドid", "チケット"),
)
ID = ("id", *CONVERSATION)
FACTS = ("conditions", "facts", "known", "条件", "事実")
META = ("meta", "metadata")

# What a log with an utterance a line has to tell, and the names to write it under: some of all.
WANTED: Mapping[str, tuple[str, ...]] = {
    "to which conversation a line belongs": CONVERSATION,
    "who speaks": SPEAKER,
    "what is said": TEXT,
}
SHOWN: Mapping[str, tuple[str, ...]] = {
    "to which conversation a line belongs": ("conversation", "session_id", "会話ID"),
    "who speaks": ("speaker", "role", "話者"),
    "what is said": ("text", "message", "発言"),
}

_CUSTOMERS = word_set("""
    customer user usr human client guest visitor caller buyer consumer enduser requester
    顧客 利用者 お客様 お客さま お客さん 客 カスタマー ユーザー ユーザ 質問者 相談者 依頼者 購入者
""")
_OTHERS = word_set("""
    operator agent assistant bot chatbot ai model gpt staff support advisor adviser representative
    rep csr employee clerk seller service admin オペレーター オペレータ 担当者 担当 スタッフ ボット
    チャットボット アシスタント 回答者 店員 窓口 店舗 サポート 管理者
""")
_SILENT = word_set("system developer tool function システム")
_NUMBER = re.compile(r"[\s_#:.-]*\d*$")


def plain_name(name: str) -> str:
    """A key's or a role's name without differences of case, width, and marks between words."""
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", name).casefold())


def value_of(data: Mapping[str, Any], names: Iterable[str]) -> Any:
    """What stands under the first of these names that is there; None where none is."""
    keys = {plain_name(key): key for key in reversed(list(data))}
    return next((data[keys[name]] for name in names if name in keys), None)


def is_silent(speaker: str) -> bool:
    """Whether this is no party to the talk: a prompt, a tool."""
    return plain_name(speaker) in _SILENT


def is_customer(speaker: str) -> bool | None:
    """Whether the name says that this is the customer (`customer_12`); None if it says nothing."""
    name = plain_name(_NUMBER.sub("", speaker))
    if name in _CUSTOMERS:
        return True
    return False if name in _OTHERS else None
