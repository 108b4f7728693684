"""Worksheets as people fill them in: every cell as it is shown."""
