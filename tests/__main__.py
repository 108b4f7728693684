"""The one check command: `python -m tests` (everything but the slow suite; `--slow` adds it)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent

STEPS: dict[str, list[str]] = {
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check", "."],
    "ruff check": [sys.executable, "-m", "ruff", "check", "."],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [str(BIN / "lint-imports")],
    "pytest": [sys.executable, "-m", "pytest", "-q", "-n", "auto"],
}
SLOW = {"pytest slow": [sys.executable, "-m", "pytest", "-q", "-m", "slow"]}


def main() -> int:
    """Run every step, all of them even when one fails; 0 when all passed."""
    steps = STEPS | SLOW if "--slow" in sys.argv[1:] else STEPS
    failed = []
    for name, command in steps.items():
        print(f"== {name}", flush=True)  # noqa: T201
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
