"""How anything is laid out on a terminal."""
