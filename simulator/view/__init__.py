"""The figures of a whole run: means, bounds, intervals, the gate."""
