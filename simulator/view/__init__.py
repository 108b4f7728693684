"""Everything that is shown of a run, typed and worked out once.

In come the conversations, verdicts and kept figures of a run from the store; out go its figures
(`stored_run`), what displays say of it in the client's language (`run_view`, `reasons`, `heat`),
and its JSON (`run_json`, `turn_json`) and frames.
"""
