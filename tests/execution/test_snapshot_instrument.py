"""What a metric was measured with, and thresholds that were found with something else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.outcome import MetricInfo
from simulator.execution.plan import Options, make_plan
from simulator.execution.snapshot import (
    Instrument,
    instrument_now,
    instrument_of,
    snapshot,
    stale_in_files,
    stale_thresholds,
)
from simulator.files.client.folder import LoadedClient
from tests.execution.clients import client

JUDGE = 'judge: {model: gpt-4.1, base_url: "http://a/v1"}\n'
OVERALL = MetricInfo("overall", "Overall", needs=("judge",))


def sha(loaded: LoadedClient) -> str:
    return next(r.sha for r in loaded.rubrics if r.id == "answer_quality")


def test_a_rubrics_metric_is_measured_with_the_judge_and_the_wording(tmp_path: Path) -> None:
    loaded = client(tmp_path, JUDGE)
    taken = snapshot(make_plan(loaded, Options(judge_model="gpt-4o")), loaded)
    expected = Instrument("gpt-4o", sha(loaded)[:12])
    assert expected == instrument_of(taken, OVERALL, loaded.rubrics)
    assert Instrument("gpt-4.1", sha(loaded)[:12]) == instrument_now(loaded, OVERALL)


def test_a_judged_metric_of_its_own_is_measured_with_its_prompt(tmp_path: Path) -> None:
    loaded = client(tmp_path, f"metrics: [overall, elements]\n{JUDGE}")
    elements = MetricInfo("elements", "E", needs=("judge", "elements"))
    taken = snapshot(make_plan(loaded, Options()), loaded)
    found = instrument_of(taken, elements, loaded.rubrics)
    assert found == instrument_now(loaded, elements)
    assert loaded.catalog.prompt("ja", "elements").sha[:12] == found.rubric


def test_vectors_are_measured_with_their_model_and_words_with_nothing(tmp_path: Path) -> None:
    loaded = client(tmp_path, 'embedding: {model: e-3, base_url: "http://a/v1"}\n')
    assert Instrument("e-3") == instrument_now(loaded, MetricInfo("c", "C", needs=("embedding",)))
    assert Instrument() == instrument_now(loaded, MetricInfo("lexical", "L"))


def told(loaded: LoadedClient, **said: Any) -> list[str]:
    plan = make_plan(loaded, Options(**said))
    taken = snapshot(plan, loaded)
    return list(stale_thresholds(plan.client, taken, (OVERALL,), loaded.rubrics))


def thresholds(judge: str, rubric: str) -> str:
    entry = f"{{value: 0.6, judge: {judge}, rubric: {rubric}, verdicts: 40, date: 2026-11-01}}"
    return f"thresholds: {{overall: {entry}}}\n{JUDGE}"


def test_the_same_judge_and_rubric_are_not_mentioned(tmp_path: Path) -> None:
    here = sha(client(tmp_path, ""))[:12]
    loaded = client(tmp_path, thresholds("gpt-4.1", f'"{here}"'))
    assert ([], []) == (told(loaded), list(stale_in_files(loaded)))


@pytest.mark.parametrize("lines", ["", "thresholds: {overall: 0.6}\n"])
def test_a_number_that_a_person_wrote_is_never_stale(tmp_path: Path, lines: str) -> None:
    loaded = client(tmp_path, lines + JUDGE)
    assert ([], []) == (told(loaded, judge_model="other"), list(stale_in_files(loaded)))


def test_another_judge_makes_a_threshold_stale(tmp_path: Path) -> None:
    here = sha(client(tmp_path, ""))[:12]
    loaded = client(tmp_path, thresholds("gpt-4o", f'"{here}"'))
    (note,) = told(loaded)
    assert note.startswith(
        "overall のしきい値（0.6）は古くなっています。決めたときは採点役 gpt-4o、"
        "この実行は採点役 gpt-4.1です。"
    )
    assert note.endswith("mogi tune acme --metric overall")
    (checked,) = stale_in_files(loaded)
    assert "採点役 gpt-4o、今は採点役 gpt-4.1です。" in checked


def test_an_english_client_is_told_in_english(tmp_path: Path) -> None:
    loaded = client(tmp_path, thresholds("gpt-4o", "0ldw0rd5"))
    english = replace(loaded, client=replace(loaded.client, language="en"))
    (note,) = told(english)
    now = sha(loaded)[:12]
    assert note.startswith(
        "the threshold of overall (0.6) is stale: it was tuned with judge gpt-4o and rubric "
        f"0ldw0rd5, but this run has judge gpt-4.1 and rubric {now}; "
    )


def test_another_wording_makes_a_threshold_stale(tmp_path: Path) -> None:
    loaded = client(tmp_path, thresholds("gpt-4.1", "0ldw0rd5"))
    (note,) = told(loaded)
    now = sha(loaded)[:12]
    assert f"ルーブリック 0ldw0rd5、この実行はルーブリック {now}です。" in note


def test_a_judge_of_a_single_run_is_told_in_that_run_alone(tmp_path: Path) -> None:
    here = sha(client(tmp_path, ""))[:12]
    loaded = client(tmp_path, thresholds("gpt-4.1", f'"{here}"'))
    (note,) = told(loaded, judge_model="gpt-5")
    assert "採点役 gpt-4.1、この実行は採点役 gpt-5です。" in note
    assert [] == list(stale_in_files(loaded))
