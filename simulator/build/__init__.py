"""A client and what was asked for become a plan; a plan's names become live objects."""
