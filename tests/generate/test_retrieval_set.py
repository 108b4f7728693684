from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.generate.session import check_folder


def test_where_the_files_cannot_be_put_is_said_beforehand(tmp_path: Path) -> None:
    check_folder(tmp_path / "new")
    check_folder(tmp_path)
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InputError, match="is a file; use a folder"):
        check_folder(tmp_path / "file")
    with pytest.raises(InputError, match="doesn't exist; create it"):
        check_folder(tmp_path / "no" / "new")
