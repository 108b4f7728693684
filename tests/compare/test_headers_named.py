"""Which runs are meant, and which cannot be compared."""

from pathlib import Path

import pytest

from simulator.compare.headers import headers
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.store.store import Store
from tests.compare.stored import beside, keep, talk, talks
from tests.execution.scored import rated

ROWS = {"kind": "score", "options": {"file": "/somewhere/a.csv"}}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(f"sqlite:///{tmp_path / 'mogi.db'}")


def test_previous_is_the_run_before_of_the_same_client_and_kind(store: Store) -> None:
    with store:
        keep(store, "a1", talks(5), 1)
        keep(store, "a2", talks(5), 2)
        keep(store, "b1", talks(5), 3, client="other")
        keep(store, "a3", talks(5), 4, kind="rejudge", of="a2")
        keep(store, "a4", talks(5), 5)
        found = headers(store, "previous", "latest")
        assert ("a2", "a4") == (found[0].id, found[1].id)
        assert "a1" == headers(store, "previous", "a2")[0].id
        with pytest.raises(InputError, match="there is no finished run of other before b1"):
            headers(store, "previous", "b1")


def test_previous_is_finished_and_shares_scenarios(store: Store) -> None:
    with store:
        keep(store, "a1", talks(5, 5), 1)
        keep(store, "a2", [talk("other", rated(5))], 2)
        keep(store, "a3", talks(5, 5), 3, status="budget")
        keep(store, "a4", [talk("s1", rated(5))], 4)
        assert "a1" == headers(store, "previous", "latest")[0].id
        assert None is store.previous("a2")


def test_a_run_of_a_few_scenarios_is_no_yardstick_for_a_run_of_all(store: Store) -> None:
    with store:
        keep(store, "a1", talks(5, 5, 5), 1)
        keep(store, "a2", talks(5, 5), 2)
        keep(store, "a3", talks(5), 3)
        keep(store, "a4", talks(5, 5), 4)
        assert "a2" == store.previous("a4")
        keep(store, "a5", talks(5, 5, 5, 5), 5)  # one is new: no run has it
        assert "a1" == store.previous("a5")


def test_previous_is_taken_wherever_a_run_is(store: Store) -> None:
    with store:
        for n in (1, 2, 3):
            keep(store, f"a{n}", talks(5), n)
        assert "a2" == store.resolve("previous")
        found = headers(store, "previous", "previous")
        assert ("a1", "a2") == (found[0].id, found[1].id)


def test_files_of_any_name_follow_each_other(store: Store) -> None:
    with store:
        keep(store, "f1", talks(5), 1, client="a.csv", **ROWS)
        keep(store, "f2", talks(5), 2, client="b.csv", **ROWS)
        assert "f1" == headers(store, "previous", "latest")[0].id


def test_a_run_is_not_compared_with_itself(store: Store) -> None:
    with store:
        keep(store, "a1", talks(5), 1)
        with pytest.raises(InputError, match="both arguments refer to run a1; specify"):
            headers(store, "latest", "a1")


def test_answers_of_a_file_are_not_compared_with_conversations(store: Store) -> None:
    with store:
        keep(store, "a1", talks(5), 1)
        keep(store, "f1", talks(5), 2, **ROWS)
        with pytest.raises(InputError, match=r"run f1 has the answers in /somewhere/a\.csv"):
            headers(store, "a1", "f1")


def test_scores_by_other_metrics_are_refused_with_a_way_out(tmp_path: Path) -> None:
    other = {"score_by": "lexical", "metrics": (MetricInfo("lexical", "Lexical"),)}
    with pytest.raises(InputError, match="mogi rejudge aaaa1111 --metric lexical"):
        beside(tmp_path, talks(5), talks(5), b=other)


def test_runs_without_a_conversation_in_common_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one has s0/calm/1, the other x/calm/1"):
        beside(tmp_path, talks(5), [talk("x", rated(5))])


def test_a_run_that_has_only_begun_is_allowed(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 5), [], b={"planned": 2})
    assert ((2, 0), 0, "nothing") == (found.complete, found.paired, found.why)
