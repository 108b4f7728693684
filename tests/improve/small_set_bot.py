# mypy: ignore-errors
"""A shop's bot: the entry that shares most with the question, worded in sentences of its own."""

import csv
import re
import unicodedata
from pathlib import Path

HERE = Path(__file__).parent
LANGUAGE = "ja"
JA = LANGUAGE == "ja"
REFUSES = (
    r"答えない|答えません|お答えせず|断る|案内しない"
    if JA
    else r"\b(?:do not|don't|never|refuse|decline)\b"
)
EXCEPT = r"ただし|を除き|は例外" if JA else r"\bexcept(?:ion)?\b|\bbut\b|\bhowever\b"
RUNS = r"[一-龠々]{2,}|[一-龠]い[一-龠]り|[ァ-ヶー]{2,}" if JA else r"[a-z]{4,}"
SMALL = (
    {"質問", "答", "案内", "店頭", "電話", "次", "例外", "場合", "相談", "お客様", "作品"}
    if JA
    else {
        "this",
        "that",
        "with",
        "what",
        "when",
        "does",
        "have",
        "your",
        "from",
        "about",
        "into",
        "them",
        "they",
        "answer",
        "answers",
        "answered",
        "never",
        "refuse",
        "decline",
        "questions",
        "question",
        "such",
        "customers",
        "customer",
        "staff",
        "call",
        "handle",
        "anything",
        "except",
        "exception",
        "however",
        "asked",
        "instead",
        "please",
        "phone",
        "tell",
        "talk",
        "there",
        "these",
        "those",
        "discuss",
    }
)
FOUND = ("お問い合わせありがとうございます。{}", "Thanks for asking. {}")[not JA]
UNKNOWN = (
    "申し訳ございません。その件は分かりかねます。",
    "Sorry, I do not have any information on that.",
)[not JA]
REFUSED = (
    "申し訳ございませんが、その件はこちらではお答えできません。店頭スタッフ（045-111-2222）までお電話ください。",
    "I am sorry, I cannot answer that here. Please call our staff on 020 7946 0111.",
)[not JA]


def pieces(text):
    text = unicodedata.normalize("NFKC", text).lower()
    if JA:
        runs = re.findall(r"[一-龠々ァ-ヶーa-z0-9]+", text)
        return {run[i : i + 2] for run in runs for i in range(max(1, len(run) - 1))}
    return {
        word[:5]
        for word in re.findall(r"[a-z]{3,}", text)
        if word not in SMALL and word not in STOP
    }


STOP = {
    "the",
    "and",
    "for",
    "you",
    "can",
    "are",
    "how",
    "much",
    "any",
    "our",
    "not",
    "all",
    "get",
    "who",
    "why",
    "its",
    "it's",
    "has",
    "had",
    "was",
    "were",
    "will",
    "would",
    "could",
    "should",
}


def topics(text):
    return {run for run in re.findall(RUNS, text.lower()) if run not in SMALL}


def hits(question, part):
    return any(topic in question for topic in topics(part))


def refused(question):
    question = question.lower()
    for line in (HERE / "guidelines.md").read_text("utf-8").splitlines():
        if not re.search(REFUSES, line, re.IGNORECASE):
            continue
        head, *rest = re.split(EXCEPT, line, maxsplit=1, flags=re.IGNORECASE)
        if hits(question, re.split(r"、次のように|say instead", head)[0]) and not (
            rest and hits(question, rest[0])
        ):
            return True
    return False


def answer(question, history):
    with (HERE / "faq.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    asked = pieces(question)

    def score(row):
        title, whole = pieces(row["title"]), pieces(row["title"] + " " + row["content"])
        return (2 * len(asked & title) + len(asked & whole)) / (8 + len(whole) ** 0.5)

    ranked = sorted(rows, key=score, reverse=True)[:3]
    documents = [{"id": r["id"], "title": r["title"], "text": r["content"]} for r in ranked]
    if refused(question):
        return REFUSED, documents
    if score(ranked[0]) < 0.2:
        return UNKNOWN, documents
    content = ranked[0]["content"]
    return FOUND.format(content), documents
