"""`mogi sheets-check`: whether a client's spreadsheet can be read and written, writing nothing."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common, exits

if TYPE_CHECKING:
    from simulator.google_sheets.spreadsheet import Checked
    from simulator.words import Words

_EXAMPLES = """\
\b
Examples:
  mogi sheets-check demo --spreadsheet 1AbCdEfGhIjKlMnOpQrStUvWxYz
  mogi sheets-check demo --spreadsheet 1AbCdEfGhIjKlMnOpQrStUvWxYz --json
"""


@click.command(epilog=_EXAMPLES)
@click.argument("client")
@click.option(
    "--spreadsheet",
    type=common.NAME,
    metavar="KEY_OR_URL",
    help="Look at this one.  [default: `sheets:` of client.yaml]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def command(client: str, *, spreadsheet: str | None, as_json: bool) -> int:
    """Say with which credentials Google is asked, and what they open. Writes nothing.

    Exit status: 0 if the spreadsheet of CLIENT can be read, and written as far as that can be
    known; else 2, with what to do.
    """
    from simulator.core.plan import SheetsSpec
    from simulator.files.spreadsheet_keys import spreadsheet_key
    from simulator.google_sheets.spreadsheet import checked
    from simulator.words import Words

    found = common.client(client).client
    wanted = found.sheets
    if spreadsheet is not None:
        key = spreadsheet_key(spreadsheet)
        wanted = SheetsSpec(key, wanted.worksheet) if wanted else SheetsSpec(key)
    result = checked(wanted)
    if as_json:
        click.echo(json.dumps(_json(found.name, result), ensure_ascii=False))
    else:
        for line in _lines(result, Words(found.language, "sheets_check")):
            click.echo(line)
    for problem in result.problems:
        exits.say(problem)
    return exits.WRONG_INPUT if result.problems else 0


def _lines(found: "Checked", words: "Words") -> Iterator[str]:
    from rich.cells import cell_len

    lines = [(words(key) + ":" if key else "", text) for key, text in _facts(found, words)]
    widest = max((cell_len(label) for label, _ in lines), default=0)
    return (f"{label}{' ' * (widest - cell_len(label))} {text}" for label, text in lines)


def _facts(found: "Checked", words: "Words") -> Iterator[tuple[str, str]]:
    """What is known, each with the key of its label; what goes on has none."""
    if found.account is not None:
        yield "credentials", found.account.source
        yield "account", found.account.email or words("unknown")
    if found.url:
        yield "spreadsheet", found.title
        yield "", found.url
    if found.readable is not None:
        yield "readable", words("yes" if found.readable else "no")
    if found.readable:
        yield "writable", words(_WRITABLE[found.writable])
        yield "worksheets", words.comma.join(sheet.title for sheet in found.worksheets)
        yield "log", words("log.there" if found.has_log else "log.missing", log=repr(found.log))


_WRITABLE = {True: "writable.yes", False: "writable.no", None: "writable.unknown"}


def _json(client: str, found: "Checked") -> dict[str, Any]:
    account = found.account
    return {
        "client": client,
        "credentials": {
            "source": account.source if account else None,
            "kind": account.kind if account else None,
            "email": account.email if account else None,
        },
        "spreadsheet": found.spreadsheet,
        "url": found.url or None,
        "title": found.title or None,
        "readable": found.readable,
        "writable": found.writable,
        "log": found.log,
        "worksheets": [
            {"title": sheet.title, "rows": sheet.rows, "columns": sheet.columns}
            for sheet in found.worksheets
        ],
        "problems": list(found.problems),
    }
