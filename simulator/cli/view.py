"""`mogi view`: the page of a run in a browser, with verdicts that go into the store."""

import asyncio
import os
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.cli import common, exits
from simulator.console.output import tell

if TYPE_CHECKING:
    from simulator.review.expectations import Expectations
    from simulator.review.view import View

_STARTS_S = 60.0  # a browser has started by then


@click.command(epilog="Example:  mogi view latest --no-browser")
@click.argument("run", type=common.NAME, default="latest")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help="Port.  [default: the last one used, 6644, or a free one]",
)
@common.flag("--no-browser", "Print the URL without opening a browser.", "quietly")
@common.store_option
@common.client_options
def command(run: str, port: int | None, store: str | None, *, quietly: bool) -> None:
    """Open RUN (an ID, a prefix, latest or previous) in a browser and judge its answers.

    mogi serves the page on this machine only. The URL contains a token. mogi stores each verdict
    immediately. Press Ctrl-C to stop; after a restart, the URL stays the same.
    """
    from simulator.cli.report import since
    from simulator.improve.pairs_page import PairsDoor
    from simulator.review.expectation_page import ExpectationDoor
    from simulator.review.expectations import read_expectations
    from simulator.review.view import Door, View
    from simulator.store.store import location_of

    url = store or config.store_url()
    header = common.header_named(url, run)

    def expectations() -> "Expectations":
        return read_expectations(common.client_of(header, None), Path.cwd())

    doors: dict[str, Door] = {}
    if not header.is_of_file:
        kept = location_of(url).file
        pairs = PairsDoor(header.id, header.language, kept.parent if kept else Path.cwd())
        doors = {"expectations": ExpectationDoor(expectations), "pairs": pairs}
    view = View(header, url, lambda whole: since(whole, url), doors)
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(view, port, quietly=quietly))
    exits.say("stopped; verdicts are saved")


async def _serve(view: "View", port: int | None, *, quietly: bool) -> None:
    address = await view.start(port)
    tell(address)
    exits.say("Press Ctrl-C to stop")
    try:
        if not quietly:
            with _leading_to(address) as page:
                await asyncio.to_thread(webbrowser.open, page)
                await asyncio.sleep(_STARTS_S)
        await asyncio.Event().wait()
    finally:
        await view.close()


@contextmanager
def _leading_to(address: str) -> Iterator[str]:
    """A page, for this account's eyes only, that goes on there.

    Everybody on the machine sees what a browser is called with, and so would see the token. The
    page is in the working directory where it can be: browsers in a sandbox see no other's `/tmp`.
    """
    prefix, suffix = "mogi-view-", ".html"
    try:
        file, name = tempfile.mkstemp(suffix, prefix, Path.cwd())
    except OSError:
        file, name = tempfile.mkstemp(suffix, prefix)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as page:
            page.write(f'<meta http-equiv="refresh" content="0;url={escape(address)}">\n')
        yield Path(name).as_uri()
    finally:
        with suppress(OSError):
            Path(name).unlink()
