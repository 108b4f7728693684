"""What every test may use, and what no test may: an account of the person who runs them."""

import os
import sys
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from simulator.core.worker import HAS_CONFINED
from tests.loopback.server import ChatServer

pytest_plugins = ["tests.postgresql"]
_NO_SKIPS = "MOGI_NO_SKIPS" in os.environ
_ACCOUNT = ("OPENAI_", "AZURE_OPENAI_", "MOGI_")
# One profile for all: how fast a machine is says nothing of what it runs, and what passes here
# passes there. To look for more: python -m pytest --hypothesis-profile=default
settings.register_profile(
    "any_machine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any_machine")
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
_PACKAGES = (sys.prefix, sys.base_prefix, str(Path(__file__).parents[1]))
_INSTALLED: set[str] = set()  # modules that no test has written


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI says so, a skip is a failure: it has installed all that any test needs."""
    report = yield
    if _NO_SKIPS and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and MOGI_NO_SKIPS is set: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _no_account_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor its language."""
    for name in list(os.environ):
        if name.startswith(_ACCOUNT) or name in _LOCALE:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_expression_is_confined_yet() -> None:
    """Answers are read on the test's own event loop, whatever clients an earlier one had."""
    HAS_CONFINED.clear()


@pytest.fixture(autouse=True)
def _no_module_outlives_its_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Bots of tests share names such as `bot`: the next test has to get its own."""
    modules, path = set(sys.modules), sys.path[:]
    yield
    sys.path[:] = path
    forget_modules(sys.modules.keys() - modules, tmp_path_factory.getbasetemp())


def forget_modules(names: Iterable[str], folder: Path) -> None:
    """Those that were imported from a folder are imported anew, as they are there then."""
    below = f"{folder}{os.sep}"  # texts: thousands of paths would take a twentieth of a second
    for name in set(names) - _INSTALLED:
        file = str(getattr(sys.modules[name], "__file__", ""))
        if file.startswith(below):
            del sys.modules[name]
        elif file.startswith(_PACKAGES):
            _INSTALLED.add(name)


@pytest.fixture
def bots_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots in Python run in this process, as where there are no others: a new one takes a while."""
    monkeypatch.setattr("simulator.targets._isolated.POSSIBLE", False)


@pytest.fixture
async def chat_server() -> AsyncIterator[ChatServer]:
    """A chat endpoint on 127.0.0.1 that says "ok" until it is told otherwise."""
    async with ChatServer() as server:
        yield server
