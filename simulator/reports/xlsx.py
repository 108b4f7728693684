"""A run as a workbook in which people read, judge and try thresholds."""

from simulator.core.run import Run
from simulator.reports._people import report_file
from simulator.reports._workbook import book_of
from simulator.view.compare_view import CompareView
from simulator.worksheets.files import write_xlsx


class Xlsx:
    """A workbook with all conversations, the turns to review, results and thresholds."""

    NEEDS_PATH = True
    SINCE = True

    def write(self, run: Run, path: str | None, since: CompareView | None = None) -> None:
        """Write the worksheets Log, Review, Summary and Config to `path`.

        Args:
            run: the run.
            path: the file.
            since: what became of it since the run before, where there is one.

        Raises:
            InputError: there is no path, the file cannot be written, or verdicts stand in it that
                nobody has pulled.
        """
        with report_file(run, path, "xlsx") as part:
            write_xlsx(book_of(run, since=since), part)
