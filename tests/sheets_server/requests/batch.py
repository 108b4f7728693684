"""batchUpdate: all of its requests, or none."""

from collections.abc import Callable, Mapping
from typing import Any

from ..refusals import RefusedError, invalid
from ..state import Book
from . import areas, cells, dimensions, overlays, worksheets

Handler = Callable[[Book, Mapping[str, Any], str], dict[str, Any]]
_HANDLERS: dict[str, Handler] = {
    "addSheet": worksheets.add,
    "deleteSheet": worksheets.delete,
    "duplicateSheet": worksheets.duplicate,
    "updateSheetProperties": worksheets.update,
    "updateSpreadsheetProperties": worksheets.rename,
    "updateCells": cells.update,
    "repeatCell": cells.repeat,
    "setDataValidation": cells.validate,
    "copyPaste": areas.copy_paste,
    "cutPaste": areas.cut_paste,
    "sortRange": areas.sort,
    "mergeCells": areas.merge,
    "unmergeCells": areas.unmerge,
    "insertDimension": dimensions.insert,
    "appendDimension": dimensions.append,
    "deleteDimension": dimensions.delete,
    "moveDimension": dimensions.move_range,
    "updateDimensionProperties": dimensions.look,
    "addDimensionGroup": dimensions.group,
    "deleteDimensionGroup": dimensions.ungroup,
    "autoResizeDimensions": overlays.nothing,
    "setBasicFilter": overlays.set_filter,
    "clearBasicFilter": overlays.clear_filter,
    "addConditionalFormatRule": overlays.add_rule,
    "updateConditionalFormatRule": overlays.update_rule,
    "deleteConditionalFormatRule": overlays.delete_rule,
    "addProtectedRange": overlays.protect,
    "deleteProtectedRange": overlays.unprotect,
    "createDeveloperMetadata": overlays.note,
    "deleteDeveloperMetadata": overlays.forget,
    "addNamedRange": overlays.name,
    "updateNamedRange": overlays.rename,
    "deleteNamedRange": overlays.unname,
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
