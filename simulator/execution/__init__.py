"""A client's files and what somebody asked for become a run in the store.

What comes in is a `RunRequest`: a loaded client, options, and talks that are judged instead of
held, if any. It becomes a plan, live users, bots, metrics and readers (the cast), conversations
that are held, read and scored at once, and rows of the store; each step is an event. What goes out
is a `Run`, or, for a dry run, an estimate. A run that stopped goes on where it was.
"""
