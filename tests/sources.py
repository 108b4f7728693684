"""The code of mogi as syntax trees, for tests that look at all of it; each is parsed once."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

CODE = Path(__file__).parents[1] / "simulator"


@cache
def trees() -> Mapping[Path, ast.Module]:
    """Every module of `simulator`."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(CODE.rglob("*.py"))}
