"""The report that people read first: on the screen, or as plain text in a file."""

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from simulator.console.output import height, page, show, show_view
from simulator.core.run import Run
from simulator.formats.own_files import text_file
from simulator.reports._figures import ending, headline, metrics_table, parts_of_scores
from simulator.reports._results import mend
from simulator.reports._weak import heatmap, undecided, weak_turns
from simulator.words import Words

_FIRST = 40  # lines of the first screen: how it went, what to mend, and the map


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


def _apart(lines: Iterable[Text]) -> list[Text]:
    """With an empty line before them, where there are any."""
    found = list(lines)
    return [Text(""), *found] if found else []


def _parts(run: Run, width: int) -> Iterator[RenderableType]:
    words = Words(run.header.language, "report")
    first = [*headline(run, words), *_apart(mend(run, words, width))]
    yield from first
    yield from _apart(heatmap(run, words, width, _FIRST - height(first, width) - 1))
    for view in (weak_turns, undecided):
        yield from _apart(view(run, words, width))
    table, parts = list(metrics_table(run, words)), list(parts_of_scores(run, words))
    yield from table or ([Text("")] if parts else [])
    yield from parts
    yield from ending(run, words, width)
