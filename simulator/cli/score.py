"""`mogi score`: answers that exist already."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config
from simulator.cli import common, exits, running
from simulator.core.errors import InputError
from simulator.words import counted

if TYPE_CHECKING:
    from simulator.core.run import Run
    from simulator.execution.request import RunRequest
    from simulator.files.answers import Answers
    from simulator.files.client.folder import LoadedClient

_EXAMPLES = """\
\b
Examples:
  mogi score answers.csv                     all metrics that need no model
  mogi score answers.csv -o scored.csv       save rows and scores
  mogi score answers.jsonl --metric elements_lexical
  mogi score answers.csv --judge-model gpt-6-luna --dry-run

\b
Columns (Japanese headers also work; see the docs):
  question, answer, ground_truth, context, retrieved (IDs), elements,
  must_not, documents (IDs), answerable, escalate, persona, tags, id,
  verdict (OK, NG or unsure) and reviewer. mogi ignores other columns.
Separate several values in one cell with | or line breaks.
"""


_EXPECTED = frozenset(
    {"ground_truth", "elements", "must_not", "documents", "answerable", "escalate"}
)
_NOTHING_EXPECTED = (
    "there are no expectations, so no answer passes or fails. To decide more, add a column "
    "ground_truth (正解), elements (要素) or answerable (回答可能), or use --judge-model M"
)
_NO_CONTEXT = "to see which answers the documents support, add a column context (文脈)"
_IDS_ALONE = (
    "the documents are only IDs; to see which answers they support, set the client whose "
    "knowledge base has them (--client NAME)"
)


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """The file that is scored, for which client, in which language, and what its columns are."""

    file: str | None
    client: str | None
    language: Any
    mapping: Mapping[str, str]


@click.command(epilog=_EXAMPLES)
@click.argument("file", required=False, type=common.NAME)
@common.text(
    "--client", "NAME", "Score with this client's metrics, judge, guidelines and thresholds."
)
@common.text(
    "-o", "OUT", "Write the rows with a column per metric (.csv, .jsonl, .xlsx).", "--output"
)
@common.language("Language of the answers.  [default: the client's, or detected]")
@common.mapping()
@common.count("--limit", "Use only the first N rows.")
@running.judging_options
def command(file: str | None, **options: Any) -> int:
    """Score the answers in FILE (.csv, .jsonl, .json, .xlsx) and store them as a run.

    mogi recognizes traces and test cases from other tools: OpenTelemetry and OpenInference
    (OTLP/JSON), Langfuse, Phoenix, LangSmith, RAGAS, DeepEval, promptfoo, OpenAI messages and
    Evals. For anything else, use --map.

    Without --metric or --client, mogi computes every metric that your columns allow, plus the
    overall rating if you specify a judge model.
    """
    wishes = running.wishes_of(options)
    if wishes.dry_run and options["output"]:
        raise InputError("--dry-run scores nothing, so there's nothing to write; remove -o")
    request, answers, output = _request(file, options)
    if not (wishes.quiet or wishes.as_json or wishes.dry_run):
        recorded = request.recorded
        exits.say(_columns(answers, recorded.gives if recorded else None))
    for note in answers.notes:
        exits.say(f"{answers.source.name}: {note}")
    if not output:
        return running.run_as_wished(request, wishes)
    run = running.carry_out(request, wishes)
    return _write(run, answers, output, running.conclude(run, wishes))


def _request(file: str | None, options: dict[str, Any]) -> "tuple[RunRequest, Answers, str | None]":
    from simulator.execution.answer_file import answers_to_score, check_scored_path
    from simulator.execution.plan import Options
    from simulator.execution.request import RunRequest

    url = options.pop("store") or config.store_url()
    resume, force = running.resume_of(options)
    before: Mapping[str, Any] = {}
    if resume:
        header = common.header_of(url, resume, "score")
        resume, before = header.id, header.options
    scored = ScoredFile(
        file=file or before.get("file"),
        client=options.pop("client") or before.get("client"),
        language=options.pop("language") or before.get("language"),
        mapping=dict(options.pop("pairs")) or before.get("map") or {},
    )
    output = options.pop("output") or before.get("output")
    answers, loaded = read(scored)
    limit = options["limit"] or before.get("limit")
    recorded = answers_to_score(answers, loaded, client=scored.client, limit=limit)
    if output:
        kept = {**recorded.options, "output": str(Path.cwd() / output)}
        recorded = replace(recorded, options=kept)
    wanted = Options(**options)
    request = RunRequest(loaded, wanted, url, resume=resume, force=force, recorded=recorded)
    if output:
        check_scored_path(output, answers)
    return request, answers, output


def read(scored: ScoredFile) -> "tuple[Answers, LoadedClient]":
    """The answers of a file, and the client that they are scored for, or what stands in for one.

    Raises:
        InputError: all that is wrong with either.
    """
    from simulator.execution.answer_file import without_client
    from simulator.files.answers import read_answers
    from simulator.files.catalog import Catalog
    from simulator.formats.row_files import paths_for
    from simulator.formats.sources import Source

    if scored.file is None:
        raise click.UsageError("which file? e.g. `mogi score answers.csv`")
    source = Source.of(Path.cwd() / scored.file)
    if scored.client is None:
        answers = read_answers(source, scored.language, scored.mapping)
        return answers, without_client(answers, Catalog(None, Path.cwd()))
    loaded = common.client(scored.client)
    own = loaded.client.language
    if scored.language not in (None, own):
        raise InputError(f"--language {scored.language}: the client {scored.client} speaks {own}")
    mapping = {**paths_for(source, loaded.mapping), **scored.mapping}
    return read_answers(source, own, mapping), loaded


def _columns(answers: "Answers", gives: Set[str] | None) -> str:
    """Which columns were taken for what: a wrong guess has to be seen; what would decide more."""
    meanings = answers.meanings
    used = ", ".join(m if m == column else f"{m} ({column})" for m, column in meanings.items())
    others = len([column for column in answers.columns if column not in meanings.values()])
    left = f"; unchanged: {counted(others, 'other column')}" if others else ""
    of = f" ({answers.format})" if answers.format else ""
    name = answers.source.name
    lines = [f"{name}: {counted(answers.count, 'answer')}{of}; columns: {used}{left}"]
    gives = answers.gives if gives is None else gives
    if not _EXPECTED & gives:
        lines.append(f"{name}: {_NOTHING_EXPECTED}")
        if "context" not in gives:
            lines.append(f"{name}: {_IDS_ALONE if 'retrieved' in gives else _NO_CONTEXT}")
    return "\n".join(lines)


def _write(run: "Run", answers: "Answers", output: str, status: int) -> int:
    """Write the scores where they are complete; the exit status."""
    from simulator.execution.answer_file import write_scored

    if run.summary.unfinished:
        exits.say(f"mogi: {output} is written when every row is scored, by --resume as well")
        return status
    try:
        exits.say(write_scored(run, answers, output))
    except InputError as error:
        exits.complain(error)
        exits.say(f"the run is saved: {run.header.resume} -o OUT")
        return status if status == exits.INTERRUPTED else exits.INCOMPLETE
    return status
