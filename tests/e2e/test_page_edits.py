"""A thousand verdicts over three tabs, while the server is killed at random: none is lost."""

import asyncio
import itertools
import random
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from simulator.core.claim import claims_of
from simulator.core.plan import Cell
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Verdict
from simulator.store.store import Store
from tests.e2e.test_page import PATIENCE, Watched, browser, window
from tests.e2e.test_page_served import IS_OPEN, kept_in, named
from tests.execution.scored import header, rated, run, turn
from tests.results.made import talk
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture

RUN = "3f9ab2c1"
EDITS, KILLS, TALKS, TABS = 1_000, 20, 30, 3
RELOADED, KILLED = 0.02, 0.04  # after so many of the edits
EXPECTED = Expected(elements=(("30 minutes",), ("the north gate",)))
CLAIMS = [claim.id for claim in claims_of(EXPECTED) if claim.wordings]
WORDS = {"1": "OK", "2": "NG", "3": "unsure"}
_NEWEST = r"""() => (JSON.stringify(localStorage).match(/2\d{3}-\d\d-\d\dT[\d:]+\.\d{3}/g) || [])
    .sort().at(-1) || ''"""
_PRESS = """id => { const button = document.getElementById(id);
    const pressed = button.getAttribute("aria-pressed") === "true";
    button.click(); return pressed; }"""
_KNOWS = """at => JSON.stringify(localStorage).includes(at)"""
_SHOWN = """() => document.querySelector(".review > p:last-child").textContent
    .split(" · ").slice(1, 4).join(" ")"""


@dataclass
class Server:
    """`mogi view` as people start it, at one port; started anew while the tabs go on."""

    url: str
    port: int
    process: Process | None = None
    ready: asyncio.Task[bytes] | None = None

    async def start(self) -> None:
        code = "from simulator.cli.app import main; main()"
        options = [
            "view",
            "3f9ab2c1",
            "--no-browser",
            "--port",
            str(self.port),
            "--store",
            self.url,
        ]
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, *options, stdout=PIPE, stderr=PIPE
        )
        assert self.process.stdout is not None
        self.ready = asyncio.create_task(self.process.stdout.readline())

    async def address(self) -> str:
        assert self.ready is not None
        async with asyncio.timeout(PATIENCE_S):
            return (await self.ready).decode().strip()

    @property
    def is_up(self) -> bool:
        return self.ready is not None and self.ready.done()

    async def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


@dataclass
class Person:
    """Somebody who judges in three tabs, one at a time, and remembers what they said."""

    draw: random.Random
    said: dict[str, dict[str, str]] = field(default_factory=dict)  # by place: fields
    of_claims: dict[tuple[str, str], str] = field(default_factory=dict)
    newest: str = ""
    tab: Page | None = None  # in which that was said
    asked: int = 0  # which verdict holds

    async def decide(self, page: Page) -> None:
        """Where the page asks which verdict holds: what was said here."""
        replace = page.get_by_role("button", name="Replace it with mine")
        for _ in range(await replace.count()):
            self.asked += 1
            await replace.first.click()

    async def decide_all(self, pages: list[Page]) -> None:
        """Until all is saved: a tab asks once the server has answered."""
        async with asyncio.timeout(PATIENCE_S):
            while await pages[0].evaluate(IS_OPEN):
                for page in pages:
                    await self.decide(page)
                await asyncio.sleep(0.05)

    async def look(self, page: Page) -> None:
        """Wait until a tab has heard what was said last, unless the store had that already."""
        async with asyncio.timeout(PATIENCE_S):
            while self.tab and await self.tab.evaluate(_KNOWS, self.newest):
                if await page.evaluate(_KNOWS, self.newest):
                    break
                await asyncio.sleep(0.01)

    async def edit(self, page: Page, number: int) -> None:
        await self.decide(page)
        await self.look(page)
        for _ in range(self.draw.randrange(4)):
            await page.keyboard.press(self.draw.choice("jk"))
        place = await page.evaluate(_SHOWN)
        fields = self.said.setdefault(place, {})
        what = self.draw.choice(
            ("word", "word", "undone", "comment", "corrected", "claim", "claim")
        )
        if what in ("word", "undone"):
            key = self.draw.choice("123")
            await page.keyboard.press(key)
            if what == "undone":
                await page.keyboard.press("u")
            else:
                fields["verdict"] = WORDS[key]
        elif what == "claim":
            claim, word = self.draw.choice(CLAIMS), self.draw.choice(("OK", "NG"))
            # What is pressed is taken back; a tab may not have heard yet what another one sent.
            is_pressed = await page.evaluate(_PRESS, f"{claim} {word}")
            self.of_claims[place, claim] = "" if is_pressed else word
        else:
            fields[what] = f"word{number:04}"
            await page.fill(f"#{what}", fields[what])
            await page.keyboard.press("Escape")
        self.newest, self.tab = await page.evaluate(_NEWEST), page


def judged() -> Run:
    """Answers with claims, no two alike."""
    talks = []
    for n in range(TALKS):
        said = Exchange(1, f"Question {n}?", Reply(f"Answer {n}."))
        scenario = Scenario(f"scenario-{n}", said.user, expected=EXPECTED)
        low = turn(rated(1, "Wrong."), exchange=said)
        talks.append(talk(EXPECTED, low, cell=Cell(scenario.id, "calm"), scenario=scenario))
    return run(header(planned=TALKS), *talks)


def place_of(verdict: Verdict) -> str:
    scenario, persona, _ = verdict.episode.split("/")
    return f"{scenario} {persona} turn {verdict.turn}"


def stored(url: str) -> tuple[dict[str, dict[str, str]], dict[tuple[str, str], str]]:
    """What the store has of answers and of claims, by place; what is empty is left out."""
    with Store.read(url) as store:
        answers = [v for v in store.verdicts(RUN) if not v.folded_from]
        claims = [v for v in store.verdicts(RUN, claims=True) if not v.folded_from]
    by_place = {place_of(v): v for v in answers}
    fields = {
        place: {"verdict": v.word or "", "comment": v.comment, "corrected": v.corrected}
        for place, v in by_place.items()
    }
    words = {(place_of(v), v.claim): v.word for v in claims}
    return without_empty(fields), {key: str(word) for key, word in words.items() if word}


def without_empty(fields: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    given = {place: {n: t for n, t in some.items() if t} for place, some in fields.items()}
    return {place: some for place, some in given.items() if some}


async def opened(browser: Browser, address: str) -> list[Page]:
    """Three tabs of one browser, in which Mori judges."""
    context = await window(browser)
    pages = [await Watched(await context.new_page()).open(address) for _ in range(TABS)]
    for page in pages:
        await page.goto(page.url + "#review")
    await named(pages[0], "Mori")
    return pages


async def test_a_thousand_edits_over_three_tabs_and_a_killed_server_lose_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    _, url = await kept_in(tmp_path, judged())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        server = Server(url, free.getsockname()[1])
    await server.start()
    address = await server.address()
    pages, draw = await opened(browser, address), random.Random(7)
    person, kills = Person(draw), 0
    try:
        for number in itertools.count():
            if number >= EDITS and kills > KILLS / 2:  # a server that starts slowly dies less often
                break
            page = draw.choice(pages)
            if server.is_up and draw.random() < RELOADED:
                await page.reload()
                await page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
            await person.edit(page, number)
            if server.is_up and kills < KILLS and draw.random() < KILLED:
                kills += 1
                await server.kill()
                await server.start()
        assert await server.address() == address
        await person.decide_all(pages)
    finally:
        await server.kill()
    answers, claims = stored(url)
    assert without_empty(person.said) == answers
    assert {key: word for key, word in person.of_claims.items() if word} == claims
    # Nobody else judges; but on a busy machine a tab may not have heard yet what another one sent.
    assert person.asked <= EDITS / 20
