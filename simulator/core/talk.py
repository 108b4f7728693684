"""One conversation: what was said, by whom, with which documents, and why it ended."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from simulator.core.errors import TargetFault

Id = str | int | float
"""What a bot names a talk by."""


@dataclass(frozen=True, slots=True)
class Document:
    """A passage that the target says it used. `id` is None where the target gives none."""

    text: str
    id: str | None = None
    title: str = ""


def entry_names(entries: Iterable[Document]) -> dict[str, str]:
    """What entries may be called, with their ids: these, and the name of a file with one passage.

    `fees.md` and `fees` are then `fees.md#fees`.
    """
    ids = [str(entry.id) for entry in entries]
    files = Counter(id_.partition("#")[0] for id_ in ids)
    names = {id_: id_ for id_ in ids}
    for id_ in ids:
        file = id_.partition("#")[0]
        if files[file] == 1 and file.lower().endswith((".md", ".txt")):
            names.setdefault(file, id_)
            names.setdefault(file.rpartition(".")[0], id_)
    return names


def document_hashes(documents: Sequence[Document | None]) -> tuple[str, str]:
    """Of their ids and texts, then of titles as well; None is a document that is not there.

    By the second, verdicts were found until a title was only how a document is found.
    """
    texts = [document and [document.id, document.text] for document in documents]
    titled = [document and [document.id, document.title, document.text] for document in documents]
    return _hash(texts), _hash(titled)


def _hash(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Reply:
    """The target's answer, already sanitized.

    `reports_documents`: the target reports the documents that it retrieved, so an empty list means
    that it searched and found nothing. Always True if there are documents. `notes`: remarks on how
    the answer was read, such as a path that matches nothing; `mogi targets try` shows them.

    `ids`: the bot's IDs of the conversation after this turn, by the names under which they are sent
    back; stored, so that a resumed conversation continues with them. `unsent`: the path in the
    reply of an ID that the settings never send back; empty if there is none.

    `trace`: the ID of the bot's trace of this turn, if the answer contains one. `at`: when the
    answer arrived, in seconds since 1970; 0 if unknown.
    """

    text: str
    documents: tuple[Document, ...] = ()
    latency_ms: float = 0.0
    reports_documents: bool = False
    notes: tuple[str, ...] = ()
    ids: Mapping[str, Id] = field(default_factory=dict)
    unsent: str = ""
    trace: str = ""
    at: float = 0.0

    def __post_init__(self) -> None:
        if self.documents:
            object.__setattr__(self, "reports_documents", True)


@dataclass(frozen=True, slots=True)
class TargetFailure:
    """What the target did instead of answering. `at`: as `Reply` has it."""

    fault: TargetFault
    message: str
    latency_ms: float = 0.0
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: a user's utterance and the target's reply, or its failure.

    `turn` counts from 1; latencies are milliseconds. `thought` is the simulated user's own.
    """

    turn: int
    user: str
    reply: Reply | TargetFailure
    thought: str = ""
    user_ms: float = 0.0

    @property
    def target_ms(self) -> float:
        """How long the target took, in milliseconds."""
        return self.reply.latency_ms

    @property
    def assistant(self) -> str:
        """The reply's text; empty where the target failed."""
        return self.reply.text if isinstance(self.reply, Reply) else ""

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that came with the reply."""
        return self.reply.documents if isinstance(self.reply, Reply) else ()


class StopReason(StrEnum):
    """Why a conversation ended."""

    DONE = "done"
    GAVE_UP = "gave_up"
    ESCALATED = "escalated"
    MAX_TURNS = "max_turns"
    TARGET_FAILED = "target_failed"
    USER_FAILED = "user_failed"
    USER_INVALID = "user_invalid"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Stop:
    """The typed end of a conversation; `detail` is a sentence for people.

    `unasked`: the questions of its goal that a user of rules never came to ask.
    """

    reason: StopReason
    detail: str = ""
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the simulated user says next: a message, a stop, or a message and then a stop."""

    text: str = ""
    stop: Stop | None = None
    thought: str = ""
    latency_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation so far; a new value for each exchange. `episode` is the episode's key.

    `take`: 0, or 1 where it is held again because its user was not sound.
    """

    episode: str = ""
    exchanges: tuple[Exchange, ...] = ()
    take: int = 0

    def __len__(self) -> int:
        return len(self.exchanges)

    def with_exchange(self, said: Utterance, reply: Reply | TargetFailure) -> "Talk":
        """This talk and one exchange more."""
        exchange = Exchange(self.next_turn, said.text, reply, said.thought, said.latency_ms)
        return self.and_then(exchange)

    def and_then(self, exchange: Exchange) -> "Talk":
        """This talk and this exchange."""
        return Talk(self.episode, (*self.exchanges, exchange), self.take)

    @property
    def failure(self) -> Stop | None:
        """The stop that a failed target makes of this talk, if its latest turn failed."""
        last = self.exchanges[-1].reply if self.exchanges else None
        if isinstance(last, TargetFailure):
            return Stop(StopReason.TARGET_FAILED, f"{last.fault}: {last.message}")
        return None

    @property
    def name(self) -> str:
        """What tells it from all talks of its run, its own earlier take among them."""
        return f"{self.episode}/again" if self.take else self.episode

    @property
    def next_turn(self) -> int:
        """The number of the turn that comes next, from 1."""
        return len(self.exchanges) + 1

    @property
    def last(self) -> Exchange:
        """The latest exchange.

        Raises:
            IndexError: nothing was said yet.
        """
        return self.exchanges[-1]

    @property
    def ids(self) -> Mapping[str, Id]:
        """What the bot knows this talk by, as the latest reply says; see `Reply.ids`."""
        last = self.exchanges[-1].reply if self.exchanges else None
        return last.ids if isinstance(last, Reply) else {}

    @property
    def reports_documents(self) -> bool:
        """Whether the target has said in any turn so far which documents it retrieved."""
        replies = (exchange.reply for exchange in self.exchanges)
        return any(isinstance(reply, Reply) and reply.reports_documents for reply in replies)

    @property
    def names_documents(self) -> bool:
        """Whether a document with an id has come in any turn so far."""
        return any(document.id is not None for e in self.exchanges for document in e.documents)

    @property
    def size(self) -> int:
        """The characters of the bot's answers and of their documents."""
        replies = [e.reply for e in self.exchanges if isinstance(e.reply, Reply)]
        return sum(len(r.text) + sum([len(d.text) for d in r.documents]) for r in replies)

    @property
    def history(self) -> list[tuple[str, str]]:
        """(user, assistant) pairs, oldest first, of the turns that the target answered."""
        return [(e.user, e.assistant) for e in self.exchanges if isinstance(e.reply, Reply)]
