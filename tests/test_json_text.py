"""JSON is written as `JSON.stringify` writes it: the same bytes in Python and in node."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from benchmarks.exports._parsers import node
from symops_lark import Document, process
from symops_lark.core.ground.json_text import spell_json, spell_number, spell_text

STRINGIFY = """
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(JSON.stringify(JSON.stringify(JSON.parse(line), null, 2)));
});
"""
EXACT = 2**53  # whole numbers that a float says
# Texts of all planes, halves of pairs among them; numbers of all sizes. Objects of ECMAScript put keys that look like
# whole numbers first.
TEXTS = st.text(st.characters() | st.sampled_from('\ud83d\ude00\udfff\u2028\x7f\x1b"\\/'), max_size=8)
KEYS = TEXTS.filter(lambda key: not key.isdecimal())
NUMBERS = st.integers(-EXACT, EXACT) | st.floats(allow_nan=False, allow_infinity=False)
ROUND = st.builds(lambda figures, exponent: figures * 10.0**exponent, st.integers(-999, 999), st.integers(-30, 30))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | ROUND | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
)


@pytest.fixture(scope="module")
def stringify() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [node(), "-e", STRINGIFY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as running:
        yield running
        running.kill()


def said_by(running: subprocess.Popen[str], value: Any) -> str:
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write(json.dumps(value) + "\n")
    running.stdin.flush()
    data = json.loads(running.stdout.readline())
    assert isinstance(data, str)
    return data


@given(st.lists(VALUES, min_size=20, max_size=40))
def test_node_writes_the_same(stringify: subprocess.Popen[str], values: list[Any]) -> None:
    assert spell_json(values, 2) == said_by(stringify, values)


@given(VALUES)
def test_what_is_written_is_the_value(value: Any) -> None:
    assume("\\ud83d\\ude00" not in json.dumps(value))  # two halves are one character then
    expected = json.loads(json.dumps(value), parse_int=float)
    assert [json.loads(spell_json(value, indent), parse_int=float) for indent in (None, 2)] == [expected, expected]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.88, "0.88"),
        (1e-05, "0.00001"),
        (1.5e-07, "1.5e-7"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e16, "10000000000000000"),
        (5e-324, "5e-324"),
        (2**60, "1152921504606846976"),
        (float("nan"), "null"),
        (float("-inf"), "null"),
    ],
)
def test_numbers(number: float, shown: str) -> None:
    assert spell_number(number) == shown


def test_texts() -> None:
    assert spell_text("é\u2028\x7f\x01\n") == '"é\u2028\x7f\\u0001\\n"'
    assert spell_text("\ud83d\ude00 \ude00\ud83d") == '"😀 \\ude00\\ud83d"'


def test_a_printed_result_is_read_again(tmp_path: Path) -> None:
    """Whole confidences come back as the numbers they were."""
    (tmp_path / "reply.txt").write_text("::c1.0\n::run @ls\n", encoding="utf-8")
    output = run("process", "--json", str(tmp_path / "reply.txt")).stdout
    assert '"confidence": 1,' in output
    data = json.loads(output)
    document = Document.from_dict(data["document"])
    assert document == process("::c1.0\n::run @ls\n").document
    assert spell_json(data, 2) + "\n" == output
    schema = json.loads((files("symops_lark.core") / "document.schema.json").read_text(encoding="utf-8"))
    assert not [*Draft202012Validator(schema).iter_errors(data["document"])]
