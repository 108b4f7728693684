"""The Jinja2 that templates of requests are written in: its own sandbox, without appetite.

A template may read what it is given and put it into shape. It reaches no attribute of Python, calls
no function but a few methods of texts and mappings, and has no `range`, repetition or padding. What
is left could still be piled up, by loops in loops or `a ~ a`; so every value that a template makes
and every turn of its loops is counted, and too much of it ends with a sentence.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, wraps
from types import BuiltinMethodType
from typing import Any, TypeVar
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.nodes import EvalContext
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from simulator.core.bounds import MAX_MADE
from simulator.targets._wire import Verbatim

_FEW_LOOPS = 5  # of a template that is filled in beside all else
_VALUE, _TURN = 50, 100  # characters that a value, and a turn of a loop, count for
_MOST_BITS = 1024  # of a whole number: beyond it, multiplying takes its time
_MOST_DIGITS = 20  # that a number is rounded to


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_METHODS = _words(
    "endswith get items keys lower lstrip removeprefix removesuffix replace rstrip split "
    "splitlines startswith strip upper values"
)
FILTERS = _words(
    "abs capitalize count d default e escape first float int join last length list lower map "
    "reject rejectattr replace reverse round select selectattr sort string sum tojson trim "
    "truncate unique upper urlencode"
)
"""The names of the filters that templates may use."""
_CONCAT, _TURNS, _WEIGHED = " concat", " turns", " weighed"  # filters that nobody can write

T = TypeVar("T")
_left: ContextVar[int] = ContextVar("left")


def bounded(work: Callable[[], T]) -> T:
    """What `work`, a rendering or a compilation, comes to; it may make no more than `MAX_MADE`.

    Work within other work counts with that.

    Raises:
        SecurityError: it makes more.
    """
    if _left.get(None) is not None:
        return work()
    token = _left.set(MAX_MADE)
    try:
        return work()
    finally:
        _left.reset(token)


def _metered(value: Any) -> Any:
    """A value that a template made, if it is not too much; of an iterator, the list."""
    if isinstance(value, Iterator):
        value = list(value)
    waiting = [value]
    while waiting:  # what is in it twice counts twice: as text it stands there twice
        part = waiting.pop()
        _spend(_weight(part))
        if isinstance(part, Mapping):
            waiting += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple):
            waiting += part
    return value


def _spend(weight: int) -> None:
    left = _left.get(MAX_MADE) - weight
    if left < 0:
        raise SecurityError(f"it makes more than {MAX_MADE:,} characters; write less into it")
    _left.set(left)


def _weight(value: Any) -> int:
    match value:
        case str():
            return _VALUE + len(value)
        case int() if value.bit_length() > _MOST_BITS:
            raise SecurityError("a number is too large")
        case float() if not math.isfinite(value):
            raise SecurityError("a number is too large")
    return _VALUE


def _turns(items: Iterable[Any], written: int) -> Iterator[Any]:
    """The items of a loop whose body writes so many characters of its own."""
    for item in items:
        _spend(_TURN + written)
        yield item


def _concat(parts: list[Any]) -> str:
    texts = [str(part) for part in parts]
    _spend(sum(map(len, texts)))
    return "".join(texts)


def _before_replace(text: Any, old: Any, new: Any, count: int | None = None) -> None:
    del count
    _spend(str(text).count(str(old)) * len(str(new)))


def _before_join(value: Any, d: Any = "", attribute: Any = None) -> None:
    del attribute
    _spend(len(value) * len(str(d)))


def _before_round(value: Any, precision: int = 0, method: str = "common") -> None:
    del value, method
    if abs(precision) > _MOST_DIGITS:
        raise SecurityError(f"round takes up to {_MOST_DIGITS} digits")


def _before_sum(iterable: Any, attribute: Any = None, start: Any = 0) -> None:
    del iterable, attribute
    if not isinstance(start, int | float):
        raise SecurityError("sum is for numbers only")


_BEFORE: Mapping[str, Callable[..., None]] = {
    "replace": _before_replace,
    "join": _before_join,
    "round": _before_round,
    "sum": _before_sum,
}
"""What a filter, or a method of its name, would make of much, is looked at before it does."""


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)  # with the mark that says what it is given first
    def counted(*args: Any, **kwargs: Any) -> Any:
        if name in _BEFORE:
            given = [a for a in args if not isinstance(a, Context | EvalContext | Environment)]
            _BEFORE[name](*map(_metered, given), **kwargs)
        return _metered(function(*args, **kwargs))

    return counted


def _counted_test(function: Any) -> Callable[..., bool]:
    @wraps(function)
    def counted(*args: Any) -> bool:
        return bool(function(*(a if isinstance(a, Environment) else _metered(a) for a in args)))

    return counted


class _Counting(NodeTransformer):
    """Sends what a template makes without a filter or a call through filters of ours."""

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        self.generic_visit(node, *args, **kwargs)
        match node:
            case nodes.Const() if node.value in (math.inf, -math.inf):  # 1e999
                raise TemplateSyntaxError("a number is too large", node.lineno)
            case nodes.Concat():
                return _through(_CONCAT, nodes.List(node.nodes, lineno=node.lineno))
            case nodes.List() | nodes.Tuple(ctx="load") | nodes.Dict():
                return _through(_WEIGHED, node)
            case nodes.Compare():  # to look for a text in another takes as long as both are
                node.expr = _through(_WEIGHED, node.expr)
                for operand in node.ops:
                    operand.expr = _through(_WEIGHED, operand.expr)
            case nodes.For():
                written = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
                node.iter = _through(_TURNS, node.iter, nodes.Const(written))
        return node


def _through(name: str, node: nodes.Node, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(args), [], None, None, lineno=node.lineno)


class _Generator(CodeGenerator):
    # Jinja2 names its methods so.
    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        _Counting().visit(node)  # in its place
        super().visit_Template(node, frame)


class _Sandbox(ImmutableSandboxedEnvironment):
    code_generator_class = _Generator
    intercepted_binops = frozenset(ImmutableSandboxedEnvironment.default_binop_table)

    def is_safe_callable(self, obj: Any) -> bool:
        if isinstance(obj, BuiltinMethodType) and obj.__name__ in _METHODS:
            return True
        name = getattr(obj, "__name__", "this")
        raise SecurityError(f"{name} can't be called; choose from: {', '.join(_METHODS)}")

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        if getattr(obj, "__name__", "") == "replace":
            # Within a loop Jinja2 adds names of its own, such as _loop_vars.
            given = {name: value for name, value in kwargs.items() if not name.startswith("_")}
            _before_replace(getattr(obj, "__self__", ""), *args, **given)
        return _metered(super().call(context, obj, *args, **kwargs))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        repeats = isinstance(left, str | list | tuple) or isinstance(right, str | list | tuple)
        if operator == "**" or (operator in ("*", "%") and repeats):
            raise SecurityError(f"{operator} is for small numbers only")
        return _metered(super().call_binop(context, operator, left, right))


def is_small(tree: nodes.Template) -> bool:
    """True if the form of a template bounds what it does: no loop in a loop, no name of its own."""
    if any(tree.find_all((nodes.Assign, nodes.AssignBlock, nodes.Slice, nodes.FilterBlock))):
        return False
    if any(tree.find_all((nodes.Macro, nodes.With, nodes.CallBlock, nodes.Block))):
        return False
    loops = list(tree.find_all(nodes.For))
    return len(loops) <= _FEW_LOOPS and not any(any(_inner_loops(loop)) for loop in loops)


def _inner_loops(loop: nodes.For) -> Iterator[nodes.For]:
    return (inner for inner in loop.find_all(nodes.For) if inner is not loop)


@cache
def environment(*, url: bool = False) -> _Sandbox:
    """The environment of all templates; with `url`, of those whose outcome is a URL."""
    made = _Sandbox(
        undefined=StrictUndefined,
        finalize=_encoded if url else _metered,
        keep_trailing_newline=True,
        optimized=False,  # nothing is worked out before it is counted
    )
    made.globals.clear()
    known = {name: _counted(name, made.filters[name]) for name in FILTERS}
    ours = {_CONCAT: _concat, _TURNS: _turns, _WEIGHED: _metered}
    made.filters = {**known, **ours}
    made.tests = {name: _counted_test(test) for name, test in made.tests.items()}
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    if url:
        made.filters["urlencode"] = _encoded  # written by habit, it must not encode twice
        made.filters["query_value"] = _query_value
    return made


def _query_value(value: str) -> str:
    """A key with + or & in it; one that somebody has encoded before stays as it is."""
    return Verbatim(quote(value, safe="/%"))


def _encoded(value: Any) -> str:
    _metered(value)
    return value if isinstance(value, Verbatim) else Verbatim(quote(str(value), safe=""))
