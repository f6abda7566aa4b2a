"""Run what the first word of the command line names: a module beside this one."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

if __name__ == "__main__":
    known = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef run(" in path.read_text("utf-8"))
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        sys.exit(f"python -m benchmarks.code_intelligence {'|'.join(known)}")
    sys.exit(import_module(f"{__package__}.{sys.argv[1]}").run(sys.argv[2:]))
