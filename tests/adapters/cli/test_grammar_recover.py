"""`symops grammar recover`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from symops_lark.adapters.cli import symops

ROOMS = 'start: room+\nroom: NAME ":" SIZE ";"\nNAME: /[A-Z][a-z]*/\nSIZE: /\\d+x\\d+/\n%ignore /\\s+/\n'
MISTAKE = '//! A room has a dash. | write `:`\n%extend room: _dash\n_dash.-300: NAME "-" SIZE ";"\n'


def run(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(symops, ["grammar", "recover", *arguments], input=text)


def test_a_valid_text_has_exit_code_0() -> None:
    result = run("json", text="[1]")
    assert (result.exit_code, result.output) == (0, "<stdin>: valid\n")


def test_edits_are_drawn_and_the_repaired_text_is_written(tmp_path: Path) -> None:
    result = run("json", "-o", str(tmp_path / "fixed.json"), "--all", "--tree", text="[1 2]")
    assert result.exit_code == 1
    assert "<stdin>:1:3: error: expected `,` before `2]` [missing-token]" in result.output
    assert "repair 2, price 1040:" in result.output and "number\t2" in result.output
    assert (tmp_path / "fixed.json").read_text("utf-8") == "[1, 2]"


def test_mistakes_beside_the_grammar_are_named(tmp_path: Path) -> None:
    grammar = tmp_path / "rooms.lark"
    grammar.write_text(ROOMS, "utf-8")
    (tmp_path / "rooms_recovery.lark").write_text(MISTAKE, "utf-8")
    result = run(str(grammar), text="Hall - 3x4;")
    assert "a room has a dash [dash]" in result.output and "hint: write `:`" in result.output
    assert "corrected, price 300, 1 edit" in result.output


def test_json_has_all_that_a_program_needs() -> None:
    value = json.loads(run("json", "--json", text="[1 2]").output)
    assert value["price"] == 1000 and value["text"] == "[1, 2]" and value["minimal"]
    assert value["edits"] == [{"kind": "insert", "start": 2, "stop": 2, "name": "COMMA", "new": ",", "price": 1000}]
    assert value["diagnostics"][0]["code"] == "missing-token" and value["alternatives"]


def test_a_bound_is_reported() -> None:
    result = run("json", "--max-price", "500", text='{"a" 1, "b" 2}')
    assert result.exit_code == 1
    assert "repaired in part (no repair costs 500 or less)" in result.output


@pytest.mark.parametrize(
    ("grammar", "message"), [('start: "a', "cannot be compiled"), ("start: _INDENT\n%declare _INDENT\n", "postlexer")]
)
def test_a_wrong_grammar_has_exit_code_2(tmp_path: Path, grammar: str, message: str) -> None:
    path = tmp_path / "wrong.lark"
    path.write_text(grammar, "utf-8")
    result = run(str(path), text="a")
    assert result.exit_code == 2 and message in result.output
