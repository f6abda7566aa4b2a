"""A closer that is written twice may be the last line of the content."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import Completeness, derive, process
from symops_lark.core.document import Action


def read(folder: Path, opener: str, closer: str, text: str) -> Action:
    """Return the first action of a text in v2 with other delimiters."""
    path = folder / "own.lark"
    path.write_text(derive("v2", {"_OPEN": f'"{opener}"', "_CLOSE": f'"{closer}"'}))
    return process(text, path).document.actions[0]


@pytest.mark.parametrize("sign", ["}", "end", ")", "*/", "}}", "```"])
@pytest.mark.parametrize("following", ["", "\n::run @ls\n"])
def test_a_doubled_closer_of_words_or_brackets_is_doubted(tmp_path: Path, sign: str, following: str) -> None:
    text = f"::create @a.c\n{{\nint f()\n{sign}\n{sign}\n{following}"
    action = read(tmp_path, "{", sign, text)
    assert (action.content, action.completeness) == ("int f()", Completeness.SUSPECT)


def test_a_doubled_delimiter_that_also_opens_is_doubted(tmp_path: Path) -> None:
    action = read(tmp_path, "----", "----", "::create @a.md\n----\nTitle\n----\n----\n")
    assert (action.content, action.completeness) == ("Title", Completeness.SUSPECT)


def test_doubled_signs_of_v2_are_a_slip() -> None:
    result = process("::create @a.txt\n<<<\nfoo\n>>>\n>>>\n", "v2")
    (action,) = result.document.actions
    assert (action.content, action.completeness) == ("foo", Completeness.COMPLETE)
    assert {finding.code for finding in result.diagnostics} == {"doubled-delimiter"}
