"""The command `mogi`: commands are loaded when they are called, errors end in one sentence."""

import gc
import importlib
import io
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import click

from simulator.cli import exits
from simulator.console.output import Channel, tell

# name -> one line for --help. Each is simulator/cli/<name>.py with a click command `command`,
# or the function of its name in another file; a hyphen in the name is _ in the file's.
COMMANDS = {
    "run": "test a bot with simulated users and score every answer",
    "check": "check a client's files and report every error at once",
    "init": "create a client: a folder with a bot's settings and scenarios",
    "generate": "generate scenarios from an FAQ or a log of real questions",
    "import-dialogs": "turn recorded conversations into scenarios that you can replay",
    "score": "score existing answers in a file",
    "rejudge": "rescore a run with different metrics or a different judge",
    "judge-check": "test the judge on answers with planted errors",
    "compare": "compare two runs: new failures and fixes",
    "improve": "list what to fix in a run, propose fixes, and verify them",
    "tune": "find the threshold that best fits reviewers' verdicts",
    "coverage": "list knowledge base entries and real questions that no scenario tests",
    "retrieval": "evaluate search results against expected documents",
    "runs": "list the runs in the store",
    "store": "check, migrate, vacuum or copy a store",
    "show": "show a run or one of its conversations",
    "view": "open a run in a browser and judge its answers",
    "mcp": "run an MCP server for coding agents",
    "export": "print a run as JSON lines, one per turn",
    "report": "write a report of a finished run",
    "review": "plan reviews, import reviewers' verdicts, and apply their corrections",
    "agreement": "measure agreement between the judge and reviewers",
    "sheets-check": "check access to a client's Google spreadsheet",
    "personas": "list personas",
    "metrics": "list metrics",
    "targets": "list the kinds of bots you can test, or try a client's bot",
    "models": "try a client's models: features, latency, cost",
    "reports": "list reports",
}
_ELSEWHERE = {"export": "report", "init": "check", "models": "targets", "reports": "report"}


class _Context(click.Context):
    def get_help(self) -> str:
        """The help in the language of the locale, else in English."""
        return exits.help_text(self.command_path) or super().get_help()


class _LazyGroup(click.Group):
    context_class = _Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        file = _ELSEWHERE.get(cmd_name, cmd_name.replace("-", "_"))
        module = importlib.import_module(f"simulator.cli.{file}")
        command: click.Command = getattr(module, cmd_name if cmd_name in _ELSEWHERE else "command")
        subcommands = command.commands.values() if isinstance(command, click.Group) else ()
        for each in (command, *subcommands):
            each.context_class = _Context
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Here `--help` is printed; click itself would end a reader's leave with status 1."""
        with exits.reader_may_leave():
            return super().make_context(*args, **kwargs)
        raise click.exceptions.Exit(0)

    def invoke(self, ctx: click.Context) -> Any:
        """Here commands print; likewise."""
        with exits.reader_may_leave():
            return super().invoke(ctx)
        return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


_UNCOLLECTED = 50_000  # objects: conversations are many small ones, none of which is in a cycle
_START = """\
\b
Start here. You don't need an API key or a bot:
  mogi run demo-en    run the demo, a fictional help desk (Japanese: `demo`)
  mogi show latest    show that run's summary again
  mogi init acme      create a folder for your own bot

\b
For options and examples, run:  mogi COMMAND --help
"""


@click.group(
    cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_START
)
@click.option("--debug", is_flag=True, help="Show tracebacks.")
@click.version_option(package_name="mogi", prog_name="mogi")
@click.pass_context
def app(ctx: click.Context, *, debug: bool) -> None:
    """Test your RAG chatbot with simulated users."""
    ctx.obj = {"debug": debug}


def main(args: Sequence[str] | None = None) -> None:
    """The entry point. Every error ends in a sentence and an exit status; see cli/exits.py."""
    for stream in (sys.stdout, sys.stderr):
        # What is piped or redirected is UTF-8 on every system; a terminal knows its own encoding.
        if isinstance(stream, io.TextIOWrapper):
            encoding = None if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
    gc.set_threshold(_UNCOLLECTED)
    # What a bot prints, warnings and logs are foreign, too.
    sys.stdout, sys.stderr = Channel(sys.stdout), Channel(sys.stderr)
    sys.exit(run(sys.argv[1:] if args is None else list(args)))


def run(args: Sequence[str]) -> int:
    """Run one command line; returns the exit status. Errors are printed on stderr."""
    args = _usual(args)
    try:
        # standalone_mode=False: exceptions come here, and what a command returns is its status.
        with exits.tracebacks() if "--debug" in args else nullcontext():
            status = app.main(args=args, prog_name="mogi", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001  whatever it is, the person gets a sentence
        if "--debug" in args and not isinstance(error, (SystemExit, click.ClickException)):
            import traceback

            tell("".join(traceback.format_exception(error)), err=True, end="")
        from simulator.cli import usage

        lines = usage.message_lines(error, app, args)
        for line in lines:
            exits.say(line)
        return exits.WRONG_INPUT if lines else exits.status_of(error)
    return status if isinstance(status, int) else 0


def _usual(args: Sequence[str]) -> list[str]:
    """Lets people type `mogi run demo --debug` and `mogi help run`."""
    rest = [a for a in args if a != "--debug"]
    first = ["--debug"] if len(rest) < len(args) else []
    if rest[:1] == ["help"]:
        rest = [*rest[1:], "--help"]
    return [*first, *rest]
