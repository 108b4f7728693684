"""Slack: a message to a channel when the gate of a run fails, through an incoming webhook.

Texts of users and bots are plain text, with &, < and > escaped as Slack asks for: nothing in them
formats, links or notifies anybody. Lengths are those of docs.slack.dev/reference/block-kit/blocks.
"""

from collections.abc import Iterator
from typing import Any, Self
from urllib.parse import urlsplit

from simulator import config
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.core.events import Event, ExportContext, RunEnded, RunPlanned
from simulator.core.plan import GateLine, Reached
from simulator.core.result import Result, WeakTurn
from simulator.exporters._http import Sender, checked_url, reached
from simulator.view.run_view import gate_text, row_name
from simulator.view.worst import why_text
from simulator.words import Words

_WEBHOOK = "SLACK_WEBHOOK_URL"
_PAGE = "MOGI_PAGE_URL"
_WORST = 3
_QUOTE, _NAME, _LINK = 300, 100, 2_000  # characters of a text
_HEADER, _SECTION, _FIELD = 150, 3_000, 2_000  # characters that Slack takes
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

Block = dict[str, Any]


class Slack:
    """Sends a message when the gate of a run fails, and about any run on request."""

    def __init__(self, webhook: str, context: ExportContext) -> None:
        self._webhook = webhook
        self._client = visible(context.client)
        self._words = Words(context.language, "export", "report")
        self._sender = Sender(webhook, {}, secrets=(webhook, urlsplit(webhook).path))
        self._is_reported = False  # and nobody asks for it again
        self._on_request = context.on_request

    @classmethod
    def reaches(cls) -> Iterator[Reached]:
        """Its host, and the variables that it is sent."""
        return reached("slack", config.setting(_WEBHOOK) or "", _WEBHOOK)

    @classmethod
    def open(cls, context: ExportContext) -> Self:
        """The exporter of one run.

        Raises:
            InputError: SLACK_WEBHOOK_URL is not set, or is no URL.
        """
        webhook = config.setting(_WEBHOOK)
        if webhook is None:
            raise InputError(f"slack: set {_WEBHOOK} to the URL of an incoming webhook")
        return cls(checked_url(_WEBHOOK, webhook), context)

    def __call__(self, event: Event) -> None:
        """Send the message once the run has ended with everything it was to play.

        A run that was complete when it began has been reported already.
        """
        if isinstance(event, RunPlanned):
            self._is_reported = event.complete >= event.planned > 0
        elif isinstance(event, RunEnded):
            is_news = event.status == "finished" and not self._is_reported
            if self._on_request or (is_news and _passed(event) is False):
                self._sender.post(self._webhook, self._message(event), repeatable=False)

    def close(self) -> None:
        """Close the connection."""
        self._sender.close()

    def _message(self, event: RunEnded) -> Block:
        gate = f"gate.{_passed(event)}".lower() if event.gate else "no_gate"
        title = self._words(f"slack.{gate}", client=cut(self._client, _NAME))
        worst = [turn for turn in event.worst if turn.finding][:_WORST]
        blocks = [
            {"type": "header", "text": _plain(title, _HEADER)},
            *({"type": "section", "text": _plain(t, _SECTION)} for t in self._gate(event.gate)),
            {"type": "section", "fields": [_plain(t, _FIELD) for t in self._figures(event)]},
            {"type": "divider"},
            *({"type": "section", "text": _plain(self._worst(turn), _SECTION)} for turn in worst),
            {"type": "context", "elements": [self._more(event.run)]},
        ]
        return {"text": _escaped(title, _HEADER), "mrkdwn": False, "blocks": blocks}

    def _gate(self, lines: tuple[GateLine, ...]) -> Iterator[str]:
        for line in lines:
            came = f" ({line.value:.2f})" if line.value is not None else ""
            yield f"{gate_text(line, self._words)}{came}"

    def _figures(self, event: RunEnded) -> Iterator[str]:
        for result in Result:
            if n := event.results.get(result, 0):
                yield f"{self._words(f'head.{result}')} {n:,}"
        if event.score is not None:
            yield f"{self._words('score')} {event.score:.2f}"
        flagged = self._words("flagged_text", n=event.flagged, total=event.turns)
        yield f"{self._words('flagged')} {flagged}"

    def _worst(self, turn: WeakTurn) -> str:
        words, answer = self._words, turn.quote or turn.assistant
        lines = [cut(row_name(turn.cell), _NAME)]
        if turn.finding:
            lines.append(cut(visible(why_text(turn.finding, words.language)), _QUOTE))
        for who, text in (("user", turn.user), ("bot", answer or words("slack.no_answer"))):
            said = cut(visible(text), _QUOTE)
            lines.append(words("slack.answered", who=words(who), text=said))
        return "\n".join(lines)

    def _more(self, run: str) -> Block:
        """The page or the job where one is known, else the command that shows what failed."""
        page = _page()
        if not page:
            return _plain(self._words("slack.commands", run=run), _FIELD)
        link = f"<{page}|{self._words('slack.link')}>"
        return {"type": "mrkdwn", "text": f"{link}  ·  {run}", "verbatim": True}


def _passed(event: RunEnded) -> bool | None:
    """True or False where everything that was asked of the run is decided."""
    passed = [line.passed for line in event.gate]
    return False if False in passed else None if None in passed else True


def _page() -> str:
    """The URL that people open: MOGI_PAGE_URL, or the job's on GitHub or GitLab; or nothing."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = map(config.setting, names)
    job = f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""
    url = config.setting(_PAGE) or job or config.setting("CI_JOB_URL") or ""
    is_link = url.startswith(("https://", "http://")) and not set(url) & set("<>| \n\r\t")
    return url.replace("&", "&amp;") if is_link and len(url) <= _LINK else ""


def _plain(text: str, most: int) -> Block:
    return {"type": "plain_text", "text": _escaped(text, most), "emoji": False}


def _escaped(text: str, most: int) -> str:
    """The text, of which so many characters are left once it is escaped."""
    escaped = text.translate(_ESCAPED)
    while len(escaped) > most:
        text = cut(text, len(text) - 1)
        escaped = text.translate(_ESCAPED)
    return escaped
