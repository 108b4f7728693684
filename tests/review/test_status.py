from dataclasses import replace
from typing import Any

from simulator.core.plan import Cell
from simulator.core.verdict import Audit, Sampled, Word
from simulator.review.status import Coverage, Split, review_status
from simulator.store.store import Store
from tests.execution.scored import GAP, OVERALL, turn
from tests.review.labelled import kept, run_of, said, talk
from tests.store.conftest import path, store, url

__all__ = ["path", "store", "url"]
TALKS = [talk("parcel", [0.2, 0.9]), talk("refund", [0.1, 0.3])]


async def test_what_is_open_is_told_by_why_persona_and_scenario(store: Store) -> None:
    given = [said("parcel", 1, "NG"), said("refund", 1, None, comment="hm")]
    header = await kept(store, run_of("run1"), TALKS, given)
    found = review_status(store, header)
    assert (4, 3, 1, 0) == (found.shown, found.open, found.comments, found.others)
    assert {Sampled.FLAGGED: Coverage(3, 2), Sampled.AUDIT: Coverage(1, 1)} == found.sampled
    assert {"calm": Coverage(4, 3)} == found.personas
    assert {"parcel": Coverage(2, 1), "refund": Coverage(2, 2)} == found.scenarios


async def test_who_said_what_and_where_people_differ(store: Store) -> None:
    given = [
        said("parcel", 1, "NG"),
        said("parcel", 1, "OK", reviewer="Sato"),
        said("parcel", 2, "OK"),
        said("parcel", 2, "OK", reviewer=""),
        said("parcel", 2, "unsure", at="2026-11-22T06:00:00+00:00"),
    ]
    header = await kept(store, run_of("run1"), TALKS, given)
    found = review_status(store, header)
    assert {
        "田中": {Word.NG: 1, Word.UNSURE: 1},
        "Sato": {Word.OK: 1},
        "": {Word.OK: 1},
    } == found.words
    assert [
        Split("parcel/calm/1", 1, (("田中", Word.NG), ("Sato", Word.OK))),
        Split("parcel/calm/1", 2, (("田中", Word.UNSURE), ("review.xlsx", Word.OK))),
    ] == list(found.splits.values())


async def test_a_turn_that_nobody_was_shown_may_have_a_verdict(store: Store) -> None:
    header = replace(run_of("run1"), audit=Audit())
    talks = [talk("parcel", [0.2, 0.9, 0.3]), talk("refund", [0.1, 0.3])]
    await kept(store, header, talks, [said("parcel", 2, "OK")])
    found = review_status(store, header)
    assert (4, 4, 1) == (found.shown, found.open, found.others)


async def test_the_answer_on_which_an_undecided_talk_hangs_is_shown(store: Store) -> None:
    limits: dict[str, Any] = {
        "metrics": (OVERALL,),
        "score_by": "overall",
        "thresholds": {"overall": 0.7},
    }
    header = replace(run_of("run1"), audit=Audit(), **limits)
    unscored = replace(talk("late", [0.9]), turns=(turn(GAP),))
    await kept(store, header, [unscored])
    assert {Sampled.OPEN: Coverage(1, 1)} == review_status(store, header).sampled
    store.add_verdicts(header.id, [said("late", 1, "OK")])
    found = review_status(store, header)
    assert ({}, 1) == (found.sampled, found.others)


async def test_verdicts_of_all_runs_count_towards_a_threshold(store: Store) -> None:
    names = [f"s{n}" for n in range(20)]
    talks = [talk(name, [0.2]) for name in names]
    first = [said(name, 1, "OK" if n < 4 else "NG") for n, name in enumerate(names)]
    header = await kept(store, run_of("run1"), talks, first)
    assert (10, 1, 0) == review_status(store, header).missing
    second = [said(name, 1, "OK" if n < 4 else "NG") for n, name in enumerate(names[:10])]
    await kept(store, run_of("run2"), talks, second)
    assert (10, 1, 0) == review_status(store, header).missing  # the same answers are nothing new
    others = [talk(f"t{n}", [0.2]) for n in range(10)]
    third = [said(f"t{n}", 1, "OK" if n < 4 else "NG") for n in range(10)]
    await kept(store, run_of("run3"), others, third)
    await kept(store, run_of("run4", client="another"), talks, second)
    assert (0, 0, 0) == review_status(store, header).missing


async def test_what_was_judged_in_an_earlier_run_is_known_and_not_open(store: Store) -> None:
    await kept(store, run_of("run1"), TALKS, [said("parcel", 1, "NG")])
    header = await kept(store, run_of("run2"), TALKS, [said("refund", 1, "OK")])
    found = review_status(store, header)
    assert (4, 2, 1, 1) == (found.shown, found.open, found.judged, found.known)
    assert {"田中": {Word.OK: 1}} == found.words


async def test_where_people_differ_on_an_answer_its_equal_ones_are_no_further_line(
    store: Store,
) -> None:
    alike = [talk("parcel", [0.2], cell=Cell("parcel", name, 1)) for name in ("calm", "angry")]
    given = [said("parcel", 1, "NG"), said("parcel", 1, "OK", reviewer="Sato")]
    header = await kept(store, run_of("run1"), alike, given)
    (split,) = review_status(store, header).splits.values()
    assert ("parcel/calm/1", 1, 1) == (split.episode, split.turn, split.alike)
