"""Readers of claims: what they say about an answer, and which documents hold a claim."""
