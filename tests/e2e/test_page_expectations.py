"""Expectations confirmed on the page that `mogi view` serves, by keyboard, in a real browser."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from simulator.core.run import Run
from simulator.core.scenario import Approval
from simulator.review.expectation_page import ExpectationDoor
from simulator.review.view import View
from tests.e2e.test_page import AXE, browser, tab
from tests.e2e.test_page_served import stored
from tests.review.test_expectations import folder, read, text_of

pytestmark = pytest.mark.slow
__all__ = ["browser", "folder", "stored"]  # fixtures


@pytest.fixture
async def page(
    browser: Browser, stored: tuple[Run, str], folder: Path
) -> AsyncIterator[tuple[Page, Path]]:
    run, url = stored
    view = View(run.header, url, doors={"expectations": ExpectationDoor(lambda: read(folder))})
    watched = await tab(browser, bypass_csp=True)
    opened = await watched.open(await view.start(0))
    await opened.click("nav a[href='#expectations']")
    yield opened, folder
    await view.close()


async def test_claims_are_judged_by_keyboard_alone(page: tuple[Page, Path]) -> None:
    shown, folder = page
    await shown.keyboard.press("y")
    await expect(shown.locator("#status")).to_contain_text("name")
    await shown.keyboard.type("Abe")
    await shown.keyboard.press("Enter")
    for n in range(1, 19):
        await shown.keyboard.press("y")
        await expect(shown.locator(".review")).to_contain_text(
            f"{n} of 20 judged, 0 removed or changed"
        )
    await shown.keyboard.press("x")
    await expect(shown.locator(".review")).to_contain_text("19 of 20 judged, 1 removed or changed")
    assert await shown.locator("#bulk").count() == 0
    await shown.keyboard.press("e")
    await shown.keyboard.type(" at most")
    await shown.keyboard.press("Control+Enter")
    await expect(shown.locator(".review")).to_contain_text("20 of 20 judged, 2 removed or changed")
    assert " at most" in text_of(folder)
    history = read(folder).history
    assert (20, {"Abe"}) == (len(history), {j.reviewer for j in history})


async def test_bulk_approval_opens_and_confirms_the_others(page: tuple[Page, Path]) -> None:
    shown, folder = page
    await shown.fill("#reviewer", "Abe")
    await shown.keyboard.press("Enter")
    for n in range(1, 21):
        await shown.keyboard.press("y")
        await expect(shown.locator(".review")).to_contain_text(
            f"{n} of 20 judged, 0 removed or changed"
        )
    await expect(shown.locator(".review")).to_contain_text("at most 14 %")
    await shown.click("#bulk")
    await expect(shown.locator("main")).to_have_text("Nothing left to confirm.")
    counts = read(folder).counts()
    assert counts[Approval.BULK] > 0 == counts[Approval.OPEN]


async def test_a_new_claim_is_added_and_a_draft_outlives_the_tab(page: tuple[Page, Path]) -> None:
    shown, folder = page
    await shown.fill("#reviewer", "Abe")
    await shown.keyboard.press("Enter")
    await shown.keyboard.press("a")
    await shown.keyboard.type("by card")
    await shown.reload()
    await expect(shown.locator("#new")).to_have_value("by card")
    await shown.select_option("#kind", "must_not")
    await shown.focus("#new")
    await shown.keyboard.press("Control+Enter")
    await expect(shown.locator("#new")).to_have_value("")
    assert "must_not" in text_of(folder)


async def test_axe_finds_no_serious_fault(page: tuple[Page, Path]) -> None:
    shown, _ = page
    await shown.add_script_tag(path=str(AXE))
    violations = (await shown.evaluate("axe.run()"))["violations"]
    assert [] == [v["id"] for v in violations if v["impact"] in ("serious", "critical")]
