"""Writes a file as a comment under a pull request, or in place of the one that it wrote before."""

import json
import os
import sys
from http.client import HTTPException
from pathlib import Path
from urllib.request import Request, urlopen

REST = os.environ.get("GITHUB_API_URL", "https://api.github.com")
GRAPHQL = os.environ.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql")
REPOSITORY = os.environ["GITHUB_REPOSITORY"]
COMMENTS = """query($owner: String!, $name: String!, $pull: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $pull) {
    comments(first: 100, after: $after) {
      nodes { id body viewerDidAuthor }
      pageInfo { hasNextPage endCursor }
    } } } }"""
UPDATE = """mutation($id: ID!, $body: String!) {
  updateIssueComment(input: {id: $id, body: $body}) { issueComment { id } } }"""


def post(url: str, body: dict) -> dict:
    """What GitHub answers to a request with this body."""
    headers = {
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Accept": "application/vnd.github+json",
        "Content-Type": "application/json",
    }
    request = Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - GitHub names the URL
    with urlopen(request, timeout=60) as response:  # noqa: S310
        answer = json.load(response)
    if errors := answer.get("errors"):
        raise ValueError(errors[0].get("message"))
    return answer


def own_comment(mark: str, pull: int) -> str | None:
    """The id of the comment that begins with this mark and that the token's own account wrote.

    Everybody can write a comment with the mark; only the account's own is replaced.
    """
    owner, _, name = REPOSITORY.partition("/")
    place, page = {"owner": owner, "name": name, "pull": pull}, {"hasNextPage": True}
    while page["hasNextPage"]:
        variables = {**place, "after": page.get("endCursor")}
        data = post(GRAPHQL, {"query": COMMENTS, "variables": variables})["data"]
        comments = data["repository"]["pullRequest"]["comments"]
        for comment in comments["nodes"]:
            if comment["viewerDidAuthor"] and comment["body"].startswith(mark):
                return comment["id"]
        page = comments["pageInfo"]
    return None


def main(path: str) -> None:
    """Write the comment; its first line is the mark by which it is found again."""
    text, pull = Path(path).read_text("utf-8"), int(os.environ["PULL"])
    mark = text.partition("\n")[0]  # names the client: each has a comment of its own
    comment = own_comment(mark, pull)
    if comment is None:
        post(f"{REST}/repos/{REPOSITORY}/issues/{pull}/comments", {"body": text})
    else:
        post(GRAPHQL, {"query": UPDATE, "variables": {"id": comment, "body": text}})


try:
    main(sys.argv[1])
except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
    # The gate decides the job, not the comment: on a fork's pull request the token may only read.
    why = str(error).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    print(f"::warning title=mogi::no comment was written ({why}); the summary has its text")  # noqa: T201
