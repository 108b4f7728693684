"""The page in a real browser: three doors, by mouse and by keyboard, as a file and served."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from simulator.core.persona import Language
from simulator.core.plan import ReviewSpec
from simulator.core.run import Run
from simulator.core.talk import Exchange, Reply, StopReason
from simulator.reports.html import Html
from simulator.words import table
from tests.execution.scored import episode, header, rated, run, turn

pytestmark = pytest.mark.slow

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(str(axe_playwright_python.__file__)).with_name("axe.min.js")
PATIENCE = 60_000  # milliseconds
expect.set_options(timeout=PATIENCE)  # of every test of the page: a busy machine is slow


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as tools:
        found = await tools.chromium.launch(executable_path="/usr/bin/chromium", args=list(QUIET))
        yield found
        await found.close()


class Watched:
    """A tab, with all that it asked for and complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    async def open(self, address: str) -> Page:
        await self.page.goto(address)
        await self.page.wait_for_selector("html[data-ready]", timeout=PATIENCE)
        return self.page


async def window(browser: Browser, **options: Any) -> BrowserContext:
    """A browser's own storage; what waits in its tabs has patience on a busy machine."""
    context = await browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context


async def tab(browser: Browser, **options: Any) -> Watched:
    return Watched(await (await window(browser, **options)).new_page())


def many(n: int, language: Language = "en", text: str = "It depends.") -> Run:
    """Every third conversation failed, with one of seven answers."""
    talks = [
        episode(
            turn(
                rated(1 if place % 3 == 0 else 5, "Not helpful."),
                exchange=Exchange(1, f"Question {place}?", Reply(f"{text} {place % 7}")),
                blames=("unused",) if place % 3 == 0 else (),
            ),
            scenario=f"scenario-{place % 500}",
            persona=f"persona-{place // 500}",
        )
        for place in range(n)
    ]
    blind = ReviewSpec(blind=True)
    return run(header(language=language, planned=n, review=blind), *talks)


def file_of(made: Run, folder: Path) -> str:
    path = folder / "page.html"
    Html().write(made, str(path))
    return path.as_uri()


async def nodes(page: Page) -> int:
    found: int = await page.evaluate("document.querySelectorAll('*').length")
    return found


async def test_one_request_no_complaint_and_few_nodes_at_ten_thousand_talks(
    browser: Browser, tmp_path: Path
) -> None:
    watched = await tab(browser)
    address = file_of(many(10_000), tmp_path)
    page = await watched.open(address)
    assert await nodes(page) <= 400
    for door in ("#q=", "#review", "#q=&e=scenario-3%2Fpersona-0%2F1"):
        await page.goto(address + door)
        await page.wait_for_selector(".list, .review")
        assert await nodes(page) <= 400
    assert [url for url in watched.requests if not url.startswith("data:")][1:] == []
    assert watched.complaints == []


async def test_nothing_that_a_bot_said_runs(browser: Browser, tmp_path: Path) -> None:
    hostile = (
        '</template><script>document.title="taken"</script>'
        "<img src=x onerror=\"document.title='taken'\">\u202e" + "x" * 1_000_000
    )
    watched = await tab(browser)
    made = run(
        header(),
        episode(turn(rated(1, hostile), exchange=Exchange(1, hostile, Reply(hostile)))),
    )
    page = await watched.open(file_of(made, tmp_path) + "#q=&e=parcel%2Fcalm%2F1")
    await page.wait_for_selector(".bubble.bot")
    assert await page.title() != "taken"
    assert "</template><script>" in await page.inner_text(".bubble.bot")
    assert watched.complaints == []


async def test_a_filter_says_how_many_it_leaves_and_is_the_address(
    browser: Browser, tmp_path: Path
) -> None:
    page = await (await tab(browser)).open(file_of(many(300), tmp_path) + "#q=")
    await page.fill("#find", "result:failed persona:persona-0")
    await expect(page.locator(".find [role=status]")).to_have_text(re.compile(r"^100 of"))
    assert "q=result%3Afailed" in page.url
    await page.fill("#find", '"question 42"')
    await expect(page.locator(".find [role=status]")).to_have_text(re.compile(r"^1 of"))


async def test_failures_alike_are_one_line_that_unfolds(browser: Browser, tmp_path: Path) -> None:
    talks = [
        episode(turn(rated(1), blames=("unused",)), scenario="a", persona=f"p{place}")
        for place in range(12)
    ]
    page = await (await tab(browser)).open(file_of(run(header(), *talks), tmp_path) + "#q=")
    assert await page.locator(".row").count() == 1
    assert "12 identical answers" in await page.inner_text(".row")
    await page.press(".row", "Enter")
    assert await page.locator(".row.member").count() >= 6
    await page.press(".row.member >> nth=0", "Enter")
    await page.wait_for_selector(".talk")
    assert "e=a%2Fp0%2F1" in page.url


async def test_j_and_k_and_enter_walk_the_list_of_conversations(
    browser: Browser, tmp_path: Path
) -> None:
    talks = [
        episode(turn(rated(1), blames=("unused",)), scenario=f"s{place:02}", persona="calm")
        for place in range(40)
    ]
    page = await (await tab(browser)).open(file_of(run(header(), *talks), tmp_path) + "#q=")
    head = page.locator(".talk h2")
    names = [await head.inner_text()]
    for _ in range(30):  # far more than the list shows at once
        for key in ("j", "Enter"):
            await page.keyboard.press(key)
        await expect(page.locator(".row:focus")).to_have_attribute("aria-current", "true")
        names.append(await head.inner_text())
    assert names == [f"s{place:02} · calm" for place in range(31)]
    await page.keyboard.press("k")
    await page.keyboard.press("Enter")
    await expect(head).to_have_text("s29 · calm")
    await expect(page.locator(".row:focus")).to_be_in_viewport()
    await page.fill("#find", "j")  # there it is a letter
    await expect(page.locator("#find")).to_have_value("j")


async def test_a_deep_link_and_the_back_button(browser: Browser, tmp_path: Path) -> None:
    page = await (await tab(browser)).open(
        file_of(many(30), tmp_path) + "#q=&e=scenario-6%2Fpersona-0%2F1"
    )
    assert "scenario-6" in await page.inner_text(".talk h2")
    await page.click("nav a >> nth=0")
    await page.wait_for_selector("#lead h1")
    await page.go_back()
    await page.wait_for_selector(".talk")
    assert "scenario-6" in await page.inner_text(".talk h2")


async def judged_by_keyboard(page: Page, language: Language) -> None:
    """From the first key to the tenth verdict, with Tab, Enter and the keys that help names."""
    words = table(language, "page")
    for _ in range(12):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.textContent") == words["review"]:
            break
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".review")
    for _ in range(12):
        if await page.evaluate("document.activeElement.id") == "reviewer":
            break
        await page.keyboard.press("Tab")
    await page.keyboard.type("Mori")
    await page.keyboard.press("Enter")
    for key in "1213121312":
        assert await page.locator(".answer").count() == 1
        await page.keyboard.press(key)


async def test_ten_verdicts_by_keyboard_alone_into_a_file(browser: Browser, tmp_path: Path) -> None:
    watched = await tab(browser, accept_downloads=True)
    page = await watched.open(file_of(many(60), tmp_path))
    await judged_by_keyboard(page, "en")
    async with page.expect_download() as coming:
        await page.keyboard.press("s")
    download = await coming.value
    assert download.suggested_filename == "mogi-verdicts-3f9ab2c1-Mori.jsonl"
    lines = (await download.path()).read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    assert [one["verdict"] for one in told] == [
        {"1": "OK", "2": "NG", "3": "unsure"}[key] for key in "1213121312"
    ]
    assert {one["reviewer"] for one in told} == {"Mori"}
    assert len({(one["episode"], one["turn"]) for one in told}) == 10
    assert watched.complaints == []


async def test_a_report_on_a_server_without_tls_keeps_verdicts(
    browser: Browser, tmp_path: Path
) -> None:
    file_of(many(9), tmp_path)
    html = (tmp_path / "page.html").read_text("utf-8")
    watched = await tab(browser)
    page, address = watched.page, "http://reports.example/report.html"
    await page.route(address, lambda route: route.fulfill(body=html, content_type="text/html"))
    await watched.open(address + "#review")
    assert not await page.evaluate("isSecureContext")
    await page.fill("#reviewer", "Mori")
    await page.keyboard.press("Enter")
    await page.keyboard.press("1")
    await expect(page.locator(".who .num")).to_have_text(re.compile("^1 of"))
    await page.reload()
    await expect(page.locator(".who .num")).to_have_text(re.compile("^1 of"))
    assert watched.complaints == []


async def test_what_the_judge_said_is_hidden_until_a_verdict_is_given(
    browser: Browser, tmp_path: Path
) -> None:
    page = await (await tab(browser)).open(file_of(many(9), tmp_path) + "#review")
    await page.fill("#reviewer", "Mori")
    assert "Not helpful." not in await page.inner_text("main")
    await page.keyboard.press("Escape")
    await page.keyboard.press("2")
    assert "Not helpful." not in await page.inner_text("main")
    await page.keyboard.press("k")
    await expect(page.locator("main")).to_contain_text("Not helpful.")


async def test_a_verdict_goes_on_to_the_next_open_answer_and_undo_back_to_it(
    browser: Browser, tmp_path: Path
) -> None:
    page = await (await tab(browser)).open(file_of(many(9), tmp_path) + "#review")
    answer, given = page.locator(".answer"), page.locator(".words [aria-pressed=true]")
    first = await answer.inner_text()
    await page.fill("#reviewer", "Mori")
    await page.keyboard.press("Enter")
    for key in ("j", "2"):  # the second one
        await page.keyboard.press(key)
    await page.keyboard.press("k")
    await page.keyboard.press("k")
    await expect(answer).to_have_text(first)
    await page.keyboard.press("1")
    third = await answer.inner_text()
    await expect(page.locator(".who .num")).to_have_text(re.compile("^2 of"))
    await expect(given).to_have_count(0)
    await page.keyboard.press("u")
    await expect(answer).to_have_text(first)
    await expect(given).to_have_count(0)
    await page.keyboard.press("3")
    await expect(answer).to_have_text(third)


async def test_no_key_of_a_verdict_becomes_the_name(browser: Browser, tmp_path: Path) -> None:
    page = await (await tab(browser)).open(file_of(many(9), tmp_path) + "#review")
    name, told = page.locator("#reviewer"), page.locator("#status")
    await expect(page.locator("#leave")).to_be_visible()
    await page.keyboard.press("2")  # which leads into the field
    await page.keyboard.type("123?")
    await page.keyboard.press("Enter")
    await expect(name).to_be_focused()
    await expect(told).to_have_text(table("en", "page")["name_first"])
    await page.keyboard.type("Mori 2")
    await page.keyboard.press("Enter")
    await page.keyboard.press("1")
    await expect(name).to_have_value("Mori 2")
    await expect(page.locator(".who .num")).to_have_text(re.compile("^1 of"))


async def test_a_verdict_says_for_how_many_equal_answers_it_holds(
    browser: Browser, tmp_path: Path
) -> None:
    asked = Exchange(1, "When?", Reply("It depends."))
    talks = [
        episode(turn(rated(1), exchange=asked), scenario="a", persona=f"p{place}")
        for place in range(12)
    ]
    talks.append(episode(turn(rated(1), exchange=asked), scenario="b", persona="p0"))
    page = await (await tab(browser)).open(file_of(run(header(), *talks), tmp_path) + "#review")
    await page.fill("#reviewer", "Mori")
    await page.keyboard.press("Enter")
    told = page.locator("#status")
    await page.keyboard.press("2")
    await expect(told).to_have_text("Your verdict NG applies to 12 turns with this answer.")
    await page.fill("#corrected", "At three.")
    await page.select_option("#error_type", "unused")
    await page.locator("#judged").focus()
    await page.keyboard.press("2")
    unused = table("en", "page").get("fault.unused") or table("en", "report")["fault.unused"]
    said = "Your verdict NG applies to 1 turn with this answer."
    await expect(told).to_have_text(f"{said} · {unused} · Corrected answer: At three.")


async def test_a_cause_leads_to_as_many_failures_and_no_other_stays_beside_them(
    browser: Browser, tmp_path: Path
) -> None:
    talks = [
        episode(turn(rated(1), blames=blames), scenario=f"s{place}", persona="calm")
        for place, blames in enumerate([("unused",), ("unused", "style"), ("retrieval_miss",)])
    ]
    page = await (await tab(browser)).open(file_of(run(header(), *talks), tmp_path))
    told = await page.locator(".causes a").all_inner_texts()
    assert sorted(text.rpartition(" ")[2] for text in told) == ["1", "1", "2"]
    await page.click(".causes a >> nth=0")
    await expect(page.locator(".find [role=status]")).to_have_text(
        "2 of 3 conversations (2 failed)"
    )
    await page.click(".row >> nth=0")
    await page.goto(page.url.partition("#")[0] + "#q=&e=s0%2Fcalm%2F1")
    await expect(page.locator(".talk h2")).to_contain_text("s0")
    await page.fill("#find", "scenario:s2")
    await expect(page.locator(".talk h2")).to_contain_text("s2")
    assert "e=" not in page.url
    await page.fill("#find", "scenario:s9")
    await expect(page.locator(".talk")).to_have_count(0)


async def test_twenty_kills_of_the_tab_lose_nothing(browser: Browser, tmp_path: Path) -> None:
    address = file_of(many(90), tmp_path) + "#review"
    context = await window(browser)
    beside = await Watched(await context.new_page()).open(address)
    for kill in range(20):
        watched = Watched(await context.new_page())
        page = await watched.open(address)
        if kill == 0:
            await page.fill("#reviewer", "Mori")
        await page.focus("nav a >> nth=2")
        for _ in range(kill):
            await page.keyboard.press("j")
        await page.fill("#comment", f"comment {kill}")
        # What a browser has not taken from the tab's process yet no page can save.
        await beside.wait_for_function(
            "text => Object.values(localStorage).some((kept) => kept.includes(text))",
            arg=f'"comment {kill}"',
            polling=100,  # a tab in the background may draw no frame to poll by
        )
        await page.close(run_before_unload=False)
    page = await Watched(await context.new_page()).open(address)
    kept = await page.evaluate("Object.values(localStorage)")
    comments = {json.loads(one)["value"] for one in kept if "comment" in one}
    assert {f"comment {kill}" for kill in range(20)} == comments


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_no_serious_fault(
    browser: Browser, tmp_path: Path, language: Language, scheme: str
) -> None:
    watched = await tab(browser, color_scheme=scheme, bypass_csp=True)
    address = file_of(many(60, language), tmp_path)
    for door in ("", "#q=&e=scenario-3%2Fpersona-0%2F1", "#review"):
        await watched.page.goto("about:blank")
        page = await watched.open(address + door)
        await page.add_script_tag(path=str(AXE))
        found = await page.evaluate("axe.run()")
        serious = [
            (fault["id"], [node["html"][:120] for node in fault["nodes"][:3]])
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
        ]
        assert serious == []


async def test_it_prints_the_overview_on_one_page(browser: Browser, tmp_path: Path) -> None:
    page = await (await tab(browser)).open(file_of(many(1_500), tmp_path))
    pdf = await page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == 1


@pytest.mark.parametrize("width", [390, 640, 1280, 1920])  # 640: 1280 at a zoom of 200 %
async def test_nothing_is_cut_off_at_any_width(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    watched = await tab(browser, viewport={"width": width, "height": 800})
    address = file_of(many(60), tmp_path)
    for door in ("", "#q=", "#q=&e=scenario-3%2Fpersona-0%2F1", "#review"):
        await watched.page.goto("about:blank")
        page = await watched.open(address + door)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_run_of_1500_real_talks_stays_under_two_megabytes(tmp_path: Path) -> None:
    told = "「設定」→「アカウント」を開き、新しいメールアドレスを入力してください。"
    talks = [
        episode(
            *(
                turn(
                    rated(2, f"期限（{place}日）に触れていない。"),
                    exchange=Exchange(
                        n, f"質問 {place}-{n} です。", Reply(f"{told * 4}{place * n}")
                    ),
                )
                for n in (1, 2, 3)
            ),
            scenario=f"s{place % 88}",
            persona=f"p{place // 88}",
            stop=StopReason.DONE,
        )
        for place in range(1_500)
    ]
    made = run(header(language="ja", planned=1_500), *talks)
    Html().write(made, str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").stat().st_size <= 2_000_000
