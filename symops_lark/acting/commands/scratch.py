"""Programs that are tried in a folder of their own, which is gone afterwards: in the sandbox, or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ...core.ground.errors import UnsafeActionError
from ..edits.edits import encode
from ..files.paths import check_path
from .commands import CommandResult, Runner


def try_commands(files: Mapping[str, str], lines: Sequence[str], seconds: float) -> tuple[CommandResult, ...]:
    """Return how commands go, each in a new folder with these files: no network, no rights, `seconds` at most.

    `files` are texts by relative paths. Raises `UnsafeActionError` for paths that lead elsewhere, and `WorkspaceError`
    where there is no sandbox.
    """
    runner = Runner(sandbox=True, timeout=seconds)
    results = []
    for line in lines:
        with TemporaryDirectory(prefix="symops-scratch-", ignore_cleanup_errors=True) as root:
            for path, text in files.items():
                _write(Path(os.path.realpath(root)), path, text)
            results.append(runner.run(line, root))
    return tuple(results)


def _write(root: Path, path: str, text: str) -> None:
    found = check_path(path)
    if found.refusal:
        raise UnsafeActionError(f"{path}: not written: {found.refusal}")
    place = root / found.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(encode(text))
