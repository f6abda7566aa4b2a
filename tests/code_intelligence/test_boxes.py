"""What shows each thing that the design asks for is there, as `README.md` of this folder tells it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import yaml
from repository import ROOT

HERE = Path(__file__).parent
TABLES = (HERE / "README.md").read_text(encoding="utf-8")


GATE = ROOT / "benchmarks/code_intelligence/gate.yaml"


def functions(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)}


@pytest.mark.slow
def test_the_tests_that_are_named_are_there() -> None:
    count = 0
    for row in TABLES.split("\n"):
        path = HERE / "test_session.py"
        for file, test in re.findall(r"((?:tests/)?[\w/]+\.py)?(?:::(\w+))?", row):
            if file:
                path = (ROOT if "/" in file and not file.startswith("server/") else HERE) / file
                assert path.exists(), file
            if test:
                assert test in functions(path), f"{path.name}::{test}"
                count += 1
    assert count > 120


def test_the_sessions_that_are_named_are_played() -> None:
    played = {session["name"] for session in yaml.safe_load(GATE.read_text("utf-8"))["sessions"]}
    findall = {name for name in re.findall(r"G\[([^\]]+)\]", TABLES) if name != "name"}
    assert len(findall) > 20 and findall <= played, findall - played
