"""Google Sheets: books come in, and go into a spreadsheet that people work in.

What is there stays: rows of other runs, and all that people wrote. A run's Review comes out again,
as rows of cells. Importing it needs the extra `sheets`.
"""

from simulator.core.errors import InputError

try:
    import gspread  # noqa: F401
except ImportError as error:
    raise InputError("Google Sheets needs gspread: pip install 'mogi[sheets]'") from error
