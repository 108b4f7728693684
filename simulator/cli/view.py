"""`mogi view`: the page of a run in a browser, with verdicts that go into the store."""

import asyncio
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.cli import common, exits
from simulator.console.output import tell
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from simulator.review.view import View

# The same each time: what a page could not send before its server ended, the next one is sent.
_PORT = 6644


@click.command(epilog="Example:  mogi view latest --no-browser")
@click.argument("run", type=common.NAME, default="latest")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    help=f"Which port.  [default: {_PORT}, or a free one]",
)
@common.flag("--no-browser", "Print the address, and open nothing.", "quietly")
@common.store_option
@common.client_options
def command(run: str, port: int | None, store: str | None, *, quietly: bool) -> None:
    """Look at RUN (an id, a prefix of one, latest or previous) in a browser, and judge answers.

    It is served on this machine only, to whoever has the address with its token. Verdicts go into
    the store as they are given. Ctrl-C ends it.
    """
    from simulator.cli.report import since
    from simulator.review.view import View

    url = store or config.store_url()
    with common.open_store(url) as opened:
        header = opened.header(opened.resolve(run))
    view = View(header, url, lambda whole: since(whole, url))
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(view, port, quietly=quietly))
    exits.say("ended; verdicts are in the store")


async def _serve(view: "View", port: int | None, *, quietly: bool) -> None:
    try:
        address = await view.start(_PORT if port is None else port)
    except InputError:
        if port is not None:
            raise
        address = await view.start(0)
    tell(address)
    exits.say("Ctrl-C ends it")
    if not quietly:
        await asyncio.to_thread(webbrowser.open, address)
    try:
        await asyncio.Event().wait()
    finally:
        await view.close()
