"""Which path is what: each request checked against Google's schema, and each answer too."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from . import rendering, values
from .masks import mask_of, masked
from .refusals import RefusedError
from .requests.batch import carried_out
from .schema import check
from .state import Book

Query = Mapping[str, list[str]]
_PATH = re.compile(r"/v4/spreadsheets/(?P<key>[^/:]+)(?P<rest>.*)")


def answered(
    books: dict[str, Book], email: str, method: str, path: str, query: Query, body: Any
) -> Any:
    """What is answered to a request that is signed in."""
    found = _PATH.fullmatch(path)
    if found is None:
        raise RefusedError(404, "Requested entity was not found.")
    book = books.get(found["key"])
    if book is None:
        raise RefusedError(404, "Requested entity was not found.")
    role = book.roles.get(email, book.roles.get(""))
    if role is None or (method != "GET" and role != "writer"):
        raise RefusedError(403, "The caller does not have permission")
    rest = unquote(found["rest"])
    if rest == ":batchUpdate" and method == "POST":
        check("BatchUpdateSpreadsheetRequest", body)
        books[book.key], answer = carried_out(book, _without_nulls(body or {}))
        check("BatchUpdateSpreadsheetResponse", answer)
        return answer
    if rest == "" and method == "GET":
        answer = rendering.get(book, query)
        check("Spreadsheet", answer)
        return answer
    return _values(books, book, method, rest, query, body)


def _values(
    books: dict[str, Book], book: Book, method: str, rest: str, query: Query, body: Any
) -> Any:
    after = book.clone()
    for verb, form, request, response, work in _VALUES:
        found = re.fullmatch(form, rest, re.DOTALL)
        if found is None or verb != method:
            continue
        if request:
            check(request, body)
        answer = work(after, found[1] if found.groups() else "", query, body or {})
        check(response, answer)
        if method != "GET":
            books[book.key] = after
        fields = ",".join(query.get("fields", ()))
        return masked(answer, mask_of(fields, response)) if fields else answer
    raise RefusedError(404, f"the emulator does not know {method} {rest}")


def _without_nulls(value: Any) -> Any:
    """What is null is as if it were not there."""
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}


Work = Callable[[Book, str, Query, Any], dict[str, Any]]
_VALUES: tuple[tuple[str, str, str, str, Work], ...] = (
    (
        "GET",
        "/values:batchGet",
        "",
        "BatchGetValuesResponse",
        lambda book, _, query, __: values.batch_get(book, query),
    ),
    (
        "POST",
        "/values:batchUpdate",
        "BatchUpdateValuesRequest",
        "BatchUpdateValuesResponse",
        lambda book, _, __, body: values.batch_update(book, body),
    ),
    (
        "POST",
        "/values:batchClear",
        "BatchClearValuesRequest",
        "BatchClearValuesResponse",
        lambda book, _, __, body: values.batch_clear(book, body),
    ),
    (
        "POST",
        "/values/(.+):append",
        "ValueRange",
        "AppendValuesResponse",
        values.append,
    ),
    (
        "POST",
        "/values/(.+):clear",
        "",
        "ClearValuesResponse",
        lambda book, text, _, __: values.clear(book, text),
    ),
    ("PUT", "/values/(.+)", "ValueRange", "UpdateValuesResponse", values.update),
    (
        "GET",
        "/values/(.+)",
        "",
        "ValueRange",
        lambda book, text, query, _: values.get(book, text, query),
    ),
)
