"""Arize Phoenix: a client is a dataset, a run an experiment, a conversation a run of it.

By Phoenix's REST API (schemas/openapi.json of Arize-ai/phoenix), version 15 or later: there an
example keeps its id, and uploading the same examples makes no new version. A scenario and a persona
are an example, a repeat is a repetition; what was rated are evaluations, replaced by name.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Any, Self
from urllib.parse import quote, urlencode

from simulator import config
from simulator.core.clean import cut
from simulator.core.errors import InputError
from simulator.core.events import Event, ExportContext, RunEnded
from simulator.core.plan import Reached
from simulator.core.run import NOBODY
from simulator.exporters._conversations import Conversation, Conversations, Rating
from simulator.exporters._http import ExportError, Sender, checked_url, reached

_ADDRESSES = ("PHOENIX_ENDPOINT", "PHOENIX_COLLECTOR_ENDPOINT", "PHOENIX_BASE_URL")
_KEY = "PHOENIX_API_KEY"
_TRACES = "/v1/traces"  # an address for spans names this path
_PAGE = 100
_EXPLANATION = 2_000  # characters

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Experiment:
    """What Phoenix calls this run, and the dataset with the version that it is about."""

    id: str
    dataset: str
    version: str


class Phoenix:
    """Sends a finished run as an experiment; sent again, only what is missing is added."""

    def __init__(self, url: str, key: str | None, context: ExportContext) -> None:
        self._url = f"{url}/v1"
        self._sender = Sender(url, {"Authorization": f"Bearer {key}"} if key else {})
        self._context = context
        self._conversations = Conversations()
        self._whole: list[Conversation] = []

    @classmethod
    def reaches(cls) -> Iterator[Reached]:
        """Its host, and the variables that it is sent."""
        return reached("phoenix", config.setting(*_ADDRESSES) or "", _KEY)

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run.

        Raises:
            InputError: no address of Phoenix is set, or it is no URL.
        """
        for name in _ADDRESSES:
            if url := config.setting(name):
                address = checked_url(name, url).removesuffix(_TRACES)
                return cls(address, config.secret(_KEY), context)
        raise InputError(
            "phoenix: set PHOENIX_COLLECTOR_ENDPOINT to its address, such as http://localhost:6006"
        )

    def __call__(self, event: Event) -> None:
        """Keep what was played; send it once the run is finished.

        Raises:
            ExportError: the run is not finished, not all of it was played here, or Phoenix did not
                take it.
        """
        if whole := self._conversations.take(event):
            self._whole.append(whole)
        if not isinstance(event, RunEnded):
            return
        if event.status != "finished" or event.unfinished:
            state = f"run {event.run} is {event.status}; finish it"
            raise ExportError(f"phoenix only accepts finished runs, but {state}")
        if len(self._whole) < event.conversations:
            raise ExportError("an experiment needs the whole run, but only part of it ran here")
        if self._whole:
            self._send(event)

    def close(self) -> None:
        """Close every connection."""
        self._sender.close()

    def _send(self, event: RunEnded) -> None:
        examples = {_example_id(each): _example(each) for each in self._whole}
        experiment = self._experiment(event.run) or self._made(event, examples)
        version = urlencode({"version_id": experiment.version})
        answer = self._get(f"datasets/{quote(experiment.dataset)}/examples?{version}")
        nodes = {each["id"]: each["node_id"] for each in answer["data"]["examples"]}
        runs = {
            (nodes[_example_id(each)], _repeat(each)): each
            for each in self._whole
            if _example_id(each) in nodes
        }
        ids = self._run_ids(experiment, runs)
        evaluations = [
            body for place, each in runs.items() for body in self._evaluations(each, ids[place])
        ]
        self._sender.post(f"{self._url}/experiment_evaluations", *evaluations)

    def _experiment(self, run: str) -> _Experiment | None:
        """The experiment that an earlier export made of this run, if there is one."""
        name = urlencode({"name": self._dataset})
        for dataset in self._pages(f"datasets?{name}"):
            for each in self._pages(f"datasets/{quote(dataset['id'])}/experiments?"):
                if each["metadata"].get("mogi_run") == run:
                    return _Experiment(each["id"], dataset["id"], each["dataset_version_id"])
        return None

    def _made(self, event: RunEnded, examples: Mapping[str, Json]) -> _Experiment:
        """A new experiment, on the version of the dataset that holds just these examples."""
        upload = {
            "action": "update",
            "name": self._dataset,
            "description": f"Scenarios of {self._context.client}, written by mogi",
            **{key: [e[key] for e in examples.values()] for key in ("inputs", "outputs")},
            "metadata": [e["metadata"] for e in examples.values()],
            "example_ids": list(examples),
        }
        dataset = self._post("datasets/upload?sync=true", upload)
        body = {
            "name": f"mogi {event.run}",
            "description": f"mogi run {event.run} of {self._context.client}",
            "metadata": {"mogi_run": event.run, **_figures(event)},
            "version_id": dataset["version_id"],
            "repetitions": max(map(_repeat, self._whole)),
        }
        made = self._post(f"datasets/{quote(dataset['dataset_id'])}/experiments", body)
        return _Experiment(made["id"], dataset["dataset_id"], dataset["version_id"])

    def _run_ids(
        self, experiment: _Experiment, runs: Mapping[tuple[str, int], Conversation]
    ) -> dict[tuple[str, int], str]:
        """What Phoenix calls each conversation; those that it lacks are sent."""
        path = f"experiments/{quote(experiment.id)}/runs"
        ids = {
            (each["dataset_example_id"], each["repetition_number"]): each["id"]
            for each in self._pages(f"{path}?")
        }
        missing = [place for place in runs if place not in ids]
        bodies = [
            {"dataset_example_id": node, "repetition_number": repeat, **_run(runs[node, repeat])}
            for node, repeat in missing
        ]
        answers = self._sender.post(f"{self._url}/{path}", *bodies)
        return ids | {p: a["data"]["id"] for p, a in zip(missing, answers, strict=True)}

    def _evaluations(self, whole: Conversation, run: str) -> Iterator[Json]:
        """One for each name: of several turns or people the mean, with the lowest's explanation."""
        judged = {info.name for info in whole.planned.metrics if "judge" in info.needs}
        by_name = defaultdict[str, list[Rating]](list)
        for rating in whole.ratings(self._context.language):
            by_name[rating.name].append(rating)
        kinds = {**dict.fromkeys(judged, "LLM"), "verdict": "HUMAN"}
        start, end = _span(whole)
        for name, ratings in by_name.items():
            yield {
                "experiment_run_id": run,
                "name": name,
                "annotator_kind": kinds.get(name, "CODE"),
                "start_time": start,
                "end_time": end,
                **_outcome(ratings),
            }

    @property
    def _dataset(self) -> str:
        return f"mogi {self._context.client}"

    def _pages(self, path: str) -> Iterator[Json]:
        cursor: str | None = ""
        while cursor is not None:
            more = {"limit": _PAGE, **({"cursor": cursor} if cursor else {})}
            page = self._get(f"{path}&{urlencode(more)}".replace("?&", "?"))
            yield from page["data"]
            cursor = page["next_cursor"]

    def _get(self, path: str) -> Json:
        return self._object(self._sender.post(f"{self._url}/{path}", None, method="GET")[0])

    def _post(self, path: str, body: Json) -> Json:
        answer = self._object(self._sender.post(f"{self._url}/{path}", body)[0])
        data: Json = answer["data"]
        return data

    def _object(self, answer: Any) -> Json:
        if not isinstance(answer, dict) or "data" not in answer:
            raise ExportError(f"{self._url}: this isn't a response from Phoenix; is it version 15?")
        return answer


def _example_id(whole: Conversation) -> str:
    """Scenario and persona: what the repeats of a conversation have in common."""
    return _key(whole).rpartition("/")[0]


def _repeat(whole: Conversation) -> int:
    return int(_key(whole).rpartition("/")[2])


def _key(whole: Conversation) -> str:
    return whole.ended.episode if whole.ended else ""


def _example(whole: Conversation) -> Json:
    """What is asked, and what a right answer looks like. Older runs tell the question only."""
    started = whole.started
    if started is None:
        query = whole.turns[0].user if whole.turns else ""
        return {"inputs": {"query": query}, "outputs": {}, "metadata": {}}
    persona = {} if started.persona == NOBODY else {"persona": started.persona}
    goal = {"goal": started.goal} if started.goal else {}
    return {
        "inputs": {"query": started.query, **goal, **persona},
        "outputs": {key: value for key, value in started.expected.plain().items() if value},
        "metadata": {"scenario": started.scenario, **persona, "tags": list(started.tags)},
    }


def _run(whole: Conversation) -> Json:
    """What was said."""
    messages = []
    for turn in whole.turns:
        messages.append({"role": "user", "content": turn.user})
        messages.append({"role": "assistant", "content": turn.assistant})
    start, end = _span(whole)
    errors = (turn.error or turn.fault for turn in whole.turns if turn.fault)
    traces = (turn.trace for turn in whole.turns if turn.trace)
    return {
        "output": {"messages": messages},
        "start_time": start,
        "end_time": end,
        "error": next(errors, None),
        "trace_id": next(traces, None),
    }


def _span(whole: Conversation) -> tuple[str, str]:
    """When it began and ended, in ISO 8601."""
    began, ended = (datetime.fromtimestamp(t, UTC) for t in (whole.start, whole.end))
    return began.isoformat(), ended.isoformat()


def _outcome(ratings: list[Rating]) -> Json:
    values = [rating.value for rating in ratings if rating.value is not None]
    rated = [rating for rating in ratings if not rating.error]
    if not rated:
        return {"error": ratings[0].error}
    lowest = min(rated, key=lambda rating: 2 if rating.value is None else rating.value)
    return {
        "result": {
            "score": fmean(values) if values else None,
            "label": lowest.label or None,
            "explanation": cut(lowest.explanation, _EXPLANATION) or None,
        }
    }


def _figures(event: RunEnded) -> Json:
    gate = [line.passed for line in event.gate]
    passed = None if not gate else False if False in gate else None if None in gate else True
    return {
        "results": dict(event.results),
        "score": event.score,
        "flagged": event.flagged,
        "turns": event.turns,
        "gate_passed": passed,
    }
