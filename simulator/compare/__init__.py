"""Two runs side by side.

In come the names of two stored runs; out goes a `Comparison`: conversations paired by scenario,
persona and repeat, the difference of every metric with its interval and test, the cells that newly
fail or pass and how many would by chance, what got worse in which way, what playing it again says,
and what makes the figures doubtful. `fail_on` turns it into an exit status, `burn_in` says what to
play again.
"""
