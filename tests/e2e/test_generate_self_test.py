"""`mogi generate --self-test`: the plumbing, by models that know all, nothing, or too much."""

import json
import re
from pathlib import Path

import pytest

from simulator.checks.self_test import seeded
from tests.e2e.conftest import Mogi
from tests.e2e.shop import shop
from tests.generate import writers
from tests.loopback.replies import Body, Status
from tests.loopback.server import ChatServer

FAULTS = {
    question.text: question.faults
    for language in ("ja", "en")
    for _, asked in seeded(language).entries
    for question in asked
}
GOOD = sum(not faults for faults in FAULTS.values())
ENTRIES = sum(len(seeded(language).entries) for language in ("ja", "en"))


@pytest.fixture
def typed(model: ChatServer, tmp_path: Path) -> tuple[str, ...]:
    shop(tmp_path, model)  # its model is the server, and its limits lift the demo's
    return ("generate", "shop", "--self-test")


def _knows(body: Body) -> object:
    return writers.verdicts(
        body,
        viewpoint=lambda q: "viewpoint" in FAULTS[q],
        inconsistency=lambda q: "inconsistency" in FAULTS[q],
    )


def test_a_model_that_knows_all_is_right_in_all(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    model.answer = _knows  # type: ignore[assignment]
    done = mogi(*typed, "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (len(FAULTS), 0, ENTRIES) == (found["questions"], found["unusable"], model.count)
    for figures in found["figures"].values():
        for of in figures.values():
            assert (1, 1) == (of["precision"]["rate"], of["recall"]["rate"])
            assert of["precision"]["low"] < 1
    assert len(FAULTS) - GOOD == found["figures"]["any fault"]["both"]["faulty"]
    assert all(verdict["right"] for verdict in found["verdicts"])


def test_a_model_that_finds_no_fault_recalls_none(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    model.answer = writers.verdicts
    found = mogi(*typed, "--json").json
    whole = found["figures"]["any fault"]["both"]
    assert (0, None, 0) == (whole["recall"]["rate"], whole["precision"]["rate"], whole["stopped"])
    assert GOOD == sum(verdict["right"] for verdict in found["verdicts"])


def test_a_model_that_always_finds_fault_is_imprecise(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    def always(_: str) -> bool:
        return True

    model.answer = lambda body: writers.verdicts(body, viewpoint=always, inconsistency=always)
    done = mogi(*typed)
    assert 0 == done.status
    rate = (len(FAULTS) - GOOD) / len(FAULTS)
    row = next(r for r in done.out.splitlines() if r.startswith("any fault") and " both " in r)
    assert f"{rate:.2f} (" in row
    assert "1.00 (" in row
    assert "is good, called viewpoint, inconsistency" in done.out
    assert "" == mogi(*typed, "--quiet").out


def test_checks_without_a_form_count_in_nothing(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    model.answer = lambda body: "sure"
    done = mogi(*typed, "--json")
    assert (3, len(FAULTS)) == (done.status, done.json["unusable"])


def test_it_asks_in_the_conversation_that_a_session_would_have(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    model.answer = _knows  # type: ignore[assignment]
    mogi(*typed, "--json")
    body = model.requests[0].body
    assert ["system", "user", "assistant", "user"] == [m["role"] for m in body["messages"]]
    said = json.loads(body["messages"][2]["content"])["questions"]
    listed = re.findall(r"^\d+\. (.+)$", body["messages"][3]["content"], re.MULTILINE)
    assert [draft["question"] for draft in said] == listed


def test_a_refused_account_ends_it(mogi: Mogi, typed: tuple[str, ...], model: ChatServer) -> None:
    model.answer = lambda body: Status(401, "no")
    done = mogi(*typed, "--json")
    assert (3, len(FAULTS)) == (done.status, done.json["unasked"])
    assert "OPENAI_API_KEY" in done.err


def test_a_dry_run_calls_nothing(mogi: Mogi, typed: tuple[str, ...], model: ChatServer) -> None:
    done = mogi(*typed, "--checks", "2", "--dry-run", "--json")
    assert (0, 0) == (done.status, model.count)
    assert 2 * ENTRIES == done.json["calls"]["lowest"]
    assert f"{len(FAULTS):,} seeded questions" in mogi(*typed, "--dry-run").out


def test_options_that_say_nothing_about_it_are_refused(
    mogi: Mogi, typed: tuple[str, ...], model: ChatServer
) -> None:
    refused = mogi(*typed, "--method", "title")
    assert (2, 0) == (refused.status, model.count)
    assert "--method says nothing about --self-test" in refused.err
    nobody = mogi("generate", "--self-test")
    assert 2 == nobody.status
    assert "--self-test needs a model" in nobody.err
