"""Run the command `symops` as `python -m symops_lark`, without the working folder on `sys.path`."""

from __future__ import annotations

import os
import sys


def _leave_working_folder() -> None:
    """Drop the working folder from `sys.path`, where `python -m` puts it first.

    It stays if this package is in it. An untrusted repository may contain a `json.py`. Modules that
    Python imports before this line may still come from there: in such folders use `symops` or
    `python -P -m symops_lark` (SECURITY.md).
    """
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.realpath(os.curdir)
    if sys.flags.safe_path or not sys.path or os.path.realpath(home) == folder:
        return
    if os.path.realpath(sys.path[0]) == folder:  # an empty entry is the working folder, too
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder()  # before anything else is imported

    from .adapters.cli import main

    main()
