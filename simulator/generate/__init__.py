"""Generating scenarios: an FAQ or a log of questions comes in, checked scenarios go out.

`log` puts questions together that ask the same, and says what answers and what tests them. `units`
says what is wanted, `planning` what of it is missing. `rounds` has `attempts` ask a model for
questions and check them, in the words of `conversation` and the forms of `forms`; `duplicates`
compares them. `facts` keeps what the entries support of the facts that come with a question, and
`expectations` makes of these what a right answer is held against. `session` runs all this and
writes `scenario_file` and its report; `summary` counts, `estimate` says beforehand what it costs.
"""
