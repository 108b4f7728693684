"""A finished run, shown: one file, one kind of report.

In comes a run, never the store; out goes its view in the form of a terminal, a page, a workbook, a
csv file, markdown, JUnit XML or JSON.
"""
