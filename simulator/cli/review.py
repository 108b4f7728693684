"""`mogi review`: people's verdicts, from a sheet and back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simulator.cli import common, exits, expectations
from simulator.console.output import tell

if TYPE_CHECKING:
    from simulator.core.run import Run, RunHeader
    from simulator.files.client.folder import LoadedClient
    from simulator.worksheets.reading import Oddity, ReviewTable

_SHEETS = "sheets"
_EXAMPLES = """\
\b
Examples:
  mogi review pull latest --from review.xlsx    import verdicts
  mogi review status latest                     show what is left to review
  mogi review apply acme                        corrected answers, as a diff
  mogi review expectations acme                 a workbook to confirm claims
"""


@click.group(epilog=_EXAMPLES)
def command() -> None:
    """Import, track and apply reviewers' verdicts."""


command.add_command(expectations.command, "expectations")


_PULL = """\
\b
Examples:
  mogi review pull latest --from review.xlsx
  mogi review pull latest --from review.csv --reviewer "Jane Smith"
  mogi review pull latest --from review.xlsx --json
  mogi review pull acme --expectations --from expectations.xlsx

\b
FROM is one of:
  .xlsx, .csv       a file from `mogi report` that reviewers filled in
  .jsonl            the file saved from the HTML report, or lines of
                    `mogi export` with "verdict", "error_type", "corrected",
                    "comment", "reviewer"
  sheets            the client's spreadsheet
  sheets=KEY_OR_URL another spreadsheet
"""


@command.command("pull", short_help="import verdicts from a spreadsheet or file", epilog=_PULL)
@click.argument("run", type=common.NAME)
@common.text(
    "--from",
    "FROM",
    "An .xlsx, .csv or .jsonl file; `sheets` (the client's spreadsheet); or `sheets=KEY_OR_URL`.",
    "where",
    required=True,
)
@common.text("--reviewer", "NAME", "Reviewer for rows without one.")
@common.flag(
    "--expectations", "Treat RUN as a client, and FROM as its expectations workbook.", "of_client"
)
@common.of_client_options
def pull_command(
    run: str, where: str, reviewer: str | None, store: str | None, *, of_client: bool, as_json: bool
) -> None:
    """Import reviewers' verdicts into RUN (an ID, a prefix, latest or previous).

    Reviewers may sort, filter and move rows, and move columns: mogi matches rows by key and columns
    by header. It adds new verdicts and never overwrites any, so you can safely pull twice. mogi
    lists unreadable cells and cells in the wrong column, with their rows. Exits with 3 if
    nothing is readable, or if any line of a .jsonl file is invalid.

    --expectations is a shortcut for `mogi review expectations CLIENT --from FROM --write`.
    """
    if of_client:
        expectations.read_back(
            run, where, reviewer, is_bulk=False, is_written=True, as_json=as_json
        )
        return
    from simulator.cli.contracts.review import pulled_json
    from simulator.cli.screens.review import pulled_view
    from simulator.review.pull import check_run, pull
    from simulator.review.status import review_status

    with common.open_store(store) as opened:
        header = opened.header(opened.resolve(run))
        is_there = where.partition("=")[0] == _SHEETS
        whole = common.load_run(opened, header.id) if is_there else None
    source, table, beside = _read(where, header, whole)
    with common.open_store(store) as opened:
        check_run(opened, header, table, where)
    with common.open_to_write(store) as opened:
        pulled = pull(opened, header, table, source=source, reviewer=(reviewer or "").strip())
        status = None if as_json else review_status(opened, header)
    pulled.oddities += beside
    common.answer(
        lambda: pulled_json(header, source, pulled),
        lambda width: pulled_view(header, source, pulled, width, status),
        as_json=as_json,
    )
    unread = table.is_printed and pulled.has_unread
    if pulled.is_empty or pulled.is_wordless or unread:
        raise click.exceptions.Exit(exits.INCOMPLETE)


def _read(
    where: str, header: "RunHeader", at_google: "Run | None"
) -> "tuple[str, ReviewTable, list[Oddity]]":
    """What verdicts call the source, the table in it, and what people left beside that."""
    if at_google is not None:
        from simulator.reports.sheets import read_sheet

        return read_sheet(at_google, where.partition("=")[2] or None, exits.say)
    from simulator.formats.sources import Source
    from simulator.reports._people import strays
    from simulator.worksheets.review_files import read_review_file

    source = Source.of(Path.cwd() / where)
    return source.name, read_review_file(source, header.language), list(strays(source))


_PUSH = """\
\b
Examples:
  mogi review push latest --to 1AbCdEfGhIjKlMnOpQrStUvWxYz
"""


@command.command("push", short_help="update a spreadsheet", epilog=_PUSH)
@click.argument("run", type=common.NAME)
@common.text("--to", "KEY_OR_URL", "Spreadsheet to update.  [default: the client's]", "where")
@common.of_client_options
def push_command(run: str, where: str | None, store: str | None, *, as_json: bool) -> None:
    """Update the spreadsheet of RUN (an ID, a prefix, latest or previous).

    mogi appends missing turns and updates the results. It keeps what people wrote. You can't push
    to a workbook or CSV file. Import its verdicts with `mogi review pull`, then write a new file
    with `mogi report RUN --report xlsx=FILE`.
    """
    from simulator.cli.screens.review import pushed_json, pushed_view
    from simulator.reports.sheets import push

    with common.open_store(store) as opened:
        whole = common.load_run(opened, run)
    written = push(whole, where)
    common.answer(
        lambda: pushed_json(whole.header, written),
        lambda _: pushed_view(whole.header, written),
        as_json=as_json,
    )


_PLAN = """\
\b
Examples:
  mogi review plan latest --budget 150
  mogi review plan latest --budget 50            adds 50 to an existing plan
  mogi review plan latest --new-since previous   to compare both runs
"""


@command.command("plan", short_help="choose which answers to judge", epilog=_PLAN)
@click.argument("run", type=common.NAME)
@common.count("--budget", "Number of answers to judge (the reviewers' budget, not US dollars).")
@common.text(
    "--new-since", "A", "Select only answers that aren't in run A. --budget defaults to 30."
)
@common.of_store_options
def plan_command(
    run: str, budget: int | None, new_since: str | None, store: str | None, *, as_json: bool
) -> None:
    """Choose N answers from RUN (an ID, a prefix, latest or previous) to judge.

    mogi selects each distinct answer once and skips answers that were already judged. The sample is
    random but weighted: mogi is three times as likely to pick an answer if the judge and text
    matching disagree about it, if its score is near the threshold, or if its scenario must pass.
    mogi corrects for the weights, so the estimates represent the whole run. With 30 verdicts from 5
    scenarios, the report also shows a corrected score (see docs/en/results.md). New workbooks
    list the selected answers in the plan's random order. The output shows how precise the corrected
    score will be with this many answers, and with more.

    With --new-since, mogi selects only answers that aren't in run A. Verdicts on A also apply to
    identical answers in RUN, so `mogi compare A RUN` can compare both runs by human verdicts.
    """
    from simulator.cli.contracts.review import plan_json
    from simulator.cli.screens.review import plan_view
    from simulator.review.plan import plan_for
    from simulator.review.status import review_status

    if budget is None and new_since is None:
        raise click.UsageError("Missing option '--budget' (or --new-since A).")
    name = common.header_named(store, run).id
    since = common.header_named(store, new_since) if new_since else None
    with common.open_to_write(store) as opened, opened.lock(name):
        header = opened.header(name)
        expected = plan_for(opened, header, budget, since)
        opened.plan_review(name, expected.plan)
        status = review_status(opened, opened.header(name))
    common.answer(
        lambda: plan_json(header, expected, status),
        lambda width: plan_view(header, expected, status, width, since.id if since else ""),
        as_json=as_json,
    )


_STATUS = """\
\b
Examples:
  mogi review status latest
  mogi review status latest --json
"""


@command.command("status", short_help="show what is left to review", epilog=_STATUS)
@click.argument("run", type=common.NAME)
@common.of_store_options
def status_command(run: str, store: str | None, *, as_json: bool) -> None:
    """Show what is left to review in RUN (an ID, a prefix, latest or previous).

    Lists the distinct answers that still need a verdict, by persona and scenario; each reviewer's
    verdicts and where reviewers disagree; and how many verdicts `mogi tune` still needs. If the run
    has a plan, the output also shows how precise the corrected score is now, once the plan is
    finished, and with more answers.
    """
    from simulator.cli.contracts.review import status_json
    from simulator.cli.screens.review import status_view
    from simulator.review.status import review_status

    expected, corrected = None, None
    with common.open_store(store) as opened:
        header = opened.header(opened.resolve(run))
        status = review_status(opened, header)
        if plan := header.review_plan:
            from simulator.review.plan import DistinctAnswers, outlook
            from simulator.view.stored_run import stored_run

            whole = stored_run(opened, header)
            expected = outlook(DistinctAnswers.read(header, whole.reviewed()), plan)
            corrected = whole.summary.corrected
    common.answer(
        lambda: status_json(header, status, expected, corrected),
        lambda width: status_view(header, status, width, expected, corrected),
        as_json=as_json,
    )


_PROMOTE = "Create a scenario tagged `regression` from this conversation."
_APPLY = """\
\b
Examples:
  mogi review apply acme                  show the diff
  mogi review apply acme > answers.diff   save the diff
  mogi review apply acme --write          change the scenarios file
  mogi review apply demo-en --promote latest change-email/angry/1
                                          turn a conversation into a scenario
"""


@command.command("apply", short_help="turn corrected answers into expected answers", epilog=_APPLY)
@click.argument("client", type=common.NAME)
@common.flag("--write", "Update the scenarios file.", "is_written")
@click.option("--promote", nargs=2, type=common.NAME, metavar="RUN CONVERSATION", help=_PROMOTE)
@common.of_client_options
def apply_command(
    client: str,
    store: str | None,
    promote: tuple[str, str] | None,
    *,
    is_written: bool,
    as_json: bool,
) -> None:
    """Turn corrected answers from CLIENT's runs into expected answers of its scenarios.

    Prints a diff of the scenarios file. With --write, updates the expected answers in the file and
    nothing else. mogi uses each reviewer's latest correction. It lists conflicting corrections and
    corrections to any turn after the first, but doesn't apply them. If the scenarios file is .xlsx
    or .json, mogi doesn't change it; it prints the old and new answers.

    --promote turns a failing conversation into a scenario with its query, what the user knew, and
    the corrected answer.
    """
    from simulator.cli.contracts.review import applied_json
    from simulator.cli.screens.review import changes, remarks
    from simulator.console.output import print_json, show_view
    from simulator.review import corrected_answers as apply
    from simulator.words import Words

    loaded = common.client(client)
    if promote is not None:
        _promote(loaded, promote, store, is_written=is_written, as_json=as_json)
        return
    with common.open_store(store) as opened:
        applied = apply.propose(opened, loaded, Path.cwd())
    if is_written:
        apply.write_edit(applied.edit)
    if as_json:
        print_json(applied_json(client, applied, written=is_written))
        return
    words = Words(loaded.client.language, "review")
    if applied.diff:
        tell(applied.diff, end="")
    elif applied.edit is not None:
        show_view(lambda width: changes(applied, words, width))
    for line in remarks(client, applied, words, written=is_written):
        exits.say(line)


def _promote(
    loaded: "LoadedClient",
    which: tuple[str, str],
    store: str | None,
    *,
    is_written: bool,
    as_json: bool,
) -> None:
    from simulator.cli.contracts.review import promoted_json
    from simulator.cli.screens.episode import chosen
    from simulator.cli.screens.review import promoted_remarks
    from simulator.console.output import print_json
    from simulator.review import corrected_answers as apply
    from simulator.words import Words

    run, name = which
    with common.open_store(store) as opened:
        header = opened.header(opened.resolve(run))
        episode = chosen(name, opened.keys(header.id), header.id)
        promoted = apply.promote(opened, loaded, header, episode, Path.cwd())
    if is_written:
        apply.write_edit(promoted.edit)
    client = loaded.client.name
    if as_json:
        print_json(promoted_json(client, promoted, header, episode, written=is_written))
        return
    tell(promoted.diff, end="")
    words = Words(loaded.client.language, "review")
    for line in promoted_remarks(client, promoted, words, written=is_written):
        exits.say(line)


_RENAME = """\
\b
Examples:
  mogi review rename "J. Smith" "Jane Smith"
"""


@command.command("rename", short_help="rename a reviewer", epilog=_RENAME)
@click.argument("old", type=common.NAME)
@click.argument("new", type=common.NAME)
@common.of_store_options
def rename_command(old: str, new: str, store: str | None, *, as_json: bool) -> None:
    """Rename reviewer OLD to NEW in all runs in the store and in future imports.

    If both judged an answer, the later verdict counts. The store keeps the original names, so you
    can undo this with `mogi review rename NEW OLD`.
    """
    from simulator.core.errors import InputError
    from simulator.words import Words

    was, now = old.strip(), new.strip()
    with common.open_store(store) as opened:
        rows = opened.runs()
        given = (opened.verdicts(row.id, claims=on) for row in rows for on in (False, True))
        verdicts = [verdict for some in given for verdict in some]
    n = sum(verdict.reviewer == was and not verdict.folded_from for verdict in verdicts)
    if was == now or not n:
        names = ", ".join(sorted({v.reviewer for v in verdicts} - {""})) or "nobody"
        raise InputError(f"{was} has no verdicts to rename; reviewers with verdicts: {names}")
    with common.open_to_write(store) as opened:
        opened.rename_reviewer(was, now, datetime.now(UTC).isoformat(timespec="seconds"))
    text = Words(rows[0].language, "review")("renamed", old=was, new=now, n=n)
    common.answer_line({"old": was, "new": now, "verdicts": n}, text, as_json=as_json)


_WITHDRAW = """\
\b
Examples:
  mogi review withdraw latest --reviewer "Jane Smith"
"""


@command.command("withdraw", short_help="withdraw a reviewer's verdicts", epilog=_WITHDRAW)
@click.argument("run", type=common.NAME)
@common.text("--reviewer", "NAME", "Withdraw the verdicts of this reviewer.", required=True)
@common.of_store_options
def withdraw_command(run: str, reviewer: str, store: str | None, *, as_json: bool) -> None:
    """Withdraw one reviewer's verdicts on RUN (an ID, a prefix, latest or previous).

    These answers count as unreviewed again. The store keeps the verdicts as history.
    """
    from simulator.review.pull import withdraw
    from simulator.words import Words

    header, name = common.header_named(store, run), reviewer.strip()
    with common.open_to_write(store) as opened:
        n = withdraw(opened, header, name)
    text = Words(header.language, "review")("withdrawn", who=name, run=header.id, n=n)
    figures = {"run": header.id, "reviewer": name, "verdicts": n}
    common.answer_line(figures, text, as_json=as_json)
