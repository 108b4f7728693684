"""A run as a workbook, for any kind of spreadsheet: Review, Log, Summary and other worksheets."""

from collections.abc import Iterator

from simulator.core.run import Run
from simulator.reports._workbook.config_worksheet import COLOURS, config, guide
from simulator.reports._workbook.summary import SUMMARY, Disputes, summary
from simulator.reports._workbook.turns import LOG, REVIEW, Log, Review
from simulator.view.compare_view import CompareView
from simulator.view.results import as_it_counts
from simulator.view.review_view import Reviewed, ReviewQueue
from simulator.view.run_view import applied
from simulator.worksheets.book import Book

_FONTS = {"ja": "Yu Gothic", "en": ""}


def book_of(
    run: Run, *, suffix: str = "", log_title: str = LOG, since: CompareView | None = None
) -> Book:
    """The worksheets of a run: how to judge, Review, Log, Summary and Config.

    `suffix` follows all titles but that of the Log where runs share a spreadsheet, and formulas
    name them so; `log_title` is that of the Log; `since`: what became of it since the run before.
    It opens at the Summary, or at the Review where people judge blind. Each conversation is read
    once, beforehand; rows wait on disk.
    """
    run = applied(run)
    header, log = run.header, Log(run.header)
    review, disputes = Review(header, suffix, run.on_claims()), Disputes(header)

    def noted() -> Iterator[Reviewed]:
        for episode, verdicts in run.reviewed():
            log.add(as_it_counts(episode, verdicts))
            disputes.add(episode, verdicts)
            yield episode, verdicts

    queue = ReviewQueue.of(header, noted(), review.add)
    worksheets = (
        guide(header, suffix),
        review.worksheet(queue),
        log.worksheet(log_title),
        summary(run, disputes, suffix, since),
        config(header, suffix),
    )
    properties = {"mogi.run": header.id, "mogi.client": header.client}
    font = _FONTS[header.language]
    opens_at = REVIEW if header.review.blind else SUMMARY
    titles = opens_at + suffix, REVIEW + suffix
    return Book(worksheets, *titles, properties=properties, font=font, colours=COLOURS)
