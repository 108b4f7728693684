"""The spreadsheet that client.yaml names."""

from typing import Annotated

from pydantic import AfterValidator, Field

from simulator.core.errors import InputError
from simulator.core.plan import SheetsSpec
from simulator.files.fields import Text, Written
from simulator.files.spreadsheet_keys import spreadsheet_key

_LONGEST_TITLE = 100  # of a worksheet, in Google Sheets


def _key(where: str) -> str:
    try:
        return spreadsheet_key(where)
    except InputError as error:
        raise ValueError(f": {error}") from error


class SheetsEntry(Written):
    """Where people review, and the name of the worksheet that collects all conversations."""

    spreadsheet: Annotated[
        Text, AfterValidator(_key), Field(description="a spreadsheet's key, or its address")
    ]
    worksheet: Annotated[
        Text, Field(max_length=_LONGEST_TITLE, description="the name of a worksheet")
    ] = "Log"

    def spec(self) -> SheetsSpec:
        """The same as a core type."""
        return SheetsSpec(self.spreadsheet, self.worksheet)
