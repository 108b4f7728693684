"""The report that people read first: on the screen, or as plain text in a file."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from simulator.console.output import page, show, show_view, text_file
from simulator.core.run import Run
from simulator.reports._figures import ending, headline, metrics_table, parts_of_scores
from simulator.reports._weak import heatmap, mend, undecided, weak_turns
from simulator.words import Words


class Terminal:
    """Score, persona × scenario heat map and the worst turns, on the screen or as a text file."""

    NEEDS_PATH = False

    def write(self, run: Run, path: str | None) -> None:
        """Print the report on standard output, or write it to `path` without colours.

        Raises:
            InputError: the file cannot be written.
        """
        if path is None:
            show_view(lambda width: _parts(run, width))
            return
        with text_file(path) as file:
            console = page(file)
            show(_parts(run, console.width), console)


def _parts(run: Run, width: int) -> Iterator[RenderableType]:
    words = Words(run.header.language, "report")
    yield from headline(run, words)
    for view in (mend, heatmap, weak_turns, undecided):
        lines = list(view(run, words, width))
        yield from [Text(""), *lines] if lines else []
    table, parts = list(metrics_table(run, words)), list(parts_of_scores(run, words))
    yield from table or ([Text("")] if parts else [])
    yield from parts
    yield from ending(run, words, width)
