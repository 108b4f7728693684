"""Who speaks: one file, one kind of simulated user."""
