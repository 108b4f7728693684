"""Writes a file as a comment under a pull request, or in place of the one that it wrote before."""

import json
import os
import sys
from pathlib import Path
from urllib.request import Request, urlopen

API = os.environ.get("GITHUB_API_URL", "https://api.github.com")
COMMENTS = f"{API}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"


def ask(url: str, method: str = "GET", body: str | None = None) -> list | dict:
    """What GitHub's REST API answers."""
    headers = {
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
    }
    data = None if body is None else json.dumps({"body": body}).encode()
    asked = Request(url, data, headers, method=method)  # noqa: S310 - GitHub says which URL
    with urlopen(asked, timeout=60) as answer:  # noqa: S310
        return json.load(answer)


def main(path: str) -> None:
    """Write the comment; its first line is what it is found again by."""
    text = Path(path).read_text("utf-8")
    mark = text.partition("\n")[0]  # names the client: each has a comment of its own
    of_pull = f"{COMMENTS}/{os.environ['PULL']}/comments"
    page, ours = 1, None
    while ours is None and (some := ask(f"{of_pull}?per_page=100&page={page}")):
        ours = next((one["id"] for one in some if one["body"].startswith(mark)), None)
        page += 1
    if ours is None:
        ask(of_pull, "POST", text)
    else:
        ask(f"{COMMENTS}/comments/{ours}", "PATCH", text)


main(sys.argv[1])
