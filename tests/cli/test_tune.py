"""A tuned threshold in client.yaml: that key, and nothing else; and never in a shipped client."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from simulator.cli.tune import check_client_writable, write_threshold
from simulator.core.errors import InputError
from simulator.core.plan import Tuned
from simulator.files.client.folder import load_client
from simulator.files.client.keys import DEFAULT_THRESHOLDS
from simulator.store.store import Store
from tests.execution.clients import client
from tests.review.test_tune import MANY, tuned


def _today(timezone: str) -> str:
    return datetime.now(ZoneInfo(timezone)).date().isoformat()


async def test_only_the_threshold_changes_and_says_what_it_was_found_with(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        found = await tuned(store, tmp_path, MANY, lines="thresholds: {overall: 0.7} # 確認\n")
    loaded = client(tmp_path, "thresholds: {overall: 0.7} # 確認\n")
    file = Path(loaded.client.folder) / "client.yaml"
    before = file.read_text("utf-8")
    while True:
        today = _today(loaded.client.timezone)
        write_threshold(loaded.client, found)
        if today == _today(loaded.client.timezone):  # no midnight in between
            break
        file.write_text(before, "utf-8")
    entry = f"lexical: {{value: 0.7, verdicts: 42, date: {today}}}"
    expected = before.replace("{overall: 0.7}", f"{{overall: 0.7, {entry}}}")
    assert expected == file.read_text("utf-8")
    again = load_client(str(file.parent), cwd=tmp_path).client
    assert {"lexical": Tuned(verdicts=42, date=today)} == again.tuned
    assert DEFAULT_THRESHOLDS | {"overall": 0.7, "lexical": 0.7} == again.thresholds


async def test_without_a_recommended_one_there_is_nothing_to_write(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        found = await tuned(store, tmp_path, [(0.2, "NG")] * 40)
    with pytest.raises(InputError, match="there's no threshold for lexical to write"):
        write_threshold(client(tmp_path, "").client, found)


def test_a_client_that_ships_is_to_be_copied(tmp_path: Path) -> None:
    shipped = load_client("demo", cwd=tmp_path).client
    with pytest.raises(InputError, match=r"is built in, .* cp -r .*demo scenarios/demo"):
        check_client_writable(shipped)
    check_client_writable(replace(shipped, folder=str(tmp_path / "scenarios" / "demo")))
