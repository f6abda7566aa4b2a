"""Find installed programs, but never one in the working folder."""

from __future__ import annotations

import os
import shutil


def find_program(name: str) -> str | None:
    """Return the absolute path of an installed program.

    A program in the working folder does not count: it may be a part of an untrusted repository.
    `PATH` may name that folder (by `.` or an empty entry), and Windows searches it first.

    Args:
        name: The name of the program, without a folder.

    Returns:
        The path, or None.
    """
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [entry for entry in entries if os.path.isabs(entry)]
    program = shutil.which(name, path=os.pathsep.join(absolute))
    # On Windows `which` searches the working folder in any case, and returns a relative path then.
    if program is None or not os.path.isabs(program):
        return None
    return program
