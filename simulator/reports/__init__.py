"""A finished run, shown: one file, one kind of report."""
