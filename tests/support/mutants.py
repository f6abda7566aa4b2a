"""Mutation testing: change one thing of a module at a time, and see whether any test fails; `make mutants` runs it.

It works in a copy of the repository, so that nothing of what is being edited is touched. The score leaves out what is
mutated in vain: annotations, and operators whose mutants only crash.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from repository import ROOT

_COPY = ROOT / "build" / "mutants"
_LEFT_OUT = shutil.ignore_patterns(".*", "build", "dist", "__pycache__")
_ROOMS = ("recovery", "repairs", "strict", "pipeline")  # what decides
_TESTS = "tests/test_corpus.py tests/repairs tests/strict tests/recovery"
_EXCLUDED = (
    *(f"core/ReplaceBinaryOperator_{name}_.*" for name in ("BitOr", "BitAnd", "BitXor", "LShift", "RShift", "Pow")),
    "core/ReplaceBinaryOperator_.*_(Div|FloorDiv|Mod|Pow|RShift|LShift|BitOr|BitAnd|BitXor)",
    "core/ReplaceComparisonOperator_.*_Is.*",
    "core/ReplaceComparisonOperator_Is.*_(Lt|LtE|Gt|GtE|Eq|NotEq)",
    "core/(RemoveDecorator|ExceptionReplacer|VariableReplacer|VariableInserter)",
)


def main(rooms: list[str]) -> int:
    """Mutate the modules of some rooms and print what survives, and the score; 0 if nothing survives."""
    shutil.rmtree(_COPY, ignore_errors=True)
    shutil.copytree(ROOT, _COPY, ignore=_LEFT_OUT)
    modules = [_module(room) for room in rooms or _ROOMS]
    test = f"{sys.executable} -m pytest -n 0 -x -p no:cacheprovider -m 'not slow' {_TESTS}"
    settings = {"module-path": modules, "timeout": 300.0, "excluded-modules": [], "test-command": test}
    lines = ["[cosmic-ray]", *(f"{name} = {json.dumps(value)}" for name, value in settings.items())]
    lines += ["[cosmic-ray.distributor]", 'name = "local"', "[cosmic-ray.filters.operators-filter]"]
    (_COPY / "mutants.toml").write_text("\n".join([*lines, f"exclude-operators = {json.dumps(_EXCLUDED)}", ""]))
    _call("cosmic-ray", "init", "mutants.toml", "mutants.sqlite")
    _call("cr-filter-operators", "mutants.sqlite", "mutants.toml")
    _call("cosmic-ray", "baseline", "mutants.toml")
    _call("cosmic-ray", "exec", "mutants.toml", "mutants.sqlite")
    return _report(_call("cosmic-ray", "dump", "mutants.sqlite"))


def _module(room: str) -> str:
    path = Path("symops_lark", room)
    return str(path if (_COPY / path).is_dir() else path.with_suffix(".py"))


def _call(program: str, *arguments: str) -> str:
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(_COPY)}
    return subprocess.run(command, cwd=_COPY, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def _report(dump: str) -> int:
    results = [result for _, result in map(json.loads, dump.splitlines()) if result]
    tried = [result for result in results if result["worker_outcome"] == "normal"]
    survivors = [result for result in tried if result["test_outcome"] == "survived"]
    for result in survivors:
        print(result["diff"])
    print(f"{len(tried) - len(survivors)} of {len(tried)} mutants killed")
    return 1 if survivors or not tried else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
