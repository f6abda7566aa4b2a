"""Assign the warnings of a document to its actions, and advise on unknown verbs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping

from ...core.document import Document
from ...core.grammar.codes import DANGLING_DEPENDENCY
from ...core.text.diagnostics import Diagnostic, Severity


def find_warnings(
    document: Document, nowhere: Collection[int]
) -> dict[int, tuple[Diagnostic, ...]]:
    """Return the warnings about each action of a document.

    Args:
        document: The document, with the diagnostics of `process`.
        nowhere: The numbers of the actions with a dependency that exists neither in the document
            nor in the tree.

    Returns:
        The warnings by the number of the action, from 1; only actions that have any.
    """
    actions = document.actions
    # Actions that begin at one place are nested: the last one in this order is the outermost.
    indexes = sorted(range(len(actions)), key=lambda index: (actions[index].span.start, -index))
    starts = [actions[index].span.start for index in indexes]
    warnings: dict[int, list[Diagnostic]] = {}
    for diagnostic in document.diagnostics:
        start = diagnostic.span.start
        position = bisect_right(starts, start) - 1
        if position < 0 or diagnostic.severity is not Severity.WARNING:
            continue
        number = indexes[position] + 1
        span = actions[number - 1].span
        # An empty span contains its own start.
        is_inside = start < span.end or start == span.start
        if not is_inside:
            continue
        # The document alone cannot decide this warning: the file may exist in the tree.
        if diagnostic.code == DANGLING_DEPENDENCY and number not in nowhere:
            continue
        warnings.setdefault(number, []).append(diagnostic)
    return {number: tuple(diagnostics) for number, diagnostics in warnings.items()}


def advise(verb: str, verbs: Mapping[str, tuple[str, ...]]) -> str:
    """Return what to do about a verb that has no effect.

    Args:
        verb: The verb.
        verbs: The verbs of the dialect by group.

    Returns:
        The hint.
    """
    if verb in verbs.get("further", ()):
        return (
            "its grammar lists it neither in `_running` nor in `_writing` or `_removing`: list it "
            "there if it runs a command, writes or removes a file; else plan the document without "
            "it, and carry it out yourself"
        )
    known_verbs: list[str] = []
    for group, members in verbs.items():
        if group != "further":
            known_verbs += members
    return (
        f"known verbs: {', '.join(known_verbs)}; those of a dialect of yours if you name it "
        "(`--format FILE`, `format=`)"
    )
