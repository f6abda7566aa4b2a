"""Actions each of whose lines has a tag of its own: their lines respelt, and in the order of the grammar."""

from __future__ import annotations

from collections.abc import Sequence

from ...grammar.dialect import Dialect
from .kinds import Kind
from .spelling import Candidate, LineRepairer


def takes_command(dialect: Dialect, lines: Sequence[str]) -> bool:
    """Return whether one of an action's lines, each of which has a tag of its own, is that of a running verb."""
    found = (dialect.line_pattern.fullmatch(line + "\n") for line in lines)
    return any(match is not None and match.lastgroup == "run_line" for match in found)


def order_tagged(dialect: Dialect, repairer: LineRepairer, rows: Sequence[tuple[Kind, str]]) -> list[Candidate]:
    """Return the lines of an action, as (kind, line), as they should be: respelt, in the order of the grammar.

    Delimiters and lines of no use are left out.

        was        becomes  line
        ATTRIBUTE  2        [ACTION_PATH] a.py
        ACTION     1        [ACTION_TYPE] create
        OPEN       -        [CONTENT_START]

        was        becomes  line
        ACTION     1        [ACTION_TYPE] create
        ATTRIBUTE  2        [ACTION_PATH] a.py
        ATTRIBUTE  3        [ACTION_DEPENDS] b.py
    """
    heads = [text for kind, line in rows for text in _spell(repairer, kind, line).split("\n")]
    command = takes_command(dialect, heads)
    path = "attribute" if command else "path"
    found: dict[str, list[Candidate]] = {}
    for kind, line in rows:
        roles = ("head", path, "attribute", "path") if kind.is_respelt else ()
        respelt = [spelling for role in roles if (spelling := repairer.candidate(line, role)) is not None]
        for spelling in (*respelt, Candidate(line, (), 0.0)):
            texts = [row for row in spelling.text.split("\n") if row not in dialect.closers]
            kinds = [_part(dialect, text, command) for text in texts]
            if all(kinds):
                for part, text in zip(kinds, texts, strict=True):
                    found.setdefault(part, []).append(Candidate(text, spelling.rules, spelling.cost))
                break
    return [spelling for part in ("verb", "path", "depends") for spelling in found.get(part, ())]


def _spell(repairer: LineRepairer, kind: Kind, line: str) -> str:
    spelling = repairer.candidate(line, "head") if kind.is_respelt else None
    return spelling.text if spelling is not None else line


_PARTS = {"verb_line": "verb", "run_line": "verb", "path_line": "path", "depends_line": "depends"}


def _part(dialect: Dialect, line: str, command: bool) -> str:
    """Return which part of an action a line is; empty if it is none."""
    match = dialect.line_pattern.fullmatch(line + "\n")
    rule = str(match.lastgroup) if match is not None else ""
    return "path" if rule == "command_line" and command else _PARTS.get(rule, "")
