"""Actions that are lost: what is left out of a document and looks like one. Their place is told, and trusted less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...grammar.codes import ORPHAN_BLOCK, THINK, UNCLOSED_THINK
from ...grammar.dialect import Dialect
from ...patterns.regexes import Pattern, compile_pattern, escape
from ...text.source import size
from ..lines.kinds import Kind, Spelling, kinds_of
from ..outline.groups import Group, Part
from ..outline.heads import HeadReader


def find_lost(groups: Sequence[Group], heads: HeadReader) -> list[tuple[int, int]]:
    """Return where lines that were an action stand in the text, from and to: among what no section was made of.

    An action line that breaks off, unless the text ends there; a block without an action line; a line that looks like
    an action's first one, unless its target is that of an action that was read. Drafts are none (`drafts`).
    """
    text, dialect = heads.text, heads.dialect
    marks = (dialect.marks["action"], dialect.marks["target"])
    found: list[tuple[int, int]] = []
    written = len(text.rstrip())
    broken = False  # whether the stretch before was one: its block is no further loss
    known: set[str] | None = None
    shape = _compile_shape(dialect)
    for group in groups:
        stub = group.first.line
        orphan = ORPHAN_BLOCK in group.first.step.mistakes and not broken
        broken = group.role == "drop" and stub.kind is Kind.STUB and text.startswith(marks, stub.start)
        cut_off = broken and stub.end >= written
        if group.role != "drop" or _DRAFTS.intersection(group.first.step.mistakes):
            continue
        if orphan or (broken and not cut_off):
            found.append((stub.start, stub.stop))
            continue
        for start, stop in _look_like_heads(group, text, shape):
            known = _targets(groups, heads) if known is None else known
            if known.isdisjoint(_WORD.findall(text[start:stop])):
                found.append((start, stop))
    return found


def _look_like_heads(group: Group, text: str, shape: Pattern) -> Iterator[tuple[int, int]]:
    """Yield the lines of a stretch that look like the first line of an action: by their kind, or by its marks."""
    for part in (group.first, *group.following):
        if part.line.kind in _HEADS and _stands_alone(part, text):
            yield part.line.start, part.line.stop
            continue
        start = part.line.start
        for line in text[part.line.start : part.line.stop].split("\n"):
            if shape.search(line):
                yield start, start + len(line)
            start += len(line) + 1


def _stands_alone(part: Part, text: str) -> bool:
    """Return whether a line is no item of a list: a plan in words is one."""
    return part.line.kind.spelling is not Spelling.BARE or text[part.line.start].isalpha()


def _compile_shape(dialect: Dialect) -> Pattern:
    """Return the pattern of an action mark before a verb that is known, or before any with a target.

    A known verb with a target may stand behind another word, or in brackets. At the beginning of a line any signs but
    those of lists and quotations may be meant for the mark, and so may a word such as "Action:".
    """
    action, target = escape(dialect.marks["action"]), escape(dialect.marks["target"])
    verbs = "|".join(verb for group in dialect.verbs.values() for verb in group)
    named = rf"[A-Za-z][\w-]{{0,30}}[ \t]*{target}[ \t]*[^ \t]"
    behind = rf"(?:[^\n]{{0,20}}[^\w\n])?(?:{verbs})[^\w\n]{{0,4}}{target}[ \t]*[^ \t]"
    near = rf"(?=[^\n]{{0,{25 + max(map(size, verbs.split('|')))}}}?{target})"  # told first: most marks have none
    signs = r"[^\w\s]{0,3}[^\w\s>+#*-]_?|\*\*|(?i:action|command|tool|cmd):"
    signed = rf"^(?:{signs})[ \t]*(?:{verbs})\b[^\w\n-][^\w\n]*\w"
    called = rf"^(?:{verbs})\([\"']?\w"
    unknown = rf"^{action}[a-z_]+[ \t]+[\w.]|" if action != "\\$" else ""  # the prompt of a shell
    ours = rf"{action}(?:[ \t]*(?:[0-9]{{1,6}}[ \t]+)?(?:(?:{verbs})(?![\w(-])|{named})|{near}{behind})"
    return compile_pattern(f"{unknown}{signed}|{called}|{ours}")


def _targets(groups: Sequence[Group], heads: HeadReader) -> set[str]:
    """Return the paths of the actions that were read, and the first words of their commands."""
    read = (heads.action(group) for group in groups if group.role == "head")
    return {word for action in read if action is not None for word in _WORD.findall(action.path)[:1]}


_WORD = compile_pattern(r"(?<![\w./~+-])[\w./~+-]*[\w]")  # looked for at the beginning of a run alone
_DRAFTS = frozenset((THINK, UNCLOSED_THINK))
_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION)
