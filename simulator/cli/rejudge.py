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

_MODELS = ("client.judge", "client.reader", "client.embedding")  # keys of a run's snapshot


@click.command(epilog=_EXAMPLES)
@click.argument("run", required=False)
@common.text("--client", "NAME", "Client with the scenarios.  [default: the run's client]")
@common.count("--limit", "Use only the first N conversations.")
@running.judging_options
def command(run: str | None, **options: Any) -> int:
    """Rescore RUN's conversations with different metrics or rubrics, or a different judge.

    This doesn't call the bot or the simulated users. The result is a new run; the old scores stay.
    mogi uses the expectations in the client's current files. RUN is an ID, a unique prefix, latest
    or previous. Exits with 2 if the new run would only be a copy.
    """
    wishes = running.wishes_of(options)
    request = _request(run, options)
    if request.resume is None:
        _check_differs(request)
    return running.run_as_wished(request, wishes)


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
                f"--resume continues with the conversations of run {header.of}; remove {run}"
            )
        run = header.of
    elif run is None:
        raise click.UsageError("which run? e.g. `mogi rejudge latest --metric M`")
    recorded, loaded = _recorded(url, common.header_named(url, run), client, limit)
    wanted = Options(**options)
    return RunRequest(loaded, wanted, url, resume=resume, force=force, recorded=recorded)


def _check_differs(request: "RunRequest") -> None:
    """Refuse to make a copy of the run.

    Raises:
        InputError: the conversations would be judged as they were, and no model reads them.
    """
    from simulator.execution.request import planned

    now = planned(request)[0].header
    judged = common.header_named(request.store_url, now.of)
    models = {k: v for k, v in judged.snapshot.items() if k.startswith(_MODELS)}
    known = {**models, **{k: v for k, v in now.snapshot.items() if v and k != "of"}}
    if (
        now.offline
        and (judged.metrics, judged.thresholds) == (now.metrics, now.thresholds)
        and all(judged.snapshot.get(k) == now.snapshot.get(k) for k in known)
    ):
        raise InputError(
            f"this would be a copy of run {judged.id}: nothing that changes its scores is new; use "
            "--judge-model M, a reader in client.yaml, or other metrics (--metric M)"
        )


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
