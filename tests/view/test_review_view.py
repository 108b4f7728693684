"""The queue of answers that people judge, and verdicts written on what is folded with one."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.plan import ReviewSpec
from simulator.core.run import Episode, Turn
from simulator.core.talk import Reply
from simulator.core.verdict import Audit, Sampled, Verdict, Word, settled
from simulator.reports._workbook.turns import review
from simulator.review.pull import Pulled, pull
from simulator.review.status import review_status
from simulator.store.store import Store
from simulator.view.review_view import ReviewForm, ReviewQueue
from simulator.view.stored_run import stored_run, with_folded
from simulator.worksheets.book import SheetCell
from simulator.worksheets.columns import COLUMNS
from simulator.worksheets.reading import grid_of, read_review
from tests.execution.scored import episode, header, rated, turn

HEADER = header(planned=4)
AT = "2026-11-26T10:00:00+00:00"


def says(text: str, content: str = "refusal", *, rating: int = 1) -> Turn:
    """A turn with this answer, flagged below a rating of 4."""
    made = turn(rated(rating), content=content)
    return replace(made, exchange=replace(made.exchange, reply=Reply(text, (), 1.0)))


TALKS = (
    episode(says("I don't know."), says("Sorry, I don't know."), persona="calm"),
    episode(says("Hello! I don't know."), says("Well, I don't know."), persona="angry"),
    episode(says("Three pounds.", "price"), persona="calm", scenario="refund"),
    episode(says("Thanks! I don't know."), persona="beginner"),
)
CALM, ANGRY, REFUND, BEGINNER = (talk.cell.key for talk in TALKS)


@pytest.fixture
async def store(tmp_path: Path) -> Store:
    made = Store.create(f"sqlite:///{tmp_path}/mogi.db")
    made.begin(HEADER)
    for place, talk in enumerate(TALKS):
        await made.save_episode(HEADER.id, place, talk)
    made.finish(HEADER, {})
    return made


def give(store: Store, *verdicts: Verdict) -> None:
    store.add_verdicts(HEADER.id, with_folded(store, HEADER, verdicts))


def words(store: Store) -> dict[tuple[str, int], Word | None]:
    """What people say by now of each turn."""
    return {
        (talk.cell.key, t.exchange.turn): settled(v for v in said if v.turn == t.exchange.turn)
        for talk, said in store.reviewed(HEADER.id)
        for t in talk.turns
    }


def made_queue(head: Audit, talks: Iterable[Episode]) -> ReviewQueue:
    return ReviewQueue.of(header(audit=head), ((talk, ()) for talk in talks))


def test_an_answer_stands_for_what_says_the_same_first_or_later() -> None:
    rows = made_queue(Audit(), TALKS).rows
    shown = {row.place: row.turns for row in rows}
    assert {(CALM, 1): 3, (CALM, 2): 2, (REFUND, 1): 1} == shown


def test_the_audit_sample_comes_first_alone_and_groups_stay_together() -> None:
    talks = (
        episode(says("I don't know."), scenario="a"),
        episode(says("Three pounds.", "price"), scenario="b"),
        episode(says("So sorry, I don't know."), scenario="c"),
        episode(says("Fine.", "fine", rating=5), scenario="d", persona="calm"),
        episode(says("Fine! Thanks.", "fine", rating=5), scenario="d", persona="angry"),
    )
    rows = made_queue(Audit(1.0), talks).rows
    assert [Sampled.AUDIT, Sampled.AUDIT] == [row.why for row in rows[:2]]
    assert [1, 1] == [row.turns for row in rows[:2]]
    assert ["a", "c", "b"] == [row.place[0].split("/")[0] for row in rows[2:]]


async def test_a_verdict_is_written_on_each_folded_turn_and_counted_once(store: Store) -> None:
    give(
        store, Verdict(CALM, 1, Word.NG, "Sato", "a.xlsx", AT, "unused", comment="it says nothing")
    )
    rows = {(v.episode, v.turn): v.folded_from for v in store.verdicts(HEADER.id)}
    head = f"{CALM}|1"
    assert {(CALM, 1): "", (ANGRY, 1): head, (BEGINNER, 1): head} == rows
    assert Word.NG is words(store)[BEGINNER, 1]
    assert words(store)[ANGRY, 2] is None
    people = stored_run(store, HEADER).summary.verdicts
    assert people is not None
    assert people.faults is not None
    assert (1, 0, 1) == (people.ng, people.ok, people.faults.n)
    status = review_status(store, HEADER)
    assert (3, 2, 1, 0) == (status.shown, status.open, status.judged, status.others)
    assert {"Sato": {Word.NG: 1}} == status.words
    assert (0, 1) == (status.ok, status.ng)


async def test_taking_a_verdict_back_takes_it_back_on_each_folded_turn(store: Store) -> None:
    give(store, Verdict(CALM, 1, Word.NG, "Sato", "view", AT))
    give(store, Verdict(CALM, 1, None, "Sato", "view", AT.replace("10:", "11:")))
    assert {None} == set(words(store).values())


async def test_a_word_of_its_own_is_never_replaced_by_folding(store: Store) -> None:
    store.add_verdicts(HEADER.id, [Verdict(ANGRY, 1, Word.OK, "Tanaka", "view", AT)])
    give(store, Verdict(CALM, 1, Word.NG, "Sato", "view", AT))
    said = words(store)
    assert (Word.NG, Word.OK, Word.NG) == tuple(said[k, 1] for k in (CALM, ANGRY, BEGINNER))


async def test_people_who_differ_on_a_folded_answer_differ_once(store: Store) -> None:
    give(store, Verdict(CALM, 1, Word.NG, "Sato", "view", AT))
    give(store, Verdict(CALM, 1, Word.OK, "Tanaka", "view", AT))
    assert {Word.UNSURE} == {words(store)[key, 1] for key in (CALM, ANGRY, BEGINNER)}
    (split,) = review_status(store, HEADER).splits.values()
    assert (CALM, 1) == (split.episode, split.turn)


def test_the_form_has_the_clients_policy_in_place_of_the_usual_rule() -> None:
    usual, own = header(), header(review=ReviewSpec(policy="Two prices are fine."))
    names = [name for name, _ in ReviewForm.of(usual).rules("en")]
    assert ["OK", "NG", "unsure", "Almost correct"] == names
    assert ("What counts as OK", "Two prices are fine.") in ReviewForm.of(own).rules("en")


async def test_verdicts_on_several_answers_of_one_unit_are_all_kept(store: Store) -> None:
    a, b = (
        Verdict(key, 1, word, "Sato", "a.xlsx", AT)
        for key, word in ((CALM, Word.NG), (ANGRY, Word.OK))
    )
    give(store, a, b)
    said = words(store)
    assert (Word.NG, Word.OK) == (said[CALM, 1], said[ANGRY, 1])
    assert [a, b] == [v for v in store.verdicts(HEADER.id) if not v.folded_from]


def pulled(store: Store, **people: str) -> Pulled:
    """What comes of a worksheet in which somebody filled in its first row."""
    sheet = review(stored_run(store, HEADER))
    rows: list[list[object]] = [
        [cell.value if isinstance(cell, SheetCell) else cell for cell in row]
        for row in sheet.rows()
    ]
    names = [column.id for column in COLUMNS]
    assert [CALM, "1"] == str(rows[0][0]).split("|")[1:]
    for name in ("verdict", "error_type", "corrected", "comment", "reviewer"):
        rows[0][names.index(name)] = people.get(name)
    table = read_review([grid_of("Review", [list(names), *rows])], "a.xlsx", "en")
    return pull(store, HEADER, table, source="a.xlsx")


async def test_a_row_that_is_pulled_counts_on_each_folded_turn_until_it_is_emptied(
    store: Store,
) -> None:
    assert 1 == len(pulled(store, verdict="NG", reviewer="Sato").new)
    assert [Word.NG] * 3 == [words(store)[key, 1] for key in (CALM, ANGRY, BEGINNER)]
    again = pulled(store, verdict="NG", reviewer="Sato")
    assert ([], []) == (again.verdicts, again.oddities)
    pulled(store, reviewer="Sato")
    assert {None} == set(words(store).values())
