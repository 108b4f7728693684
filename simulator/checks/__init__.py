"""Tools about the tools: is the judge any good, is a search, do simulated users write as people."""
