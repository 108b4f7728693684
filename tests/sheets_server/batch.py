"""batchUpdate: all of its requests, or none."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.sheets_server import cells, dimensions, over, sheets
from tests.sheets_server.refusals import RefusedError, invalid
from tests.sheets_server.state import Book

Handler = Callable[[Book, Mapping[str, Any], str], dict[str, Any]]
_HANDLERS: dict[str, Handler] = {
    "addSheet": sheets.add,
    "deleteSheet": sheets.delete,
    "duplicateSheet": sheets.duplicate,
    "updateSheetProperties": sheets.update,
    "updateSpreadsheetProperties": sheets.rename,
    "updateCells": cells.update,
    "repeatCell": cells.repeat,
    "setDataValidation": cells.validate,
    "copyPaste": cells.copy_paste,
    "cutPaste": cells.cut_paste,
    "sortRange": cells.sort,
    "mergeCells": cells.merge,
    "unmergeCells": cells.unmerge,
    "insertDimension": dimensions.insert,
    "appendDimension": dimensions.append,
    "deleteDimension": dimensions.delete,
    "moveDimension": dimensions.move_range,
    "updateDimensionProperties": dimensions.look,
    "addDimensionGroup": dimensions.group,
    "deleteDimensionGroup": dimensions.ungroup,
    "autoResizeDimensions": over.nothing,
    "setBasicFilter": over.set_filter,
    "clearBasicFilter": over.clear_filter,
    "addConditionalFormatRule": over.add_rule,
    "updateConditionalFormatRule": over.update_rule,
    "deleteConditionalFormatRule": over.delete_rule,
    "addProtectedRange": over.protect,
    "deleteProtectedRange": over.unprotect,
    "addNamedRange": over.name,
    "updateNamedRange": over.rename,
    "deleteNamedRange": over.unname,
}


def carried_out(book: Book, body: Mapping[str, Any]) -> tuple[Book, dict[str, Any]]:
    """The spreadsheet afterwards, and the answer; `book` stays as it was."""
    requests = body.get("requests") or []
    if not requests:
        raise invalid("Must specify at least one request.")
    after = book.clone()
    replies = []
    for number, request in enumerate(requests):
        if len(request) != 1:
            raise invalid(f"Invalid requests[{number}]: a request has exactly one kind")
        kind, said = next(iter(request.items()))
        if kind not in _HANDLERS:
            raise RefusedError(501, f"the emulator does not know {kind}")
        replies.append(_HANDLERS[kind](after, said, f"requests[{number}].{kind}"))
    after.revision += 1
    return after, {"spreadsheetId": book.key, "replies": replies}
