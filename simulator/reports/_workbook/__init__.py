"""A run as a workbook, for any kind of spreadsheet: Review, Log, Summary and other worksheets."""

from simulator.core.run import Run
from simulator.reports._workbook.config_worksheet import COLOURS, config, guide
from simulator.reports._workbook.summary import SUMMARY, summary
from simulator.reports._workbook.turns import LOG, REVIEW, log, looked_through, review
from simulator.view.compare_view import CompareView
from simulator.view.run_view import applied
from simulator.worksheets.book import Book

_FONTS = {"ja": "Yu Gothic", "en": ""}


def book_of(
    run: Run, *, suffix: str = "", log_title: str = LOG, since: CompareView | None = None
) -> Book:
    """The worksheets of a run: how to judge, Review, Log, Summary and Config.

    `suffix` follows all titles but that of the Log where runs share a spreadsheet, and formulas
    name them so; `log_title` is that of the Log; `since`: what became of it since the run before.
    It opens at the Summary, or at the Review where people judge blind. Rows are read from the run
    as they are written; nothing is kept but the figures of the Summary. All conversations are read
    once beforehand, to see how many turns there are.
    """
    run = applied(run)
    queue, most = looked_through(run)
    worksheets = (
        guide(run.header, suffix),
        review(run, suffix, queue),
        log(run, log_title, most),
        summary(run, suffix, since),
        config(run.header, suffix),
    )
    properties = {"mogi.run": run.header.id, "mogi.client": run.header.client}
    font = _FONTS[run.header.language]
    opens_at = REVIEW if run.header.review.blind else SUMMARY
    return Book(worksheets, opens_at + suffix, properties, font, COLOURS)
