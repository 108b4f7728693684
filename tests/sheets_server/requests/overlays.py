"""Requests about what lies over cells: filters, rules, protection, names."""

import copy
from collections.abc import Mapping
from typing import Any

from ..masks import mask_of, put
from ..refusals import invalid
from ..state import Book, Sheet, area_of, plain_range

Json = Mapping[str, Any]


def bounded(sheet: Sheet, found: Json, where: str) -> dict[str, Any]:
    """A range with all its ends, within the worksheet, as Google keeps it."""
    area = area_of(sheet, found, where)
    return {
        "sheetId": sheet.id,
        "startRowIndex": area.row,
        "endRowIndex": area.end_row,
        "startColumnIndex": area.column,
        "endColumnIndex": area.end_column,
    }


def set_filter(book: Book, said: Json, where: str) -> dict[str, Any]:
    """setBasicFilter: instead of the one there is."""
    found = said["filter"]
    sheet = book.sheet(found.get("range", {}).get("sheetId"), where)
    area = bounded(sheet, found.get("range", {}), where)
    sheet.filter = {**copy.deepcopy(dict(found)), "range": area}
    return {}


def clear_filter(book: Book, said: Json, where: str) -> dict[str, Any]:
    """clearBasicFilter."""
    book.sheet(said.get("sheetId"), where).filter = None
    return {}


def add_rule(book: Book, said: Json, where: str) -> dict[str, Any]:
    """addConditionalFormatRule: the ranges are kept as far as the sheet goes now."""
    sheet, rule = _rule(book, said["rule"], where)
    index = int(said.get("index", 0))
    if index > len(sheet.rules):
        raise invalid(f"Invalid {where}: No conditional format on sheet {sheet.id} at {index}")
    sheet.rules.insert(index, rule)
    return {}


def _rule(book: Book, said: Json, where: str) -> tuple[Sheet, dict[str, Any]]:
    if not said.get("ranges"):
        raise invalid(f"Invalid {where}: a rule has at least one range")
    sheet = book.sheet(said["ranges"][0].get("sheetId"), where)
    ranges = [bounded(sheet, found, where) for found in said["ranges"]]
    rule = copy.deepcopy(dict(said)) | {"ranges": ranges}
    shape = rule.get("booleanRule", {}).get("format", {})
    if "backgroundColorStyle" in shape:
        shape["backgroundColor"] = shape["backgroundColorStyle"].get("rgbColor", {})
    return sheet, rule


def update_rule(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateConditionalFormatRule: another rule, or another place."""
    if "rule" in said:
        sheet, rule = _rule(book, said["rule"], where)
        index = _rule_index(sheet, said, where)
        old, sheet.rules[index] = sheet.rules[index], rule
    else:
        sheet = book.sheet(said.get("sheetId"), where)
        old = rule = sheet.rules.pop(_rule_index(sheet, said, where))
        sheet.rules.insert(int(said["newIndex"]), rule)
    return {"updateConditionalFormatRule": {"oldRule": old, "newRule": rule}}


def delete_rule(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteConditionalFormatRule."""
    sheet = book.sheet(said.get("sheetId"), where)
    rule = sheet.rules.pop(_rule_index(sheet, said, where))
    return {"deleteConditionalFormatRule": {"rule": rule}}


def _rule_index(sheet: Sheet, said: Json, where: str) -> int:
    index = int(said.get("index", 0))
    if index >= len(sheet.rules):
        raise invalid(f"Invalid {where}: No conditional format on sheet {sheet.id} at {index}")
    return index


def protect(book: Book, said: Json, where: str) -> dict[str, Any]:
    """addProtectedRange: the one who asks may edit it, and is not told of the others here."""
    found = said["protectedRange"]
    where_found = found.get("range", {})
    sheet = book.sheet(where_found.get("sheetId"), where)
    area_of(sheet, where_found, where)
    made: dict[str, Any] = {
        "protectedRangeId": int(found.get("protectedRangeId") or book.new_id()),
        "range": plain_range(where_found),
    }
    if found.get("description"):
        made["description"] = found["description"]
    made |= {"warningOnly": True} if found.get("warningOnly") else {}
    made["requestingUserCanEdit"] = True
    made |= {} if found.get("warningOnly") else {"editors": {}}
    sheet.protected.append(made)
    return {"addProtectedRange": {"protectedRange": made}}


def unprotect(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteProtectedRange."""
    wanted = int(said["protectedRangeId"])
    for sheet in book.sheets:
        for found in sheet.protected:
            if found["protectedRangeId"] == wanted:
                sheet.protected.remove(found)
                return {}
    raise invalid(f"Invalid {where}: No protected range with id: {wanted}")


def note(book: Book, said: Json, where: str) -> dict[str, Any]:
    """createDeveloperMetadata, of a worksheet."""
    found = said["developerMetadata"]
    sheet = book.sheet(found["location"]["sheetId"], where)
    if sum(len(m["metadataKey"] + m["metadataValue"]) for m in [*sheet.metadata, found]) > 30_000:
        raise invalid(f"Invalid {where}: more than 30000 characters of metadata")
    made = {**found, "metadataId": book.new_id(), "visibility": found["visibility"]}
    made["location"] = {"locationType": "SHEET", "sheetId": sheet.id}
    sheet.metadata.append(made)
    return {"createDeveloperMetadata": {"developerMetadata": made}}


def forget(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteDeveloperMetadata, of a key of a worksheet; none is deleted where none is there."""
    lookup = said["dataFilter"]["developerMetadataLookup"]
    sheet = book.sheet(lookup["metadataLocation"]["sheetId"], where)
    gone = [m for m in sheet.metadata if m["metadataKey"] == lookup["metadataKey"]]
    sheet.metadata = [m for m in sheet.metadata if m not in gone]
    return {"deleteDeveloperMetadata": {"deletedDeveloperMetadata": gone} if gone else {}}


def name(book: Book, said: Json, where: str) -> dict[str, Any]:
    """addNamedRange."""
    found = said["namedRange"]
    area_of(book.sheet(found["range"].get("sheetId"), where), found["range"], where)
    wanted = str(found.get("namedRangeId") or book.new_id())
    made = {"namedRangeId": wanted, "name": found["name"], "range": plain_range(found["range"])}
    book.named[wanted] = made
    return {"addNamedRange": {"namedRange": made}}


def rename(book: Book, said: Json, where: str) -> dict[str, Any]:
    """updateNamedRange."""
    found = said["namedRange"]
    wanted = found["namedRangeId"]
    if wanted not in book.named:
        raise invalid(f"Invalid {where}: No named range with id: {wanted}")
    new = put(book.named[wanted], found, mask_of(said["fields"], "NamedRange"))
    book.named[wanted] = {**new, "range": plain_range(new["range"])}
    return {}


def unname(book: Book, said: Json, where: str) -> dict[str, Any]:
    """deleteNamedRange."""
    if book.named.pop(said["namedRangeId"], None) is None:
        raise invalid(f"Invalid {where}: No named range with id: {said['namedRangeId']}")
    return {}


def nothing(book: Book, said: Json, where: str) -> dict[str, Any]:
    """autoResizeDimensions: how wide a text is nobody knows here."""
    dimensions = said.get("dimensions", {})
    book.sheet(dimensions.get("sheetId"), where)
    return {}
