"""Lines of which the rules make only plain text: what tells it fast says what respelling says."""

from __future__ import annotations

import pytest
from texts import DIALECTS, WRAPS, texts_on_file

from symops_lark.grammar.loading import load_dialect
from symops_lark.recovery.kinds import Kind
from symops_lark.recovery.lexer import LineLexer
from symops_lark.repairs import RepairEngine, line_repairer
from symops_lark.repairs.line_repairer import RuleRepairer


def kinds(dialect: str, lines: list[str]) -> list[Kind]:
    lexer = LineLexer(load_dialect(dialect), RepairEngine(dialect).repairer)
    return [lexer.kind_of(line) for line in lines]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_lines_have_the_kinds_that_respelling_gives_them(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    every = sorted({line for _, _, text in texts_on_file() for line in text.split("\n")})
    lines = [WRAPS[at % len(WRAPS)](line) if at % 2 else line for at, line in enumerate(every[::7])]
    told = kinds(dialect, lines)
    asked: list[str] = []

    def respell(repairer: RuleRepairer, line: str, hits: object) -> bool:
        asked.append(line)
        return False

    monkeypatch.setattr(line_repairer, "stays_plain", respell)
    assert kinds(dialect, lines) == told
    assert len(asked) > len(lines) / 20  # so often it would have answered
