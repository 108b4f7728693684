"""Tools about the tools.

Does the judge notice planted errors, does a search find what it should, do simulated users write
as real customers do? In come a client's files, logs or runs; out go figures with intervals.
"""
