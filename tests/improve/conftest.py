"""What plays a bot many times has it in this process."""

import pytest


@pytest.fixture(autouse=True)
def _bots_here(bots_here: None) -> None: ...
