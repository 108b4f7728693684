"""`mogi coverage`: what of a client was never tested."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simulator.cli import common, exits
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.cli.screens.coverage import Setting
    from simulator.core.run import Run
    from simulator.files.client.folder import LoadedClient
    from simulator.generate.log import QuestionLog

_EXAMPLES = """\
\b
Examples:
  mogi coverage demo-en
  mogi coverage acme --log questions.csv
  mogi coverage demo-en --log chats.jsonl --run latest --json

\b
The log (.csv, .jsonl, .json) has a `question` column, or conversations in a
format that `mogi import-dialogs` supports. A .txt or .md file has one
question per line. mogi doesn't store the log.
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client", type=common.NAME)
@common.text("--log", "FILE", "Also find questions in this log that have no similar scenario.")
@common.speakers()
@common.text("--run", "RUN", "Use what the bot retrieved in this run.  [default: the latest]")
@common.count("--most", "Show at most N items per list.", default=10)
@common.of_client_options
def command(
    client: str,
    *,
    log: str | None,
    users: tuple[str, ...],
    most: int,
    as_json: bool,
    **which: str | None,
) -> None:
    """List what CLIENT's scenarios don't test.

    Lists untested entries and statements, entries that the bot never retrieved in a run, scenarios
    without expectations, and real questions without a similar scenario. This doesn't call a model.
    Always exits with 0.

    With --log and a gate (`gate:` in client.yaml), the last line tells you whether you're done:
    whether the latest run is final and passes its gate, and your scenarios cover every frequent
    question.
    """
    from simulator.cli.screens.coverage import Gaps, coverage_json, coverage_view
    from simulator.view.summary import entry_statements, scenario_coverage

    if users and log is None:
        raise InputError("--user needs a log; set it with --log FILE")
    loaded = common.client(client)
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    known = scenario_coverage(entries, loaded.scenarios.values(), loaded.client.language)
    whole = _run(loaded, **which)
    questions = _log_questions(loaded, log, users) if log is not None else None
    statements = entry_statements(known, loaded.scenarios, loaded.client.language)
    gaps = Gaps(loaded.client, known, statements, whole, questions)
    common.answer(
        lambda: coverage_json(gaps),
        lambda width: coverage_view(gaps, _setting(loaded, most, log or ""), width),
        as_json=as_json,
    )


def _setting(loaded: "LoadedClient", most: int, log: str) -> "Setting":
    """What `mogi generate` has made of it already."""
    from simulator.cli.screens.coverage import Setting
    from simulator.files.scenarios.expected import GENERATED_FILE
    from simulator.generate.planning import tried_entries
    from simulator.generate.units import GENERATED_TAG, Method, default_output

    output = default_output(loaded.client, Path.cwd())
    is_used = any(GENERATED_TAG in scenario.tags for scenario in loaded.scenarios.values())
    waits = GENERATED_FILE if output.exists() and not is_used else ""
    return Setting(tried_entries(output, Method.TITLE), waits, loaded.scenarios_file, most, log)


def _run(loaded: "LoadedClient", run: str | None, store: str | None) -> "Run | None":
    """The run that is named, or the client's latest; None where it has none.

    Raises:
        InputError: the run that is named is not there, or is another client's.
    """
    if run is None:
        with suppress(InputError), common.open_store(store) as opened:
            mine = [row.id for row in opened.runs() if _is_mine(row.client, row.kind, loaded)]
            return common.load_run(opened, mine[0]) if mine else None
        return None
    with common.open_store(store) as opened:
        whole = common.load_run(opened, run)
    header = whole.header
    if not _is_mine(header.client, header.kind, loaded):
        raise InputError(
            f"run {header.id} isn't a run of {loaded.client.name} but of {header.client} "
            f"({header.kind}); to list the runs: `mogi runs`"
        )
    return whole


def _is_mine(client: str, kind: str, loaded: "LoadedClient") -> bool:
    return client == loaded.client.name and kind in ("run", "rejudge")


def _log_questions(loaded: "LoadedClient", log: str, users: tuple[str, ...]) -> "QuestionLog":
    from simulator.files.questions import read_questions
    from simulator.formats.sources import Source
    from simulator.generate.log import clustered

    language = loaded.client.language
    source = Source.of(Path.cwd() / log)

    def note(sentence: str) -> None:
        exits.say(f"{source.name}: {sentence}")

    questions = read_questions(source, language, users, loaded.mapping, note)
    passages = loaded.knowledge.documents() if loaded.knowledge else ()
    entries = {str(entry.id): entry for entry in passages}
    clusters = clustered(questions, passages, language)
    return clusters.against(loaded.scenarios.values(), entries, language)
