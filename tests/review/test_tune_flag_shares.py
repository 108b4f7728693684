from pathlib import Path

import pytest

from simulator.core.outcome import Interval
from simulator.core.talk import Stop, StopReason
from simulator.review.tune import share_flagged, values_of_all
from simulator.store.store import Store
from tests.review.labelled import kept, run_of, talk


async def test_the_share_is_counted_over_scored_turns_of_sound_users(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        invalid = talk("c", [0.1], stop=Stop(StopReason.USER_INVALID))
        other = talk("d", [0.1], metric="other")
        await kept(store, run_of("run1"), [talk("a", [0.2, 0.5]), talk("b", [0.9]), invalid, other])
        values = values_of_all(store, ["run1"], "lexical")
        none = values_of_all(store, [], "lexical")
    assert [0.0, 1 / 3, 2 / 3] == [share_flagged(values, t).mean for t in (0.2, 0.5, 0.9)]
    assert pytest.approx(1.0) == share_flagged(values, 1.0).mean
    assert Interval(None) == share_flagged(none, 0.5)
