"""A run as a workbook in which people read, judge and try thresholds."""

from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.reports._out import whole
from simulator.reports._people import check_nothing_is_lost
from simulator.reports._worksheets.book import book_of
from simulator.tables.xlsx_book import write_book


class Xlsx:
    """A workbook: every conversation, the turns to review, the figures, the thresholds."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write the worksheets Log, Review, Summary and Config to `path`.

        Raises:
            InputError: there is no path, the file cannot be written, or verdicts stand in it that
                nobody has pulled.
        """
        if not path:
            raise InputError("this report needs a file; write --report xlsx=FILE")
        check_nothing_is_lost(run, path)
        with whole(path, "the report") as part:
            write_book(book_of(run), part)
