"""The JSON schemas of runs and turns say what the outputs hold: all of it, and nothing else."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from simulator.console.output import as_json
from simulator.core.claim import State
from simulator.core.outcome import Interval, MetricInfo, Score
from simulator.core.plan import Gate
from simulator.core.run import Run
from simulator.core.scenario import Approval, Expected, KnowledgeCoverage, Scenario
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import CorrectedScore, Separation, VerdictSummary, Word
from simulator.formats.json_contracts import json_schema
from simulator.view.run_json import RunFigures, TurnLine, run_json, turn_json
from tests.execution.scored import GAP, OVERALL, episode, failed, header, rated, run, turn
from tests.expecting import expecting
from tests.reports.printed import mixed
from tests.results.made import MODEL, VIOLATED, readings
from tests.view.judged import judged, judged_header, talks

RATING = Score(0.2, 1, "No.", {"precision": 0.5}, ("5 euros",))
FOUND = (Document("Delivery is free.", "faq-1"), Document("Nobody knows.", None))


def _rag() -> Run:
    """A run with a sum of the RAG ratings, verdicts, an estimate, coverage and every gate."""
    names = ("gpt_relevance", "gpt_fluency")
    infos = tuple(MetricInfo(n, n, 0.2, 1.0, ("judge",), rated=True) for n in names)
    gate = Gate(0.7, pass_rate=0.9, must_pass=("tag",))
    known = KnowledgeCoverage(("faq-1",), 1, 1, 1)
    head = header(
        metrics=(OVERALL, *infos),
        gate=gate,
        coverage=known,
        snapshot={"client.judge.votes": 3},
        waits={"m": {"requests_per_minute": 1.5}},
    )
    outcomes = {"overall": RATING, "gpt_relevance": rated(5), "gpt_fluency": rated(3)}
    talk = episode(turn(outcomes=outcomes))
    generated = Expected(elements=(("a",),), approved=Approval.OPEN)
    talk = replace(talk, scenario=Scenario("parcel", "q", expected=generated, tags=("tag",)))
    made = run(head, talk, episode(turn(GAP), scenario="b"), unfinished=1)
    known_of = {"overall": Separation(Interval(0.9, 0.8, 1.0), 3, 4)}
    said = VerdictSummary(3, 4, 1, known_of)
    corrected = CorrectedScore(Interval(0.5, 0.3, 0.7), 40, 20, 0.4)
    summary = replace(made.summary, verdicts=said, corrected=corrected)
    return replace(made, summary=summary)


def _runs() -> Iterator[Run]:
    yield run(header(finished=None))
    yield mixed()
    yield mixed("ja")
    yield _rag()
    yield run(judged_header(), *talks(*(judged(n, comment="Good.") for n in (1, 2, 3, 4, 5, 5))))
    read = judged(5, words=State.VIOLATED, model=State.MET)
    yield run(judged_header(), *talks(read))


def _turns() -> Iterator[dict[str, Any]]:
    for made in _runs():
        for each in made.episodes():
            yield from (as_json(turn_json(made.header, each, of)) for of in each.turns)
    wanted = expecting("Free.", elements=(("a", "b"),), documents=("faq-1",))
    exchange = Exchange(1, "How much?", Reply("Free.", FOUND, trace="4bf92f35"))
    talk = replace(
        episode(
            turn(
                RATING,
                exchange=exchange,
                blames=("unused",),
                soundness=("echo",),
                readings=(*readings(wanted, VIOLATED), *readings(wanted, reader=MODEL)),
            )
        ),
        scenario=Scenario("parcel", "q", goal="g", expected=wanted, tags=("t",)),
        outcomes={"satisfied": RATING, "goal_reached": GAP},
        rerun_for=("echo",),
    )
    (found,) = run(header(), talk).episodes()
    yield as_json(turn_json(header(), found, found.turns[0], Word.NG))
    yield as_json(turn_json(header(), episode(failed()), failed()))


def _printed(values: Iterable[object]) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(as_json(value))) for value in values]


SAMPLES: dict[str, list[dict[str, Any]]] = {
    "run": _printed(map(run_json, _runs())),
    "turn": _printed(_turns()),
}
SCHEMAS = {"run": json_schema(RunFigures), "turn": json_schema(TurnLine)}


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_output_is_as_its_schema_says(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = SCHEMAS[name]
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = [error for sample in SAMPLES[name] for error in validator.iter_errors(sample)]
    assert [] == [f"{error.json_path}: {error.message}" for error in wrong]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_that_is_documented_comes_in_some_output(name: str) -> None:
    samples = [*SAMPLES[name], {"fail_on": _FAIL_ON}] if name == "run" else SAMPLES[name]
    assert set() == _documented(SCHEMAS[name]) - set[str]().union(*map(_keys, samples))


# Which `mogi run --fail-on` adds; tests/e2e/test_schemas.py looks at it.
_FAIL_ON = dict.fromkeys(("what", "status", "why", "before", "newly_failing", "newly_passing"))


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from _nodes(child)


def _documented(schema: Mapping[str, Any]) -> set[str]:
    return {key for node in _nodes(schema) for key in node.get("properties", {})} - {"properties"}


def _keys(sample: Any) -> set[str]:
    return {key for node in _nodes(sample) for key in node}
