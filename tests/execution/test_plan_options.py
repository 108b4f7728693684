import pytest

from simulator.core.errors import InputError
from simulator.execution.plan import Options


def test_only_what_was_said_is_kept_as_json_values() -> None:
    assert {} == Options().chosen()
    options = Options(personas=("a", "b"), limit=3, offline=True, budget_usd=0.5)
    expected = {"personas": ["a", "b"], "limit": 3, "offline": True, "budget_usd": 0.5}
    assert expected == options.chosen()


def test_a_resume_says_again_what_was_said_before() -> None:
    before = Options(
        personas=("a",), limit=3, model="m", budget_usd=1.0, fail_under=0.9, concurrency=4
    )
    assert before == Options().resuming(before.chosen())


def test_what_a_resume_says_itself_comes_first() -> None:
    before = Options(limit=3, budget_usd=1.0, fail_under=0.9, concurrency=4).chosen()
    now = Options(budget_usd=2.0, fail_under=0.0, concurrency=50, repeat=2)
    expected = Options(limit=3, budget_usd=2.0, fail_under=0.0, concurrency=50, repeat=2)
    assert expected == now.resuming(before)


def test_what_another_version_knew_is_passed_over() -> None:
    assert Options(limit=2) == Options().resuming({"limit": 2, "engine": "ray"})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"limit": 0}, "limit is 0; use 1 or more"),
        ({"repeat": 0}, "repeat is 0"),
        ({"max_turns": -1}, "max_turns is -1"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"fail_under": 1.5}, "fail_under is 1.5; use a number from 0 to 1"),
        ({"fail_under": float("nan")}, "fail_under is nan"),
        ({"budget_usd": 0}, "budget_usd is 0; use an amount above 0"),
        ({"assign": "some"}, "assign is 'some'; use all, random or round_robin"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(said: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Options(**said)  # type: ignore[arg-type]
