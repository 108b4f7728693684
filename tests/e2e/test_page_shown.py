"""What the page shows to everybody, in a real browser: whole, in words, and without a script."""

from itertools import product
from pathlib import Path

import pytest
from playwright.async_api import Browser

from simulator.core.claim import Reading, claims_of
from simulator.core.talk import Exchange, Reply
from tests.e2e.test_page import browser, file_of, many, tab
from tests.execution.scored import GAP, episode, header, rated, run, turn
from tests.results.made import ELEMENT, VIOLATED, WORDS, answer, talk

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


async def test_a_contradiction_is_quoted_and_comes_first(browser: Browser, tmp_path: Path) -> None:
    claim = claims_of(ELEMENT)[0]
    read = Reading(claim.id, VIOLATED, WORDS, quote="It is 40 minutes.")
    said = Exchange(1, "How long?", Reply("It depends. It is 40 minutes."))
    talks = [episode(turn(GAP), scenario=name) for name in ("a", "b")]
    made = run(header(), *talks, talk(ELEMENT, answer(read, exchange=said)))
    page = await (await tab(browser)).open(file_of(made, tmp_path) + "#q=")
    first = page.locator(".row").first
    assert "lock · calm" in await first.inner_text()
    await first.click()
    await page.get_by_text("the answer contradicts “30 minutes”").wait_for()
    assert await page.locator("mark").first.inner_text() == "It is 40 minutes."


async def test_without_javascript_no_door_is_there_that_leads_nowhere(
    browser: Browser, tmp_path: Path
) -> None:
    watched = await tab(browser, java_script_enabled=False)
    await watched.page.goto(file_of(many(6), tmp_path))
    assert not await watched.page.locator("nav").is_visible()
    assert await watched.page.locator("h1").is_visible()
