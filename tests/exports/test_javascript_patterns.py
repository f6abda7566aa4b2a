"""Patterns of the JavaScript runtime have the groups and places that `re` has."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.resources import files as files_of
from typing import Any

import pytest

from benchmarks.exports._parsers import node
from symops_lark.exports import javascript

CASES = [
    # Possessive repetition adds groups of look-ahead before, between and after those of the pattern.
    (r"(?P<name>a++)(b)*(?P<last>c++)\1", "aabccaa"),
    (r"(?>x+)(y)(?>z)", "xyz"),
    (r"(a)|(?:(b)++)0(c)?", "bb0"),
    # A digit after a reference is a character of the text.
    (r"(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)(?:\1)0", "abcdefghija0"),
    (r"(?P<one>a|b)(?P=one)1", "xbb1"),
    # A text ends before its last line feed too, but only for `$`.
    (r"^a$", "a\n"),
    (r"\Aa\Z", "a\n"),
    (r"(?m)^(b)$", "a\nb\nc"),
]
CASED = "".join(sign for sign in map(chr, range(0x110000)) if sign.lower() != sign or sign.upper() != sign)
CLASSES = ("[a-z]", "[^a-z]", "[α-ω]", "[^α-ω]", "[а-я]", "[Ā-\U00010410]", "[!-~]", r"[σ\d]", r"[\Wk]", "[ß]", "質")
LETTERS = """
const [signs, sources] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const rows = sources.map((source) => {
  const pattern = $compile_pattern(source);
  return [...signs].filter((sign) => pattern.fullmatch(sign)).join("");
});
console.log(JSON.stringify(rows));
"""
RUN = """
const rows = JSON.parse(require("fs").readFileSync(0, "utf8")).map(([source, text]) => {
  const match = $compile_pattern(source).search(text);
  return match && [match.groups(), match.regs, match.lastgroup];
});
console.log(JSON.stringify(rows));
"""


def ask(program: str, rows: object) -> list[Any]:
    names = ("runtime.js", "methods.js", "regex.js")
    code = "\n".join(files_of(javascript).joinpath(name).read_text(encoding="utf-8") for name in names)
    command = [node(), "-e", code + program]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, check=True, encoding="utf-8")
    answers: list[Any] = json.loads(done.stdout)
    return answers


def test_groups_are_those_of_python() -> None:
    expected = []
    for pattern, text in CASES:
        match = re.search(pattern, text)
        row = match and [match.groups(), match.regs, match.lastgroup]
        expected.append(json.loads(json.dumps(row)))
    assert ask(RUN, CASES) == expected


@pytest.mark.slow
def test_the_cases_of_letters_are_those_of_python() -> None:
    sources = [f"(?i){inside}" for inside in (*CLASSES, *CASED)]
    for source, signs in zip(sources, ask(LETTERS, [CASED, sources]), strict=True):
        assert signs == "".join(re.findall(source, CASED)), source
