"""The bot alone, asked a question or a few in one talk, without a run: nothing is stored."""

from collections.abc import Iterator, Sequence

from simulator.build.cast import Surroundings, make_target
from simulator.core.concurrency import Halt
from simulator.core.plan import Plan
from simulator.core.ports import CallId, CallRecord, Unobserved
from simulator.core.talk import Exchange, Talk, TargetFailure, Utterance
from simulator.files.client.folder import LoadedClient
from simulator.llm.accounts import Accounts

_EPISODE = "try"


class _Nowhere(Unobserved):
    """A journal that keeps nothing, and an observer that looks away."""

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        return None

    async def record(self, record: CallRecord) -> None: ...


async def try_target(
    plan: Plan, loaded: LoadedClient, questions: Sequence[str], halt: Halt
) -> tuple[Exchange, ...]:
    """What the plan's bot answers to these questions, turn by turn; the first failure ends it.

    Caps, deadline and sanitising are those of a run.

    Raises:
        InputError: the bot cannot be opened, or a key is missing.
        RunStopped: interrupted, or the account of a bot of ours was refused.
        ModelError: (UNAVAILABLE) the model behind a bot of ours is out of reach.
    """
    nowhere = _Nowhere()
    async with Accounts(
        client=plan.client, journal=nowhere, halt=halt, observer=nowhere
    ) as accounts:
        around = Surroundings(
            loaded=loaded,
            accounts=accounts,
            journal=nowhere,
            halt=halt,
            observer=nowhere,
            secret="",
        )
        target = make_target(plan, around)
        talk = Talk(_EPISODE)
        try:
            for question in questions:
                reply = await target.answer(question, talk)
                talk = talk.with_exchange(Utterance(question), reply)
                if isinstance(reply, TargetFailure):
                    break
            await target.leave(_EPISODE)
        finally:
            await target.close()
    return talk.exchanges


def exchanges_json(exchanges: Sequence[Exchange]) -> Iterator[dict[str, object]]:
    """The same as JSON values."""
    for exchange in exchanges:
        reply = exchange.reply
        common = {"question": exchange.user, "latency_ms": round(reply.latency_ms, 1)}
        if isinstance(reply, TargetFailure):
            yield common | {"failure": {"fault": reply.fault.value, "message": reply.message}}
            continue
        documents = [{"id": d.id, "title": d.title, "text": d.text} for d in reply.documents]
        yield common | {
            "answer": reply.text,
            "documents": documents,
            "reports_documents": reply.reports_documents,
            "notes": list(reply.notes),
        }
