from simulator.core.ports import Usage
from simulator.llm.client import Estimates


def test_before_any_call_it_is_guessed_from_the_bytes() -> None:
    known = Estimates()
    assert (1_300, 1_000) == (
        known.tokens("user", 3_000),
        known.tokens("/embeddings", 3_000, writes=False),
    )


def test_afterwards_it_is_what_calls_of_the_kind_used() -> None:
    known = Estimates()
    known.learn("user", 1_000, Usage(250, 40))
    known.learn("user", 3_000, Usage(750, 60))
    assert 550 == known.tokens("user", 2_000)
    assert 966 == known.tokens("judge", 2_000)


def test_an_endpoint_that_tells_nothing_teaches_nothing() -> None:
    known = Estimates()
    known.learn("user", 1_000, Usage())
    assert 633 == known.tokens("user", 1_000)
