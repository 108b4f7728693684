"""Langfuse: a run is an experiment, a conversation an item of it, and each rating a score.

Traces go to its OTLP endpoint (https://langfuse.com/integrations/native/opentelemetry/experiments),
scores to its scores API. A turn whose answer named the bot's own trace is scored there.
"""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Self

from simulator import config
from simulator.core.errors import InputError
from simulator.core.events import Event, ExportContext, TurnPlayed
from simulator.core.plan import Reached
from simulator.core.scenario import Expected, element_name
from simulator.exporters._conversations import Conversation, Conversations, Rating
from simulator.exporters._http import ExportError, Sender, checked_url, reached
from simulator.exporters._otlp import Outbox, Span, Value, as_json

_URL, _HOST = "LANGFUSE_BASE_URL", "LANGFUSE_HOST"
_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
_CLOUD = "https://cloud.langfuse.com"


class Langfuse:
    """Sends an experiment with scores to Langfuse, as the variables LANGFUSE_… say."""

    def __init__(self, url: str, sender: Sender, context: ExportContext) -> None:
        """`url`: that of Langfuse; `sender` has the keys."""
        self._outbox = Outbox(sender, f"{url}/api/public/otel/v1/traces", "mogi")
        self._url, self._sender, self._context = f"{url}/api/public/scores", sender, context
        self._conversations = Conversations()
        self._scores: list[dict[str, Any]] = []

    @classmethod
    def reaches(cls) -> Iterator[Reached]:
        """Its host, and the variables that it is sent."""
        return reached("langfuse", config.setting(_URL, _HOST) or _CLOUD, *_KEYS)

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run.

        Raises:
            InputError: a key is missing, or the URL is none.
        """
        name = _URL if config.setting(_URL) else _HOST
        url = checked_url(name, config.setting(_URL, _HOST) or _CLOUD)
        keys = [config.secret(key) for key in _KEYS]
        headers = {"x-langfuse-ingestion-version": "4"}
        public, secret = keys
        if public and secret:
            basic = b64encode(f"{public}:{secret}".encode()).decode()
            headers["Authorization"] = f"Basic {basic}"
        elif not config.is_untrusted():
            unset = " and ".join(k for k, value in zip(_KEYS, keys, strict=True) if not value)
            raise InputError(f"set {unset}; Langfuse shows the keys under Settings, API Keys")
        return cls(url, Sender(url, headers, filter(None, keys)), context)

    def __call__(self, event: Event) -> None:
        """Send a conversation that is complete, some together."""
        if whole := self._conversations.take(event):
            self._scores += self._scores_of(whole)
            try:
                self._outbox.put(self._spans(whole))
            except ExportError:
                self._scores.clear()
                raise
            if not self._outbox.waiting:
                self._send_scores()

    def close(self) -> None:
        """Send what is left."""
        try:
            self._outbox.send()
            self._send_scores()
        finally:
            self._sender.close()

    def _send_scores(self) -> None:
        scores, self._scores = self._scores, []
        if scores:
            self._sender.post(self._url, *scores)

    def _spans(self, whole: Conversation) -> Iterator[Span]:
        trace, root = whole.id(32), whole.id(16)
        of_item = self._of_item(whole)
        for turn, (start, end) in zip(whole.turns, whole.times, strict=True):
            yield Span(
                trace=trace,
                id=whole.id(16, turn.turn),
                parent=root,
                name=f"turn {turn.turn}",
                start=start,
                end=end,
                attributes=of_item | _of_turn(turn),
                error=turn.error,
            )
        yield Span(
            trace=trace,
            id=root,
            name=whole.episode,
            start=whole.start,
            end=whole.end,
            attributes=of_item | _of_root(whole),
        )

    def _of_item(self, whole: Conversation) -> dict[str, Value]:
        """What each span of an item's trace bears."""
        run, client = whole.planned.run, self._context.client
        return {
            "session.id": whole.name,
            "langfuse.trace.name": whole.episode,
            "langfuse.trace.tags": whole.tags,
            "langfuse.experiment.id": run,
            "langfuse.experiment.name": f"{client} {run}",
            "langfuse.experiment.dataset.id": client,
            "langfuse.experiment.item.id": f"{client}/{whole.episode}",
            "langfuse.experiment.item.root_observation_id": whole.id(16),
            "langfuse.experiment.item.metadata.persona": whole.persona,
        }

    def _scores_of(self, whole: Conversation) -> Iterator[dict[str, Any]]:
        own = {turn.turn: turn.trace for turn in whole.turns}
        for rating in whole.ratings(self._context.language):
            if rating.error or not (rating.label or rating.value is not None):
                continue
            score = _score(whole, rating)
            if rating.turn and own.get(rating.turn):
                yield {**score, "traceId": own[rating.turn]}
            else:
                span = whole.id(16, rating.turn) if rating.turn else whole.id(16)
                yield {**score, "traceId": whole.id(32), "observationId": span}


def _of_turn(turn: TurnPlayed) -> dict[str, Value]:
    documents = [{"id": d.id, "title": d.title, "text": d.text} for d in turn.documents]
    return {
        "langfuse.observation.type": "agent",
        "langfuse.observation.input": turn.user,
        "langfuse.observation.output": turn.assistant,
        "langfuse.observation.level": "ERROR" if turn.fault else None,
        "langfuse.observation.status_message": turn.error,
        "langfuse.observation.metadata.documents": as_json(documents) if documents else None,
        "langfuse.observation.metadata.bot_trace": turn.trace,
    }


def _of_root(whole: Conversation) -> dict[str, Value]:
    turns, started = whole.turns, whole.started
    expected = started.expected if started else Expected()
    return {
        "langfuse.observation.input": turns[0].user if turns else None,
        "langfuse.observation.output": turns[-1].assistant if turns else None,
        "langfuse.experiment.item.expected_output": _right(expected),
        "langfuse.observation.metadata.stop": whole.ended.stop.value if whole.ended else None,
    }


def _right(expected: Expected) -> str:
    """What a right answer is, in the scenario's words: the answer, or else what it has to say."""
    return expected.answer or "\n".join(map(element_name, expected.elements))


def _score(whole: Conversation, rating: Rating) -> dict[str, Any]:
    """A score without the place to which it belongs."""
    is_word = rating.name in ("result", "verdict")
    return {
        "id": whole.id(32, rating.turn, rating.name, rating.person),
        "name": rating.name,
        "value": rating.label if is_word else rating.value,
        "dataType": "CATEGORICAL" if is_word else "NUMERIC",
        **({"comment": rating.explanation} if rating.explanation else {}),
    }
