"""A folder of a stranger: each module in it leaves a mark when it is imported."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from command_line import environment

_LIBRARIES = ("click", "dask", "distributed", "lark", "mcp", "re2", "sitecustomize", "usercustomize", "xllamacpp")
PACKAGE = "symops_lark"
_SCRIPT = """\
import sys
from symops_lark.adapters.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""


class PoisonedFolder:
    """A repository with a false module for every module of Python, some libraries, and this package."""

    def __init__(self, folder: Path, *, files: int = 0) -> None:
        """Write the modules, and more files of code than one process reads alone if `files` says so."""
        self.folder, self.marks = folder / "repository", folder / "marks"
        self.folder.mkdir()
        self.marks.mkdir()
        for name in (*sys.stdlib_module_names, *_LIBRARIES):
            self._write(self.folder / f"{name}.py", name)
        (self.folder / PACKAGE).mkdir()
        self._write(self.folder / PACKAGE / "__init__.py", PACKAGE)
        for number in range(files):
            code = f"def feature_{number:03}():\n    return {number}\n\n\nfeature_{number:03}()\n"
            (self.folder / f"feature_{number:03}.py").write_text(code, encoding="utf-8")
        self.script = folder / "bin" / "symops"
        self.script.parent.mkdir()
        # As pip writes it: the folder of the script is first on the search path, and not the working folder.
        self.script.write_text(_SCRIPT, encoding="utf-8")

    def _write(self, path: Path, name: str) -> None:
        path.write_text(f"open({str(self.marks / name)!r}, 'w').close()\n", encoding="utf-8")

    def symops(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the installed command in the folder."""
        return self.run([str(self.script), *arguments])

    def run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Run Python in the folder."""
        with self.start(arguments) as process:
            output, errors = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def start(self, arguments: Sequence[str]) -> subprocess.Popen[str]:
        """Start Python in the folder, with pipes."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment(XDG_CACHE_HOME=str(self.marks.parent / "cache")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def keep(self, *names: str) -> None:
        """Remove all false modules but some."""
        for path in self.folder.iterdir():
            if path.stem not in names and not path.stem.startswith("feature_"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def imported(self) -> list[str]:
        """Return the names of the false modules that were imported."""
        return sorted(mark.name for mark in self.marks.iterdir())
