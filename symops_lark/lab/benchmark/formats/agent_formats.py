"""The formats of other agents, in the same contest as the dialects.

The grammar file of a format is all that is needed: its writer gives the text of an action, its
reader shows where the path and the content are, and the rest of the text is marks, which the fault
model damages. So a new file in `grammars/formats/` is measured without further code.

Such a reply has prose around its actions. It cannot say dependencies and vitals, and it does not
say whether a file is new: what is read is `create`, as in aider's formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

from ....core.document import Action, Completeness, Document, Section
from ....core.formats.documents import NAMED_BY_CALLER, read_format
from ....core.formats.loading import Format, find_format, formats
from ....core.formats.meaning import accept, is_edit
from ....core.formats.reader import find_items
from ....core.formats.sections import VALUES, Part
from ....core.formats.tools import load_tools
from ....core.formats.writer import write_action
from ....core.grammar.codes import (
    FILE_WITHOUT_VERB,
    NAME_IN_SENTENCE,
    OUTSIDE_LAYOUT,
    PART_OF_A_FILE,
    SAME_FILE_TWICE,
    SHELL_FENCE,
)
from ....core.grammar.loading import find_verbs
from ....core.ground.errors import RenderError
from ....models.prompts.agent_formats import teach_format
from ..faults import marks
from ..faults.documents import Head, Line, write_body
from ..faults.mistakes import Draft, Expected
from ..fidelity import is_flagged
from ..records import identify
from .drafts import lay_out_in_prose, translate
from .foreign import Foreign, Reader
from .layouts import escape_json, make_dialect, quote_json, unescape_json

_SKETCH = Action("create", "draft.py", "print('draft')")
_COMMAND = Action("run", "ls")
_TARGETS = ("PATH", "COMMAND", "VALUE", *VALUES)
_CONTENTS = ("CONTENT", "ADDED", "INDENTED", "REPLACE", "PATCH", "VALUE", *VALUES)
# These doubt a content, whatever its marks are.
_OF_CONTENTS = {PART_OF_A_FILE, SAME_FILE_TWICE}
# By terminal, what begins each line of a content.
_SIGNS = {"ADDED": "+", "INDENTED": "    "}


class _ActionText(NamedTuple):
    """The text of an action, and the places of what the action says.

    Attributes:
        text: The text.
        path: The place of the path, or of the command.
        content: The place of the content; None if there is none.
        name: The terminal of the content.
    """

    text: str
    path: slice
    content: slice | None = None
    name: str = ""


@dataclass(frozen=True, eq=False)
class AgentFormat(Foreign):
    """One format of another agent."""

    grammar: Format | None = None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the prompt, the grammar, the names of tools, and the code of the format."""
        assert self.grammar is not None
        sections = [(section.rule, section.trees) for section in self.grammar.sections]
        code = super().fingerprint
        return identify(code=code, grammar=repr(sections), tools=repr(load_tools()))


def find_agent_format(name: str) -> AgentFormat | None:
    """Return the format of another agent; None if a name or path means something else.

    Args:
        name: The name of an installed format, or the path of a `.lark` file.

    Raises:
        GrammarError: It is the file of a format, and wrong.
    """
    format = find_format(name)
    return None if format is None else _make(format, name)


def _make(format: Format, name: str) -> AgentFormat:
    readers: dict[str, Reader] = {
        "strict": partial(_read_strictly, format),
        "recovered": partial(_read, format),
    }
    return AgentFormat(
        name,
        teach_format(format, include_examples=False),
        partial(_encode, format),
        partial(_lay_out, format),
        readers,
        partial(_collides, format),
        rate=_rate,
        grammar=format,
    )


# ---- read


def _read(format: Format, text: str) -> Document:
    """Return the document of a reply whose format was asked for.

    Prose around the actions is usual then, and so are findings that a faultless text causes. An
    action without another finding is certain, so that it counts as silently wrong if it is wrong.
    """
    document = read_format(text, format)
    usual = _usual_codes(format)
    diagnostics = tuple(item for item in document.diagnostics if item.code not in usual)
    sections = []
    for section in document.sections:
        if (
            isinstance(section, Action)
            and section.completeness is not Completeness.TRUNCATED
            and not is_flagged(section, diagnostics)
        ):
            section = replace(
                section, confidence=NAMED_BY_CALLER, completeness=Completeness.COMPLETE
            )
        sections.append(section)
    return replace(document, sections=tuple(sections), diagnostics=diagnostics)


def _read_strictly(format: Format, text: str) -> Document | None:
    """Return the document of a reply whose marks are read without a doubt; None for any other."""
    document = _read(format, text)
    codes = {item.code for item in document.diagnostics}
    is_certain = document.actions and _is_complete(document.actions) and codes <= _OF_CONTENTS
    return document if is_certain else None


def _is_complete(actions: Sequence[Action]) -> bool:
    return all(action.completeness is not Completeness.TRUNCATED for action in actions)


@cache
def _usual_codes(format: Format) -> frozenset[str]:
    """Return the codes of findings that a faultless text of a format draws, too."""
    codes = {OUTSIDE_LAYOUT, FILE_WITHOUT_VERB, NAME_IN_SENTENCE}
    for action in (_SKETCH, _COMMAND):
        try:
            text = write_action(action, format)
        except RenderError:
            # The format has no contents, or no commands.
            continue
        codes.update(item.code for item in read_format(text, format).diagnostics)
    return frozenset(codes)


def _rate(document: Document) -> float | None:
    """Return the confidence of a document: that of its least certain action."""
    return min((action.confidence for action in document.actions), default=None)


# ---- write


def _encode(format: Format, document: Document) -> str:
    """Return a document as text, which was read back.

    Raises:
        RenderError: The format cannot say an action, or would read it differently.
    """
    draft = _lay_out(format, document)
    text = draft.text()
    actions = read_format(text, format).actions
    expected = [(item.type, item.path, item.contents[0]) for item in draft.expected]
    is_same = [(action.type, action.path, action.content) for action in actions] == expected
    if not is_same or not _is_complete(actions):
        message = "a path or a content would be read differently"
        raise RenderError(f"{format.name} cannot say the document: {message}")
    return text


def _lay_out(format: Format, document: Document) -> Draft:
    """Return the draft of a document; contents that collide are written anyway.

    Raises:
        RenderError: The format has no such actions.
    """
    dialect = _dialect(format)
    sections = [_rename(section) for section in document.sections]
    document = replace(document, sections=tuple(sections))
    lines = lay_out_in_prose(document, partial(_lay_out_action, dialect=dialect, format=format))
    expected = [
        Expected(action.type, action.path, (action.content,), ()) for action in document.actions
    ]
    return Draft(translate(document), dialect, lines, expected)


def _rename(action: Section) -> Section:
    """Return an action with the verb that formats have for it."""
    if not isinstance(action, Action):
        return action
    for group, verb in (("writing", "create"), ("removing", "delete"), ("running", "run")):
        # Dialects have synonyms for a verb; formats have one verb for each group.
        if action.type not in find_verbs("v2")[group]:
            continue
        if group == "writing" and is_edit(action.content or "", action.path):
            verb = "edit"
        content = None if verb == "run" else action.content
        return replace(action, type=verb, content=content)
    return action


def _lay_out_action(
    action: Action, index: int, *, dialect: marks.Dialect, format: Format
) -> Iterator[Line]:
    """Yield the lines of an action: its head, and around its content the two marks next to it."""
    action_text = _write(action, format)
    if action.type == "run" and SHELL_FENCE in _usual_codes(format):
        raise RenderError(f"{format.name} has commands only where they are alone in a reply")
    text = action_text.text.removesuffix("\n")
    # No mistake is made inside of the text before a path, so it has no further pieces.
    start, stop = action_text.path.start, action_text.path.stop
    head = Head(path=text[start:stop], before=text[:start])
    if action_text.content is None:
        head.after = text[stop:]
        yield Line("head", action=index, head=head)
        return
    between = text[stop : action_text.content.start]
    after = text[action_text.content.stop :]
    opener, closer = _marks_around(action_text)
    head.after = between.removesuffix(opener)
    yield Line("head", action=index, head=head, end="")
    lines = [Line("open", opener.removesuffix("\n"), index)]
    lines[0].end = "\n" if opener.endswith("\n") else ""
    lines += write_body(action.content or "", index, dialect)
    # The closing mark may be on the last line of the content, or further down.
    line_feeds, _, following = after.partition(closer) if closer else ("\n", "", "")
    last = lines[-1]
    last.end = line_feeds if len(lines) > 1 else last.end + line_feeds
    if action_text.name in VALUES:
        # A line feed of the content is an escape.
        last.text += line_feeds
        last.end = ""
    yield from lines
    if closer:
        yield Line("close", closer, index, end="" if following else "\n")
    if following:
        yield Line("frame", following, index)


def _marks_around(action_text: _ActionText) -> tuple[str, str]:
    """Return the marks next to the content: the rest of the line before it, and the line after."""
    assert action_text.content is not None
    if action_text.name in VALUES:
        return '"', '"'
    between = action_text.text[action_text.path.stop : action_text.content.start]
    # The line feed belongs to the opening mark.
    opener = between[between.rfind("\n", 0, max(0, len(between) - 1)) + 1 :]
    after = action_text.text[action_text.content.stop :]
    return opener, after.lstrip("\n").partition("\n")[0]


def _write(action: Action, format: Format) -> _ActionText:
    """Return the text of an action, and the places of what it says."""
    content = action.content
    try:
        return _locate(action, write_action(action, format), format)
    except RenderError:
        # A model would write it, whatever it means to a reader.
        if not content or action.type != "create":
            raise
    sketch = replace(action, content=_SKETCH.content)
    action_text = _locate(sketch, write_action(sketch, format), format)
    assert action_text.content is not None
    body = _spell(content, action_text.name)
    before = action_text.text[: action_text.content.start]
    after = action_text.text[action_text.content.stop :]
    start = action_text.content.start
    return action_text._replace(text=before + body + after, content=slice(start, start + len(body)))


def _locate(action: Action, text: str, format: Format) -> _ActionText:
    """Return the places of the path and the content in the text of an action."""
    parts = find_items(text, format.sections, accept)[0].parts
    targets = [part for part in parts if part.name in _TARGETS]
    path, _ = _find(f"path {action.path}", action.path, text, targets, format)
    if action.content is None:
        return _ActionText(text, path)
    # The content is the last part of an action, so the parts are searched from the end.
    contents = [part for part in parts if part.name in _CONTENTS and part.end >= path.stop]
    label = f"content of {action.path}"
    return _ActionText(text, path, *_find(label, action.content, text, contents[::-1], format))


def _find(
    label: str, value: str, text: str, parts: Sequence[Part], format: Format
) -> tuple[slice, str]:
    """Return the place of a value in the first part that contains it, and the part's terminal."""
    for part in parts:
        spelled = _spell(value, part.name)
        if part.name in VALUES:
            # Between quotes, so that no longer value is found. The format may add a line feed.
            quoted = [f'"{spelled}"', f'"{spelled}\\n"']
            start = max(text.rfind(string, part.start, part.end) for string in quoted)
            start += start >= 0
        else:
            start = text.find(spelled, part.start, part.end)
        if start >= 0:
            return slice(start, start + len(spelled)), part.name
    raise RenderError(f"{format.name} does not write the {label} as it is")


def _spell(value: str, name: str) -> str:
    """Return a value as it is written in a terminal."""
    if name in VALUES:
        return quote_json(value)
    sign = _SIGNS.get(name)
    if sign is None:
        return value
    lines = [sign + line if line or sign == "+" else line for line in value.split("\n")]
    return "\n".join(lines)


@cache
def _dialect(format: Format) -> marks.Dialect:
    """Return what the fault model knows of a format: its marks, taken from a sketch."""
    lacks = {"verb", "marks"}
    # The properties that contents between quotes, or with a sign on each line, have.
    properties: dict[str, Any] = {}
    opener = closer = ""
    try:
        sketch = _write(_SKETCH, format)
    except RenderError:
        # The format has commands only.
        sketch = _write(_COMMAND, format)
    else:
        opener, closer = _marks_around(sketch)
        if sketch.name in VALUES:
            properties = {"escape": escape_json, "unescape": unescape_json, "joint": ""}
        elif sketch.name in _SIGNS:
            properties = {
                "escape": partial(_escape_lines, sketch.name),
                "unescape": partial(_unescape_lines, _SIGNS[sketch.name]),
            }
    if not closer:
        lacks.add("close")
    foreign = marks.Foreign(
        "markdown",
        sketch.text.removesuffix("\n"),
        # No line of such a content can look like a delimiter.
        bare=not properties,
        lacks=frozenset(lacks),
        **properties,
    )
    return make_dialect(format.name, opener.strip(), closer, ("", "", ""), foreign)


def _escape_lines(name: str, content: str) -> list[str]:
    return _spell(content, name).split("\n")


def _unescape_lines(sign: str, text: str) -> str:
    return "\n".join(line.removeprefix(sign) for line in text.split("\n"))


def _collides(format: Format, content: str) -> bool:
    """Return whether the format cannot carry a content that it would have to carry."""
    # A format of commands carries no content at all, so none collides with it.
    return _can_write(_SKETCH, format) and not _can_write(replace(_SKETCH, content=content), format)


def _can_write(action: Action, format: Format) -> bool:
    try:
        write_action(action, format)
    except RenderError:
        return False
    return True


FORMATS: dict[str, Callable[[], Foreign]] = {
    name: partial(_make, format, name) for name, format in formats().items()
}
