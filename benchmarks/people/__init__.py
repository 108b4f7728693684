"""What words decide about answers that people judged: `python -m benchmarks people FOLDER`."""

from benchmarks.people.table import main

__all__ = ["main"]
