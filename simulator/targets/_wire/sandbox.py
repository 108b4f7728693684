"""The Jinja2 that templates of requests are written in: expressions, without reach or appetite.

A template may read what it is given and put it into shape. It reaches no attribute of Python, calls
no function but a few methods of texts and mappings, and cannot make much of little: no `range`, no
repetition, no padding.
"""

from collections.abc import Callable, Mapping
from functools import cache
from types import BuiltinMethodType
from typing import Any
from urllib.parse import quote

from jinja2 import StrictUndefined
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from simulator.targets._wire.templates import Verbatim


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_METHODS = _words(
    "endswith get items keys lower lstrip removeprefix removesuffix replace rstrip split "
    "splitlines startswith strip upper values"
)
_FILTERS = _words(
    "abs capitalize count d default e escape first float int join last length list lower map "
    "reject rejectattr replace reverse round select selectattr sort string sum tojson trim "
    "truncate unique upper urlencode"
)


class _Sandbox(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"*", "**", "%"})

    def is_safe_callable(self, obj: Any) -> bool:
        if isinstance(obj, BuiltinMethodType) and obj.__name__ in _METHODS:
            return True
        name = getattr(obj, "__name__", "this")
        raise SecurityError(f"{name} cannot be called; there are: {', '.join(_METHODS)}")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "**" or isinstance(left, str | list) or isinstance(right, str | list):
            raise SecurityError(f"{operator} is for small numbers only")
        return super().call_binop(context, operator, left, right)


@cache
def environment(*, url: bool = False) -> _Sandbox:
    """The environment of all templates; with `url`, of those whose outcome is a URL."""
    finalize: Callable[[Any], Any] | None = _encoded if url else None
    made = _Sandbox(undefined=StrictUndefined, finalize=finalize, keep_trailing_newline=True)
    made.globals.clear()
    known: Mapping[str, Any] = dict(made.filters)
    made.filters.clear()
    made.filters.update({name: known[name] for name in _FILTERS})
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    if url:
        made.filters["urlencode"] = _encoded  # written by habit, it must not encode twice
        made.filters["query_value"] = _query_value
    return made


def filters() -> tuple[str, ...]:
    """The names of the filters that templates may use."""
    return _FILTERS


def _query_value(value: str) -> str:
    """A key with + or & in it; one that somebody has encoded before stays as it is."""
    return Verbatim(quote(value, safe="/%"))


def _encoded(value: Any) -> str:
    return value if isinstance(value, Verbatim) else Verbatim(quote(str(value), safe=""))
