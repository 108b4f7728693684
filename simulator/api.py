"""The Python API, as small as the command line: load a client, run it, score what there is."""

import asyncio
import inspect
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from logging import getLogger
from pathlib import Path
from typing import Any, ParamSpec

from simulator import config
from simulator.core.concurrency import Halt
from simulator.core.events import Subscriber
from simulator.core.run import Run as StoredRun
from simulator.core.talk import Reply
from simulator.core.traffic import Traffic
from simulator.execution.answer_file import (
    answers_to_score,
    check_scored_path,
    without_client,
    write_scored,
)
from simulator.execution.call_log import CallLog, check_log
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest
from simulator.execution.session import run_session
from simulator.files.answers import read_answers
from simulator.files.catalog import Catalog
from simulator.files.client.folder import LoadedClient, load_client
from simulator.files.client.reach import refuse, unconfirmed
from simulator.formats.sources import Source
from simulator.store.store import Store
from simulator.targets.function import Function
from simulator.view import frames
from simulator.view.stored_run import stored_run
from simulator.words import Words

__all__ = [
    "Options",
    "Reply",
    "Run",
    "load",
    "load_run",
    "score",
    "score_sync",
    "simulate",
    "simulate_sync",
]

_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True, repr=False)
class Run(StoredRun):
    """A run: `header` (ID, client, options), `summary` (figures), `episodes()` (conversations).

    Conversations are read from the store one by one; `reviewed()` yields each with its verdicts.
    """

    def to_frame(self) -> Any:
        """The turns as a pandas or polars data frame, whichever is installed or in use.

        The columns are those of `mogi export`; nested ones have dotted names (`expected.answers`,
        `latency_ms.target`). Each metric's value is in the column `NAME`; the judge's comment, or
        the reason why there is no value, is in `NAME.why`. `result` is the result of the turn's
        conversation.

        Raises:
            InputError: neither pandas nor polars is installed.
        """
        return frames.frame(frames.turn_rows(self))

    def episodes_frame(self) -> Any:
        """The conversations as a data frame: result, why, stop, turns, flagged turns, blames.

        `score` is the mean of the run's main metric over the turns. Each metric has a column with
        its mean, or with its single value if it's about the whole conversation.

        Raises:
            InputError: neither pandas nor polars is installed.
        """
        return frames.frame(frames.episode_rows(self))

    def __repr__(self) -> str:
        summary, header = self.summary, self.header
        mean = summary.score.value.mean if summary.score else None
        counts = ", ".join(f"{n} {result}" for result, n in summary.results.counts.items() if n)
        score = "no score" if mean is None else f"{header.score_by} {mean:.2f}"
        parts = [header.id, header.client, header.status, counts or "nothing held", score]
        return f"<Run {' · '.join(parts)}>"


def load(
    client: str | Path, *, untrusted: bool = False, allow: Sequence[str | Path] = ()
) -> LoadedClient:
    """Read all files of a client.

    Args:
        client: a folder, or a name as in `mogi run`.
        untrusted: block what `mogi run --untrusted` blocks; also pass it to `simulate`.
        allow: other folders in which its files may be, as with `--allow`.

    Raises:
        InputError: all errors in the files, and everything that is blocked, at once.
    """
    with _trusting(untrusted=untrusted, allow=allow):
        return load_client(str(client), cwd=Path.cwd())


def load_run(run: str = "latest", *, store: str | None = None) -> Run:
    """A stored run, with reviewers' verdicts.

    Args:
        run: its ID, a unique prefix, `latest` or `previous`.
        store: the store's URL (default: MOGI_STORE, or ./mogi.db).

    Raises:
        InputError: the run doesn't exist.
        StoreError: the store can't be read.
    """
    with Store.read(store or config.store_url()) as reader:
        return _offered(stored_run(reader, reader.header(reader.resolve(run))))


async def simulate(  # noqa: PLR0913  options, each by its name
    client: LoadedClient | str | Path,
    *,
    target: Callable[..., Any] | None = None,
    options: Options | None = None,
    store: str | None = None,
    resume: str | None = None,
    watch: Callable[[], Subscriber] | None = None,
    on_event: Subscriber | None = None,
    log: str | Path | None = None,
    untrusted: bool = False,
    allow: Sequence[str | Path] = (),
) -> Run:
    """Run a client's simulated users against a bot, score every answer, and return the run.

    Args:
        client: a client from `load`, a folder, or a name.
        target: a callable `answer(question, history)`, sync or async, to use instead of the
            client's target. It returns text, `(text, documents)`, `{"answer": …, "documents": …}`
            or a `Reply`; `history` is a list of `(user, assistant)` pairs, oldest first.
        options: the options of `mogi run`.
        store: the store's URL, such as `sqlite:///mogi.db` (default: MOGI_STORE, or ./mogi.db).
        resume: the ID of an unfinished run, a unique prefix, or `latest`.
        watch: shows the progress: `simulator.progress`, in a terminal or a notebook.
        on_event: called with each event of `simulator.events`, in a separate thread. If it raises
            an error, the run continues; if it's too slow, events are dropped. A warning tells you.
        log: a file to which each call appends a JSON line, as with `mogi run --log`.
        untrusted: block what `mogi run --untrusted` blocks in the client, but not your `target`.
        allow: other folders in which the client's files may be, as with `--allow`.

    Returns:
        The run: `run.header`, `run.summary` (the figures), `run.episodes()` (lazily, from the
        store). A run that was stopped early is returned as well: `run.header.status` says why.

    Raises:
        InputError: there is an error before the first call; nothing ran.
        StoreError: the store can't be used.
    """
    with _trusting(untrusted=untrusted, allow=allow):
        loaded = _trusted(client)
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
        traffic = Traffic()
        if watch is not None:
            traffic.events.subscribe("watch", watch(), apart=False)
        if on_event is not None:
            traffic.events.subscribe("on_event", on_event)
        return await _logged(request, traffic, log)


def _waited_for(call: Callable[_P, Coroutine[Any, Any, Run]], name: str) -> Callable[_P, Run]:
    """The call, for code that is not `async`: it returns when the run has ended."""

    def wait(*args: _P.args, **kwargs: _P.kwargs) -> Run:
        work = call(*args, **kwargs)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        return _in_a_thread(work)

    wait.__name__ = wait.__qualname__ = name
    wait.__doc__ = f"""`{call.__name__}` for code that is not `async`, with the same arguments.

    Where an event loop runs already, as in a notebook, it blocks that one and takes a thread with
    a loop of its own; there, `await {call.__name__}(…)` does without.
    """
    wait.__signature__ = inspect.signature(call)  # type: ignore[attr-defined]
    return wait


def _in_a_thread(work: Coroutine[Any, Any, Run]) -> Run:
    """What comes of it in a loop of its own; who interrupts waits until it is wound down."""
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def noted() -> Run:
        task = asyncio.current_task()
        if task is not None:
            begun.append((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1) as threads:
        ended = threads.submit(copy_context().run, asyncio.run, noted())
        try:
            return ended.result()
        except KeyboardInterrupt:
            for loop, task in begun:
                loop.call_soon_threadsafe(task.cancel)
            raise


async def score(  # noqa: PLR0913  options, each by its name
    file: str | Path,
    *,
    client: LoadedClient | str | Path | None = None,
    options: Options | None = None,
    output: str | Path | None = None,
    store: str | None = None,
    resume: str | None = None,
    log: str | Path | None = None,
    untrusted: bool = False,
    allow: Sequence[str | Path] = (),
) -> Run:
    """Score existing answers, as `mogi score` does, and return the run.

    Args:
        file: csv, jsonl or xlsx; mogi recognizes the columns by name.
        client: the client whose metrics, judge, guidelines and thresholds apply; None: all computed
            metrics that the columns allow.
        options: `metrics`, `judge_model`, `limit` and the like.
        output: a file for the rows with a column per metric, written once all rows are scored.
        store: the store's URL (default: MOGI_STORE, or ./mogi.db).
        resume: the ID of an unfinished run, a unique prefix, or `latest`.
        log: a file to which each call appends a JSON line.
        untrusted: block what `mogi score --untrusted` blocks in the client.
        allow: other folders in which the client's files may be, as with `--allow`.

    Raises:
        InputError: there is an error before the first call; nothing ran.
        StoreError: the store can't be used.
    """
    with _trusting(untrusted=untrusted, allow=allow):
        loaded = _trusted(client) if client is not None else None
        source = Source.of(Path.cwd() / file)
        answers = read_answers(source, loaded.client.language if loaded else None)
        if output is not None:
            check_scored_path(str(output), answers)
        name = loaded.client.folder if loaded else None
        loaded = loaded or without_client(answers, Catalog(None, Path.cwd()))
        url, chosen = store or config.store_url(), options or Options()
        recorded = answers_to_score(answers, loaded, client=name, limit=chosen.limit)
        taken_up = _resolved(url, resume) if resume else None
        request = RunRequest(loaded, chosen, url, resume=taken_up, recorded=recorded)
        run = await _logged(request, Traffic(), log)
        if output is not None and not run.summary.unfinished:
            write_scored(run, answers, str(output))
        return run


simulate_sync = _waited_for(simulate, "simulate_sync")
score_sync = _waited_for(score, "score_sync")


@contextmanager
def _trusting(*, untrusted: bool, allow: Sequence[str | Path]) -> Iterator[None]:
    with ExitStack() as stack:
        if untrusted:
            stack.enter_context(config.untrusting())
        stack.enter_context(config.allowing(map(str, allow)))
        yield


def _trusted(client: LoadedClient | str | Path) -> LoadedClient:
    """A client that may be gone by: loaded, or looked at again where nobody vouches for it."""
    if not isinstance(client, LoadedClient):
        client = load(client)
    elif config.is_untrusted():
        refuse(client)
    if lines := unconfirmed(client):
        words = Words(client.client.language, "reach")
        text = words("unconfirmed", client=client.client.name, n=len(lines))
        getLogger("mogi").warning(text)
    return client


async def _logged(request: RunRequest, traffic: Traffic, log: str | Path | None) -> Run:
    """The run that a request asks for, its calls told to a file if there is one."""
    if log is not None:
        check_log(str(log))
        traffic.events.subscribe(str(log), CallLog(str(log)), apart=False)
    try:
        return _offered(await run_session(request, Halt(), traffic))
    finally:
        for trouble in await asyncio.to_thread(traffic.events.close):
            warnings.warn(trouble, stacklevel=3)


def _offered(run: StoredRun) -> Run:
    return Run(run.header, run.summary, run.episodes, run.reviewed, run.on_claims)


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
