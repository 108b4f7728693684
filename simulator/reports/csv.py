"""The turns to review as a csv file, which any spreadsheet opens."""

from simulator.core.run import Run
from simulator.reports._people import report_file
from simulator.reports._workbook.turns import review
from simulator.worksheets.files import write_sheet


class Csv:
    """The turns to review as csv: the Review sheet of the xlsx report, in UTF-8."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write the worksheet Review to `path`; threshold and flag are as they are today.

        Raises:
            InputError: there is no path, the file cannot be written, or verdicts stand in it that
                nobody has pulled.
        """
        with report_file(run, path, "csv") as part:
            write_sheet(review(run), part)
