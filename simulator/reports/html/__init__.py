"""The page: a run in one file that opens anywhere, without a server and without a network."""

import base64
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from simulator.console.output import text_file
from simulator.core.comparison import Comparison
from simulator.core.persona import Language
from simulator.core.run import Run
from simulator.reports._figures import local_time
from simulator.reports.html.data import Beside, client_words, packed
from simulator.reports.html.lead import compared_values, lead_values

_MARKER = "\x00"
_TEMPLATES = Environment(autoescape=True, keep_trailing_newline=True)


class Html:
    """One HTML file: for a lead, for an engineer, and for whoever gives verdicts."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write the page to `path`.

        Raises:
            InputError: there is no path, or the file cannot be written.
        """
        words = client_words(run.header.language)
        about = f"{words('run', id=run.header.id)} · {local_time(run.header)}"
        _write(path, run, lead_part(run), about)

    def compare(
        self, comparison: Comparison, before: Run, after: Run, lines: Sequence[str], path: str
    ) -> None:
        """Write the page of two runs, with two columns from where their talks part.

        Args:
            comparison: of the two.
            before: A.
            after: B.
            lines: what is to be said of it first, in the client's language.
            path: the file.

        Raises:
            InputError: the file cannot be written.
        """
        cells = comparison.cells
        changes = {cell.name: "failing" for cell in cells.newly_failing}
        changes |= {cell.name: "passing" for cell in cells.newly_passing}
        about = f"{before.header.id} → {after.header.id}"
        lead = _rendered("compare.html", after, **compared_values(comparison, lines))
        _write(path, after, lead, about, Beside(before, changes))


def _write(path: str | None, run: Run, lead: str, about: str, beside: Beside | None = None) -> None:
    header = run.header
    title = f"{header.client} · {about} · mogi"
    with text_file(path) as file:
        head, tail = shell(
            header.language, lead=lead, client=header.client, title=title, subtitle=about
        )
        file.write(head)
        file.writelines(packed(run, beside))
        file.write(tail)


def lead_part(run: Run) -> str:
    """What a lead reads, as HTML: it stands there without any script."""
    return _rendered("lead.html", run, **lead_values(run, client_words(run.header.language)))


def _rendered(name: str, run: Run, **values: object) -> str:
    template = _TEMPLATES.from_string(_asset(name))
    return template.render(w=client_words(run.header.language), **values)


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
        marker=_MARKER,
        **{"title": "mogi", **texts},
    )
    head, _, tail = page.partition(_MARKER)
    return head, tail


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _hash(text: str) -> str:
    """As a content security policy names the one script and the one style that may run."""
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode("ascii")
