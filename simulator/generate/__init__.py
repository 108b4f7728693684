"""Scenarios from an FAQ: questions are written, checked in a second step, and kept for good."""
