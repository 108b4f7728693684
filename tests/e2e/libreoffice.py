"""Workbooks edited in LibreOffice itself, by a Basic macro in a profile of its own."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from tests.waiting import PATIENCE_S

_OF_MODULE = """\
<?xml version="1.0" encoding="UTF-8"?>
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Review" \
script:language="StarBasic">{code}</script:module>
"""
_OF_LIBRARY = """\
<?xml version="1.0" encoding="UTF-8"?>
<library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" \
library:readonly="false" library:passwordprotected="false">
 <library:element library:name="Review"/>
</library:library>
"""
_CODE = """\
Sub Edit
  On Error Goto Failed
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  book = StarDesktop.loadComponentFromURL(ConvertToURL({source}), "_blank", 0, hidden())
{statements}
  Dim kind(0) As New com.sun.star.beans.PropertyValue
  kind(0).Name = "FilterName"
  kind(0).Value = "Calc MS Excel 2007 XML"
  book.storeToURL(ConvertToURL({target}), kind())
  book.close(True)
  Exit Sub
Failed:
  Open {told} For Output As #1
  Print #1, Error & " in line " & Erl
  Close #1
  StarDesktop.terminate()
End Sub
"""


def installed() -> bool:
    """Whether there is a LibreOffice on this machine."""
    return shutil.which("soffice") is not None


def text(value: str) -> str:
    """A text as an expression of Basic."""
    lines = ('"' + line.replace('"', '""') + '"' for line in value.split("\n"))
    return " & Chr(10) & ".join(lines)


def edit(source: Path, target: Path, statements: Sequence[str], profile: Path) -> None:
    """Open a workbook, carry out statements of Basic on `book`, and save it as xlsx."""
    if not profile.exists():
        _soffice(profile, "--terminate_after_init")
    told = profile / "told.txt"
    code = _CODE.format(
        source=text(str(source)),
        target=text(str(target)),
        told=text(str(told)),
        statements="\n".join(f"  {line}" for line in statements),
    )
    library = profile / "user" / "basic" / "Standard"
    (library / "script.xlb").write_text(_OF_LIBRARY, "utf-8")
    (library / "Review.xba").write_text(_OF_MODULE.format(code=escape(code)), "utf-8")
    _soffice(profile, "macro:///Standard.Review.Edit")
    assert not told.exists(), told.read_text("utf-8")
    assert target.exists()


def _soffice(profile: Path, *args: str) -> None:
    where = f"-env:UserInstallation={profile.as_uri()}"
    command = ["soffice", "--headless", "--norestore", where, *args]
    subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True)
