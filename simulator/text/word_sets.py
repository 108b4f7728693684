"""Word lists that stand in the code as running text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, parted by white space."""
    return frozenset(text.split())
