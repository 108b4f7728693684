"""What Google says instead of doing something."""

from typing import Any

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class RefusedError(Exception):
    """A request that is answered with an error; `code` is the HTTP status."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)

    def body(self) -> dict[str, Any]:
        """The answer's JSON."""
        status = _STATUS.get(self.code, "UNKNOWN")
        return {"error": {"code": self.code, "message": self.message, "status": status}}


def invalid(message: str) -> RefusedError:
    """A 400."""
    return RefusedError(400, message)
