"""Statistics: numbers come in, means, intervals, tests and thresholds go out.

Pure functions that know nothing of runs; each names the source of its formula, and tests hold it
against scipy, scikit-learn or a simulation.
"""
