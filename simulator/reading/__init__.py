"""Claims and an answer become readings: by words, which only prove, and by a model.

In: what a scenario expects and what the bot answered, with its documents. Out: typed readings that
are stored with the turn, so that nobody reads the answer again.
"""
