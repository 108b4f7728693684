"""People's verdicts: brought back from where they were written, and what they say."""
