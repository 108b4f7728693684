"""What is under test: one file, one kind of bot."""
