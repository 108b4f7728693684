"""How long reviewing a run takes one person: all of its turns, what a sheet holds, a plan.

Seconds of a row = characters to read (the question, the answer, what was said before up to 1,500
characters, the expected answers) / reading speed + 10 s to decide; speeds are those measured by
Trauzettel-Klosinski & Dietz 2012 (16.5 characters a second in English, 6 in Japanese), the 10 s are
an assumption. `view/results.py` has the formula. The goal: an interval of the corrected score of
at most ±.10, in at most a third of the time that judging every different answer takes, counted
before answers are folded. The largest plan within that third comes with what its verdicts would
tell, and beside it the smallest plan that reaches ±.10, or all answers where none does.

Then: how long confirming expectations takes, once, for the 60 entries of each demo's FAQ: a
scenario an entry, a claim a sentence (at most three), its quote that sentence. By hand, and the 20
claims drawn at random after which the others may be confirmed in bulk. A row is read without its
entry, since the quote is beside the claim; with the entry, too, it is the last figure.
"""

import asyncio
import os
import tempfile
from bisect import bisect_left
from dataclasses import replace
from pathlib import Path

from simulator.api import simulate
from simulator.config import store_url
from simulator.core.scenario import Approval, Expected, Quote, Scenario
from simulator.core.verdict import Audit
from simulator.files.client.folder import load_client
from simulator.files.scenarios.expected import GENERATED_FILE
from simulator.formats.sources import Source
from simulator.review.expectations import SAMPLE, Expectations, ScenarioFile
from simulator.review.plan import Bought, DistinctAnswers, bought, outlook, plan_review
from simulator.store.store import Store
from simulator.text.tokens import sentences
from simulator.view.results import seconds_to_decide
from simulator.view.review_view import ReviewQueue
from simulator.view.stored_run import stored_run

_BUDGET = 150
_AUDIT = 0.1
_GOAL = 1 / 3
_SENTENCES = 3  # of an entry

_WIDTH = 0.2  # of the interval: ±.10


def main(_: int) -> None:
    """Print the hours for the newest run of the store that MOGI_STORE names, or of the demos."""
    if "MOGI_STORE" in os.environ:
        _print(store_url())
        return
    for client in ("demo", "demo-en"):
        _print_confirming(client)
        with tempfile.TemporaryDirectory() as folder:
            url = f"sqlite:///{Path(folder) / 'mogi.db'}"
            asyncio.run(simulate(client, store=url))
            _print(url)


def _print(url: str) -> None:
    with Store.read(url) as store:
        header = replace(store.header(store.resolve("latest")), review_plan=None)
        run = stored_run(store, header)
        shown = replace(header, audit=Audit(_AUDIT, header.audit.seed))
        answers = DistinctAnswers.read(header, run.reviewed())
        queue = ReviewQueue.of(shown, run.reviewed())
        personas = {episode.cell.persona for episode in run.episodes()}
    seconds = {place: a.seconds for a in answers.all for place in a.places}
    different = sum(answer.seconds for answer in answers.all)
    units = {answer.unit: answer.seconds for answer in reversed(answers.all)}
    lines = [
        ("all turns", len(seconds), answers.turns_s),
        ("different answers", len(answers.all), different),
        ("different answers, folded", len(units), sum(units.values())),
        (
            f"flagged and {_AUDIT:.0%} of the others, folded",
            len(queue.rows),
            sum(seconds[row.place] for row in queue.rows),
        ),
    ]
    sizes = range(1, len(answers.all) + 1)
    within = bisect_left(sizes, x=True, key=lambda n: _time(answers, n) > _GOAL * different)
    enough = bisect_left(sizes, x=True, key=lambda n: _is_narrow(answers, n))
    few = f"of all: {len({a.scenario for a in answers.all})} scenarios are few for ±.10"
    best = "for ±.10" if enough < len(sizes) else few
    for what, n in (("within a third", within), (best, enough), ("of 150", _BUDGET)):
        plan = outlook(answers, plan_review(answers, max(1, n)))
        lines.append((f"a plan {what}{_tells(plan.buys)}", plan.open, plan.seconds))
    print(f"run {header.id} of {header.client}, {len(personas)} personas:")
    print("seconds a row = characters / speed + 10; shares are of all different answers")
    for what, n, total in lines:
        share = total / different if different else 0.0
        print(f"  {what:76}{n:6,} rows {total / 3600:6.2f} h {share:5.0%}")


def _print_confirming(name: str) -> None:
    loaded = load_client(name, cwd=Path.cwd())
    language = loaded.client.language
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    scenarios = dict[str, Scenario]()
    for entry in entries:
        texts = [s for s in sentences(entry.text, language) if s.strip()][:_SENTENCES]
        quotes = tuple(Quote(str(entry.id), text) for text in texts)
        elements = tuple((text,) for text in texts)
        expected = Expected((), elements, (str(entry.id),), quotes=quotes, approved=Approval.OPEN)
        scenarios[str(entry.id)] = Scenario(str(entry.id), entry.title, expected=expected)
    documents = {str(entry.id): entry for entry in entries}
    file = ScenarioFile(Source.of(Path(GENERATED_FILE)), scenarios)
    known = Expectations(name, language, (file,), documents)
    rows = known.to_judge()
    whole = seconds_to_decide(0, language)
    with_entry = sum(
        row.seconds(language, is_alone=True)
        + seconds_to_decide(sum(len(entry.text) for entry in row.entries), language)
        - whole
        for row in rows
        if row.drawn
    )
    print(f"{name}: {len(entries)} entries, {len(rows)} claims to confirm, by one person")
    for what, seconds in (
        ("each claim", known.seconds()),
        (f"{SAMPLE} drawn, the others in bulk", known.seconds(only_sample=True)),
        ("the same, reading each entry as well", with_entry),
    ):
        print(f"  {what:44}{seconds / 60:6.1f} min")


def _time(answers: DistinctAnswers, budget: int) -> float:
    seconds = {answer.places[0]: answer.seconds for answer in answers.all}
    return sum(seconds[row.places[0]] for row in plan_review(answers, budget).rows)


def _is_narrow(answers: DistinctAnswers, budget: int) -> bool:
    width = bought(answers, plan_review(answers, budget)).corrected
    return width is not None and width <= _WIDTH


def _tells(found: Bought) -> str:
    widths = (("score", found.corrected), ("kappa", found.kappa))
    known = [f"{what} ± {width / 2:.2f}" for what, width in widths if width is not None]
    return f" ({', '.join(known)})" if known else ""
