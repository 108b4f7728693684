"""Talking to a model: chat, structured answers, retries, limits, journal, ledger."""
