"""The page as `mogi view` serves it, in a real browser: what is judged there is in the store."""

import asyncio
import re
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, Route, expect

from simulator.core.claim import Reading, claims_of
from simulator.core.persona import Language
from simulator.core.run import Run
from simulator.core.talk import Exchange, Reply
from simulator.core.verdict import Word
from simulator.review.view import View
from simulator.store.store import Store
from simulator.words import table
from tests.e2e.test_page import PATIENCE, Watched, browser, judged_by_keyboard, many, tab, window
from tests.execution.scored import header, rated, run, turn
from tests.results.made import ELEMENT, VIOLATED, WORDS, talk
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture
IS_OPEN = "() => Object.keys(localStorage).some((key) => key.includes(':edit:'))"


async def kept_in(folder: Path, made: Run) -> tuple[Run, str]:
    """A run, and the URL of the store that holds it."""
    url = f"sqlite:///{folder}/mogi.db"
    with Store.create(url) as store:
        store.begin(made.header)
        for place, each in enumerate(made.episodes()):
            await store.save_episode(made.header.id, place, each)
        store.finish(made.header, {})
    return made, url


@pytest.fixture
async def stored(tmp_path: Path) -> tuple[Run, str]:
    return await kept_in(tmp_path, many(60))


def said(url: str) -> dict[tuple[str, str, int], tuple[Word | None, str]]:
    """By person, episode and turn, what they say by now."""
    with Store.read(url) as store:
        verdicts = list(store.verdicts(many(1).header.id))
    now = {(v.reviewer, v.episode, v.turn): v for v in verdicts}
    return {key: (v.word, v.comment) for key, v in now.items() if not v.takes_back}


async def named(page: Page, name: str) -> None:
    await page.fill("#reviewer", name)
    await page.keyboard.press("Escape")


async def is_saved(page: Page) -> None:
    await page.wait_for_function(f"() => !({IS_OPEN})()", timeout=PATIENCE)


async def test_served_verdicts_are_in_the_store_at_once(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        watched = await tab(browser)
        page = await watched.open(await view.start(0))
        assert "token" not in page.url
        await judged_by_keyboard(page, "en")
        await page.keyboard.press("s")
        await expect(page.locator("#status")).to_have_text("Saved.")
        await page.reload()
        await page.wait_for_selector("html[data-ready]")
    finally:
        await view.close()
    with Store.read(url) as store:
        words = [verdict.word for verdict in store.verdicts(made.header.id)]
    assert words.count(Word.OK) >= 5
    assert set(words) == {Word.OK, Word.NG, Word.UNSURE}


async def test_what_is_undone_or_typed_quickly_is_so_in_the_store(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        page = await (await tab(browser)).open(await view.start(0))
        await page.goto(page.url + "#review")
        await named(page, "Mori")
        for key in ("2", "u", "j", "2", "k", "1", "3", "k"):  # far less than a second
            await page.keyboard.press(key)
        await page.keyboard.press("m")
        await page.keyboard.type("Not what was asked.")
        await page.keyboard.press("Escape")
        await is_saved(page)
    finally:
        await view.close()
    assert sorted(said(url).values(), key=str) == sorted(
        [(Word.OK, ""), (Word.UNSURE, "Not what was asked.")], key=str
    )


async def test_two_tabs_lose_nothing_to_each_other(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    context = await window(browser)
    try:
        address = await view.start(0)
        first, second = [await Watched(await context.new_page()).open(address) for _ in "ab"]
        for page in (first, second):
            await page.goto(page.url + "#review")
        await named(first, "Mori")
        await first.keyboard.press("1")
        await expect(second.locator(".words [aria-pressed=true]")).to_have_text(re.compile("OK"))
        await second.keyboard.press("j")
        await second.keyboard.press("2")
        await expect(first.locator(".words [aria-pressed=true]")).to_have_text(re.compile("NG"))
        for page in (first, second):
            await is_saved(page)
            await expect(page.locator(".who .num")).to_have_text("2 of 60")
    finally:
        await view.close()
    assert sorted(word for word, _ in said(url).values() if word) == [Word.NG, Word.OK]


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_what_was_judged_while_no_server_was_there_reaches_the_next_by_itself(
    browser: Browser, tmp_path: Path, language: Language
) -> None:
    made, url = await kept_in(tmp_path, many(60, language))
    view = View(made.header, url)
    page = (watched := await tab(browser)).page
    address = await view.start()
    await watched.open(address)
    await page.goto(page.url + "#review")
    await named(page, "Mori")
    await page.keyboard.press("1")
    await is_saved(page)
    await view.close()
    await page.keyboard.press("2")
    await page.keyboard.press("k")
    await page.fill("#comment", "late")
    words = table(language, "page")
    gone = words["trouble.gone"].replace("{command}", f"mogi view {made.header.id}")
    await expect(page.locator("#status")).to_contain_text(gone)
    assert "fetch" not in await page.inner_text("#status")
    assert len(said(url)) == 1
    again = View(made.header, url)
    try:
        assert await again.start() == address
        await is_saved(page)
        await expect(page.locator("#status")).not_to_contain_text(gone)
    finally:
        await again.close()
    assert sorted(said(url).values(), key=str) == [(Word.NG, "late"), (Word.OK, "")]


async def test_a_tab_that_was_killed_while_no_server_was_there_loses_nothing(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    context = await window(browser)
    page = await Watched(await context.new_page()).open(address := await view.start())
    await page.goto(page.url + "#review")
    await named(page, "Mori")
    await view.close()
    await page.keyboard.press("2")
    await page.fill("#corrected", "At three.")
    await page.close(run_before_unload=False)
    assert said(url) == {}
    again = View(made.header, url)
    try:
        assert await again.start() == address
        page = await Watched(await context.new_page()).open(address)
        await is_saved(page)
    finally:
        await again.close()
    assert len(said(url)) == 2


async def test_who_takes_the_port_is_not_sent_the_token(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    page = await (await tab(browser)).open(await view.start())
    port = int(page.url.split(":")[2].split("/")[0])
    await page.goto(page.url + "#review")
    async with page.expect_response(re.compile("/verdicts")):
        await named(page, "Mori")
    await view.close()
    asked: list[tuple[str, str]] = []

    async def listen(request: web.BaseRequest) -> web.Response:
        asked.append((request.raw_path, str(request.headers)))
        return web.json_response({"added": 1, "newer": [], "given": []})

    other = web.ServerRunner(web.Server(listen))
    await other.setup()
    await web.TCPSite(other, "127.0.0.1", port).start()
    try:
        await page.keyboard.press("2")
        await expect(page.locator("#status")).to_contain_text("Another program responds")
    finally:
        await other.cleanup()
    assert asked
    assert not [path for path, head in asked if view.token in path + head]
    assert "Mori" in await page.evaluate("JSON.stringify(localStorage)")


async def test_who_takes_the_port_after_the_proof_gets_nothing_and_ends_nothing(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    page = await (await tab(browser)).open(await view.start())
    await page.goto(page.url + "#review")
    async with page.expect_response(re.compile("/verdicts")):
        await named(page, "Mori")
    sent: list[str] = []

    async def taken(route: Route) -> None:  # the server's proof has let the request go
        sent.append(str(await route.request.all_headers()))
        await route.fulfill(json={"added": 1, "newer": [], "given": []})

    await page.route("**/verdicts", taken)
    await page.keyboard.press("2")
    await expect(page.locator("#status")).to_contain_text("Another program responds")
    assert sent
    assert not [head for head in sent if view.token in head]
    await page.unroute("**/verdicts")
    await is_saved(page)
    await view.close()
    assert [word for word, _ in said(url).values()] == [Word.NG]


async def two_in_review(browser: Browser, address: str) -> tuple[Page, Page]:
    """Two browsers at the review."""
    first, second = [await (await tab(browser)).open(address) for _ in "ab"]
    for page in (first, second):
        await page.goto(page.url + "#review")
    return first, second


async def without_hearing(route: Route) -> None:
    """What is changed is sent, and nothing else is asked."""
    asks = '"edits":[]' in (route.request.post_data or "")
    await (route.abort() if asks else route.continue_())


async def judged_in_two(browser: Browser, address: str) -> tuple[Page, Page]:
    """Two browsers, in which the same person judged the first answer: OK, then NG.

    The second one never hears what the first one said.
    """
    first, second = [await (await tab(browser)).open(address) for _ in "ab"]
    await second.route("**/verdicts", without_hearing)
    for page, key in ((first, "1"), (second, "2")):
        await page.goto(page.url + "#review")
        await named(page, "Mori")
        await page.keyboard.press(key)
        if page is first:
            await is_saved(page)
    return first, second


async def test_a_verdict_of_another_browser_is_shown_before_it_is_replaced(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        first, second = await judged_in_two(browser, await view.start(0))
        dialog = second.get_by_role(
            "dialog", name="Someone else judged this answer in the meantime"
        )
        await expect(dialog).to_contain_text("Stored verdict: OK")
        await expect(dialog).to_contain_text("Your verdict: NG")
        assert [word for word, _ in said(url).values()] == [Word.OK]
        await dialog.get_by_role("button", name="Replace it with mine").click()
        await is_saved(second)
        assert [word for word, _ in said(url).values()] == [Word.NG]
        await first.keyboard.press("k")
        await first.keyboard.press("1")  # it still shows OK, and the store says NG
        dialog = first.get_by_role("dialog", name="Someone else judged this answer in the meantime")
        await expect(dialog).to_contain_text("Stored verdict: NG")
        await dialog.get_by_role("button", name="Keep the stored verdict").click()
        await expect(dialog).to_have_count(0)  # no key counts before
        await is_saved(first)
        await expect(first.locator(".words [aria-pressed=true]")).to_have_count(0)  # it went on
        await first.keyboard.press("k")
        await expect(first.locator(".words [aria-pressed=true]")).to_have_text(re.compile("NG"))
    finally:
        await view.close()
    assert [word for word, _ in said(url).values()] == [Word.NG]


@pytest.mark.parametrize(
    ("answer", "is_sent"),
    [
        ("Replace it with mine", True),
        ("Replace it with mine", False),
        ("Keep the stored verdict", False),
    ],
)
async def test_an_old_question_takes_nothing_back_that_another_tab_said_since(
    browser: Browser, stored: tuple[Run, str], answer: str, is_sent: bool
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        address = await view.start(0)
        _, old = await judged_in_two(browser, address)
        await expect(old.locator("dialog.newer")).to_be_visible()
        new = await Watched(await old.context.new_page()).open(address)
        await new.goto(new.url + "#review")
        dialog = new.locator("dialog.newer")  # NG is still to be sent
        await dialog.get_by_role("button", name="Replace it with mine").click()
        await is_saved(new)
        if not is_sent:
            await new.route("**/verdicts", lambda route: route.abort())
        await new.keyboard.press("k")
        await new.keyboard.press("3")
        if is_sent:
            await is_saved(new)
        await old.locator("dialog.newer").get_by_role("button", name=answer).click()
        await expect(old.locator("dialog.newer")).to_have_count(0)
        await is_saved(old)
    finally:
        await view.close()
    assert [word for word, _ in said(url).values()] == [Word.UNSURE]


async def test_a_comment_of_another_browser_stays_where_only_the_word_is_changed(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        first, second = await two_in_review(browser, await view.start(0))
        for page in (first, second):
            await named(page, "Mori")
        await first.fill("#comment", "old")
        await is_saved(first)
        await second.route("**/verdicts", without_hearing)
        await first.fill("#comment", "typed just now")
        await is_saved(first)
        await second.keyboard.press("2")
        await is_saved(second)
        await expect(second.locator("dialog.newer")).to_have_count(0)
    finally:
        await view.close()
    assert list(said(url).values()) == [(Word.NG, "typed just now")]


async def test_what_was_taken_back_in_another_browser_does_not_come_back_by_itself(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view, is_kept, may_come = View(made.header, url), asyncio.Event(), asyncio.Event()

    async def unanswered(route: Route) -> None:  # the store has it, and the page never hears so
        if may_come.is_set():
            return await route.continue_()
        if "At three." in (route.request.post_data or ""):
            await route.fetch()
            is_kept.set()
        return await route.abort()

    try:
        first, second = await two_in_review(browser, await view.start(0))
        await first.route("**/verdicts", unanswered)
        await named(first, "Mori")
        await first.fill("#comment", "At three.")
        async with asyncio.timeout(PATIENCE_S):
            await is_kept.wait()
        await named(second, "Mori")
        await expect(second.locator("#comment")).to_have_value("At three.", timeout=PATIENCE)
        await second.fill("#comment", "")
        await is_saved(second)
        may_come.set()
        dialog = first.locator("dialog.newer")
        await expect(dialog).to_contain_text("Stored verdict: –", timeout=PATIENCE)
        await expect(dialog).to_contain_text("At three.")
        assert said(url) == {}
        await dialog.get_by_role("button", name="Replace it with mine").click()
        await is_saved(first)
    finally:
        await view.close()
    assert [comment for _, comment in said(url).values()] == ["At three."]


async def test_who_decides_nothing_loses_nothing(browser: Browser, stored: tuple[Run, str]) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        address = await view.start(0)
        _, second = await judged_in_two(browser, address)
        dialog = second.locator("dialog.newer")
        await expect(dialog).to_be_visible()
        await second.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await second.reload()
        await expect(dialog).to_contain_text("Your verdict: NG")
    finally:
        await view.close()


async def test_each_answer_of_the_server_brings_the_count_of_the_store(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        address = await view.start(0)
        first, second = await two_in_review(browser, address)
        for page in (first, second):
            await named(page, "Mori")
        for key in "121":
            await first.keyboard.press(key)
        await is_saved(first)
        for _ in range(10):
            await second.keyboard.press("j")
        await second.keyboard.press("2")
        await expect(second.locator(".who .num")).to_have_text("4 of 60")
    finally:
        await view.close()
    assert len(said(url)) == 4


async def test_the_count_after_a_restart_at_another_address_is_that_of_the_store(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    page = await (await tab(browser)).open(await view.start(0))
    await page.goto(page.url + "#review")
    await named(page, "Mori")
    for _ in range(11):
        for key in "213":
            await page.keyboard.press(key)
    await is_saved(page)
    await view.close()
    assert len(said(url)) == 33
    again = View(made.header, url)
    try:
        page = await (await tab(browser)).open(await again.start(0))
        await page.goto(page.url + "#review")
        await named(page, "Mori")
        await expect(page.locator(".who .num")).to_have_text("33 of 60")
    finally:
        await again.close()


async def test_another_browser_shows_what_the_store_has_by_that_name(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        address = await view.start(0)
        first, second = [await (await tab(browser)).open(address) for _ in "ab"]
        await first.goto(first.url + "#review")
        await named(first, "Mori Ken")
        for key in "21":
            await first.keyboard.press(key)
        await is_saved(first)
        await second.goto(second.url + "#review")
        await second.reload()
        await second.fill("#reviewer", " Mori\u3000Ken ")
        await second.keyboard.press("Enter")
        await expect(second.locator(".who .num")).to_have_text("2 of 60")
        await expect(second.locator("main")).to_contain_text("3 / 60")  # the first open one
        await second.keyboard.press("k")
        given = second.locator(".words [aria-pressed=true]")
        await expect(given).to_have_text(re.compile("OK"))
        await second.keyboard.press("2")
        await is_saved(second)
    finally:
        await view.close()
    assert sorted(word for word, _ in said(url).values() if word) == [Word.NG, Word.NG]


async def test_until_the_conversations_are_there_the_page_says_that_it_loads(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        page = (await tab(browser)).page
        address, may_come = await view.start(0), asyncio.Event()

        async def held(route: Route) -> None:
            await may_come.wait()
            await route.continue_()

        await page.route("**/data", held)
        await page.goto(address)
        await expect(page.locator("main [role=status]")).to_contain_text("Loading")
        may_come.set()
        await page.wait_for_selector("html[data-ready]")
        await expect(page.locator("main")).not_to_contain_text("Loading")
    finally:
        await view.close()


async def test_another_person_at_the_same_screen_judges_anew(
    browser: Browser, stored: tuple[Run, str]
) -> None:
    made, url = stored
    view = View(made.header, url)
    try:
        page = await (await tab(browser)).open(await view.start(0))
        await page.goto(page.url + "#review")
        await named(page, "Mori")
        await page.keyboard.press("1")
        await is_saved(page)
        await named(page, "Sato")
        await expect(page.locator(".words [aria-pressed=true]")).to_have_count(0)
        await expect(page.locator("main")).not_to_contain_text("Not helpful.")
        await page.keyboard.press("2")
        await is_saved(page)
    finally:
        await view.close()
    assert {(who, word) for (who, *_), (word, _) in said(url).items()} == {
        ("Mori", Word.OK),
        ("Sato", Word.NG),
    }


async def test_what_was_said_of_a_claim_is_shown_when_the_page_is_opened_again(
    browser: Browser, tmp_path: Path
) -> None:
    claim = claims_of(ELEMENT)[0]
    read = Reading(claim.id, VIOLATED, WORDS, quote="It is 40 minutes.")
    said_ = Exchange(1, "How long?", Reply("It depends. It is 40 minutes."))
    low = turn(rated(1, "Wrong."), exchange=said_, readings=(read,))
    made, url = await kept_in(tmp_path, run(header(planned=1), talk(ELEMENT, low)))
    view = View(made.header, url)
    try:
        address = await view.start(0)
        first, second = await two_in_review(browser, address)
        await named(first, "Abe")
        await first.click("button.mark >> nth=1")
        await is_saved(first)
        await second.fill("#reviewer", "Abe")
        await second.keyboard.press("Enter")
        pressed = "button.mark[aria-pressed=true]"
        await expect(second.locator(pressed)).to_have_text("✗", timeout=PATIENCE)
        await first.reload()
        await expect(first.locator(pressed)).to_have_text("✗", timeout=PATIENCE)
        await first.click(pressed)  # it is taken back
        await is_saved(first)
        await expect(first.locator("dialog")).to_have_count(0)
    finally:
        await view.close()
    with Store.read(url) as store:
        given = list(store.verdicts(made.header.id, claims=True))
    assert [(Word.NG, claim.id), (None, claim.id)] == [(v.word, v.claim) for v in given]
