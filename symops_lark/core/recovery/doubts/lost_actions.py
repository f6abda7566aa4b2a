"""Find lost actions: skipped text that looks like an action.

The diagnostic `lost-action` reports each, and lowers the confidence of the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...grammar.codes import ORPHAN_BLOCK, THINK, UNCLOSED_THINK
from ...grammar.dialect import Dialect
from ...patterns.regexes import Pattern, compile_pattern, escape
from ...text.source import size
from ..lines.kinds import Kind, Line, Spelling, kinds_of, text_of
from ..outline.groups import Group
from ..outline.heads import HeadReader

_DRAFTS = frozenset((THINK, UNCLOSED_THINK))
_HEADS = kinds_of(Kind.ACTION, Kind.COMMAND, Kind.ODD_ACTION)
# A word, path or option; it may begin only where a run of these characters begins.
_WORD = compile_pattern(r"(?<![\w./~+-])[\w./~+-]*[\w]")
_MAX_BEFORE_TARGET = 25  # characters between an action mark and a target mark, without the verb


def find_lost(groups: Sequence[Group], heads: HeadReader) -> list[tuple[int, int]]:
    """Return the places of skipped lines that were probably an action.

    These are an action line that breaks off, unless the text ends there; a block without an action
    line; and a line that looks like an action line, unless an action that was read has its target.
    Drafts are not lost (`drafts`).

    Args:
        groups: The groups of an outline in order.
        heads: Parses the heads of the actions.

    Returns:
        The offsets of the first character of each such line and after its last one.
    """
    text = heads.text
    text_end = len(text.rstrip())
    shape = _compile_shape(heads.dialect)
    lost = []
    targets: set[str] | None = None  # of the actions that were read, once they are needed
    is_after_stub = False
    for group in groups:
        if group.role != "drop":
            is_after_stub = False
            continue
        line = group.first.line
        mistakes = group.first.step.mistakes
        # The block after a stub is the block of that action: one loss, not two.
        is_orphan = ORPHAN_BLOCK in mistakes and not is_after_stub
        is_stub = _is_stub(line, heads)
        is_after_stub = is_stub
        if _DRAFTS.intersection(mistakes):
            continue
        # At the end of the text, a reply that was cut off explains a stub.
        if is_orphan or (is_stub and line.end < text_end):
            lost.append((line.start, line.stop))
            continue
        for start, end in _lines_like_heads(group, text, shape):
            if targets is None:
                targets = _targets(groups, heads)
            words = _WORD.findall(text[start:end])
            # A sentence about an action that was read is not another action.
            if targets.isdisjoint(words):
                lost.append((start, end))
    return lost


def _is_stub(line: Line, heads: HeadReader) -> bool:
    """Return whether a line is an action line that breaks off and begins with a mark of one."""
    if line.kind is not Kind.STUB:
        return False
    marks = heads.dialect.marks
    begins = (marks["action"], marks["target"])
    return heads.text.startswith(begins, line.start)


def _lines_like_heads(group: Group, text: str, shape: Pattern) -> Iterator[tuple[int, int]]:
    """Yield the lines of skipped text that look like an action line, by their kind or marks."""
    for part in (group.first, *group.following):
        line = part.line
        if line.kind in _HEADS and not _is_list_item(line, text):
            yield line.start, line.stop
            continue
        # A line of an outline may be a run of lines.
        start = line.start
        for content in text_of(line, text).split("\n"):
            end = start + len(content)
            if shape.search(content):
                yield start, end
            start = end + 1


def _is_list_item(line: Line, text: str) -> bool:
    """Return whether a line without marks begins with a sign, as the items of a plan do."""
    if line.kind.spelling is not Spelling.BARE:
        return False
    return not text[line.start].isalpha()


def _compile_shape(dialect: Dialect) -> Pattern:
    """Return the pattern of lines that look like an action line of a dialect.

    Its alternatives, with examples of v2 that match, and of lines that are not like an action:

        unknown     `::rm old.py`             `a ::rm old.py`
        signed      `**run** pytest`          `- run the tests`, `# run pytest`
        called      `delete('old.py')`        `undelete('old.py')`
        verb_first  `So ::run pytest`         `So ::running pytest`
        any_verb    `So ::frob @a.py`         `So ::frob a.py`
        distant     `So ::(please run) @ls`   `So ::please run ls`
    """
    action = escape(dialect.marks["action"])
    target = escape(dialect.marks["target"])
    verbs = dialect.any_verb
    # After the mark `$`, a word is a command at the prompt of a shell.
    unknown = "" if action == "\\$" else rf"^{action}[a-z_]+[ \t]+[\w.]|"
    # At the beginning of a line, any signs may be meant for the mark, except those of lists and
    # quotations. So may a word.
    mark = r"[^\w\s]{0,3}[^\w\s>+#*-]_?|\*\*|(?i:action|command|tool|cmd):"
    signed = rf"^(?:{mark})[ \t]*(?:{verbs})\b[^\w\n-][^\w\n]*\w"
    called = rf"^(?:{verbs})\([\"']?\w"
    verb_first = rf"(?:{verbs})(?![\w(-])"
    path = rf"{target}[ \t]*[^ \t]"
    any_verb = rf"[A-Za-z][\w-]{{0,30}}[ \t]*{path}"
    distant = rf"(?:[^\n]{{0,20}}[^\w\n])?(?:{verbs})[^\w\n]{{0,4}}{path}"
    # Most marks have no target after them: to look for it first saves time.
    length = _MAX_BEFORE_TARGET + max(map(size, dialect.all_verbs))
    has_target = rf"(?=[^\n]{{0,{length}}}?{target})"
    marked = (
        rf"{action}(?:"
        r"[ \t]*(?:[0-9]{1,6}[ \t]+)?"
        rf"(?:{verb_first}|{any_verb})"
        rf"|{has_target}{distant})"
    )
    return compile_pattern(f"{unknown}{signed}|{called}|{marked}")


def _targets(groups: Sequence[Group], heads: HeadReader) -> set[str]:
    """Return the paths of the actions that were read, and the first words of their commands."""
    targets = set()
    for group in groups:
        if group.role != "head":
            continue
        action = heads.action(group)
        if action is not None:
            words = _WORD.findall(action.path)
            targets.update(words[:1])
    return targets
