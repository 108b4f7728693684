"""`mogi review expectations`: what generated scenarios expect, confirmed by people."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator.cli import common, exits
from simulator.console.output import print_json, tell

if TYPE_CHECKING:
    from simulator.files.client.folder import LoadedClient

_SHEETS = "sheets"
_WORKSHEET = "expectations.xlsx"
_EXAMPLES = """\
\b
Examples:
  mogi review expectations acme                 write expectations.xlsx
  mogi review expectations acme --from expectations.xlsx
                                                show the changes as a diff
  mogi review expectations acme --from expectations.xlsx --bulk --write
  mogi review expectations acme --to sheets     use the client's spreadsheet

\b
FROM and --to: a file, `sheets` (the client's spreadsheet), or
`sheets=KEY_OR_URL` (another spreadsheet).
"""


@click.command(short_help="confirm generated expectations", epilog=_EXAMPLES)
@click.argument("client", type=common.NAME)
@common.text(
    "-o", "FILE", f"Workbook to write (.xlsx), or sheets.  [default: {_WORKSHEET}]", "--to", "to"
)
@common.text("--from", "FROM", "Import a completed workbook.", "where")
@common.text("--reviewer", "NAME", "Reviewer for rows without one.")
@common.flag("--bulk", "Confirm all other claims, if the sample allows it.", "is_bulk")
@common.flag("--write", "Update the scenarios file.", "is_written")
@common.json_option
@common.client_options
def command(client: str, to: str | None, where: str | None, **options: Any) -> None:
    """Have reviewers confirm the generated expectations of CLIENT (`approved: false`).

    Writes a workbook with one row per claim (what an answer must or must not say). Reviewers can
    keep, remove, edit or add claims. --from imports the workbook and prints a diff of the scenarios
    file; --write changes the file. A scenario is confirmed once all its claims have a decision. The
    first 20 claims are a random sample: if reviewers remove or change at most one of them, --bulk
    confirms the rest (`approved: bulk`). mogi records each decision in a file next to the
    scenarios.

    Exits with 3 if mogi can't apply a decision or refuses --bulk.
    """
    if where is not None or options["is_bulk"]:
        read_back(client, where, **options)
    elif options["is_written"] or options["reviewer"]:
        raise click.UsageError(
            "--write and --reviewer require --from FILE (or --bulk); e.g. "
            f"mogi review expectations {client} --from {_WORKSHEET} --write"
        )
    else:
        _write(client, to or _WORKSHEET, as_json=options["as_json"])


def _write(client: str, to: str, *, as_json: bool) -> None:
    """Write the worksheet."""
    from simulator.cli.contracts.review import expectations_json
    from simulator.cli.screens.review import worksheet_lines
    from simulator.review.expectation_sheet import write_sheet_at_google, write_worksheet
    from simulator.review.expectations import read_expectations, take

    loaded = common.client(client)
    state = read_expectations(loaded, Path.cwd())
    where = None
    if state.to_judge() and (key := _spreadsheet(to, loaded)):
        where = write_sheet_at_google(state, key)
    elif state.to_judge():
        write_worksheet(state, where := to)
    text = "\n".join(worksheet_lines(state, where, to))
    figures = expectations_json(take(state, ()), where, (), written=False)
    common.answer_line(figures, text, as_json=as_json)


def read_back(
    client: str,
    where: str | None,
    reviewer: str | None,
    *,
    is_bulk: bool,
    is_written: bool,
    as_json: bool,
) -> None:
    """Show what people wrote into a worksheet, if any, and take it.

    Raises:
        Exit: something is not taken, or bulk approval is refused.
    """
    from simulator.cli.contracts.review import WorksheetRemark, expectations_json
    from simulator.cli.screens.review import taken_lines
    from simulator.formats.sources import Source
    from simulator.review.expectation_sheet import (
        Sheet,
        read_sheet_at_google,
        read_worksheet,
    )
    from simulator.review.expectations import in_bulk, read_expectations, take, write

    loaded = common.client(client)
    state, who = read_expectations(loaded, Path.cwd()), (reviewer or "").strip()
    if where is None:
        sheet = Sheet()
    elif key := _spreadsheet(where, loaded):
        sheet = read_sheet_at_google(state, key, who)
    else:
        sheet = read_worksheet(Source.of(Path.cwd() / where), state, who)
    taken = take(state, sheet.judgements, bulk=in_bulk(who) if is_bulk else None)
    if is_written:
        write(taken)
    if as_json:
        remarks = [WorksheetRemark(remark.row, remark.text) for remark in sheet.remarks]
        print_json(expectations_json(taken, where, remarks, written=is_written))
    else:
        tell(taken.diff, end="")
        lines = taken_lines(taken, where, sheet.remarks, is_bulk=is_bulk, written=is_written)
        for line in lines:
            exits.say(line)
    if taken.refused or taken.conflicts:
        raise click.exceptions.Exit(exits.INCOMPLETE)


def _spreadsheet(where: str, loaded: "LoadedClient") -> str | None:
    """The key of the spreadsheet that `sheets` or `sheets=KEY_OR_URL` means; None: it is a file.

    Raises:
        InputError: the client has no spreadsheet, or what is named is none.
    """
    from simulator.core.errors import InputError
    from simulator.formats.fields import spreadsheet_key

    kind, _, key = where.partition("=")
    if kind != _SHEETS:
        return None
    if key:
        return spreadsheet_key(key)
    if loaded.client.sheets is None:
        message = "set the spreadsheet in client.yaml (sheets: {spreadsheet: KEY_OR_URL})"
        raise InputError(f"{message}, or use sheets=KEY_OR_URL")
    return loaded.client.sheets.spreadsheet
