"""The Python API, as small as the command line: load a client, run it, score what there is."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator import config
from simulator.build.plan import Options
from simulator.core.concurrency import Halt
from simulator.core.ports import CallRecord, Observer
from simulator.core.result import Result
from simulator.core.run import Run, RunHeader
from simulator.core.talk import Reply
from simulator.core.traffic import Traffic
from simulator.execution.answer_file import (
    answers_to_score,
    check_scored_path,
    without_client,
    write_scored,
)
from simulator.execution.call_log import call_log, check_log
from simulator.execution.request import RunRequest
from simulator.execution.session import Watch, run_session
from simulator.files.answers.reading import read_answers
from simulator.files.catalog import Catalog
from simulator.files.client.folder import LoadedClient, load_client
from simulator.files.client.reach import refuse
from simulator.formats.sources import Source
from simulator.store.store import Store
from simulator.targets.function import Function

__all__ = ["Options", "Reply", "Run", "load", "score", "simulate"]


class _Silent:
    """An observer that looks away."""

    def call_made(self, record: CallRecord) -> None:
        """Nothing."""

    def turn_scored(self, episode: str, score: float | None, *, flagged: bool) -> None:
        """Nothing."""

    def episode_ended(self, episode: str, result: Result) -> None:
        """Nothing."""


@contextmanager
def _unwatched(_header: RunHeader, _complete: int) -> Iterator[Observer]:
    yield _Silent()


def load(
    client: str | Path, *, untrusted: bool = False, allow: Sequence[str | Path] = ()
) -> LoadedClient:
    """Read every file of a client: a folder, or a name as `mogi run` takes it.

    Args:
        client: the folder, or the name.
        untrusted: refuse what `mogi run --untrusted` refuses; `simulate` has to be told as well.
        allow: where its files may lie besides, as with `--allow`.

    Raises:
        InputError: everything that is wrong with it, or refused, at once.
    """
    with _trusting(untrusted=untrusted, allow=allow):
        return load_client(str(client), cwd=Path.cwd())


async def simulate(  # noqa: PLR0913  options, each by its name
    client: LoadedClient | str | Path,
    *,
    target: Callable[..., Any] | None = None,
    options: Options | None = None,
    store: str | None = None,
    resume: str | None = None,
    watch: Watch = _unwatched,
    log: str | Path | None = None,
    untrusted: bool = False,
    allow: Sequence[str | Path] = (),
) -> Run:
    """Play a client's personas against a bot, judge every turn, and return the run.

    Args:
        client: what `load` returned, or a folder or name for it.
        target: a callable `answer(question, history)`, sync or async, instead of the client's
            own target. It returns text, `(text, documents)`, `{"answer": …, "documents": …}` or
            a `Reply`; `history` is a list of `(user, assistant)` pairs, oldest first.
        options: what `mogi run` could be told.
        store: where the run is kept, such as `sqlite:///mogi.db` (MOGI_STORE, else ./mogi.db).
        resume: the id of an unfinished run, a unique prefix of it, or `latest`.
        watch: told the run's header, makes the observer of its progress.
        log: a file that grows by a JSON line with each call, as `mogi run --log` writes it.
        untrusted: refuse what `mogi run --untrusted` refuses of the client; `target` is yours.
        allow: where the client's files may lie besides, as with `--allow`.

    Returns:
        The run: `run.header`, `run.summary` (the figures), `run.episodes()` (lazily, from the
        store). A run that was stopped early is returned as well: `run.header.status` says why.

    Raises:
        InputError: something is wrong before the first call; nothing ran.
        StoreError: the store cannot be used.
    """
    with _trusting(untrusted=untrusted, allow=allow):
        if isinstance(client, LoadedClient):
            loaded = client
            if config.is_untrusted():
                refuse(loaded)
        else:
            loaded = load(client)
        url = store or config.store_url()
        if target is not None:
            loaded = _with_callable(loaded, target)
        request = RunRequest(
            loaded=loaded,
            options=options or Options(),
            store_url=url,
            target=Function.of(target) if target is not None else None,
            resume=_resolved(url, resume) if resume else None,
        )
        return await _logged(request, watch, log)


async def score(  # noqa: PLR0913  options, each by its name
    file: str | Path,
    *,
    client: LoadedClient | str | Path | None = None,
    options: Options | None = None,
    output: str | Path | None = None,
    store: str | None = None,
    resume: str | None = None,
    log: str | Path | None = None,
) -> Run:
    """Score answers that exist already, as `mogi score` does, and return the run.

    Args:
        file: csv, jsonl or xlsx; its columns are found by their names.
        client: whose metrics, judge, guidelines and thresholds hold; None: all computed metrics
            that the columns allow.
        options: `metrics`, `judge_model`, `limit` and the like.
        output: where the rows go with a column per metric, once all of them are scored.
        store: where the run is kept (MOGI_STORE, else ./mogi.db).
        resume: the id of an unfinished run, a unique prefix of it, or `latest`.
        log: a file that grows by a JSON line with each call.

    Raises:
        InputError: something is wrong before the first call; nothing ran.
        StoreError: the store cannot be used.
    """
    loaded = load(client) if isinstance(client, str | Path) else client
    source = Source.of(Path.cwd() / file)
    answers = read_answers(source, loaded.client.language if loaded else None)
    if output is not None:
        check_scored_path(str(output), answers)
    name = loaded.client.folder if loaded else None
    loaded = loaded or without_client(answers, Catalog(None, Path.cwd()))
    url, asked = store or config.store_url(), options or Options()
    recorded = answers_to_score(answers, loaded, client=name, limit=asked.limit)
    taken_up = _resolved(url, resume) if resume else None
    request = RunRequest(loaded, asked, url, resume=taken_up, recorded=recorded)
    run = await _logged(request, _unwatched, log)
    if output is not None and not run.summary.unfinished:
        write_scored(run, answers, str(output))
    return run


@contextmanager
def _trusting(*, untrusted: bool, allow: Sequence[str | Path]) -> Iterator[None]:
    with ExitStack() as stack:
        if untrusted:
            stack.enter_context(config.untrusting())
        stack.enter_context(config.allowing(map(str, allow)))
        yield


async def _logged(request: RunRequest, watch: Watch, log: str | Path | None) -> Run:
    """The run that a request asks for, its calls told to a file if there is one."""
    traffic = Traffic()
    if log is None:
        return await run_session(request, watch, Halt(), traffic)
    check_log(str(log))
    with call_log(str(log)) as lines:
        traffic.listeners.append(lines)

        @contextmanager
        def named(header: RunHeader, complete: int) -> Iterator[Observer]:
            lines.run = header.id
            with watch(header, complete) as observer:
                yield observer

        run = await run_session(request, named, Halt(), traffic)
    if lines.broken:
        warnings.warn(f"{log} does not hold every call: {lines.broken}", stacklevel=3)
    return run


def _with_callable(loaded: LoadedClient, target: Callable[..., Any]) -> LoadedClient:
    """The client, saying in its settings (and so in the run) which callable is under test.

    What its file says of any kind of bot (timeout_s, stateful, version) holds for this one.
    """
    name = getattr(target, "__qualname__", type(target).__qualname__)
    module = getattr(target, "__module__", type(target).__module__)
    spec = replace(loaded.client.target, kind="function", settings={"function": f"{module}:{name}"})
    return replace(loaded, client=replace(loaded.client, target=spec))


def _resolved(url: str, name: str) -> str:
    with Store.read(url) as reader:
        return reader.resolve(name)
