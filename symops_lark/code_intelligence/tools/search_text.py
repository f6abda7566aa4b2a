"""Find lines of text, for several patterns at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...core.ground.numbers import counted
from ..index import Index
from ..index.matching import Matcher
from ..index.patterns import BadPatternError, LinePattern
from .answers import SECONDS, Answer, Item, choose_files, fail, give_items

_MAX_PATTERNS = 50
_ENOUGH = 10_000  # lines; if there are more, the total is the least number
_SIGNS = frozenset("|()[]*")  # of regular expressions
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
) -> Answer:
    """Return the lines that contain one of several patterns, in the order of paths.

    Args:
        index: The index.
        patterns: One or several texts.
        path: The folder or file. None: the whole folder of the index.
        regex: Whether the patterns are regular expressions, in RE2's syntax.
        ignore_case: Whether upper and lower case are the same.
        limit: The most items.
        engine: `auto`, `rg` or `re2`. The answers are the same.

    Returns:
        The lines, each with its `patterns`, and `counts`, the number of lines by pattern.
    """
    texts = [patterns] if isinstance(patterns, str) else list(patterns)
    is_bad = not all(isinstance(text, str) for text in texts)
    if is_bad or not 1 <= len(texts) <= _MAX_PATTERNS:
        return fail("bad_arguments", f"patterns: 1 to {_MAX_PATTERNS} texts are expected")
    try:
        compiled = [
            LinePattern(text, regex=bool(regex), ignore_case=bool(ignore_case)) for text in texts
        ]
    except BadPatternError as error:
        return fail("bad_pattern", str(error))
    with index.reading():
        files = choose_files(index, path)
    if isinstance(files, dict):
        return files
    matcher = Matcher(index, compiled, SECONDS, engine)
    items: list[Item] = []
    counts = Counter(dict.fromkeys(texts, 0))
    notes = []
    for match in matcher.search(files):
        if len(items) >= _ENOUGH:
            matcher.incomplete = True
            notes.append(f"there are more than {_ENOUGH} lines")
            break
        matched = [texts[number] for number in match.patterns]
        counts.update(matched)
        item = {
            "path": match.path,
            "line": match.line,
            "column": match.column,
            "patterns": matched,
            "text": _cut(match.text, match.column),
        }
        items.append(item)
    # A frequent mistake: an alternative is written, and searched as a text.
    if not items and not regex and not _SIGNS.isdisjoint("".join(texts)):
        notes.append(_PLAIN)
    failures = []
    if matcher.late:
        failures.append("not all files were searched: there was no time")
    if matcher.unread:
        files_text = counted(matcher.unread, "file")
        failures.append(f"{files_text} could not be read")
    return give_items(
        index,
        items,
        limit=limit,
        incomplete=matcher.incomplete,
        notes=notes,
        failures=failures,
        text=True,
        counts=counts,
    )


def _cut(line: str, column: int) -> str:
    """Return the part of a long line around a column."""
    if len(line) <= _WIDEST:
        return line
    start = max(0, column - 1 - _WIDEST // 2)
    return line[start : start + _WIDEST]
