"""Rows and columns for spreadsheets, in which no text is ever a formula."""
