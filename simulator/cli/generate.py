"""`mogi generate`: scenarios from an FAQ."""

import asyncio
import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from simulator import config
from simulator.cli import common, exits
from simulator.core.counting import counted
from simulator.core.errors import HaltReason, InputError
from simulator.core.halt import Halt

if TYPE_CHECKING:
    from simulator.core.talk import Document
    from simulator.files.client import LoadedClient
    from simulator.generate.planning import Plan
    from simulator.generate.request import Request
    from simulator.generate.session import Session

_METHODS = ("title", "paraphrase", "questions", "persona", "two-entries", "unanswerable")
_EXAMPLES = """\
\b
Examples:
  mogi generate demo --method title -o questions.yaml    no key needed
  mogi generate acme --faq scenarios/acme/knowledge/faq.csv --method title
  mogi generate demo-en --model gpt-4.1-mini --per-entry 3 --dry-run
  mogi generate demo-en --method title --export-retrieval ir -o titles.yaml
  mogi generate --self-test --model gpt-4.1-mini --dry-run

\b
Methods:
  title         the entry's title as it stands; needs no model
  paraphrase    the title in other words
  questions     what users would ask whose answer the entry holds
  persona       the matter of an entry as each persona would word it
  two-entries   it takes both of two entries that are near each other
  unanswerable  near an entry, and answered by none
"""


def _count(name: str, least: int, text: str, default: int | None = None) -> Callable[[Any], Any]:
    return click.option(
        name,
        type=common.Count(least),
        metavar="N",
        help=text,
        default=default,
        show_default=default is not None,
    )


@click.command(epilog=_EXAMPLES)
@click.argument("client", type=common.NAME, required=False)
@click.option(
    "--faq",
    type=common.NAME,
    metavar="FILE",
    help="The FAQ: csv, xlsx, json, yaml; id, title, content.  [default: the client's knowledge]",
)
@click.option(
    "--method",
    "methods",
    type=click.Choice(_METHODS),
    multiple=True,
    metavar="METHOD",
    help="How: see below.  (repeatable)  [default: questions; without a model title]",
)
@_count("--per-entry", 1, "Questions for each entry (and persona).", 1)
@_count("--checks", 1, "Check each question N times; it goes if half of them find fault.", 1)
@_count("--retries", 0, "Ask for faulty ones again, N times.", 2)
@_count("--limit", 1, "Only N entries, drawn by --seed.")
@click.option("--seed", type=int, metavar="N", help="Seed of what is drawn; another one asks anew.")
@click.option(
    "--persona",
    "personas",
    type=common.NAME,
    multiple=True,
    metavar="ID",
    help="Of the method persona: only this one.  (repeatable)",
)
@click.option("--model", type=common.NAME, metavar="M", help="The model that writes and checks.")
@click.option(
    "-o",
    "--output",
    type=common.NAME,
    metavar="FILE",
    help="Where to.  [default: scenarios.generated.yaml in CLIENT's folder]",
)
@click.option(
    "--export-retrieval",
    type=common.NAME,
    metavar="DIR",
    help="Also write queries.csv and faq.csv there, to evaluate a search.",
)
@click.option(
    "--self-test",
    is_flag=True,
    help="Instead: how well does the model tell good questions from seeded bad ones?",
)
@_count("--concurrency", 1, "Entries at once.", 50)
@common.store_option
@click.option(
    "--budget",
    "budget_usd",
    type=common.Number(0, min_open=True),
    metavar="USD",
    help="Spend at most so much on this file, earlier calls included.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and call nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
@click.pass_context
def command(ctx: click.Context, /, client: str | None, **said: Any) -> int:
    """Make scenarios from an FAQ; each question is checked before it is taken.

    What stands in the file already is kept, edited or not, and what you deleted does not come
    back: a second run adds what is missing, and asks again where the model gave no usable answer.
    Each dropped question stands with its reason in the report beside the file.

    Exit status: 0 done, 2 wrong input, 3 something is left to do, 130 interrupted.
    """
    if said.pop("self_test"):
        from simulator.cli.generate_self_test import self_test

        return self_test(client, said, _options(ctx))
    if client is None:
        raise click.UsageError("which client? e.g. `mogi generate demo --method title`")
    return _generate(client, said, _again(ctx))


def _generate(client: str, said: dict[str, Any], again: str) -> int:
    from simulator.generate.planning import plan as planned
    from simulator.generate.summary import check_folder

    as_json, quiet, dry_run = (said.pop(name) for name in ("as_json", "quiet", "dry_run"))
    folder = Path(found) if (found := said.pop("export_retrieval")) else None
    if folder:
        check_folder(folder)
    plan = planned(_request(client, said))
    if dry_run:
        from simulator.screens.generate_estimate import show_estimate

        return show_estimate(plan, as_json=as_json)
    halt = Halt()
    session = asyncio.run(_run(plan, halt, again, quiet=quiet or as_json))
    rows = _exported(session, folder)
    if as_json:
        click.echo(json.dumps(_summary(session, halt), ensure_ascii=False))
    elif not quiet:
        from simulator.screens.generate import show

        show(session, folder, rows, again)
    return _status(session, halt, again)


def _request(client: str, said: dict[str, Any]) -> "Request":
    from simulator.files.client import load_client
    from simulator.generate import request as asked
    from simulator.generate.units import Method

    loaded = load_client(client, cwd=Path.cwd(), scenarios=False)
    faq, output, seed = said.pop("faq"), said.pop("output"), said.pop("seed")
    model = asked.model_of(loaded.client, said.pop("model"))
    methods = asked.methods_of(said.pop("methods"), model)
    personas = said.pop("personas")
    if personas and Method.PERSONA not in methods:
        raise InputError("--persona goes with --method persona")
    entries, name = _faq(loaded, faq)
    return asked.Request(
        loaded=loaded,
        entries=entries,
        faq=name,
        output=_output(output) if output else asked.default_output(loaded.client, Path.cwd()),
        store_url=said.pop("store") or config.store_url(),
        methods=methods,
        model=model,
        seed=loaded.client.seed if seed is None else seed,
        personas=asked.personas_of(loaded, personas),
        at_once=said.pop("concurrency"),
        **said,
    )


def _output(named: str) -> Path:
    path = Path.cwd() / named
    if path.suffix not in (".yaml", ".yml"):
        raise InputError(f"-o {named}: the file has to end in .yaml, so that `mogi run` reads it")
    return path


def _faq(loaded: "LoadedClient", named: str | None) -> "tuple[tuple[Document, ...], str]":
    from simulator.files.knowledge import load_knowledge

    if named is not None:
        found = load_knowledge(Path.cwd() / named, cwd=Path.cwd())
        return tuple(found.documents()), Path(named).name
    if loaded.knowledge is None:
        raise InputError(
            f"the client {loaded.client.name} names no knowledge; name the FAQ with --faq FILE"
        )
    return tuple(loaded.knowledge.documents()), loaded.client.knowledge or ""


async def _run(plan: "Plan", halt: Halt, again: str, *, quiet: bool) -> "Session":
    from simulator.execution.interrupts import interruptible
    from simulator.generate.session import run_session
    from simulator.screens.generate_progress import progress

    language = plan.request.client.language
    async with interruptible(halt, exits.say):
        try:
            return await run_session(plan, lambda _: progress(language, quiet=quiet), halt)
        except Exception:
            if halt.reason is not None:
                exits.say(f"what was paid for is saved; go on with:  {again}")
            raise


def _exported(session: "Session", folder: Path | None) -> int:
    from simulator.generate.summary import export

    return export(session, folder) if folder else 0


def _summary(session: "Session", halt: Halt) -> dict[str, object]:
    from simulator.files.sources import Source
    from simulator.generate.planning import report_path
    from simulator.generate.summary import as_json

    output = session.plan.request.output
    places = {
        "output": Source.of(output).name if output.exists() else None,
        "report": Source.of(report_path(output)).name if report_path(output).exists() else None,
    }
    status = halt.reason.value if halt.reason else "unfinished" if session.left else "finished"
    return {**as_json(session), **places, "status": status}


def _status(session: "Session", halt: Halt, again: str) -> int:
    if halt.reason is not None:
        exits.say(f"mogi: {halt.message}")
    elif session.left:
        exits.say(
            f"mogi: {counted(session.left, 'entry', 'entries')} broke off, lastly: {halt.trouble}"
        )
    if halt.reason is not None or session.left:
        exits.say(f"go on with:  {again}")
        return exits.INTERRUPTED if halt.reason is HaltReason.INTERRUPTED else exits.INCOMPLETE
    if not any(line.status in ("kept", "edited") for line in session.lines):
        from simulator.screens.generate import still_open

        exits.say("mogi: no question could be kept; the report says why each was dropped")
        for line in still_open(session, again):
            exits.say(f"mogi: {line}")
        return exits.INCOMPLETE
    return 0


def _again(ctx: click.Context) -> str:
    """The command as it was typed, but for what only concerns what is printed."""
    words = ["mogi", "generate"]
    for param in _options(ctx):
        if param.name not in ("as_json", "quiet", "dry_run"):
            words += _typed(param, ctx.params[param.name or ""])
    return shlex.join(words)


def _options(ctx: click.Context) -> list[click.Parameter]:
    """What was typed, in the order of --help."""
    there = ParameterSource.COMMANDLINE
    return [p for p in ctx.command.params if ctx.get_parameter_source(p.name or "") is there]


def _typed(param: click.Parameter, value: Any) -> Iterator[str]:
    for one in value if isinstance(value, tuple) else (value,):
        if isinstance(param, click.Option):
            yield max(param.opts, key=len)
        if not isinstance(one, bool):
            yield f"{one:g}" if isinstance(one, float) else str(one)
