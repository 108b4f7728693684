"""`mogi sheets-check`: whether a client's spreadsheet can be read and written, writing nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common, exits
from simulator.console.output import as_json, print_json, tell
from simulator.core.clean import visible

if TYPE_CHECKING:
    from simulator.words import Words
    from simulator.worksheets.google.spreadsheet import Access

_EXAMPLES = """\
\b
Examples:
  mogi sheets-check demo-en --spreadsheet 1AbCdEfGhIjKlMnOpQrStUvWxYz
  mogi sheets-check demo-en --spreadsheet 1AbCdEfGhIjKlMnOpQrStUvWxYz --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client")
@common.text(
    "--spreadsheet", "KEY_OR_URL", "Check this spreadsheet.  [default: `sheets:` in client.yaml]"
)
@common.json_option
@common.client_options
def command(client: str, *, spreadsheet: str | None, as_json: bool) -> int:
    """Show which Google credentials mogi uses and what they can access. Nothing is written.

    Exit status: 0 if mogi can read CLIENT's spreadsheet and write to it (as far as it can tell);
    otherwise 2, with instructions.
    """
    from simulator.core.plan import SheetsSpec
    from simulator.formats.fields import spreadsheet_key
    from simulator.words import Words
    from simulator.worksheets.google.spreadsheet import check_access

    spec = common.client(client).client
    wanted = spec.sheets
    if spreadsheet is not None:
        key = spreadsheet_key(spreadsheet)
        wanted = SheetsSpec(key, wanted.worksheet) if wanted else SheetsSpec(key)
    result = check_access(wanted)
    if as_json:
        print_json(_json(spec.name, result))
    else:
        for line in _lines(result, Words(spec.language, "sheets_check")):
            tell(line)
    for problem in result.problems:
        exits.say(problem)
    return exits.WRONG_INPUT if result.problems else 0


def _lines(check: "Access", words: "Words") -> Iterator[str]:
    from rich.cells import cell_len

    lines = [(words(key) + ":" if key else "", text) for key, text in _facts(check, words)]
    widest = max((cell_len(label) for label, _ in lines), default=0)
    return (f"{label}{' ' * (widest - cell_len(label))} {text}" for label, text in lines)


def _facts(check: "Access", words: "Words") -> Iterator[tuple[str, str]]:
    """What is known, each with the key of its label; what goes on has none."""
    if check.account is not None:
        kind = check.account.kind
        yield (
            "credentials",
            check.account.source.replace(f", {kind}", words.comma + words.name("kind", kind)),
        )
        yield "account", check.account.email or words("unknown")
    if check.url:
        yield "spreadsheet", check.title
        yield "", check.url
    if check.readable is not None:
        yield "readable", words("yes" if check.readable else "no")
    if check.readable:
        yield "writable", words(_WRITABLE[check.writable])
        yield "worksheets", words.comma.join(sheet.title for sheet in check.worksheets)
        yield "log", words("log.there" if check.has_log else "log.missing", log=visible(check.log))


_WRITABLE = {True: "writable.yes", False: "writable.no", None: "writable.unknown"}


def _json(client: str, check: "Access") -> dict[str, Any]:
    account = {name: getattr(check.account, name, None) for name in ("source", "kind", "email")}
    return {
        "client": client,
        "credentials": account,
        "spreadsheet": check.spreadsheet,
        "url": check.url or None,
        "title": check.title or None,
        **as_json(check, "readable", "writable", "log"),
        "worksheets": [as_json(sheet, "title", "rows", "columns") for sheet in check.worksheets],
        "problems": as_json(check.problems),
    }
