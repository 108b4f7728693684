"""What bots behind a wire share.

Settings with placeholders come in (`settings`, `templates` in their `sandbox`, `secrets` of the
environment), and become requests that one `client` sends. What the bot sends back is read by
JMESPaths (`jmespath`) into a Reply: whole (`reading`), or in `parts`, such as events (`sse`).
"""


class Verbatim(str):
    """Text that goes into a URL as it stands; all other values are percent-encoded there.

    Behind the `?` it is encoded as well, but for what is encoded already.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """It may be a key, and stand in the repr of whatever holds it."""
        return "'…'"
