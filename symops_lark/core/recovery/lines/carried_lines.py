"""Recognize lines that were exact when the model wrote them, and that only transport has changed.

An escaped reply has `&lt;&lt;&lt;` for each `<<<`, in its content as well as in its markup. So the
misspelling does not make it less likely that such a line is markup, and the engine must not charge
for it. The same holds for the delimiters of a reply that writes `<<` and `>>` throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...grammar.dialect import Dialect
from .kinds import DELIMITERS, INNER_HEADS, Kind, Line, Spelling, text_of
from .spelling import LineRepairer

# The closing sign of each opening one. A reply may open its blocks by any run of these.
_MIRROR = str.maketrans({"<": ">", ">": "<", "[": "]", "{": "}", "(": ")", "＜": "＞", "《": "》"})


def intended_kinds(
    text: str, lines: Sequence[Line], dialect: Dialect, repairer: LineRepairer
) -> list[Kind]:
    """Return the kinds by which the engine reads lines.

    A line that was exact when the model wrote it (`Candidate.carried`) counts as exact, because
    its misspelling is not evidence against it: transport escapes content and markup equally. Its
    near miss is still reported, see `reading.find_cheapest`.

    Args:
        text: The text that the offsets of the lines refer to.
        lines: The lines or runs.
        dialect: The dialect.
        repairer: Rewrites misspelled lines.
    """
    own = _own_delimiters(text, lines)
    return [_intended_kind(text, line, dialect, repairer, own) for line in lines]


def _own_delimiters(text: str, lines: Sequence[Line]) -> dict[str, Kind]:
    """Return the misspelled delimiters that a reply uses for its blocks, with their kinds.

    A reply that opens its first block by `<<` uses `<<` and `>>` for all blocks. The first
    action line with a delimiter below it is certain, because no block was opened before it.
    """
    for index, below in enumerate(lines[1:]):
        above = lines[index]
        if above.kind not in INNER_HEADS or below.kind.base not in DELIMITERS:
            continue
        if not below.kind.is_respelt:
            return {}  # an exact delimiter: misspelled ones are content, or mistakes
        opener = text_of(below, text).strip()
        closer = opener.translate(_MIRROR)
        if opener == closer:
            return {opener: Kind.DELIM}
        return {opener: Kind.OPEN, closer: Kind.CLOSE}
    return {}


def _intended_kind(
    text: str, line: Line, dialect: Dialect, repairer: LineRepairer, own: Mapping[str, Kind]
) -> Kind:
    """Return the kind by which the engine reads one line."""
    kind = line.kind
    if kind.spelling is not Spelling.NEAR or not kind.role:
        return kind
    # The first line decides for an action line and its attributes.
    if line.inside:
        line = line.inside[0]
    content = text_of(line, text)
    if kind.base not in DELIMITERS:
        if _is_carried(content, kind.role, repairer):
            return kind.base
        return kind
    exact = own.get(content.strip())
    if exact is None and _is_carried(content, "open", repairer):
        exact = Kind.OPEN
    if exact is None and _is_carried(content, "close", repairer):
        exact = Kind.CLOSE
    if exact is None:
        return kind
    # In dialects whose delimiter opens and closes there is only one exact kind.
    if dialect.marks["open"] == dialect.marks["close"]:
        return Kind.DELIM
    return exact


def _is_carried(line: str, role: str, repairer: LineRepairer) -> bool:
    """Return whether only transport has changed a line of this role."""
    candidate = repairer.candidate(line, role)
    return candidate is not None and candidate.carried
