"""Find installed programs, and none that lies in the working folder."""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """Return the absolute path of an installed program, or None.

    A program of the working folder does not count: it may be a stranger's. `PATH` may name that folder (by `.` or an
    empty entry), and Windows looks there first.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [entry for entry in entries if os.path.isabs(entry)]
    found = shutil.which(name, path=os.pathsep.join(absolute))
    return found if found and os.path.isabs(found) else None
