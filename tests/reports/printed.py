"""Reports as they stand on a screen, and the runs that are shown there."""

from collections.abc import Mapping
from functools import cache

import pytest

from simulator.core.persona import Language
from simulator.core.run import Ledger, Run
from simulator.core.talk import Exchange, Reply, StopReason
from simulator.reports.terminal import Terminal
from tests.execution.scored import GAP, episode, failed, header, rated, run, turn

COLOURED = {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}


class Printed:
    """A run's report as it stands on a screen of 100 cells, or of another width."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(
        self, what: Run, width: int = 100, environment: Mapping[str, str] | None = None
    ) -> str:
        for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE"):
            self._monkeypatch.delenv(name, raising=False)
        for name, value in {"COLUMNS": str(width), **(environment or {})}.items():
            self._monkeypatch.setenv(name, value)
        Terminal().write(what, None)
        return self._capsys.readouterr().out


WEAK = turn(
    rated(2, "No amount is named."), exchange=Exchange(1, "How much?", Reply("It depends."))
)
FINE = turn(rated(5))


def mixed(language: Language = "en", **changes: object) -> Run:
    """Weak, failed, unscored and fine turns of two personas and three scenarios."""
    long_ja = "「設定」→「アカウント」を開き、新しいメールアドレスを入力してください。" * 9
    long_en = "Open the settings, choose the account, and enter the new address. " * 9
    told = turn(
        rated(1, "理由" * 90 if language == "ja" else "the reason, at length, " * 20),
        exchange=Exchange(1, "長い質問" * 40, Reply(long_ja if language == "ja" else long_en)),
        blames=("retrieval_miss",),
        soundness=("echo",),
    )
    episodes = (
        episode(told, FINE, scenario="login"),
        episode(WEAK, FINE, scenario="login", persona="angry", repeat=2),
        episode(FINE, turn(GAP), scenario="refund", stop=StopReason.DONE),
        episode(failed(), scenario="解約したい（年払い）", persona="angry"),
    )
    ledger = Ledger({"judge": 7, "target": 7}, 12_345, 678, 1_000, 0.25)
    return run(
        header(language=language, planned=6, **changes), *episodes, ledger=ledger, unfinished=2
    )


@cache
def wide(personas: int, scenarios: int) -> Run:
    """One weak, middling or good turn for each cell, each with an answer of its own."""
    found = [
        episode(
            turn(
                rated(1 + (i + j) % 5),
                exchange=Exchange(1, "Where is my parcel?", Reply(f"On its way, {j}.")),
            ),
            scenario=f"scenario-{i:03}",
            persona=f"persona-{j}",
        )
        for i in range(scenarios)
        for j in range(personas)
    ]
    return run(header(), *found)
