"""`mogi rejudge`: the talks of a run, judged again."""

from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, running
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.core.run import RunHeader
    from simulator.execution.episodes import Recorded
    from simulator.execution.request import RunRequest
    from simulator.files.client.folder import LoadedClient

_EXAMPLES = """\
\b
Examples:
  mogi rejudge latest --metric elements_lexical    another metric
  mogi rejudge latest --judge-model gpt-6-luna --dry-run
"""


@click.command(epilog=_EXAMPLES)
@click.argument("run", required=False)
@common.text(
    "--client", "NAME", "Where the scenarios stand.  [default: the folder of the run's client]"
)
@common.count("--limit", "Use only the first N conversations.")
@running.judging_options
def command(run: str | None, **options: Any) -> int:
    """Judge the conversations of RUN again, with other metrics, rubrics or another judge.

    Neither the bot nor the users are called. It makes a new run: both sets of scores stay.
    What is expected is read from the client's files as they are now. RUN: an id, a unique
    prefix of one, latest, or previous.
    """
    wishes = running.wishes_of(options)
    return running.run_as_wished(_request(run, options), wishes)


def _request(run: str | None, options: dict[str, Any]) -> "RunRequest":
    from simulator.execution.plan import Options
    from simulator.execution.request import RunRequest

    url = options.pop("store") or config.store_url()
    resume, force = running.resume_of(options)
    client, limit = options.pop("client"), options["limit"]
    if resume:
        header = common.header_of(url, resume, "rejudge")
        resume, client = header.id, client or header.options.get("client")
        limit = limit or header.options.get("limit")
        if run is not None:
            raise InputError(
                f"--resume goes on with the conversations of run {header.of}; leave out {run}"
            )
        run = header.of
    elif run is None:
        raise click.UsageError("which run? e.g. `mogi rejudge latest --metric M`")
    recorded, loaded = _recorded(url, common.header_named(url, run), client, limit)
    wanted = Options(**options)
    return RunRequest(loaded, wanted, url, resume=resume, force=force, recorded=recorded)


def _recorded(
    url: str, judged: "RunHeader", client: str | None, limit: int | None
) -> "tuple[Recorded, LoadedClient]":
    """The talks of a run and the client by which they are judged."""
    from simulator.execution.stored_talks import answers_to_rejudge, run_to_rejudge

    if judged.is_of_rows:
        from simulator.cli.score import ScoredFile, read
        from simulator.execution.answer_file import answers_to_score

        before = judged.options
        client, mapping = client or before["client"], before.get("map") or {}
        file = ScoredFile(before["file"], client, before["language"], mapping)
        answers, loaded = read(file)
        most = [n for n in (limit, before.get("limit")) if n]
        scored = answers_to_score(
            answers, loaded, client=file.client, limit=min(most, default=None)
        )
        return answers_to_rejudge(judged, scored), loaded
    loaded = common.client_of(judged, client)
    return run_to_rejudge(url, judged.id, loaded, client=client, limit=limit), loaded
