"""Try commands in temporary folders, in the sandbox only."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ...core.ground.errors import UnsafeActionError
from ..files.paths import check_path
from ..files.texts import encode
from .commands import CommandResult, Runner


def try_commands(
    files: Mapping[str, str], lines: Sequence[str], seconds: float
) -> tuple[CommandResult, ...]:
    """Run each command in a new temporary folder, without network and rights.

    Args:
        files: The texts to write into each folder, by relative path.
        lines: The command lines.
        seconds: The time limit of each command.

    Returns:
        The results, in the order of `lines`. The folders are deleted.

    Raises:
        UnsafeActionError: A path leads out of the folder, or a line needs a shell.
        WorkspaceError: There is no sandbox on this machine.
    """
    # The texts and commands come from a model, so there is no fallback without a sandbox.
    runner = Runner(sandbox=True, timeout=seconds)
    results = []
    for line in lines:
        # A command may leave files that cannot be deleted; that is not an error of the trial.
        with TemporaryDirectory(prefix="symops-scratch-", ignore_cleanup_errors=True) as root:
            for path, text in files.items():
                _write(Path(os.path.realpath(root)), path, text)
            results.append(runner.run(line, root))
    return tuple(results)


def _write(root: Path, path: str, text: str) -> None:
    checked = check_path(path)
    if checked.refusal:
        raise UnsafeActionError(f"{path}: not written: {checked.refusal}")
    place = root / checked.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(encode(text))
