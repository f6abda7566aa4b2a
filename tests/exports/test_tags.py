"""Tags of mistakes in exported parsers: a custom mistake is treated there as it is here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.exports._parsers import first_difference, ours, parser
from symops_lark import SymOpsProcessor

RECOVERY = """%import .v2_recovery
%override body_command: odd_command | body_near_command
//! A command is read as content. | write `{close}` above it if it is to be run | suspect
odd_command.-600: body_exact_command
"""
TEXTS = (
    "::create @a.sh\n<< <\nset -e\n::run @make\nexit\n>>>\n",
    "::create @a.sh\n<<<\nset -e\n>>>\nThen I ::run @make here.\n",
    "```\n::create @a.md\n<<<\n```python\nx = 1\n```\n",
)


@pytest.mark.slow
@pytest.mark.parametrize("runtime", ["python", "javascript"])
def test_a_tag_of_ones_own_works_in_exports(runtime: str, tmp_path: Path) -> None:
    path, out = tmp_path / "mine.lark", tmp_path / "out"
    path.write_text("%import .v2\n", encoding="utf-8")
    (tmp_path / "mine_recovery.lark").write_text(RECOVERY, encoding="utf-8")
    out.mkdir()
    processor = SymOpsProcessor(path)
    assert [str(action.completeness) for action in processor.process(TEXTS[0]).document.actions] == ["suspect"]
    with parser(runtime, path, out) as exported:
        for text in TEXTS:
            assert first_difference(ours(processor, text), exported.process(text)) == "", text
