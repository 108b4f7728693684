"""Verdicts: added once, never changed, and read beside the conversations that they speak of."""

from dataclasses import replace

from simulator.core.plan import Cell
from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from tests.store.samples import HEADER, episode

KEY = "login/angry/1"
GIVEN = Verdict(
    KEY, 1, Word.NG, "田中", "review.xlsx", "2026-11-21T06:00:00+00:00", "fact", "500円"
)


def test_verdicts_come_back_as_they_were_given_in_their_order(store: Store) -> None:
    later = replace(GIVEN, word=Word.OK, at="2026-11-22T06:00:00+00:00", comment="直った")
    store.add_verdicts(HEADER.id, [GIVEN, later])
    assert [GIVEN, later] == list(store.verdicts(HEADER.id))


def test_a_comment_without_a_word_comes_back_without_one(store: Store) -> None:
    remark = replace(GIVEN, word=None, comment="あとで見る")
    store.add_verdicts(HEADER.id, [remark])
    assert [remark] == list(store.verdicts(HEADER.id))


def test_reading_the_same_again_adds_nothing(store: Store) -> None:
    store.add_verdicts(HEADER.id, [GIVEN])
    store.add_verdicts(HEADER.id, [GIVEN])
    assert [GIVEN] == list(store.verdicts(HEADER.id))


def test_two_reviewers_are_kept_apart(store: Store) -> None:
    store.add_verdicts(HEADER.id, [GIVEN, replace(GIVEN, reviewer="佐藤")])
    assert ["田中", "佐藤"] == [verdict.reviewer for verdict in store.verdicts(HEADER.id)]


def test_runs_have_their_own_verdicts(store: Store) -> None:
    store.add_verdicts("other", [GIVEN])
    assert [] == list(store.verdicts(HEADER.id))


def test_many_are_taken_a_few_at_a_time(store: Store) -> None:
    many = (replace(GIVEN, turn=turn) for turn in range(2_500))
    store.add_verdicts(HEADER.id, many)
    assert 2_500 == len(list(store.verdicts(HEADER.id)))


async def test_episodes_come_with_their_verdicts_in_the_plans_order(store: Store) -> None:
    episodes = [replace(episode("x"), cell=Cell(f"s{n}", "calm")) for n in range(4)]
    for ordinal in (3, 0, 2, 1):
        await store.save_episode(HEADER.id, ordinal, episodes[ordinal])
    of_second, of_last = replace(GIVEN, episode="s1/calm/1"), replace(GIVEN, episode="s3/calm/1")
    elsewhere = replace(GIVEN, episode="s9/calm/1")
    store.add_verdicts(HEADER.id, [of_last, elsewhere, of_second, replace(of_last, turn=2)])
    assert [
        (episodes[0], ()),
        (episodes[1], (of_second,)),
        (episodes[2], ()),
        (episodes[3], (of_last, replace(of_last, turn=2))),
    ] == list(store.reviewed(HEADER.id))
