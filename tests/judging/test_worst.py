"""Which flagged turns are kept when there are more than anybody reads."""

from simulator.core.plan import Cell
from simulator.judging.worst import Worst
from tests.judging.made import header, rated, turn


def test_every_scenario_keeps_its_worst_turn_before_another_keeps_its_second() -> None:
    worst = Worst(kept=3)
    for repeat in range(1, 10):
        worst.add(header(), Cell("bad", "angry", repeat), turn(rated(1)))
    worst.add(header(), Cell("better", "angry"), turn(rated(2)))
    worst.add(header(), Cell("best", "angry"), turn(rated(3)))
    assert ["bad", "better", "best"] == [t.cell.scenario for t in worst.turns()]


def test_the_worst_come_first() -> None:
    worst = Worst(kept=2)
    for scenario, rating in (("c", 3), ("a", 1), ("b", 2)):
        worst.add(header(), Cell(scenario, "angry"), turn(rated(rating)))
    assert ["a", "b"] == [t.cell.scenario for t in worst.turns()]
