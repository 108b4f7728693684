"""`mogi generate`: scenarios from an FAQ, or from a log of questions."""

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simulator import config
from simulator.cli import common, exits, running
from simulator.console.layout import one_liners
from simulator.console.output import print_json, tell
from simulator.core.clean import visible
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, InputError, MogiError
from simulator.words import Words, counted

if TYPE_CHECKING:
    from simulator.core.outcome import Interval
    from simulator.core.ports import Vector
    from simulator.core.talk import Document
    from simulator.core.traffic import Traffic
    from simulator.files.client.folder import LoadedClient
    from simulator.generate.log import Cluster
    from simulator.generate.planning import ReportLine, SessionPlan
    from simulator.generate.session import MethodSummary, Session
    from simulator.generate.units import SessionRequest

_MOST_ASKED = 10
_HEAD = ("method", "kept", "edited", "deleted", "dropped", "share", "open", "hit@1", "hit@3")


def show_session(session: "Session", folder: Path | None, rows: int, again: str) -> None:
    """Print the figures on stdout, and what to do next on stderr; `again` is the command."""
    from simulator.generate.session import summaries

    methods = summaries(session.lines)
    request = session.plan.request
    every = len(request.entries)
    drawn = len({str(entry.id) for p in session.plan.units for entry in p.unit.entries})
    total = sum(summary.in_file for summary in methods)
    words = Words(request.client.language, "generated")
    counts = {"n": len(session.made), "drawn": drawn, "of": every, "total": total}
    key = "sum.drawn" if drawn < every else "sum"
    tell(words(key, client=request.client.name, faq=request.faq, **counts))
    tell(f"{_cost(session, words)}{words('seconds', n=f'{session.wall_s:.1f}')}")
    if methods:
        tell("")
        head = [words(f"head.{name}") for name in _HEAD]
        one_liners((*head, ""), [(*_row(summary), "") for summary in methods])
        for line in (*_reasons(methods, words), *_legend(methods, words)):
            tell(line)
    show_log(session.plan, session.lines)
    if folder:
        tell(words("rows", queries=folder / "queries.csv", n=rows, faq=folder / "faq.csv"))
    for note in (*session.notes, *(still_open(session, again) if total else ())):
        tell(words("note", text=note), err=True)
    if total:
        tell("", err=True)
        for line in _next_steps(session):
            tell(line, err=True)


def show_log(plan: "SessionPlan", lines: Sequence["ReportLine"]) -> None:
    """Print what a log asks: how much of it is tested, answered and neither, with the questions."""
    from simulator.generate.session import log_of

    log = log_of(plan, lines)
    if log is None:
        return
    words = Words(plan.request.client.language, "generated")
    counts = {"asked": log.asked, "empty": log.empty, "foreign": log.foreign}
    tell("")
    tell(words("log", file=plan.request.log_name, different=len(log.clusters), **counts))
    tested = [cluster for cluster in log.clusters if cluster.tested]
    answered = [cluster for cluster in log.groups if cluster.answered]
    gaps = [cluster for cluster in log.groups if not cluster.answered]
    for key, clusters in (("tested", tested), ("answered", answered), ("gaps", gaps)):
        asked = sum(cluster.count for cluster in clusters)
        tell(f"  {words(f'log.{key}', n=len(clusters), asked=asked)}")
    for key, clusters in (("answered", answered), ("gaps", gaps)):
        if clusters:
            tell("")
            head = words("log.asked"), words(f"log.entry.{key}"), words(f"log.{key}.head")
            one_liners(head, [_cluster_row(cluster) for cluster in clusters[:_MOST_ASKED]])
        if len(clusters) > _MOST_ASKED:
            tell(words("log.more", n=len(clusters) - _MOST_ASKED))


def show_generate(plan: "SessionPlan", *, as_json: bool) -> int:
    """Print what a session of `mogi generate` would do and cost; the exit status."""
    from simulator.cli.screens.estimates import prices_of, show_table
    from simulator.generate.planning import estimate_session
    from simulator.generate.session import log_json

    request = plan.request
    client, price = request.client, prices_of(request.client)
    of_model = price(request.model) if request.model else None
    work = estimate_session(plan, of_model)
    if as_json:
        print_json({**work.as_json(), "log": log_json(plan, plan.lines)})
        return 0
    words = Words(client.language, "estimate")
    tell(words("questions", client=client.name, n=work.questions, entries=work.units))
    if request.model and plan.asks_a_model:
        show_table(words("calls", model=request.model.model), work, words)
    else:
        tell(words("nothing"))
    show_log(plan, plan.lines)
    for note in plan.notes():
        tell(f"note: {note}", err=True)
    return 0


def _cluster_row(cluster: "Cluster") -> tuple[str, str, str]:
    entry = visible(str(cluster.entry.id)) if cluster.entry else "-"
    return f"{cluster.count:,}", entry, visible(cluster.question)


def still_open(session: "Session", again: str) -> Iterator[str]:
    """For which questions the model had nothing, why, and what would bring them."""
    from simulator.generate.planning import is_to_be_tried_again

    words = Words(session.plan.request.client.language, "generated")
    unusable: Counter[str] = Counter()
    faulty: Counter[str] = Counter()
    for line in session.lines:
        if line.status == "unfilled" and line.model:
            counts = unusable if is_to_be_tried_again(line) else faulty
            counts[line.fault] += line.number
    if unusable:
        n, why = sum(unusable.values()), _counts(unusable, words)
        yield words("open.unusable", n=n, counts=why, command=again)
    if faulty:
        yield words("open.faulty", n=sum(faulty.values()), counts=_counts(faulty, words))


def _cost(session: "Session", words: Words) -> str:
    calls = session.ledger.model_calls - session.before.model_calls
    if not session.plan.asks_a_model and not calls:
        return ""
    paid = session.ledger.cost_usd
    money = words("cost.unknown") if paid is None else f"${paid:,.4f}"
    return words("cost.earlier" if session.before.model_calls else "cost", n=calls, money=money)


def _row(summary: "MethodSummary") -> Sequence[str]:
    return (
        summary.method,
        f"{summary.kept:,}",
        f"{summary.edited:,}",
        f"{summary.deleted:,}",
        f"{sum(summary.dropped.values()):,}",
        _rate(summary.drop_rate),
        f"{summary.unfilled:,}",
        *(_rate(summary.hits[k]) for k in (1, 3)),
    )


def _rate(interval: "Interval") -> str:
    return "-" if interval.mean is None else f"{interval.mean:.0%}"


def _reasons(methods: Sequence["MethodSummary"], words: Words) -> Iterator[str]:
    counts = {
        "dropped": _added(summary.dropped for summary in methods),
        "useless": _added(summary.useless for summary in methods),
        "facts": _added(summary.dropped_facts for summary in methods),
    }
    for key, faults in counts.items():
        if faults:
            yield words(key, counts=_counts(faults, words))
    searched = sum(summary.searched for summary in methods)
    if searched:
        yield words("hits", n=searched)


def _legend(methods: Sequence["MethodSummary"], words: Words) -> Iterator[str]:
    """The meaning of the table's words that nobody can guess."""
    dropped = _added(summary.dropped for summary in methods)
    if dropped:
        yield words("legend.share")
    if "unchecked" in dropped:
        yield words("legend.unchecked")
    if any(summary.unfilled for summary in methods):
        yield words("legend.open")


def _added(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _counts(counts: Mapping[str, int], words: Words) -> str:
    return words.counts("fault", dict(sorted(counts.items(), key=lambda item: -item[1])))


def _next_steps(session: "Session") -> Iterator[str]:
    """What is left to do, in the client's language."""
    from simulator.formats.sources import Source
    from simulator.generate.planning import report_path
    from simulator.generate.units import ships

    request = session.plan.request
    client, output = request.client, request.output
    words = Words(client.language, "generated")
    yield words("next.report", file=Source.of(output).name, report=report_path(output).name)
    if ships(client):
        yield words("next.shipped", client=client.name)
        return
    relative = Path(os.path.relpath(output, client.folder)).as_posix()
    key = "next.named" if _is_named(relative, Path(client.folder)) else "next.write"
    yield words(key, client=client.name, file=relative)
    yield words("next.run", client=client.name)


def _is_named(relative: str, folder: Path) -> bool:
    """Whether a client's own file names these scenarios."""
    from simulator.formats.sources import Source
    from simulator.formats.yaml.reading import read_yaml

    written = read_yaml(Source.of(folder / "client.yaml")).data
    return isinstance(written, dict) and written.get("scenarios") == relative


_METHODS = ("title", "paraphrase", "questions", "persona", "two-entries", "unanswerable", "log")
_EXAMPLES = """\
\b
Examples:
  mogi generate demo-en --method title -o questions.yaml    without a model
  mogi generate acme --faq scenarios/acme/knowledge/faq.csv --method title
  mogi generate demo-en --model gpt-6-luna --per-entry 3 --dry-run
  mogi generate demo-en --method title --export-retrieval ir -o titles.yaml
  mogi generate acme --from-log questions.csv --limit 50

\b
Methods:
  title         the entry's title; a model (--model) adds expected elements
  paraphrase    the title, paraphrased
  questions     questions that the entry answers
  persona       a question about the entry, in each persona's words
  two-entries   questions that need two related entries
  unanswerable  questions related to an entry, but not answered by any
  log           real questions (--from-log); a model adds expected elements
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client", type=common.NAME)
@common.text(
    "--faq",
    "FILE",
    "FAQ file (csv, xlsx, json or yaml) with the columns id, title and content.  "
    "[default: the client's knowledge base]",
)
@click.option(
    "--method",
    "methods",
    type=click.Choice(_METHODS),
    multiple=True,
    metavar="METHOD",
    help="How to generate questions; see Methods below.  (repeatable)  [default: "
    "questions with a model, title without one]",
)
@common.text(
    "--from-log", "FILE", "Use real questions from a log. Formats: docs/en/reference/formats.md."
)
@common.speakers("With --from-log: name")
@common.count("--per-entry", "Questions per entry (and persona).", default=1)
@common.count(
    "--checks", "Check each question N times, and drop it if half or more fail.", default=1
)
@common.count("--retries", "Retry unusable responses up to N times.", least=0, default=2)
@common.count(
    "--limit", "Use N entries, sampled with --seed. With --from-log: the N most frequent questions."
)
@click.option(
    "--seed", type=int, metavar="N", help="Random seed. Change it to generate new questions."
)
@common.texts("--persona", "ID", "With --method persona: use only this persona.", "personas")
@common.model_option("Model that writes and checks the questions.")
@common.text(
    "-o", "FILE", "Output file.  [default: scenarios.generated.yaml in CLIENT's folder]", "--output"
)
@common.text(
    "--export-retrieval",
    "DIR",
    "Also write queries.csv and faq.csv to this folder, for `mogi retrieval`.",
)
@common.count("--concurrency", "Entries in parallel.", default=50)
@common.store_option
@common.budget("Maximum cost of all model calls for this output file, including earlier runs.")
@common.dry_run_option
@running.log_options
@common.json_option
@common.quiet_option
@common.client_options
@click.pass_context
def command(ctx: click.Context, /, client: str, **options: Any) -> int:
    """Generate scenarios from an FAQ or from a log of real questions.

    mogi checks model-written questions before it keeps them. Similar questions from the log become
    one scenario, which expects the answer in the matching document. If no document matches, the
    scenario has no expectations.

    Scenarios that are already in the output file stay, including your edits, and those that you
    deleted stay deleted. Run the command again to add scenarios for new entries and to retry
    unusable responses. mogi also writes a report next to the file. It lists each dropped question
    with the reason.

    Exit status: 0 done, 2 invalid input, 3 incomplete, 130 interrupted.
    """
    return _generate(client, options, _again(ctx))


def _generate(client: str, options: dict[str, Any], again: str) -> int:
    from simulator.generate.planning import plan as planned
    from simulator.generate.session import check_folder, export

    as_json, quiet, dry_run = (options.pop(name) for name in ("as_json", "quiet", "dry_run"))
    verbose, log = running.log_of(options)
    named = options.pop("export_retrieval")
    folder = Path(named) if named else None
    if folder:
        check_folder(folder)
    from_log, users = options.pop("from_log"), options.pop("users")
    if users and from_log is None:
        raise InputError("--user needs a log; set it with --from-log FILE")
    request = _request(client, options, has_log=from_log is not None)
    if dry_run:
        plan = planned(_with_log(request, client, from_log, users, None))
        return show_generate(plan, as_json=as_json)
    common.confirm_reach(request.loaded)
    halt = Halt()
    with running.listening(log, verbose=verbose) as traffic:
        plan = planned(_with_log(request, client, from_log, users, traffic))
        session = asyncio.run(_run(plan, halt, traffic, again, quiet=quiet or as_json or verbose))
    rows = export(session, folder) if folder else 0
    if as_json:
        print_json(_summary(session, halt))
    elif not quiet:
        show_session(session, folder, rows, again)
    return _status(session, halt, again)


def _request(client: str, options: dict[str, Any], *, has_log: bool) -> "SessionRequest":
    from simulator.files.client.folder import load_client
    from simulator.generate import units as asked
    from simulator.generate.units import Method

    loaded = load_client(client, cwd=Path.cwd(), scenarios=False)
    faq, seed, output = options.pop("faq"), options.pop("seed"), options.pop("output")
    named_model = options.pop("model")
    model = asked.model_of(loaded.client, named_model)
    methods = asked.methods_of(options.pop("methods"), model, has_log=has_log)
    personas = options.pop("personas")
    if personas and Method.PERSONA not in methods:
        raise InputError("--persona requires --method persona")
    entries, name = _faq(loaded, faq)
    path = Path.cwd() / output if output else None
    if path and path.suffix not in (".yaml", ".yml"):
        raise InputError(f"-o {output}: the file name must end in .yaml")
    return asked.SessionRequest(
        loaded=loaded,
        entries=entries,
        faq=name,
        output=path or asked.default_output(loaded.client, Path.cwd()),
        store_url=options.pop("store") or config.store_url(),
        methods=methods,
        model=model,
        is_named=named_model is not None,
        seed=loaded.client.seed if seed is None else seed,
        personas=asked.personas_of(loaded, personas),
        at_once=options.pop("concurrency"),
        **options,
    )


def _with_scenarios(loaded: "LoadedClient", client: str) -> "LoadedClient":
    """The client with its scenarios; it may have none yet."""
    from simulator.files.client.folder import load_client
    from simulator.files.scenarios.expected import NAMES

    try:
        return load_client(client, cwd=Path.cwd())
    except InputError:
        if any((Path(loaded.client.folder) / name).exists() for name in NAMES):
            raise
        return loaded


def _with_log(
    request: "SessionRequest",
    client: str,
    file: str | None,
    users: tuple[str, ...],
    traffic: "Traffic | None",
) -> "SessionRequest":
    """The request with the questions of a log, in clusters, if there is one.

    An embedding model helps if it can; without `traffic` none is called.
    """
    if file is None:
        return request
    from simulator.files.questions import read_questions
    from simulator.formats.sources import Source
    from simulator.generate.attempts import is_written_in
    from simulator.generate.log import clustered
    from simulator.generate.session import embedded

    language, before = request.client.language, None
    source = Source.of(Path.cwd() / file)

    def note(sentence: str) -> None:
        exits.say(f"{source.name}: {sentence}")

    questions = read_questions(source, language, users, request.loaded.mapping, note)
    own = [question for question in questions if is_written_in(question, language)]

    def embed(texts: "Sequence[str]") -> "Sequence[Vector]":
        nonlocal before
        if traffic is None:
            return ()
        try:
            vectors, before = asyncio.run(embedded(request, texts, traffic))
        except MogiError as error:
            exits.say(f"note: mogi compares questions only by shared words: {error}")
            return ()
        return vectors

    has_model = request.client.embedding is not None
    log = clustered(own, request.entries, language, embed if has_model else None)
    return replace(
        request,
        loaded=_with_scenarios(request.loaded, client),
        log=replace(log, asked=len(questions), foreign=len(questions) - len(own)),
        log_name=Path(file).name,
        before=before,
        confirms=request.model is not None,
    )


def _faq(loaded: "LoadedClient", named: str | None) -> "tuple[tuple[Document, ...], str]":
    from simulator.files.knowledge import load_knowledge

    if named is not None:
        knowledge = load_knowledge(Path.cwd() / named, cwd=Path.cwd())
        return tuple(knowledge.documents()), Path(named).name
    if loaded.knowledge is None:
        raise InputError(
            f"the client {loaded.client.name} has no knowledge; set the FAQ with --faq FILE"
        )
    return tuple(loaded.knowledge.documents()), loaded.client.knowledge or ""


async def _run(
    plan: "SessionPlan", halt: Halt, traffic: "Traffic", again: str, *, quiet: bool
) -> "Session":
    from simulator.cli.screens.progress import generate_progress
    from simulator.core.concurrency import interruptible
    from simulator.generate.session import run_generation

    language = plan.request.client.language
    async with interruptible(halt, exits.say):
        try:
            return await run_generation(
                plan, lambda _: generate_progress(language, quiet=quiet), halt, traffic
            )
        except Exception:
            if halt.reason is not None:
                exits.say(f"paid calls are saved; to resume:  {again}")
            raise


def _summary(session: "Session", halt: Halt) -> dict[str, object]:
    from simulator.formats.sources import Source
    from simulator.generate.planning import report_path
    from simulator.generate.session import as_json

    output = session.plan.request.output
    files = {"output": output, "report": report_path(output)}
    places = {n: Source.of(file).name if file.exists() else None for n, file in files.items()}
    status = halt.reason.value if halt.reason else "unfinished" if session.left else "finished"
    return {**as_json(session), **places, "status": status}


def _status(session: "Session", halt: Halt, again: str) -> int:
    if halt.reason is not None:
        exits.say(f"mogi: {halt.message}")
    elif session.left:
        exits.say(f"mogi: {counted(session.left, 'entry', 'entries')} ended early: {halt.trouble}")
    if halt.reason is not None or session.left:
        exits.say(f"to resume:  {again}")
        return exits.INTERRUPTED if halt.reason is HaltReason.INTERRUPTED else exits.INCOMPLETE
    has_any = any(line.status in ("kept", "edited") for line in session.lines)
    if session.plan.units and not has_any:
        exits.say("mogi: no usable questions; for the reasons, see the report")
        for line in still_open(session, again):
            exits.say(f"mogi: {line}")
        return exits.INCOMPLETE
    return 0


def _again(ctx: click.Context) -> str:
    """The command as it was typed, but for what only concerns what is printed."""
    words = ["mogi", "generate"]
    for param in _options(ctx):
        if param.name not in ("as_json", "quiet", "dry_run", "verbose", "log"):
            value = ctx.params.get(param.name or "", ctx.meta.get(f"mogi.{param.name}"))
            for each in value if isinstance(value, tuple) else (value,):
                words += [max(param.opts, key=len)] if isinstance(param, click.Option) else []
                if not isinstance(each, bool):
                    words.append(f"{each:g}" if isinstance(each, float) else str(each))
    return shlex.join(words)


def _options(ctx: click.Context) -> list[click.Parameter]:
    """What was typed, in the order of --help."""
    typed = ParameterSource.COMMANDLINE
    return [p for p in ctx.command.params if ctx.get_parameter_source(p.name or "") is typed]
