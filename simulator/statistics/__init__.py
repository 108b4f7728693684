"""Intervals, paired tests, agreement: pure functions over numbers."""
