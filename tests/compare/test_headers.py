"""What else differs between two runs, and what of it makes the figures doubtful."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.compare.fail_on import FailOn, conclusion
from simulator.compare.headers import header_differences, of_talks
from simulator.core.comparison import Change, Comparison, Doubt, Undecided
from simulator.store.store import Store
from tests.compare.stored import beside, keep, talks
from tests.execution.scored import LEXICAL, OVERALL, header, rated, turn

JUDGE = "client.judge.chat.model"
FINE, WORSE = talks(*[5, 4] * 4), talks(*[3, 2, 1, 2] * 2)


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return dict(header_differences(header(snapshot=before), header(snapshot=after)))


def compared(
    folder: Path, before: dict[str, Any], after: dict[str, Any], **more: Any
) -> Comparison:
    a, b = {"snapshot": before, **more}, {"snapshot": after, **more}
    return beside(folder, FINE, WORSE, a=a, b=b)


def test_each_thing_stands_in_its_group() -> None:
    before = {"knowledge": "k1", "client.target.settings.url": "x", "scenarios.a": "s1", "mogi": 1}
    after = {"knowledge": "k2", "client.target.settings.url": "y", "scenarios.a": "s2", "mogi": 1}
    assert {
        "target": ('client.target.settings.url: "x" -> "y"',),
        "knowledge": ("knowledge",),
        "scenarios": ("a",),
    } == changed(before, after)


def test_what_says_nothing_new_is_left_out() -> None:
    before = {"scenarios.gone": "1", "conversations": "c1", "limit": 3, "personas": {}}
    after = {"scenarios.new": "1", "conversations": "c2", "limit": None}
    key = "client.judge.chat.api_key_env"
    assert {} == changed({**before, key: "A"}, {**after, key: "B"})


@pytest.mark.parametrize(
    ("key", "doubt"),
    [
        (JUDGE, Doubt.JUDGE),
        ("prompts.judge", Doubt.JUDGE),
        ("rubrics.core", Doubt.RUBRICS),
        ("client.guidelines", Doubt.GUIDELINES),
    ],
)
def test_scores_by_another_yardstick_decide_nothing(key: str, doubt: Doubt, tmp_path: Path) -> None:
    found = compared(tmp_path, {key: "a"}, {key: "b"})
    assert [doubt] == [d.doubt for d in found.doubts]
    assert (Change.UNDECIDED, Undecided.YARDSTICK) == (found.change, found.why)


def test_a_judge_that_did_not_make_the_score_leaves_it_as_it_is(tmp_path: Path) -> None:
    lexical = {"metrics": (LEXICAL,), "score_by": "lexical", "thresholds": {}}
    sides = []
    for rating in (5, 2):
        made = turn(rated(rating), metric="lexical")
        sides.append([_of(n, made) for n in range(8)])
    a, b = ({"snapshot": {JUDGE: name}, **lexical} for name in ("x", "y"))
    found = beside(tmp_path, *sides, a=a, b=b)
    assert (Change.REGRESSED, ()) == (found.change, found.doubts)


@pytest.mark.parametrize("rests", [True, False])
def test_another_judge_leaves_results_open_that_rest_on_it(tmp_path: Path, rests: bool) -> None:
    limits = {"overall": 0.7} if rests else {}
    lexical = {"metrics": (LEXICAL, OVERALL), "score_by": "lexical", "thresholds": limits}
    sides = []
    for ratings in ((5, 4), (3, 1)):
        side = []
        for n in range(8):
            made = turn(rated(ratings[0]), metric="lexical")
            both = {**made.outcomes, "overall": rated(ratings[n % 2], f"because {n}")}
            side.append(_of(n, replace(made, outcomes=both)))
        sides.append(side)
    a, b = ({"snapshot": {JUDGE: name}, **lexical} for name in ("x", "y"))
    found = beside(tmp_path, *sides, a=a, b=b)
    assert Change.REGRESSED is found.change
    assert [Doubt.JUDGE] * rests == [d.doubt for d in found.doubts]
    assert (8 if rests else 0) == found.flips.failing
    assert 3 == conclusion(found, FailOn.of("newly-failing")).status


def _of(n: int, made: Any) -> Any:
    from tests.execution.scored import episode

    return episode(made, scenario=f"s{n}")


def test_changed_scenarios_are_warned_of_and_compared(tmp_path: Path) -> None:
    found = compared(tmp_path, {"scenarios.s0": "1"}, {"scenarios.s0": "2"})
    assert [(Doubt.SCENARIOS, ("s0",))] == [(d.doubt, d.names) for d in found.doubts]
    assert Change.REGRESSED is found.change


def test_other_clients_are_compared_with_a_warning(tmp_path: Path) -> None:
    found = beside(tmp_path, FINE, WORSE, b={"client": "acme-next"})
    assert [(Doubt.CLIENT, ("acme", "acme-next"))] == [(d.doubt, d.names) for d in found.doubts]


def test_a_run_that_was_judged_again_is_known_by_the_talks_it_judged(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        held = {"knowledge": "old", "client.seed": 1, JUDGE: "x"}
        run = keep(store, "r1", talks(5), 1, snapshot=held)
        again = keep(
            store,
            "r2",
            talks(5),
            2,
            kind="rejudge",
            of="r1",
            snapshot={"knowledge": "new", JUDGE: "y"},
        )
        found = header_differences(of_talks(store, run), of_talks(store, again))
    assert {"judge": (f'{JUDGE}: "x" -> "y"',)} == found
