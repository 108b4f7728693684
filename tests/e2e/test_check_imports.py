"""`mogi check` of a bot whose file imports modules: they are looked for, and none is imported."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client


@pytest.mark.parametrize(
    ("imports", "told"),
    [
        ("import os, nothing_there", "bot.py:1: can't be imported: there is no module 'nothing_"),
        ("from helpers.search import find", "there is no module 'helpers'; install it, or write"),
        ("import json\nfrom .other import find", ""),  # a package of its own, perhaps
        ("try:\n    import nothing_there\nexcept ImportError:\n    pass", ""),
        ("import sys\nsys.path.append('x')\nimport nothing_there", ""),
        ("import yaml.cyaml, mine", ""),
    ],
)
def test_a_module_that_is_imported_and_nowhere_is_told_by_the_text(
    mogi: Mogi, tmp_path: Path, imports: str, told: str
) -> None:
    folder = small_client(tmp_path, "{kind: function, function: 'bot:answer'}")
    (folder / "mine.py").write_text("", "utf-8")
    text = f"{imports}\n\n\ndef answer(question, history):\n    return question\n"
    (folder / "bot.py").write_text(text, "utf-8")
    done = mogi("check", "shop")
    assert (2 if told else 0, True) == (done.status, told in done.err), done.err
