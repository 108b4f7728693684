"""A run's figures as one JSON object in a file."""

import json

from simulator.console.output import as_json
from simulator.core.run import Run
from simulator.formats.own_files import text_file
from simulator.view.run_json import run_json


class Json:
    """The run's results as one JSON object, as in `mogi run --json`."""

    NEEDS_PATH = True

    def write(self, run: Run, path: str | None) -> None:
        """Write the object to `path`.

        Raises:
            InputError: there is no path, or the file cannot be written.
        """
        with text_file(path) as file:
            json.dump(as_json(run_json(run)), file, ensure_ascii=False, indent=2, allow_nan=False)
            file.write("\n")
