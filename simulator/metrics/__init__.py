"""Metrics: one file, one kind of number about a turn or a whole conversation.

In: the evidence of a turn, with the readings of its claims. Out: a score with its parts and a
comment, or the reason why there is none. Computed metrics call nothing; those of a judge are asked
together, in `rubrics`.
"""
