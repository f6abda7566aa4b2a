"""Put the lines of an action into the order of the grammar, where each has its own tag.

Only dialects with the form `lines` write an action so: `[ACTION_TYPE]`, `[ACTION_PATH]` and
`[ACTION_DEPENDS]` on separate lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...grammar.dialect import Dialect
from .kinds import Kind
from .spelling import Candidate, LineRepairer

# The parts of an action in the order of the grammar, and the part that each rule gives.
_ORDER = ("verb", "path", "depends")
_PART_OF_RULE = {
    "verb_line": "verb",
    "run_line": "verb",
    "path_line": "path",
    "depends_line": "depends",
}


def takes_command(dialect: Dialect, lines: Sequence[str]) -> bool:
    """Return whether an action runs a command, so that its path line holds the command.

    Args:
        dialect: A dialect with the form `lines`.
        lines: The lines of the action without their endings, in any order.
    """
    return any(_rule_of(dialect, line) == "run_line" for line in lines)


def order_tagged(
    dialect: Dialect, repairer: LineRepairer, rows: Sequence[tuple[Kind, str]]
) -> list[Candidate]:
    """Return the lines of an action rewritten without errors, in the order of the grammar.

    Delimiters and lines that belong to no part are left out.

        was        becomes  line
        ATTRIBUTE  2        [ACTION_PATH] a.py
        ACTION     1        [ACTION_TYPE] create
        OPEN       -        [CONTENT_START]

        was        becomes  line
        ACTION     1        [ACTION_TYPE] create
        ATTRIBUTE  2        [ACTION_PATH] a.py
        ATTRIBUTE  3        [ACTION_DEPENDS] b.py

    Args:
        dialect: A dialect with the form `lines`.
        repairer: Rewrites the lines whose kinds are not exact.
        rows: The kind and the text of each line, without its ending.
    """
    heads = []
    for kind, line in rows:
        heads += _spell(repairer, kind, line).split("\n")
    runs_command = takes_command(dialect, heads)
    path_role = "path"
    if runs_command:
        path_role = "attribute"
    # A misspelled line may be any part: the first rewriting counts that gives parts only.
    roles = ("head", path_role, "attribute", "path")
    by_part: dict[str, list[Candidate]] = {}
    for kind, line in rows:
        for spelling in _spellings(repairer, kind, line, roles):
            lines_of_part = _split_parts(dialect, spelling.text, runs_command)
            if lines_of_part is None:
                continue
            for part, text in lines_of_part:
                candidate = Candidate(text, spelling.rules, spelling.cost)
                by_part.setdefault(part, []).append(candidate)
            break
    ordered: list[Candidate] = []
    for part in _ORDER:
        ordered.extend(by_part.get(part, ()))
    return ordered


def _split_parts(dialect: Dialect, text: str, runs_command: bool) -> list[tuple[str, str]] | None:
    """Return the lines of a text with their parts, without closers; None if a line has no part."""
    lines_of_part = []
    for line in text.split("\n"):
        if line in dialect.closers:
            continue
        part = _part_of(dialect, line, runs_command)
        if not part:
            return None
        lines_of_part.append((part, line))
    return lines_of_part


def _spellings(
    repairer: LineRepairer, kind: Kind, line: str, roles: Sequence[str]
) -> list[Candidate]:
    """Return the ways to write a line: as each role if it is misspelled, and unchanged."""
    spellings = []
    for role in roles if kind.is_respelt else ():
        spelling = repairer.candidate(line, role)
        if spelling is not None:
            spellings.append(spelling)
    spellings.append(Candidate(line, (), 0.0))
    return spellings


def _spell(repairer: LineRepairer, kind: Kind, line: str) -> str:
    """Return a line, rewritten as the first one of an action if it is misspelled."""
    spelling = repairer.candidate(line, "head") if kind.is_respelt else None
    if spelling is not None:
        return spelling.text
    return line


def _rule_of(dialect: Dialect, line: str) -> str:
    """Return the name of the rule of one line that a line matches; empty if none."""
    match = dialect.line_pattern.fullmatch(line + "\n")
    if match is not None:
        return str(match.lastgroup)
    return ""


def _part_of(dialect: Dialect, line: str, runs_command: bool) -> str:
    """Return the part of an action that a line gives; empty if none."""
    rule = _rule_of(dialect, line)
    if rule == "command_line" and runs_command:
        return "path"
    return _PART_OF_RULE.get(rule, "")
