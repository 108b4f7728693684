from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.screens.review import remarks
from simulator.core.errors import InputError
from simulator.core.run import Episode
from simulator.core.scenario import Approval, Expected, Scenario
from simulator.core.verdict import Verdict
from simulator.files.client.folder import LoadedClient, load_client
from simulator.review.corrected_answers import (
    Promoted,
    Rejection,
    denied_expectation,
    promote,
    propose,
    write_edit,
)
from simulator.store.store import Store
from simulator.words import Words
from tests.review.labelled import kept, run_of, said, talk
from tests.store.conftest import path, store, url

__all__ = ["path", "store", "url"]
CLIENT = "language: ja\ntarget: {kind: demo}\nknowledge: faq.csv\n"
SCENARIOS = """\
- {id: parcel, query: question 1, expected: {answer: 前の答え}}  # the first
- id: refund
  query: question 1
- {id: other, query: not asked}
"""
TALKS = [
    talk("parcel", [0.2, 0.9]),
    talk("refund", [0.1]),
    talk("other", [0.1]),
    talk("gone", [0.1]),
]


@pytest.fixture
def acme(tmp_path: Path) -> LoadedClient:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "client.yaml").write_text(CLIENT, "utf-8")
    (folder / "faq.csv").write_text("id,title,content\na,b,c\n", "utf-8")
    (folder / "scenarios.yaml").write_text(SCENARIOS, "utf-8")
    return load_client(str(folder), cwd=tmp_path)


def right(scenario: str, text: str, turn: int = 1, **changes: Any) -> Verdict:
    return said(scenario, turn, "NG", corrected=text, **changes)


def later(day: int) -> str:
    return f"2026-12-{day:02}T00:00:00+00:00"


async def test_a_corrected_answer_is_proposed_as_a_diff_and_written_when_asked(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    await kept(
        store,
        run_of("run1"),
        TALKS,
        [right("parcel", "新しい答え"), right("refund", "はい\nどうぞ")],
    )
    found = propose(store, acme, tmp_path)
    assert [
        ("parcel", "前の答え", "新しい答え", ("田中",)),
        ("refund", "", "はい\nどうぞ", ("田中",)),
    ] == [(p.scenario, p.old, p.new, p.by) for p in found.proposals]
    assert found.diff.startswith("--- acme/scenarios.yaml\n+++ acme/scenarios.yaml\n@@ ")
    removed = [line for line in found.diff.splitlines()[2:] if line.startswith("-")]
    assert [
        "-- {id: parcel, query: question 1, expected: {answer: 前の答え}}  # the first"
    ] == removed
    assert SCENARIOS == (tmp_path / "acme/scenarios.yaml").read_text("utf-8")
    write_edit(found.edit)
    again = propose(store, load_client(str(tmp_path / "acme"), cwd=tmp_path), tmp_path)
    assert ((), 2, "") == (again.proposals, again.same, again.diff)
    text = (tmp_path / "acme/scenarios.yaml").read_text("utf-8")
    assert "expected: {answer: 新しい答え}}  # the first\n" in text
    assert text.endswith("- {id: other, query: not asked}\n")


async def test_what_is_not_taken_is_listed_with_the_reason(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    given = [
        right("parcel", "a"), right("parcel", "b", reviewer="Sato"), right("parcel", "c", turn=2),
        right("other", "d"), right("gone", "e"),
    ]  # fmt: skip
    await kept(store, run_of("run1"), TALKS, given)
    found = propose(store, acme, tmp_path)
    assert ((), None) == (found.proposals, found.edit)
    assert [
        (Rejection.LATER_TURN, "c"), (Rejection.DIFFER, "a"), (Rejection.DIFFER, "b"),
        (Rejection.ASKED, "d"), (Rejection.NO_SCENARIO, "e"),
    ] == [(left.why, left.correction.text) for left in found.left]  # fmt: skip


async def test_who_writes_what_is_expected_already_asks_for_nothing(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    given = [right("parcel", "前の答え", turn=2), right("parcel", "「前の答え」。")]
    await kept(store, run_of("run1"), TALKS, given)
    found = propose(store, acme, tmp_path)
    assert ((), (), 1) == (found.proposals, found.left, found.same)


async def test_of_one_person_the_latest_counts_in_all_runs(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    await kept(
        store,
        run_of("run1"),
        TALKS,
        [right("parcel", "old"), right("parcel", "newer", at=later(1))],
    )
    await kept(store, run_of("run2"), TALKS, [right("parcel", "newest", at=later(2))])
    await kept(store, run_of("run3", client="another"), TALKS, [right("parcel", "x", at=later(3))])
    found = propose(store, acme, tmp_path)
    assert ["newest"] == [p.new for p in found.proposals]
    assert () == found.left


async def test_who_corrects_two_talks_differently_at_once_leaves_it_open(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    other = replace(TALKS[0], cell=replace(TALKS[0].cell, persona="angry"))
    given = [right("parcel", "a"), right("parcel", "b", episode="parcel/angry/1")]
    await kept(store, run_of("run1"), [*TALKS, other], given)
    found = propose(store, acme, tmp_path)
    assert ((), [Rejection.DIFFER, Rejection.DIFFER]) == (
        found.proposals,
        [left.why for left in found.left],
    )


async def test_a_question_in_the_personas_words_is_still_the_scenarios(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    header = run_of("run1", snapshot={"client.user.open": "styled"})
    await kept(store, header, TALKS, [right("other", "d")])
    assert ["d"] == [p.new for p in propose(store, acme, tmp_path).proposals]


async def test_verdicts_on_unfinished_talks_and_on_rows_of_files_are_left_alone(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    await kept(
        store, run_of("run1"), TALKS[1:], [right("parcel", "a"), right("refund", "b", turn=9)]
    )
    await kept(store, run_of("run2", options={"file": "a.csv"}), TALKS, [right("parcel", "c")])
    found = propose(store, acme, tmp_path)
    assert ((), ()) == (found.proposals, found.left)


async def test_what_comes_with_mogi_is_not_written(store: Store, tmp_path: Path) -> None:
    demo = load_client("demo-en", cwd=tmp_path)
    name, scenario = next(iter(demo.scenarios.items()))
    told = talk(name, [0.1])
    exchange = replace(told.turns[0].exchange, user=scenario.query)
    episode: Episode = replace(told, turns=(replace(told.turns[0], exchange=exchange),))
    await kept(store, run_of("run1", client="demo-en"), [episode], [right(name, "x")])
    found = propose(store, demo, tmp_path)
    assert 1 == len(found.proposals)
    remark = " ".join(remarks("demo-en", found, Words("en", "review"), written=False))
    assert "first create your own client: mogi init NAME" in remark
    assert "--write" not in remark
    with pytest.raises(InputError, match="is built in, so mogi never"):
        write_edit(found.edit)


async def test_expected_elements_that_a_corrected_answer_lacks_are_named(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    expected = replace(acme.scenarios["refund"].expected, elements=(("500円",), ("翌日に届く",)))
    scenario = replace(acme.scenarios["refund"], expected=expected)
    loaded = replace(acme, scenarios={**acme.scenarios, "refund": scenario})
    given = [right("parcel", "はい"), right("refund", "送料は 500 円です。")]
    await kept(store, run_of("run1"), TALKS, given)
    found = propose(store, loaded, tmp_path)
    assert [("parcel", ()), ("refund", ("翌日に届く",))] == [
        (p.scenario, p.lacks) for p in found.proposals
    ]
    said = list(remarks("acme", found, Words("ja", "review"), written=False))
    assert [
        (
            "正解の要素で、正しい回答の中に語句が見つからないものがあります（1 件）。"
            "食い違う場合は、どちらかを直してください"
        ),
        "  - refund: 翌日に届く",
    ] == said[:2]


# A failing conversation as a scenario of its own

KNOWN = Scenario(
    "parcel",
    "question 1",
    known=("it was sent on Monday",),
    expected=Expected(("前の答え",), (("3日",), ("無料",)), ("a",)),
    tags=("shop",),
)


async def promoted(store: Store, acme: LoadedClient, tmp_path: Path, *given: Verdict) -> Promoted:
    header = run_of("run1")
    talks = [replace(talk("parcel", [0.2, 0.9]), scenario=KNOWN), talk("refund", [0.1])]
    await kept(store, header, talks, given)
    return promote(store, acme, header, "parcel/calm/1", tmp_path)


async def test_a_failing_talk_becomes_a_scenario_with_the_corrected_answer(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    found = await promoted(store, acme, tmp_path, right("parcel", "3日で届きます"))
    assert (("前の答え",), ("田中",)) == (found.old, found.by)
    assert found.diff.startswith("--- acme/scenarios.yaml\n")
    assert not [line for line in found.diff.splitlines()[2:] if line.startswith("-")]
    write_edit(found.edit)
    loaded = load_client(str(tmp_path / "acme"), cwd=tmp_path)
    again = loaded.scenarios["parcel-regression"]
    assert found.scenario == again
    assert ("question 1", KNOWN.known) == (again.query, again.known)
    assert Expected(("3日で届きます",), (("3日",),), ("a",)) == again.expected
    assert ("shop", "regression") == again.tags
    same = promote(store, loaded, run_of("run1"), "parcel/calm/1", tmp_path)
    assert (None, "") == (same.edit, same.diff)


async def test_a_scenario_that_expects_the_corrected_answer_is_not_added_again(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    wanted = Expected(("3日で届きます",), (("3日",),), ("a",))
    applied = replace(KNOWN, expected=wanted)
    loaded = replace(acme, scenarios={**acme.scenarios, "parcel": applied})
    found = await promoted(store, loaded, tmp_path, right("parcel", "3日で届きます"))
    assert found.edit is None


async def test_where_a_later_answer_was_corrected_its_question_is_the_goal(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    found = await promoted(store, acme, tmp_path, right("parcel", "はい", turn=2))
    assert ("question 1", "question 2") == (found.scenario.query, found.scenario.goal)
    assert () == found.scenario.expected.elements  # they are not in it


async def test_without_a_corrected_answer_what_is_expected_stays(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    found = await promoted(store, acme, tmp_path)
    assert (KNOWN.expected, ()) == (found.scenario.expected, found.by)


async def test_what_cannot_be_promoted_is_told(
    store: Store, acme: LoadedClient, tmp_path: Path
) -> None:
    given = right("parcel", "a"), right("parcel", "b", reviewer="Sato")
    with pytest.raises(InputError, match=r"differ \(田中: a; Sato: b\)"):
        await promoted(store, acme, tmp_path, *given)
    header = run_of("run1")
    with pytest.raises(InputError, match="has no conversation other/calm/1 of acme"):
        promote(store, acme, header, "other/calm/1", tmp_path)
    with pytest.raises(InputError, match="refund/calm/1 has no corrected answer"):
        promote(store, acme, header, "refund/calm/1", tmp_path)


@pytest.mark.parametrize(
    ("expected", "text", "denied"),
    [
        (Expected(elements=(("30分300円",),)), "地下にあり、30分500円です。", "30分300円"),
        (Expected(elements=(("30分300円",),)), "地下にあり、30分300円です。", ""),
        (Expected(elements=(("30分300円",),), approved=Approval.OPEN), "30分500円です。", ""),
        (Expected(answerable=False), "30分500円です。", "answerable: false"),
        (Expected(escalate=True), "30分500円です。", "escalate: true"),
    ],
)
def test_an_answer_against_what_a_person_expects_is_named(
    expected: Expected, text: str, denied: str
) -> None:
    scenario = Scenario("car", "駐車場の値段は", expected=expected)
    assert denied_expectation(text, scenario, "ja") == denied
