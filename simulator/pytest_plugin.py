"""The pytest plugin: a test for each scenario of a client.

`pytest --mogi acme`, or `pytest scenarios/acme/client.yaml`, collects one test per scenario.
`@pytest.mark.mogi("acme", …)` makes a test function one per scenario; the keywords are those of
`Options`, or `target` and `store` as `simulate` takes them, and the fixture `conversations` gives
it what was said. All that is selected of one client is held in one run.

A test fails with the conversations that failed, word for word; it is skipped where one is
undecided, or nothing was there to check, and in error where one did not come to its end.
"""

import inspect
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from simulator.api import Options, Run
    from simulator.core.errors import MogiError
    from simulator.core.run import Episode
    from simulator.files.client.folder import LoadedClient

_FILE = "client.yaml"
_MARK = 'mogi("CLIENT", **options): a test for each scenario, held by mogi'
_VENV = "pyvenv.cfg"  # what a virtual environment has
_WIDTH = 100


@dataclass(frozen=True)
class _Play:
    """A client, and how it is played; who asks alike shares a run."""

    client: str
    options: "Options"
    target: Any = None
    store: str | None = None


@dataclass
class _Played:
    """What is asked of one client. `wanted` are the scenarios of the tests that are selected.

    One run holds all of them when the first test begins; `apart`: each has one of its own, where
    the tests are spread over processes.
    """

    play: _Play
    apart: bool
    wanted: set[str] = field(default_factory=set)
    _runs: "dict[Options, Run | MogiError]" = field(default_factory=dict)

    @cached_property
    def loaded(self) -> "LoadedClient":
        """The client, its files read once."""
        from simulator.api import load

        return load(self.play.client)

    def keys(self, options: "Options") -> dict[str, list[str]]:
        """The conversations that are held with these options: their names, by scenario."""
        from simulator.execution.plan import make_plan

        by_scenario: dict[str, list[str]] = {}
        for cell in make_plan(self.loaded, options).cells():
            by_scenario.setdefault(cell.scenario, []).append(cell.key)
        return by_scenario

    def conversations(self, scenario: str) -> "_Conversations":
        """The conversations of a scenario; the test is in error where some did not end."""
        from simulator.view.results import as_it_counts

        whole, chosen = self.play.options, {scenario} if self.apart else self.wanted
        options = whole
        if not chosen.issuperset(self.keys(whole)):
            options = replace(whole, scenarios=tuple(sorted(chosen)))
        run = self._run(options)
        episodes = (as_it_counts(*each) for each in run.reviewed())
        ended = {e.cell.key: e for e in episodes if e.cell.scenario == scenario}
        left = [key for key in self.keys(options)[scenario] if key not in ended]
        if left:
            why = f"unfinished ({run.header.status}): {', '.join(left)}"
            pytest.fail(f"{why}\nto resume:  {run.header.resume}", pytrace=False)
        return _Conversations(run, tuple(ended.values()))

    def _run(self, options: "Options") -> "Run":
        from simulator.api import simulate_sync
        from simulator.core.errors import MogiError

        if options not in self._runs:
            how = {"target": self.play.target, "store": self.play.store}
            try:
                self._runs[options] = simulate_sync(self.loaded, options=options, **how)
            except MogiError as error:  # the same for every test of it
                self._runs[options] = error
        run = self._runs[options]
        if isinstance(run, MogiError):
            pytest.fail(str(run), pytrace=False)
        return run


class _Conversations(NamedTuple):
    """The conversations of one scenario, and their run."""

    run: "Run"
    episodes: "tuple[Episode, ...]"

    def judge(self) -> None:
        """Fail with the transcript of each that failed, the reasons first."""
        failed = self._of("failed")
        if failed:
            texts = [self._reasons(failed), *map(self._text, failed)]
            pytest.fail("\n\n".join(texts), pytrace=False)

    def leave_open(self, *, looked_at: bool = False) -> None:
        """Skip what is undecided, and what holds nothing to check unless somebody looked at it."""
        left = self._of("undecided")
        if not left and not looked_at and not self._of("passed"):
            left = self._of("unchecked")
        if left:
            pytest.skip(self._reasons(left))

    def _of(self, result: str) -> "list[Episode]":
        return [e for e in self.episodes if e.finding and e.finding.result == result]

    def _reasons(self, episodes: "list[Episode]") -> str:
        """Each reason once, behind those that share it: `angry/1, calm/1: not said: “30 days”`."""
        from simulator.view.worst import reason_text

        shared: dict[str, list[str]] = {}
        for episode in episodes:
            finding, cell = episode.finding, episode.cell
            why = reason_text(finding, self.run.header.language) if finding else ""
            shared.setdefault(why, []).append(f"{cell.persona}/{cell.repeat}")
        return "; ".join(f"{', '.join(who)}: {why}" for why, who in shared.items())

    def _text(self, episode: "Episode") -> str:
        from simulator.cli.screens.episode import episode_view

        header, scenario = self.run.header, episode.scenario
        view = episode_view(header, episode, _WIDTH, scenario.expected if scenario else None)
        lines = (line.plain.rstrip() for line in view)
        return "\n".join([*lines, f"mogi show {header.id} {episode.cell.key}"])


class _Scenario(pytest.Item):
    """A scenario of a client's file."""

    def __init__(self, *, played: _Played, **more: Any) -> None:
        super().__init__(**more)
        self.played = played
        self.add_marker("mogi")

    def setup(self) -> None:
        """Hold the conversations of all that is selected, if that has not been done."""
        self.talks = self.played.conversations(self.name)

    def runtest(self) -> None:
        """Fail with the conversations that failed."""
        self.talks.judge()
        self.talks.leave_open()

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it stands."""
        return self.path, None, f"{self.played.loaded.client.name}: {self.name}"


class _Client(pytest.File):
    """A client's file: its scenarios are the tests."""

    def collect(self) -> Iterator[_Scenario]:
        """One item for each scenario that is played."""
        from simulator.api import Options

        played = _played(self.config, _Play(str(self.path.parent), Options()))
        for scenario in _scenarios(played):
            yield _Scenario.from_parent(self, name=scenario, played=played)


_PLAYED = pytest.StashKey[dict[_Play, _Played]]()
_FILES = pytest.StashKey[set[Path]]()
_CONVERSATIONS = pytest.StashKey[_Conversations]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """--mogi."""
    parser.getgroup("mogi").addoption(
        "--mogi",
        action="append",
        default=[],
        metavar="CLIENT",
        help="test the scenarios of this client, too: a folder, or a name as in `mogi run`",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Nothing of mogi is loaded until somebody asks for it."""
    config.addinivalue_line("markers", _MARK)
    config.stash[_PLAYED], config.stash[_FILES] = {}, set()
    for client in config.getoption("--mogi"):
        from simulator.core.errors import InputError
        from simulator.files.catalog import find_client

        try:
            file = find_client(client, Path.cwd()).absolute() / _FILE
        except InputError as error:
            raise pytest.UsageError(f"--mogi {client}: {error}") from error
        config.stash[_FILES].add(file)
        if str(file) not in config.args:  # a worker of xdist is given those of its master
            config.args.append(str(file))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A client of --mogi is found where pytest looks for nothing, as those that ship are in .venv.

    What else lies in that environment stays ignored.
    """
    files = config.stash[_FILES]
    if any(collection_path in (file, *file.parents) for file in files):
        return False
    above = {parent for file in files for parent in file.parents}
    inside = any((p / _VENV).is_file() for p in above & {*collection_path.parents})
    return True if inside else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> _Client | None:
    """A client's file that is named on the command line, itself or by --mogi."""
    if file_path.name != _FILE:
        return None
    # An argument below another one, such as the working directory, is found by way of that.
    if file_path in parent.config.stash[_FILES] or parent.session.isinitpath(file_path):
        return _Client.from_parent(parent, path=file_path)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A marked function is a test for each scenario."""
    mark = metafunc.definition.get_closest_marker("mogi")
    if mark is None:
        return
    from simulator.core.errors import MogiError

    if "conversations" not in metafunc.fixturenames:
        metafunc.fixturenames.append("conversations")
    try:
        play = _marked(*mark.args, **mark.kwargs)
    except (TypeError, MogiError) as error:
        raise pytest.Collector.CollectError(f"@pytest.mark.mogi: {error}") from error
    played = _played(metafunc.config, play)
    names = _scenarios(played)
    pairs = [(played, name) for name in names]
    metafunc.parametrize("conversations", pairs, ids=names, indirect=True)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was not deselected is played, by the first test that needs it."""
    for item in session.items:
        param = (item.played, item.name) if isinstance(item, _Scenario) else _param(item)
        if param is not None:
            played, scenario = param
            played.wanted.add(scenario)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a marked test asks for is held, whether or not it looks at it."""
    param = None if isinstance(item, _Scenario) else _param(item)
    if param is not None:
        played, scenario = param
        item.stash[_CONVERSATIONS] = played.conversations(scenario)


@pytest.fixture
def conversations(request: pytest.FixtureRequest) -> "tuple[Episode, ...]":
    """The conversations of one scenario of a marked test, as `run.episodes()` yields them."""
    played: _Conversations = request.node.stash[_CONVERSATIONS]
    return played.episodes


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """What failed fails a marked test before its own lines; what they leave open is open."""
    played = pyfuncitem.stash.get(_CONVERSATIONS, None)
    if played is None:
        return (yield)
    played.judge()
    done = yield
    played.leave_open(looked_at="conversations" in inspect.signature(pyfuncitem.obj).parameters)
    return done


def _marked(
    client: str | Path, *, target: Any = None, store: str | None = None, **options: Any
) -> _Play:
    from simulator.api import Options

    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in options.items()
    }
    return _Play(str(client), Options(**values), target, store)


def _played(config: pytest.Config, play: _Play) -> _Played:
    apart = hasattr(config, "workerinput")  # of xdist
    return config.stash[_PLAYED].setdefault(play, _Played(play, apart))


def _scenarios(played: _Played) -> list[str]:
    """Its scenarios; what is wrong with the client's files is said without a traceback."""
    from simulator.core.errors import InputError

    try:
        return list(played.keys(played.play.options))
    except InputError as error:
        raise pytest.Collector.CollectError(str(error)) from error


def _param(item: pytest.Item) -> tuple[_Played, str] | None:
    """What a marked test asks for; None where it is none."""
    call = getattr(item, "callspec", None)
    param: tuple[_Played, str] | None = call.params.get("conversations") if call else None
    return param if item.get_closest_marker("mogi") else None
