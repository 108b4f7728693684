from simulator.core.talk import Document
from simulator.generate.units import Nearness

FAQ = (
    Document(
        "Yearly plans that are cancelled early are refunded by the month.", "refund", "Refund"
    ),
    Document("A cancelled plan ends and photos are kept for 90 days.", "photos", "Photos after it"),
    Document("Yearly plans that are cancelled early are refunded by the month.", "copy", "Refund"),
    Document("The shop opens at nine.", "hours", "Opening hours"),
)


def test_the_rank_of_an_entry_is_where_a_search_finds_it() -> None:
    rank = Nearness(FAQ, "en").ranks("how long are photos kept after the plan is cancelled")
    assert (1, None) == (rank("photos"), rank("hours"))
    assert (rank("refund") or 0) > 1


def test_pairs_are_near_each_other_and_do_not_say_the_same() -> None:
    pairs = Nearness(FAQ, "en").pairs(seed=1)
    found = {(pair.first.id, pair.second.id) for pair in pairs}
    assert ("refund", "copy") not in found
    assert ("refund", "photos") in found
    assert not any("hours" in pair for pair in found)


def test_pairs_stand_in_the_order_of_their_nearness_and_come_once() -> None:
    pairs = Nearness(FAQ, "en").pairs(seed=1)
    assert sorted((p.score for p in pairs), reverse=True) == [p.score for p in pairs]
    assert len(pairs) == len({frozenset((p.first.id, p.second.id)) for p in pairs})


def test_an_entry_alone_has_no_pair() -> None:
    assert [] == Nearness(FAQ[:1], "en").pairs(seed=1)
    assert [] == Nearness((Document("!", "a"), Document("?", "b")), "en").pairs(seed=1)
