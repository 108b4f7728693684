"""Files of answers and stored runs, judged in a folder of the test's own."""

from pathlib import Path
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.run import Episode, Run
from simulator.execution.answer_file import answers_to_score, without_client
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest
from simulator.execution.session import run_session
from simulator.execution.stored_talks import run_to_rejudge
from simulator.files.answers import Answers, read_answers
from simulator.files.catalog import Catalog
from simulator.files.client.folder import LoadedClient
from simulator.formats.sources import Source
from tests.execution.clients import client
from tests.execution.played import LINES, SCENARIOS, Watcher, url

FILE = (
    "id,質問,回答,要素,判定,判定者\n"
    "a,送料は,500円です,500円,OK,田中\n"
    "b,返品は,できません,30日|返品,NG,\n"
    "c,営業は,10時からです,10時|18時,,\n"
)


def answers(cwd: Path, content: str | bytes = FILE, name: str = "a.csv") -> Answers:
    path = cwd / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_answers(Source.of(path, cwd))


def to_score(
    cwd: Path, found: Answers, *, resume: str | None = None, force: bool = False, **said: Any
) -> RunRequest:
    """A request that scores a file by itself; `said` as `Options` takes it."""
    loaded = without_client(found, Catalog(None, cwd))
    recorded = answers_to_score(found, loaded, limit=said.get("limit"))
    said.setdefault("metrics", ("elements_lexical",))
    return RunRequest(
        loaded, Options(**said), url(cwd), resume=resume, force=force, recorded=recorded
    )


async def scored(cwd: Path, found: Answers, halt: Halt | None = None, **said: Any) -> Run:
    return await done(to_score(cwd, found, **said), halt)


def to_rejudge(
    cwd: Path,
    run: str,
    loaded: LoadedClient | None = None,
    *,
    limit: int | None = None,
    **said: Any,
) -> RunRequest:
    """A request that judges a run of the small client again."""
    loaded = loaded or client(cwd, LINES, scenarios=SCENARIOS)
    recorded = run_to_rejudge(url(cwd), run, loaded, limit=limit)
    return RunRequest(loaded, Options(limit=limit, **said), url(cwd), recorded=recorded)


async def done(
    request: RunRequest, halt: Halt | None = None, watcher: Watcher | None = None
) -> Run:
    return await run_session(request, halt or Halt(), (watcher or Watcher()).traffic)


def by_scenario(run: Run) -> dict[str, Episode]:
    return {episode.cell.scenario: episode for episode in run.episodes()}
