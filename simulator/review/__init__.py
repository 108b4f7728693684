"""People's verdicts.

In come the rows of a Review table (xlsx, csv, Google Sheets, lines) or what the page sends; out go
verdicts for the store, with every oddity that a person should know. From verdicts in the store
come: how far a review is, which answers are worth judging next, how far metrics and people agree,
which threshold they speak for, and corrected answers as changes of a client's files.
"""
