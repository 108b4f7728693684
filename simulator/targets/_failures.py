"""Whatever a bot does instead of answering, put as one failure of the target."""

from simulator.core.clean import clean, cut
from simulator.core.errors import MogiError, TargetError, TargetFault

# Enough for a provider's error text; a page of HTML in an exception is not kept whole.
MESSAGE_LIMIT = 2000


def as_target_error(error: BaseException) -> TargetError:
    """The failure that an error raised by a bot amounts to, with the error as its cause."""
    if isinstance(error, TargetError):
        return error
    if isinstance(error, SystemExit):
        failure = TargetError(TargetFault.EXITED, f"it called sys.exit({error.code!r})")
    else:
        # mogi's own errors are sentences already; their types tell a reader nothing.
        text = str(error) if isinstance(error, MogiError) else described(error)
        failure = TargetError(TargetFault.RAISED, text)
    failure.__cause__ = error
    return failure


def described(error: BaseException) -> str:
    """The error's type and text, such as `openai.RateLimitError: slow down`; no traceback."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in {"builtins", "__main__"}:
        name = f"{kind.__module__}.{name}"
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the error is the bot's own class, and may be broken too
        text = "(its text cannot be read)"
    return message(f"{name}: {text}" if text else name)


def message(text: str) -> str:
    """A failure's text, sanitised and cut to what is kept of it."""
    return cut(clean(text), MESSAGE_LIMIT)
