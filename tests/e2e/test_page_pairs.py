"""Pairs of answers decided on the page that `mogi view` serves, in a real browser."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from simulator.core.persona import Language
from simulator.improve.pairs import Pair, Right, rights_of
from simulator.improve.pairs_page import PairsDoor
from simulator.improve.stored import keep_pairs, read_choices
from simulator.review.view import View
from simulator.words import table
from tests.e2e.test_page import AXE, browser, many, tab
from tests.e2e.test_page_served import kept_in

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture
PAIRS = [Pair(f"How much? {n}", f"{n} yen", f"{n + 1} yen", "unclear") for n in range(4)]


async def serious_faults(page: Page) -> list[str]:
    await page.add_script_tag(path=str(AXE))
    violations = (await page.evaluate("axe.run()"))["violations"]
    return [v["id"] for v in violations if v["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_pairs_are_decided_by_key_and_mouse_and_outlive_a_killed_server(
    browser: Browser, tmp_path: Path, language: Language
) -> None:
    made, url = await kept_in(tmp_path, many(3, language))
    run = made.header.id
    keep_pairs(run, PAIRS, tmp_path)
    doors = {"pairs": PairsDoor(run, language, tmp_path)}
    words, own = table(language, "page"), table(language, "improve")
    address = await (view := View(made.header, url, doors=doors)).start()
    page = await (await tab(browser, bypass_csp=True)).open(address)
    await page.get_by_role("link", name=words["pairs"]).click()
    await expect(page.locator("main")).to_contain_text("0 yen")
    await expect(page.locator("main")).to_contain_text(own["pairs.head.why"])
    await page.keyboard.press("1")
    await expect(page.locator("main")).to_contain_text("How much? 1")
    await page.get_by_role("button", name=own["pairs.after"]).click()
    await expect(page.locator(".copy code")).to_have_text(f"mogi improve {run} --fix")
    await view.close()
    await page.keyboard.press("3")
    await expect(page.locator("#status")).to_contain_text(f"mogi view {run}")
    again = View(made.header, url, doors=doors)
    try:
        assert await again.start() == address
        await expect(page.locator("#status")).to_have_text(words["stored"])
        await page.keyboard.press("k")
        pressed = page.locator(".words [aria-pressed=true]")
        await expect(pressed).to_contain_text(own["pairs.equal"])
        assert await serious_faults(page) == []
    finally:
        await again.close()
    rights = rights_of(read_choices(run, tmp_path))
    assert rights == dict(zip([pair.key for pair in PAIRS], Right, strict=False))
