"""What a bot behind a wire is told of a talk, and its reply without the secrets it repeats."""

import re
import secrets
from dataclasses import replace
from typing import Any

from simulator.core.talk import Document, Reply, Talk
from simulator.targets._secrets import Secrets


def name_of(episode: str) -> str:
    """A name that no other talk has had, of this run or another: bots remember names."""
    readable = re.sub("[^A-Za-z0-9]+", "-", episode).strip("-")[:48].rstrip("-")
    return "-".join(filter(None, (readable, secrets.token_hex(6))))


def values_of(question: str, talk: Talk, name: str) -> dict[str, Any]:
    """What the placeholders of a request stand for; `name` is the talk's, for the bot."""
    said = [
        {"role": role, "content": text}
        for pair in talk.history
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return {
        "question": question,
        "history": [{"user": user, "assistant": assistant} for user, assistant in talk.history],
        "messages": [*said, {"role": "user", "content": question}],
        "episode": name,
        "turn": talk.next_turn,
    }


def without_secrets(reply: Reply, known: Secrets) -> Reply:
    """The reply with every secret that it repeats replaced by its `${NAME}`."""
    if not known.values:
        return reply
    hidden = known.hidden_in_answer
    documents = tuple(
        Document(hidden(d.text), None if d.id is None else hidden(d.id), hidden(d.title))
        for d in reply.documents
    )
    notes = tuple(map(known.hidden, reply.notes))
    return replace(reply, text=hidden(reply.text), documents=documents, notes=notes)
