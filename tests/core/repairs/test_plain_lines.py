"""Lines of which the rules make only plain text: what tells it fast says what respelling says."""

from __future__ import annotations

import pytest
from texts import DIALECTS, WRAPS, texts_on_file

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.lines.kinds import Kind
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.repairs import RepairEngine, line_repairer, plain_lines
from symops_lark.core.repairs.line_repairer import RuleRepairer


def kinds(dialect: str, lines: list[str]) -> list[Kind]:
    lexer = LineLexer(load_dialect(dialect), RepairEngine(dialect).repairer)
    return [lexer.kind_of(line) for line in lines]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_lines_have_the_kinds_that_respelling_gives_them(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    every = sorted({line for _, _, text in texts_on_file() for line in text.split("\n")})
    lines = [WRAPS[at % len(WRAPS)](line) if at % 2 else line for at, line in enumerate(every[::7])]
    message = kinds(dialect, lines)
    texts: list[str] = []

    def respell(repairer: RuleRepairer, line: str, hits: object) -> bool:
        texts.append(line)
        return False

    monkeypatch.setattr(line_repairer, "stays_plain", respell)
    assert kinds(dialect, lines) == message
    assert len(texts) > len(lines) / 20  # so often it would have answered


ENGINES = {name: RepairEngine(name) for name in ("v1", "v2", "v2_attributes")}
LEXERS = {name: LineLexer(load_dialect(name), engine.repairer) for name, engine in ENGINES.items()}


@pytest.mark.parametrize(
    ("dialect", "line", "plain"),
    [
        ("v2", "    return a + b", True),
        ("v2", "## Code: main.py", True),
        ("v2", ">>> quit()", True),
        ("v2", '{"action": "create", "path": "a.py", "content": "x = 1"}', True),
        ("v2", "**File:** a.py", True),
        ("v2", "> a quotation in a content without delimiters", True),
        ("v2", "::c0.9 and this is how sure I am of it", True),
        ("v2", ">> confidence: 0.85", False),
        ("v2", "c0.85 m0.9", False),
        ("v2", "2. ::run @pytest", False),
        ("v2", "$update@ x.py", False),
        ("v2", "[REASONING]", False),
        ("v2", ">>>  ", False),
        ("v2", "$ run @ make</s>", False),
        ("v1", "    return [item * 2 for item in items]", True),
        ("v1", "# pip install -r requirements.txt", True),
        ("v1", ">>> ::run @ls", True),
        ("v1", "    ::run @make", False),
        ("v1", "::c0.85", False),
        ("v1", " --", False),
        ("v2_attributes", "    # ... rest of the code unchanged", True),
        ("v2_attributes", "SELECT 1;", True),
        ("v2_attributes", "(CONTENT_END)", True),
        ("v2_attributes", '        "node_id": "2",', True),
        ("v2_attributes", "::3 run @make install", False),
        ("v2_attributes", "::Run @make", False),
        ("v2_attributes", "- delete", False),
        ("v2_attributes", "**create**".ljust(100), False),
        ("v2_attributes", "**create**".ljust(101), True),
    ],
)
def test_a_line_is_told_to_be_plain_before_it_is_respelt(dialect: str, line: str, plain: bool) -> None:
    lexer, reader = LEXERS[dialect], ENGINES[dialect].repairer
    assert plain_lines.stays_plain(reader, line, reader._hits(line)) is plain
    assert (lexer.kind_of(line) is Kind.TEXT) is plain
