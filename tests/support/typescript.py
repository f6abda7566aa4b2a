"""Node and TypeScript for tests: programs that run, and declarations that hold under `strict`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from highlighters import PACKAGES

from benchmarks.exports._parsers import node

TYPESCRIPT = PACKAGES / "node_modules" / "typescript" / "bin" / "tsc"
SETTINGS: dict[str, Any] = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "module": "nodenext",
    "target": "es2022",
    "resolveJsonModule": True,
    "skipDefaultLibCheck": True,
    "typeRoots": [str(PACKAGES / "node_modules" / "@types")],
}


def call(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of node in a folder, with a home of its own there."""
    home = {"HOME": str(folder), "npm_config_cache": str(folder / "cache"), "npm_config_offline": "true"}
    command = [node(), *map(str, arguments)]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | home, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def compile_typescript(folder: Path, types: Sequence[str] = ("node",)) -> None:
    """Compile the TypeScript in a folder; fail with the compiler's messages if it has an error.

    Args:
        folder: The folder.
        types: The packages of types that the programs use.
    """
    if not TYPESCRIPT.is_file():
        pytest.skip("npm could not reach a registry")
    settings = {"compilerOptions": {**SETTINGS, "types": types}}
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "package.json").write_text('{"name": "project", "private": true, "type": "module"}', encoding="utf-8")
    call(TYPESCRIPT, "--project", ".", folder=folder)
