"""What the page shows to everybody, in a real browser: whole, in words, and without a script."""

from itertools import product
from pathlib import Path

import pytest
from playwright.async_api import Browser

from simulator.core.outcome import Score
from simulator.core.talk import Exchange, Reply
from tests.e2e.test_page import browser, file_of, many, tab
from tests.judging.made import GAP, episode, header, rated, run, turn

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture


async def test_the_map_is_whole_beside_the_faults_though_names_are_long(
    browser: Browser, tmp_path: Path
) -> None:
    talks = [
        episode(
            turn(rated(1), blames=("unused",)),
            scenario=f"what-happens-to-everything-that-i-have-kept-here-when-i-leave-{n}",
            persona=persona,
        )
        for n, persona in product(range(3), ("beginner", "impatient", "non-engineer"))
    ]
    watched = await tab(browser, viewport={"width": 1280, "height": 800})
    page = await watched.open(file_of(run(header(), *talks), tmp_path))
    hidden = "e => e.scrollWidth - e.clientWidth"
    assert await page.locator(".lead.wide .scroll").evaluate(hidden) == 0


async def test_what_no_document_says_is_quoted_and_comes_first(
    browser: Browser, tmp_path: Path
) -> None:
    grounded = Score(0.2, 0.2, named=("It is free on Mars.",))
    exchange = Exchange(1, "How much?", Reply("It depends. It is free on Mars."))
    outcomes = {"overall": GAP, "grounded": grounded}
    invents = turn(exchange=exchange, outcomes=outcomes, flags=("grounded",), flagged=True)
    talks = [episode(turn(GAP), scenario=name) for name in ("a", "b")]
    made = run(header(), *talks, episode(invents, scenario="c"))
    page = await (await tab(browser)).open(file_of(made, tmp_path) + "#q=")
    first = page.locator(".row").first
    assert "c · calm" in await first.inner_text()
    assert "in no document: It is free on Mars." in await first.inner_text()
    await first.click()
    assert "in no document: It is free on Mars." in await page.inner_text(".beside")


async def test_without_javascript_no_door_is_there_that_leads_nowhere(
    browser: Browser, tmp_path: Path
) -> None:
    watched = await tab(browser, java_script_enabled=False)
    await watched.page.goto(file_of(many(6), tmp_path))
    assert not await watched.page.locator("nav").is_visible()
    assert await watched.page.locator("h1").is_visible()
