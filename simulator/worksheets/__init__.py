"""Worksheets.

In comes a workbook described as a `Book`; out goes a csv or xlsx file, or a Google spreadsheet.
The other way round come the cells that people edited, and out goes the Review table: which turn
each row speaks of, what people wrote there, and what is odd about it. The columns of that table
are defined once, in `columns`.
"""
