"""What is remembered of runs, in a file of SQLite's or a schema of PostgreSQL's.

Headers, paid calls, conversations and verdicts come in and are committed before they count; runs
come out as they were saved, each conversation with the verdicts that hold for it.
"""
