"""A FAQ bot to try mogi on: real retrieval over the client's knowledge, and honest weaknesses."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Self

from pydantic import BaseModel, Field

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, Knowledge, Message, Role
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._context import TargetContext
from simulator.text.bm25 import Bm25, Hit
from simulator.text.tokens import content_tokens

# A question with fewer words than this that the knowledge base knows is searched for together with
# the user's turn before it, as in "And for a year?"
_FEW_WORDS = 3


class Demo:
    """A small sample FAQ bot over the client's `knowledge`, with realistic failures.

    It returns the documents that it finds with every answer, even if it declines or finds none.
    Without a model, the answer is the best passage, word for word. If the passage's relevance
    (`Bm25.search`) is below `floor`, the bot says that it doesn't know. With a model, the model
    writes the answer from the documents and decides whether they contain one.
    """

    LOCAL: ClassVar[bool] = True
    PROMPTS: ClassVar[tuple[str, ...]] = ("demo_answer",)

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: demo`."""

        top_k: int = Field(3, ge=1, le=50, description="documents retrieved for a turn")
        floor: float = Field(0.36, ge=0, le=1, description="relevance below which the bot declines")
        service: str = Field(
            "", description="the company it speaks for; default: the folder's name"
        )

    def __init__(self, knowledge: Knowledge, settings: Settings, context: TargetContext) -> None:
        """Make the bot; the index is built with its first answer."""
        self._knowledge = knowledge
        self._settings = settings
        self._language = context.language
        self._chat = context.chat
        self._prompt = context.prompts("demo_answer")
        self._service = settings.service or context.folder.name

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """The bot over the client's knowledge.

        Raises:
            InputError: the client has none.
        """
        if context.knowledge is None or not len(context.knowledge):
            raise InputError(
                "target.kind is demo, but there is no knowledge to answer from; "
                "write `knowledge: knowledge/faq.csv` in client.yaml"
            )
        return cls(context.knowledge, settings, context)

    @classmethod
    def model(cls, settings: Settings, speaks: ModelSpec | None) -> ModelSpec | None:
        """The model that plays the users words the answers, too; it does not vary them."""
        return replace(speaks, temperature=0.0, max_tokens=None) if speaks else None

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Answer from the passages that the question's words find.

        Raises:
            TargetError: the model that words the answers refused, or gave none.
            ModelError: it could not be asked.
            RunStopped: the run was halted.
        """
        hits = self._retrieved(question, talk)
        documents = tuple(hit.document for hit in hits)
        if self._chat is None:
            return Reply(self._quoted(hits), documents, reports_documents=True)
        # The part keeps this call apart from the answer itself, which the guard records.
        call = CallId(talk.episode, talk.next_turn, Role.TARGET, "wording", talk.take)
        completion = await self._chat.complete(call, self._messages(question, talk, documents))
        if completion.fault is not None:
            raise TargetError(
                TargetFault.RAISED, f"the model that words the answers: {completion.fault}"
            )
        return Reply(completion.text, documents, reports_documents=True)

    def _retrieved(self, question: str, talk: Talk) -> list[Hit]:
        words = content_tokens(question, self._language)
        if len(talk) and len({word for word in words if self._index.knows(word)}) < _FEW_WORDS:
            words += content_tokens(talk.last.user, self._language)
        return self._index.search(words, self._settings.top_k)

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)

    def _quoted(self, hits: Sequence[Hit]) -> str:
        if not hits or hits[0].relevance < self._settings.floor:
            return self._prompt.render("unknown")
        best = hits[0].document
        if not best.title:
            return best.text
        return self._prompt.render("found", title=best.title, content=best.text)

    def _messages(
        self, question: str, talk: Talk, documents: Sequence[Document]
    ) -> tuple[Message, ...]:
        none = self._prompt.render("none")
        turns = (f"Q: {user}\nA: {assistant}" for user, assistant in talk.history)
        user = self._prompt.render(
            "user",
            documents="\n\n".join(f"[{d.id}] {d.title}\n{d.text}" for d in documents) or none,
            history="\n".join(turns) or none,
            question=question,
        )
        system = self._prompt.render("system", service=self._service)
        return Message("system", system), Message("user", user)
