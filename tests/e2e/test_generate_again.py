"""`mogi generate` given once more: what failed is asked for again where that may help."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.shop import shop
from tests.generate import writers
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer


@pytest.fixture
def folder(tmp_path: Path, model: ChatServer) -> Path:
    model.answer = writers.good
    return shop(tmp_path, model)


def test_what_failed_for_want_of_a_usable_answer_is_tried_again_when_the_command_is(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = writers.formless
    typed = ("generate", "shop", "--retries", "1")
    assert 3 == mogi(*typed).status
    paid = model.count
    assert 3 == mogi(*typed).status  # still no better: as many attempts as before
    assert 2 * paid == model.count
    model.answer = writers.good
    mended = mogi(*typed, "--json").json
    assert (3, 0, 6) == (mended["new"], mended["unfilled"], mended["calls"])


def test_what_is_tried_again_pays_nothing_twice_when_it_is_stopped(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = writers.formless
    typed = ("generate", "shop", "--retries", "0", "--concurrency", "1", "--json")
    assert 3 == mogi(*typed).status
    model.count = 0
    model.answer = lambda body: writers.good(body) if model.count <= 3 else Status(401, "no")
    assert 3 == mogi(*typed).status
    refused, model.answer = model.count - 3, writers.good
    whole = mogi(*typed)
    assert (0, 3) == (whole.status, whole.json["scenarios"])
    assert 6 + refused == model.count


def test_what_a_request_could_not_bear_is_asked_again_beside_what_is_kept(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    kind = writers.good
    model.answer = lambda body: (
        kind(body) if "送料はいくら" in body["messages"][1]["content"] else writers.formless(body)
    )
    first = mogi("generate", "shop")
    assert 0 == first.status
    assert "使えるモデルの出力がない質問が 2 件あります（読み取れない 2 件）" in first.err
    model.answer = kind
    again = mogi("generate", "shop", "--json").json
    assert (2, 3, 0) == (again["new"], again["scenarios"], again["unfilled"])


def test_what_was_found_faulty_in_each_attempt_is_not_asked_for_again_until_something_changes(
    mogi: Mogi, folder: Path, model: ChatServer
) -> None:
    model.answer = lambda body: (
        writers.verdicts(body, viewpoint=lambda q: "送料" not in q)
        if writers.is_check(body)
        else writers.written(body)
    )
    first = mogi("generate", "shop")
    assert "採用できる質問がないものが 2 件あります（窓口側の質問 2 件）" in first.err
    assert "作り直すには、--seed、--model、プロンプトのどれかを変えてください" in first.err
    paid, model.answer = model.count, writers.good
    again = mogi("generate", "shop", "--json").json
    assert (0, 2, paid) == (again["new"], again["unfilled"], model.count)
    better = mogi("generate", "shop", "--model", "better", "--json").json
    assert (2, 0) == (better["new"], better["unfilled"])
