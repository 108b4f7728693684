"""One file, one kind of number about a turn or a whole conversation."""
