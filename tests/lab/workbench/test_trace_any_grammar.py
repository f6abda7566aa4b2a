"""`symops grammar trace` for grammars that are not dialects."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from symops_lark.adapters.cli import symops
from symops_lark.error_correcting.languages import load_language

JSON = str(load_language("json").grammar)


def run(tmp_path: Path, text: str, *options: str) -> tuple[int, str]:
    path = tmp_path / "text.json"
    path.write_text(text, "utf-8")
    result = CliRunner().invoke(symops, ["grammar", "trace", JSON, str(path), *options])
    return result.exit_code, result.output


def test_a_valid_text_has_its_tree(tmp_path: Path) -> None:
    code, output = run(tmp_path, "[1]")
    assert code == 0
    assert "number" in output and "repair" not in output and "0 steps of search" in output


def test_repairs_are_listed_with_their_prices(tmp_path: Path) -> None:
    code, output = run(tmp_path, '[1 2, {"a" 3}]')
    assert code == 1
    assert "repair 1: price 2000" in output and "repair 2: price 2040" in output
    assert "1000  1:3   expected `,` before `2,`" in output
    code, output = run(tmp_path, '[1 2, {"a" 3}]', "--json")
    told = json.loads(output)
    assert [sum(edit["price"] for edit in edits) for edits in told["repairs"]][:2] == [2000, 2040]
    assert told["steps"] > 0 and not told["why"]
