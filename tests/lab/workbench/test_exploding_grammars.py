"""Every command that reads a grammar ends, in bounded time and 1 GiB, with an error that says what was not done."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploding_commands import run_commands
from exploding_grammars import FAMILIES, make_grammar

from symops_lark import GrammarError
from symops_lark.core.grammar.compiling.bounds import TooManyStepsError
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports import export
from symops_lark.lab.workbench.check import check_grammar
from symops_lark.lab.workbench.diagram import write_svg
from symops_lark.lab.workbench.sample import draw

_SECONDS = 60  # of processor time; a sound machine takes under 10
SAMPLE = [("self-twice", 3, False), ("empty-rules", 5, False), ("optional-chain", 17, True)]


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.skipif("sys.platform == 'win32'")
@pytest.mark.parametrize(("family", "size", "on_v2"), SAMPLE)
def test_all_commands_end(family: str, size: int, on_v2: bool, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(make_grammar(family, size, on_v2), encoding="utf-8")
    rows = run_commands(path, tmp_path, _SECONDS)
    assert len(rows) > 20
    assert [row for row in rows if "died" in row or row["code"] not in (0, 1, 2) or not row["said"]] == []


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_small_ones_of_each_family_are_checked(family: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(make_grammar(family, 2, on_v2=False), encoding="utf-8")
    assert check_grammar(path, used=False).exit_code in (0, 1, 2)


@pytest.mark.parametrize("family", ["repeated-range", "choices", "optional-rules"])
def test_a_dialect_of_which_no_text_is_read_is_told(family: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(make_grammar(family, 4, on_v2=False), encoding="utf-8")
    assert "not-sampled" in {finding.code for finding in check_grammar(path).findings}


def test_what_was_not_done_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(make_grammar("repeated", 3, on_v2=True), encoding="utf-8")
    dialect = load_grammar(path)
    assert dialect.compiled
    monkeypatch.setattr("symops_lark.core.grammar.compiling.bounds.MOST_STEPS", 100)
    monkeypatch.setattr("symops_lark.lab.workbench.sample._STEPS_OF_A_TEXT", 0)
    with pytest.raises(TooManyStepsError, match="cannot be drawn"):
        write_svg(dialect)
    with pytest.raises(TooManyStepsError, match="cannot be sampled"):
        draw(dialect, 3)
    with pytest.raises(GrammarError, match="cannot be compiled: it takes more than 100 steps"):
        export("gbnf", dialect)
