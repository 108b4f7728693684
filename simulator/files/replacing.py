"""A file that a person wrote, replaced: whole or not at all."""

import os
import shutil

from simulator.files.sources import Source


def replace_file(source: Source, content: bytes) -> None:
    """Put `content` in the place of the file; its permissions stay, and a link stays one.

    Raises:
        InputError: it cannot be written; the file is as it was.
    """
    target = source.path.resolve()
    part = target.with_name(f"{target.name}.part")
    try:
        try:
            part.write_bytes(content)
            shutil.copymode(target, part)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(0, f"cannot be written ({reason}); check its permissions") from error
