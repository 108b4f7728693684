"""Makes the pictures of docs/*/review.md: the page of a demo run's second go, in Chromium.

Needs Debian's chromium and the Noto CJK fonts and, beside what develops mogi, Pillow:

    pip install pillow && python docs/pictures/pages.py

The second run's bot has lost three articles, so that something newly fails.
"""

import contextlib
import csv
import io
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from simulator.cli.app import run as mogi
from simulator.files.catalog import find_client

HERE = Path(__file__).resolve().parent
_COLOURS = 160
_LOST, _INSTEAD = 3, "…"  # articles, and what stands in their place
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@dataclass(frozen=True)
class Shot:
    """A door of the page, as wide and high as a screen, in pixels."""

    name: str
    door: str
    scheme: str
    width: int
    height: int


SHOTS = (
    Shot("lead", "", "light", 1280, 900),
    Shot("engineer", "#q=result%3Afailed", "dark", 1280, 800),
    Shot("reviewer", "#review", "light", 390, 844),
)


def page_of(client: str, folder: Path) -> str:
    """The page of the second run, as an address."""
    own = folder / client
    shutil.copytree(find_client(client, folder), own)
    with contextlib.chdir(folder):
        mogi(["run", str(own), "--quiet"])
        _lose_articles(next((own / "knowledge").glob("*.csv")))
        mogi(["run", str(own), "--quiet", "--report", "html=page.html"])
    return (folder / "page.html").as_uri()


def _lose_articles(file: Path) -> None:
    with file.open(encoding="utf-8-sig", newline="") as read:
        head, *rows = csv.reader(read)
    with file.open("w", encoding="utf-8", newline="") as write:
        gone = ([number, title, _INSTEAD] for number, title, *_ in rows[:_LOST])
        csv.writer(write).writerows([head, *gone, *rows[_LOST:]])


def picture(browser: Browser, address: str, shot: Shot) -> Image.Image:
    """What stands on the screen."""
    size = {"width": shot.width, "height": shot.height}
    page: Page = browser.new_page(viewport=size, color_scheme=shot.scheme)
    page.goto(address + shot.door)
    page.wait_for_selector("html[data-ready]")
    taken = page.screenshot()
    page.close()
    return Image.open(io.BytesIO(taken)).convert("RGB")


def main() -> None:
    """Write all of them here, in both languages."""
    with tempfile.TemporaryDirectory() as folder:
        clients = {"ja": "demo", "en": "demo-en"}
        pages = {name: page_of(client, Path(folder) / name) for name, client in clients.items()}
        with sync_playwright() as tools:
            browser = tools.chromium.launch(executable_path="/usr/bin/chromium", args=list(_QUIET))
            for language, address in pages.items():
                for shot in SHOTS:
                    image = picture(browser, address, shot)
                    image = image.quantize(_COLOURS, kmeans=1, dither=Image.Dither.NONE)
                    image.save(HERE / f"{shot.name}-{language}.png", optimize=True)
            browser.close()


if __name__ == "__main__":
    main()
