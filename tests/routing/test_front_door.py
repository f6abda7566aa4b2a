"""The names of `symops_lark.routing`: those that were promised, told in the reference, each loaded on first use."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment
from documents import tables

from symops_lark import routing

ROOT = Path(__file__).resolve().parent.parent.parent
PROMISED = {
    "Manifest",
    "ManifestError",
    "METRIC_V1",
    "reward",
    "Candidate",
    "select_winner",
    "evaluate_condition",
    "RunLog",
    "verify_log",
    "Registry",
    "promotion_evidence",
}


def test_what_was_promised_is_there() -> None:
    assert set(routing.__all__) >= PROMISED
    for name in routing.__all__:
        assert getattr(routing, name) is not None
    assert dir(routing) == sorted(routing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = routing.nothing


def test_names_for_type_checkers_agree() -> None:
    tree = ast.parse(Path(str(routing.__file__)).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    names = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == set(routing.__all__)


def test_the_reference_names_them_all() -> None:
    [rows] = tables("model-routing")
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(names) == sorted(routing.__all__)


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = (
        "import sys, symops_lark.routing as r; print(*(m for m in sys.modules if m.startswith('symops_lark.')));"
        "r.select_winner; print(*(m for m in ('lark', 'yaml', 'jsonschema', 'openai', 'sqlite3') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    # The core's ground has the function that loads the others.
    assert done.stdout.splitlines() == ["symops_lark.core symops_lark.core.ground symops_lark.routing", ""]
