"""Tools about the tools: trying the judge, and the checks that generated questions go through."""
