"""A run, sent to another tool: one file, one tool.

In come the events of a run (`core/events.py`), while it is played or from the store; out go
requests in the form that the tool has published. An exporter reads its settings from the
environment. What it sends has ids made of the run's, so that sending twice changes nothing.
"""
