"""References in formulas follow the cells that they speak of."""

import pytest

from simulator.worksheets.google.planning import Location, relocated

HERE = Location("Review r1", lambda row: row + 3, lambda column: column + 1)
CONFIG = Location("しきい値 'b'", lambda row: row * 10, lambda column: column)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("=$B2", "=$C5"),
        ("=B$2+AZ10", "=C$5+BA13"),
        ("='Config r1'!$B$2", "='しきい値 ''b'''!$B$11"),
        ("=Config!B2", "=Config!B2"),
        ("='Other'!B2", "='Other'!B2"),
        ("=SUM($B2:$D4)", "=SUM($C5:$E7)"),
        ("=VLOOKUP($A2,'Config r1'!$A:$B,2,FALSE)", "=VLOOKUP($B5,'しきい値 ''b'''!$A:$B,2,FALSE)"),
        ('=IF(A1="A1 ""B2""",LOG10(5),"C3")', '=IF(B4="A1 ""B2""",LOG10(5),"C3")'),
        ("=AND(ISNUMBER($I2),$I2<$K2-0.000000001)", "=AND(ISNUMBER($J5),$J5<$L5-0.000000001)"),
    ],
)
def test_a_formula_is_moved(formula: str, expected: str) -> None:
    def find(title: str) -> Location | None:
        return CONFIG if title == "Config r1" else None

    assert expected == relocated(formula, HERE, find)
