"""What bots behind a wire share: templates, secrets, JMESPaths, one HTTP client, its errors."""


class Verbatim(str):
    """Text that goes into a URL as it stands; all other values are percent-encoded there.

    Behind the `?` it is encoded as well, but for what is encoded already.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """It may be a key, and stand in the repr of whatever holds it."""
        return "'…'"
