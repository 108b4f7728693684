"""Getting many episodes done."""
