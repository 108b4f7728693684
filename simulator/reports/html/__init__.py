"""The page: a run in one file that opens anywhere, without a server and without a network."""

import base64
from collections.abc import Callable
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from simulator.core.persona import Language
from simulator.core.run import Run, RunHeader
from simulator.formats.own_files import text_file
from simulator.reports.html.data import Beside, Look, client_words, packed
from simulator.reports.html.lead import (
    Causes,
    changed_values,
    compared_values,
    lead_values,
    since_values,
)
from simulator.view.compare_view import CompareView
from simulator.view.run_view import local_time
from simulator.words import table

_MARKER = "\x00"
_TEMPLATES = Environment(autoescape=True, keep_trailing_newline=True)


class Html:
    """A single HTML page for leads, engineers and reviewers."""

    NEEDS_PATH = True
    SINCE = True  # `write` takes what became of the run since the one before

    def write(self, run: Run, path: str | None, since: CompareView | None = None) -> None:
        """Write the page to `path`; `since`: beside the run before, where there is one.

        Raises:
            InputError: there is no path, or the file cannot be written.
        """
        words = client_words(run.header.language)
        about = f"{words('run', id=run.header.id)} · {local_time(run.header)}"
        causes = Causes(run)
        _write(path, run, lambda: _lead(run, causes, since), about, Beside.of(since), causes.add)

    def compare(self, view: CompareView, before: Run, after: Run, path: str) -> None:
        """Write the page of two runs, with two columns from where their talks part.

        Args:
            view: the two beside each other.
            before: A.
            after: B.
            path: the file.

        Raises:
            InputError: the file cannot be written.
        """
        about = f"{before.header.id} → {after.header.id}"
        changed = {"changed": Markup(_changed(view))}  # noqa: S704 - a template made it
        lead = _rendered("compare.html", after, **compared_values(view), **changed)
        _write(path, after, lambda: lead, about, Beside(view.comparison.changes, before))


def _write(
    path: str | None,
    run: Run,
    lead: Callable[[], str],
    about: str,
    beside: Beside,
    each: Look | None = None,
) -> None:
    header = run.header
    title = f"{header.client} · {about} · mogi"
    with text_file(path) as file:
        data = packed(run, beside, each)
        first = next(data)  # all conversations were seen
        head, tail = shell(
            header.language, lead=lead(), client=header.client, title=title, subtitle=about
        )
        file.writelines((head, first))
        file.writelines(data)
        file.write(tail)


def lead_part(run: Run, since: CompareView | None = None) -> str:
    """What a lead reads, as HTML: it stands there without any script."""
    causes = Causes(run)
    for episode, verdicts in run.reviewed():
        causes.add(episode, verdicts)
    return _lead(run, causes, since)


def _lead(run: Run, causes: Causes, since: CompareView | None) -> str:
    values = lead_values(run, client_words(run.header.language), causes)
    part = since_part(since) if since else ""
    return _rendered("lead.html", run, **values, since=Markup(part))  # noqa: S704 - a template's


def since_part(since: CompareView) -> str:
    """What became of a run since the one before, as HTML."""
    changed = Markup(_changed(since))  # noqa: S704 - a template made it
    values = since_values(since)
    return _rendered("since.html", since.comparison.after, **values, changed=changed)


def _changed(view: CompareView) -> str:
    """What got worse, how many went from which result to which, and what newly passes."""
    return _rendered("changed.html", view.comparison.after, **changed_values(view))


def _rendered(name: str, run: Run | RunHeader, **values: object) -> str:
    language = run.header.language if isinstance(run, Run) else run.language
    return _TEMPLATES.from_string(_asset(name)).render(w=client_words(language), **values)


def shell(language: Language, *, lead: str = "", **texts: str) -> tuple[str, str]:
    """The page before and after its data; without `lead` one that fetches both from its server."""
    style, script = _asset("page.css"), _asset("page.js")
    page = _TEMPLATES.from_string(_asset("page.html")).render(
        language=language,
        w=client_words(language),
        lead=Markup(lead),  # noqa: S704 - made by a template that escapes
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - likewise
        style_hash=_hash(style),
        script_hash=_hash(script),
        connect="none" if lead else "self",
        sentences=_sentences(language),
        marker=_MARKER,
        **{"title": "mogi", **texts},
    )
    head, _, tail = page.partition(_MARKER)
    return head, tail


def _sentences(language: Language) -> dict[str, str]:
    """What the page says before it has its data, by what happened: the script fills them in."""
    parts = {key.rpartition("."): text for key, text in table(language, "page").items()}
    troubles = {name: text for (kind, _, name), text in parts.items() if kind == "trouble"}
    return {"loading": parts["", "", "loading"], **troubles}


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _hash(text: str) -> str:
    """As a content security policy names the one script and the one style that may run."""
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode("ascii")
