"""Readings, ratings and people's verdicts of a conversation become its result and its cause.

In: the typed values that were stored with the turns. Out: a finding, and the cause of a weak turn.
Nothing here reads a text.
"""
