"""A stand-in of Arize Phoenix: its REST API for datasets and experiments, as far as it is used.

The models are the bodies of Phoenix's published schema (schemas/openapi.json, version 19): a field
that is not in it, or that is missing, is answered with 422. What is unique there is so here: the
name of a dataset, the id of an example, a run by example and repetition, an evaluation by its name.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from aiohttp import web
from pydantic import AwareDatetime, BaseModel, Field, ValidationError, model_validator

from tests.loopback.bot import BotServer, Heard, serving

Json = dict[str, Any]


class Upload(BaseModel, extra="forbid", strict=True):
    action: Literal["create", "append", "update"]
    name: str
    inputs: list[Json]
    outputs: list[Json]
    metadata: list[Json]
    example_ids: list[str]
    description: str = ""

    @model_validator(mode="after")
    def lists_are_of_one_length(self) -> "Upload":
        sizes = {len(self.inputs), len(self.outputs), len(self.metadata), len(self.example_ids)}
        assert len(sizes) == 1
        assert len(set(self.example_ids)) == len(self.example_ids)
        return self


class CreateExperiment(BaseModel, extra="forbid"):
    name: str | None = None
    description: str | None = None
    metadata: Json | None = None
    version_id: str | None = None
    splits: list[str] | None = None
    repetitions: int = Field(1, gt=0)


class CreateRun(BaseModel, extra="forbid"):
    dataset_example_id: str
    output: Any
    repetition_number: int = Field(gt=0)
    start_time: AwareDatetime
    end_time: AwareDatetime
    trace_id: str | None = None
    error: str | None = None


class Result(BaseModel, extra="forbid"):
    label: str | None = None
    score: float | None = None
    explanation: str | None = None


class Evaluation(BaseModel, extra="forbid"):
    experiment_run_id: str
    name: str
    annotator_kind: Literal["LLM", "CODE", "HUMAN"]
    start_time: AwareDatetime
    end_time: AwareDatetime
    result: Result | None = None
    error: str | None = None
    metadata: Json | None = None
    trace_id: str | None = None

    @model_validator(mode="after")
    def has_a_result_or_an_error(self) -> "Evaluation":
        assert self.result is not None or self.error is not None
        return self


class PhoenixServer:
    """One dataset after the other, with versions, experiments, runs and evaluations."""

    def __init__(self) -> None:
        self.datasets: dict[str, list[Json]] = {}  # by name; each version: example id -> content
        self.experiments: list[Json] = []
        self.runs: dict[tuple[str, str, int], Json] = {}
        self.evaluations: dict[tuple[str, str], Json] = {}
        self.changes = 0
        self.fails_after: int | None = None  # runs
        self.keys: set[str | None] = set()

    def act(self, heard: Heard) -> web.StreamResponse:
        self.keys.add(heard.headers.get("Authorization"))
        try:
            return web.json_response(self._answer(heard))
        except ValidationError as error:
            return web.Response(status=422, text=str(error))
        except web.HTTPException as error:
            return web.Response(status=error.status, text=error.text)

    def _answer(self, heard: Heard) -> Json:
        path = heard.path.removeprefix("/v1/").split("/")
        if heard.method == "POST":
            return {"data": self._written(path, heard)}
        assert not heard.body
        match path:
            case ["datasets"]:
                names = [n for n in self.datasets if n == heard.query["name"]]
                return self._page([{"id": self._id(n), "name": n} for n in names], heard)
            case ["datasets", dataset, "examples"]:
                return {"data": {"examples": self._examples(dataset, heard.query["version_id"])}}
            case ["datasets", dataset, "experiments"]:
                mine = [e for e in self.experiments if e["dataset_id"] == dataset]
                return self._page(mine[::-1], heard)
            case ["experiments", experiment, "runs"]:
                mine = [r for (e, _, _), r in self.runs.items() if e == experiment]
                return self._page(mine, heard)
        raise web.HTTPNotFound

    def _written(self, path: list[str], heard: Heard) -> Json:
        match path:
            case ["datasets", "upload"]:
                assert heard.query["sync"] == "true"
                return self._upload(Upload.model_validate(heard.json))
            case ["datasets", dataset, "experiments"]:
                return self._experiment(dataset, CreateExperiment.model_validate(heard.json))
            case ["experiments", experiment, "runs"]:
                return self._run(experiment, CreateRun.model_validate(heard.json))
            case ["experiment_evaluations"]:
                return self._evaluation(Evaluation.model_validate(heard.json))
        raise web.HTTPNotFound

    def _page(self, rows: list[Json], heard: Heard) -> Json:
        """Two rows, and where the next begin."""
        assert int(heard.query["limit"]) > 0
        at = int(heard.query.get("cursor", 0))
        return {"data": rows[at : at + 2], "next_cursor": str(at + 2) if rows[at + 2 :] else None}

    def _id(self, name: str) -> str:
        return f"RGF0YXNldDo{list(self.datasets).index(name)}="

    def _upload(self, body: Upload) -> Json:
        assert body.action == "update"
        rows = zip(body.inputs, body.outputs, body.metadata, strict=True)
        content = dict(zip(body.example_ids, rows, strict=True))
        versions = self.datasets.setdefault(body.name, [])
        if not versions or versions[-1] != content:
            versions.append(content)
            self.changes += 1
        return {"dataset_id": self._id(body.name), "version_id": f"V{len(versions)}"}

    def _examples(self, dataset: str, version: str) -> list[Json]:
        (versions,) = [v for name, v in self.datasets.items() if self._id(name) == dataset]
        return [{"id": e, "node_id": f"E:{e}"} for e in versions[int(version[1:]) - 1]]

    def _experiment(self, dataset: str, body: CreateExperiment) -> Json:
        made = {
            "id": f"RXhwZXJpbWVudDo{len(self.experiments)}=",
            "dataset_id": dataset,
            "dataset_version_id": body.version_id,
            **body.model_dump(),
        }
        self.experiments.append(made)
        self.changes += 1
        return made

    def _run(self, experiment: str, body: CreateRun) -> Json:
        if self.fails_after is not None and len(self.runs) >= self.fails_after:
            raise web.HTTPForbidden(text="locked")
        place = experiment, body.dataset_example_id, body.repetition_number
        if place in self.runs and self.runs[place]["error"] is None:
            raise web.HTTPConflict(text="Experiment run already exists")
        made = {"id": f"R{len(self.runs)}", **body.model_dump(mode="json")}
        self.runs[place] = made
        self.changes += 1
        return {"id": made["id"]}

    def _evaluation(self, body: Evaluation) -> Json:
        if body.experiment_run_id not in {run["id"] for run in self.runs.values()}:
            raise web.HTTPNotFound
        place, made = (body.experiment_run_id, body.name), body.model_dump(mode="json")
        if json.dumps(self.evaluations.get(place)) != json.dumps(made):
            self.evaluations[place] = made
            self.changes += 1
        return {"id": f"A{body.name}"}


@contextmanager
def phoenix() -> Iterator[tuple[PhoenixServer, BotServer]]:
    """A server in a thread of its own."""
    server = PhoenixServer()
    with serving(server.act) as http:
        yield server, http
