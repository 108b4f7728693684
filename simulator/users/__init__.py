"""Simulated users: one file, one kind of user.

In: a brief (scenario, persona, seed) and the talk so far. Out: what the user says next, or the stop
with which it leaves; and what looks wrong with a message of a user.
"""
