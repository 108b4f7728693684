"""LibreOffice without a screen: opens a file, calculates it, and saves it as another kind."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S

_PROGRAM = shutil.which("soffice")

needs_libreoffice = pytest.mark.skipif(_PROGRAM is None, reason="needs LibreOffice (soffice)")


def converted(path: Path, kind: str, into: Path) -> Path:
    """The file as LibreOffice saves it as `kind` (xlsx, csv, html, pdf) in the folder `into`."""
    into.mkdir(exist_ok=True)
    profile = f"-env:UserInstallation={(into / 'profile').as_uri()}"
    command = [_PROGRAM or "", "--headless", profile, "--convert-to", kind, "--outdir", str(into)]
    subprocess.run([*command, str(path)], check=True, capture_output=True, timeout=PATIENCE_S)
    return into / f"{path.stem}.{kind}"
