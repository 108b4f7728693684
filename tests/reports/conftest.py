"""Fixtures of the tests of reports."""

import pytest

from tests.reports.printed import Printed


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Printed:
    """Prints a run's report on a screen of a given width and returns the text."""
    return Printed(capsys, monkeypatch)
