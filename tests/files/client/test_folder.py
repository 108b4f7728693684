from pathlib import Path

import pytest

from simulator import config
from simulator.core.plan import (
    Gate,
    JudgeSpec,
    Limits,
    ModelCaps,
    ModelSpec,
    Price,
    TargetCaps,
    TargetSpec,
    UserSpec,
)
from simulator.files.client.keys import DEFAULT_THRESHOLDS
from simulator.metrics.grounded import Grounded
from tests.files.client.acme import LEAST, acme, acme_complaints
from tests.files.client.rooms import Rooms, rooms
from tests.formats.written import PERSONA, RUBRIC

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")


def test_a_language_and_a_target_are_enough(tmp_path: Path) -> None:
    loaded = acme(tmp_path, {"client.yaml": LEAST})
    client = loaded.client
    assert ("acme", str((tmp_path / "scenarios/acme").resolve())) == (client.name, client.folder)
    assert TargetSpec("demo") == client.target
    assert (config.machine_timezone(), None, UserSpec(), None) == (
        client.timezone,
        client.knowledge,
        client.user,
        client.judge,
    )
    assert (("overall",), "overall", DEFAULT_THRESHOLDS, None) == (
        client.metrics,
        client.score_by,
        client.thresholds,
        client.gate,
    )
    assert ("all", 1, 42, 3, 1) == (
        client.assign,
        client.repeat,
        client.seed,
        client.max_turns,
        client.min_turns,
    )
    assert ["a"] == list(loaded.scenarios)
    assert client.personas == tuple(loaded.personas)
    assert {"angry", "beginner", "calm"} <= set(loaded.personas)
    assert ["answer_quality"] == [r.id for r in loaded.rubrics]
    assert loaded.knowledge is None


def test_everything_that_is_written_arrives(tmp_path: Path) -> None:
    text = """\
language: en
timezone: UTC
target: {kind: demo, top_k: 5, in: html, names: [a], stateful: true, timeout_s: 9, version: 1.10}
knowledge: faq.csv
user: {kind: persona_llm, model: m, temperature: 0.5, base_url: "http://x/v1", api_key_env: A_KEY,
  open: styled}
judge: {model: j, temperature: 0, calls: apart, votes: 3}
guidelines: [Be kind.]
personas: [calm, angry]
assign: random
repeat: 2
seed: -7
max_turns: 5
min_turns: 2
metrics: [correctness, pair]
score_by: correctness
thresholds: {correctness: {value: 0.6, judge: j, rubric: abc, verdicts: 40, date: 2026-11-01},
  recall: 0.2, overall: 1}
gate: {score: 0.9}
limits: {target: {concurrency: 2, per_minute: 9}, model: {concurrency: 3, tokens_per_minute: null},
  budget_usd: 5, calls: 100}
prices: {m: {input: 0.4, output: 1.6, cached: 0.1}}
"""
    files: dict[str, str | bytes] = {"client.yaml": text, "faq.csv": "id,content\na,b\n"}
    loaded = acme(tmp_path, files)
    client = loaded.client
    assert (
        TargetSpec(
            "demo",
            {"top_k": 5, "names": ["a"], "in": "html"},
            stateful=True,
            timeout_s=9.0,
            version="1.10",
        )
        == client.target
    )
    chat = ModelSpec("m", 0.5, "http://x/v1", "A_KEY")
    assert UserSpec("persona_llm", "styled", chat) == client.user
    assert JudgeSpec(ModelSpec("j", 0.0), "apart", 3) == client.judge
    assert ("calm", "angry") == client.personas == tuple(loaded.personas)
    assert (("correctness", "pair"), "correctness") == (client.metrics, client.score_by)
    written = {"correctness": 0.6, "recall": 0.2, "overall": 1.0}
    assert DEFAULT_THRESHOLDS | written == client.thresholds
    assert Gate(0.9) == client.gate
    assert (
        Limits(TargetCaps(2, 9.0), ModelCaps(3, 500.0, None), budget_usd=5.0, calls=100)
        == client.limits
    )
    assert {"m": Price(0.4, 1.6, 0.1)} == client.prices
    assert ("UTC", "faq.csv", ("Be kind.",), "random", 2, -7, 5, 2) == (
        client.timezone,
        client.knowledge,
        client.guidelines,
        client.assign,
        client.repeat,
        client.seed,
        client.max_turns,
        client.min_turns,
    )
    assert 1 == len(loaded.knowledge or ())


def test_a_threshold_of_a_ranking_is_taken_with_a_note(tmp_path: Path, rooms: Rooms) -> None:
    rooms.plugins["metrics"]["grounded"] = Grounded
    loaded = acme(tmp_path, {"client.yaml": f"{LEAST}thresholds: {{grounded: 0.6}}\n"})
    assert 0.6 == loaded.client.thresholds["grounded"]
    (note,) = loaded.notes
    assert "client.yaml:3: thresholds.grounded: this metric only ranks turns" in str(note)
    assert () == acme(tmp_path, {"client.yaml": f"{LEAST}thresholds: {{grounded: null}}\n"}).notes


def test_null_counts_as_not_written_where_it_means_nothing_else(tmp_path: Path) -> None:
    text = LEAST + "user: {base_url: null}\njudge: null\nknowledge: ~\n"
    client = acme(tmp_path, {"client.yaml": text}).client
    assert (UserSpec(), None, None) == (client.user, client.judge, client.knowledge)


def test_targets_that_are_elsewhere_are_spared(tmp_path: Path) -> None:
    remote = "language: ja\ntarget: {kind: remote, url: x}\n"
    assert TargetCaps(50, None) == acme(tmp_path, {"client.yaml": LEAST}).client.limits.target
    limits = acme(tmp_path, {"client.yaml": remote}).client.limits
    assert Limits(TargetCaps(4, 120), ModelCaps(50, 500.0, 200_000.0)) == limits
    assert {"requests_per_minute", "tokens_per_minute"} == limits.model.usual
    written = f"{LEAST}limits: {{model: {{requests_per_minute: 500}}}}\n"
    caps = acme(tmp_path, {"client.yaml": written}).client.limits.model
    assert ModelCaps(50, 500.0, None) == caps.at(loopback=True)
    assert ModelCaps(50, 500.0, 200_000.0) == caps.at(loopback=False)


def test_a_bot_on_loopback_is_asked_as_often_as_it_answers(tmp_path: Path) -> None:
    here = "language: ja\ntarget: {kind: remote, url: 'http://127.0.0.1:8103'}\n"
    caps = acme(tmp_path, {"client.yaml": here}).client.limits.target
    assert TargetCaps(4, None) == caps
    written = f"{here}limits: {{target: {{per_minute: 30}}}}\n"
    caps = acme(tmp_path, {"client.yaml": written}).client.limits.target
    assert TargetCaps(4, 30) == caps
    there = here.replace("127.0.0.1:8103", "bot.example")
    caps = acme(tmp_path, {"client.yaml": there}).client.limits.target
    assert TargetCaps(4, 120) == caps


def test_a_cap_can_be_lifted(tmp_path: Path) -> None:
    text = "language: ja\ntarget: {kind: remote, url: x}\nlimits: {target: {per_minute: null}}\n"
    assert TargetCaps(4, None) == acme(tmp_path, {"client.yaml": text}).client.limits.target


def test_complaints_of_all_files_come_at_once(tmp_path: Path) -> None:
    text = """\
language: ja
target: {kind: dmeo}
knowledge: faq.csv
personas: [calm, clam]
max_turns: "three"
min_turns: 9
metrics: [overal]
"""
    found = acme_complaints(
        tmp_path,
        {
            "client.yaml": text,
            "scenarios.yaml": "- {id: a, query: b, personas: [grumpy]}\n- {id: b}\n",
            "faq.csv": "id,content\na,\n",
            "personas/other.yaml": "id: other",
            "prompts/form.md": "x",
        },
    )
    assert [
        "client.yaml:2",
        "client.yaml:4",
        "client.yaml:5",
        "client.yaml:7",
        "faq.csv:2",
        *["personas/other.yaml:1"] * 5,
        "prompts/form.md:1",
        "scenarios.yaml:1",
        "scenarios.yaml:2",
    ] == [c.split(": ")[0] for c in found]


@pytest.mark.parametrize("wrong", ["language: jp\n", "language: ja\npersonas: 3\n"])
def test_what_is_wrong_in_one_place_does_not_hide_wrong_names_in_others(
    tmp_path: Path, wrong: str
) -> None:
    text = f"{wrong}target: {{kind: demo}}\nmetrics: [overal]\nthresholds: {{lexicla: high}}\n"
    text += "" if "personas" in wrong else "personas: [clam]\n"
    scenarios = "- {id: a, qury: b, personas: [grumpy], expected: {documents: [nine]}}\n"
    files: dict[str, str | bytes] = {
        "client.yaml": text + "knowledge: faq.csv\n",
        "scenarios.yaml": scenarios,
        "faq.csv": "id,content\nfaq-1,b\n",
    }
    found = "\n".join(acme_complaints(tmp_path, files))
    for said in (
        'no metric "overal"; did you mean overall?',
        'thresholds: no metric "lexicla"; did you mean lexical?',
        'thresholds.lexicla: "high" is not a number',
        'unknown key "qury"; did you mean query?',
        'the client has no persona "grumpy"',
        'the knowledge has no document "nine"',
    ):
        assert said in found
    assert ('no persona "clam"; did you mean calm?' in found) == ("jp" in wrong)


def test_a_client_file_that_is_no_mapping_does_not_hide_the_scenarios(tmp_path: Path) -> None:
    found = acme_complaints(tmp_path, {"client.yaml": "- a", "scenarios.yaml": "- {id: a}"})
    assert ["client.yaml:1", "scenarios.yaml:1"] == [c.split(": ")[0] for c in found]
    found = acme_complaints(tmp_path, {"client.yaml": "a: *b", "scenarios.yaml": "- {id: a}"})
    assert ["client.yaml:1", "scenarios.yaml:1"] == [c.split(": ")[0] for c in found]


def test_a_folder_of_knowledge_is_hinted_at(tmp_path: Path) -> None:
    client = "language: en\ntarget: {kind: demo}\nknowledge: knowlege\n"
    files = {"client.yaml": client, "knowledge/fees.md": "# Fees\n\nIt is 5 euros.\n"}
    (complaint,) = (c for c in acme_complaints(tmp_path, files) if "knowlege" in c)
    assert complaint.endswith("did you mean knowledge? choose from: knowledge"), complaint


def test_where_a_persona_is_misspelled_scenarios_are_not_blamed(tmp_path: Path) -> None:
    client = "language: en\ntarget: {kind: demo}\npersonas: [clam]\n"
    scenarios = "- {id: a, query: b, personas: [calm]}\n"
    files = {"client.yaml": client, "scenarios.yaml": scenarios}
    (complaint,) = acme_complaints(tmp_path, files)
    assert 'no persona "clam"; did you mean calm?' in complaint


def test_a_knowledge_file_is_hinted_at(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "knowledge: knowledge/fqa.csv",
        "knowledge/faq.csv": "id,content\na,b\n",
    }
    assert [
        (
            'client.yaml:3: knowledge: no file or folder "knowledge/fqa.csv"; '
            "did you mean knowledge/faq.csv? choose from: knowledge/faq.csv"
        )
    ] == acme_complaints(tmp_path, files)


def test_expected_documents_are_looked_up_in_the_knowledge(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "knowledge: faq.csv",
        "faq.csv": "id,content\nfaq-1,b\n",
        "scenarios.yaml": "- {id: a, query: b, expected: {documents: [faq-1, faq-2]}}",
    }
    assert [
        (
            'scenarios.yaml:1: the knowledge has no document "faq-2"; '
            "did you mean faq-1? choose from: faq-1"
        )
    ] == acme_complaints(tmp_path, files)


def test_a_client_may_bring_personas_of_its_own(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "personas: [grumpy]",
        "personas/grumpy.yaml": PERSONA.format(id="grumpy"),
        "scenarios.yaml": "- {id: a, query: b, personas: [grumpy]}",
    }
    assert "ja" == acme(tmp_path, files).personas["grumpy"].language


def test_thousands_of_scenarios_load(tmp_path: Path) -> None:
    one = "- id: s{n}\n  query: ログインできません\n  known: [昨日から]\n  expected: {answer: x}\n"
    text = "".join(one.replace("{n}", str(n)) for n in range(2_000))
    loaded = acme(tmp_path, {"client.yaml": LEAST, "scenarios.yaml": text})
    assert 2_000 == len(loaded.scenarios)


def test_metrics_are_not_complained_of_while_a_rubric_is_wrong(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "metrics: [manners]\nscore_by: manners",
        "rubrics/own.yaml": RUBRIC.format(id="own", aspect="manners").replace("low: 1", "low: x"),
    }
    assert [
        (
            'rubrics/own.yaml:9: aspects.scale.low: "x" is not a whole number; '
            "write the lowest rating, a whole number, 0 or more"
        )
    ] == acme_complaints(tmp_path, files)


def test_a_clients_rubric_is_brought_by_its_aspect(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "metrics: [manners]\nscore_by: manners",
        "rubrics/own.yaml": RUBRIC.format(id="own", aspect="manners"),
    }
    loaded = acme(tmp_path, files)
    assert ["own"] == [r.id for r in loaded.rubrics]
    assert ("manners",) == loaded.client.metrics


def test_the_files_that_the_bot_reads_have_to_be_there(tmp_path: Path) -> None:
    text = "language: ja\ntarget: {kind: remote, url: x, words: words.txt}\n"
    assert ['client.yaml:2: target: no file "words.txt" in the client\'s folder'] == (
        acme_complaints(tmp_path, {"client.yaml": text})
    )
    loaded = acme(tmp_path, {"client.yaml": text, "words.txt": "be brief"})
    assert ("words.txt",) == loaded.client.target.files


def test_a_gate_names_tags_and_scenarios_that_are_there(tmp_path: Path) -> None:
    gate = "gate: {must_pass: [billin, greet]}\n"
    asked = "- {id: greet, query: Hello, tags: [billing]}\n"
    files: dict[str, str | bytes] = {"client.yaml": LEAST + gate, "scenarios.yaml": asked}
    [complaint] = acme_complaints(tmp_path, files)
    assert 'gate.must_pass: no tag or scenario "billin"; did you mean billing?' in complaint


def test_a_key_twice_hides_no_other_complaint(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": f"{LEAST}seed: 1\nseed: 2\nmax_turn: 3\n",
        "scenarios.yaml": "- {id: a, query: x, query: y}\n- {id: a, query: z}\n",
    }
    shown = "\n".join(acme_complaints(tmp_path, files))
    for part in ('the key "seed"', "max_turn", 'the key "query"', 'the ID "a"'):
        assert part in shown
