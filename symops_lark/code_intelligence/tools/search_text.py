"""Lines of text, for several patterns at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...core.ground.numbers import counted
from ..index import Index
from ..index.matching import Matcher
from ..index.patterns import BadPatternError, LinePattern
from .answers import SECONDS, choose_files, fail, give_items

_MOST_PATTERNS = 50
_ENOUGH = 10_000  # lines; where there are more, the total says at least so many
_SIGNS = "|()[]*"  # of regular expressions
_PLAIN = "the patterns were searched as plain texts: `regex` is off"
_WIDEST = 300  # characters of a line that are shown


def run(
    index: Index,
    patterns: Sequence[str] | str,
    path: str | None = None,
    regex: bool | None = False,
    ignore_case: bool | None = False,
    limit: int | None = None,
    engine: str = "auto",
) -> dict[str, Any]:
    """Return the lines that patterns occur in, in the order of paths; each tells which patterns, `counts` how many.

    Patterns are texts, or regular expressions of RE2's syntax if `regex` is true. `engine` is `auto`, `rg` or `re2`:
    the answers are the same.
    """
    asked = [patterns] if isinstance(patterns, str) else list(patterns)
    if not asked or len(asked) > _MOST_PATTERNS or not all(isinstance(each, str) for each in asked):
        return fail("bad_arguments", f"patterns: 1 to {_MOST_PATTERNS} texts are expected")
    try:
        compiled = [LinePattern(each, regex=bool(regex), ignore_case=bool(ignore_case)) for each in asked]
    except BadPatternError as error:
        return fail("bad_pattern", str(error))
    with index.reading():
        files = choose_files(index, path)
    if isinstance(files, dict):
        return files
    matcher = Matcher(index, compiled, SECONDS, engine)
    items: list[dict[str, Any]] = []
    counts = Counter(dict.fromkeys(asked, 0))
    notes = []
    for match in matcher.search(files):
        if len(items) >= _ENOUGH:
            matcher.incomplete = True
            notes.append(f"there are more than {_ENOUGH} lines")
            break
        start = max(0, match.column - 1 - _WIDEST // 2) if len(match.text) > _WIDEST else 0
        text = match.text[start : start + _WIDEST]
        found = [asked[which] for which in match.patterns]
        counts.update(found)
        items.append({"path": match.path, "line": match.line, "column": match.column, "patterns": found, "text": text})
    if not items and not regex and any(sign in each for each in asked for sign in _SIGNS):
        notes.append(_PLAIN)
    failed = ["not all files were looked into: there was no time"] if matcher.late else []
    failed += [f"{counted(matcher.unread, 'file')} could not be read"] if matcher.unread else []
    return give_items(
        index, items, limit=limit, incomplete=matcher.incomplete, notes=notes, failures=failed, text=True, counts=counts
    )
