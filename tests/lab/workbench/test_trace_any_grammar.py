"""`symops grammar trace` for grammars that are not dialects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from symops_lark.adapters.cli import symops
from symops_lark.error_correcting import CorrectedParse, ErrorCorrectingParser
from symops_lark.error_correcting.languages import list_languages, load_language
from symops_lark.lab.workbench.trace_plain import trace_steps

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
    data = json.loads(output)
    assert [sum(edit["price"] for edit in edits) for edits in data["repairs"]][:2] == [2000, 2040]
    assert data["steps"] > 0 and not data["why"]


def test_a_text_without_a_repair_is_not_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = CorrectedParse(None, 0, (), "[1 2", accepted=False, why="the search was too long")
    monkeypatch.setattr(ErrorCorrectingParser, "parse", lambda parser, text: nothing)
    code, output = run(tmp_path, "[1 2")
    assert code == 1 and "not valid" in output.splitlines()[0]
    assert "bound: the search was too long" in output


@pytest.mark.slow
def test_the_steps_of_the_parse_are_shown(tmp_path: Path) -> None:
    code, output = run(tmp_path, "[1, 2]")
    assert code == 0 and "stopped" not in output
    assert "1:2  NUMBER  1" in output and "1:3  COMMA   ,  value" in output
    code, output = run(tmp_path, "[1 2]")
    assert code == 1 and "stopped at 1:4; expected `,`, `]`" in output
    _, output = run(tmp_path, "[1 2]", "--json")
    parse = json.loads(output)["parse"]
    assert [step["terminal"] for step in parse["steps"]] == ["LSQB", "NUMBER"]
    assert (parse["line"], parse["column"], parse["expected"]) == (1, 4, ["COMMA", "RSQB"])
    code, output = run(tmp_path, "[1, @]")
    assert "stopped at 1:5" in output


@pytest.mark.slow
def test_every_example_has_steps() -> None:
    for name in list_languages():
        language = load_language(name)
        parser = ErrorCorrectingParser(language.grammar, parser="lalr")
        trace = trace_steps(parser, "start", language.text)
        assert trace is not None and trace.line and trace.expected
        repaired = trace_steps(parser, "start", parser.parse(language.text).text)
        assert repaired is not None and not repaired.line
        assert repaired.steps[-1].terminal == "" and len(repaired.steps) > len(trace.steps)
