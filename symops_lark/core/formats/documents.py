"""Read a reply in the formats of other agents into a document.

Each section stands for itself, so a broken one costs no other. What a reading rests on decides how
sure it is: a tool that says "write" is surer than a file's name above a fence. Whatever is in doubt
is marked `suspect`, and a finding says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from ..document import Action, Completeness, Document
from ..document import Section as Node
from ..edits.left_out import leaves_out
from ..edits.replacements import show_replacements
from ..grammar import codes
from ..grammar.agent_formats import SEVERAL
from ..grammar.format_messages import MESSAGES
from ..grammar.mistakes import Mistake
from ..patterns.regexes import compile_pattern
from ..recovery.doubts.confidence import in_order, mark_suspect
from ..recovery.doubts.skipping import skip_between
from ..recovery.doubts.thinking import choose_reading, view_of
from ..recovery.doubts.unasked import find_unasked
from ..text.diagnostics import Diagnostic, Severity
from ..text.source import LineEndings, Source, Span
from .calls import DETAIL
from .loading import Format, all_sections, formats, load_format
from .lost_sections import (
    LostSection,
    doubt_shell,
    find_lost,
    find_lost_fence,
    is_plain,
    prepares,
    text_outside,
)
from .meaning import accept, find_meanings, without_indent
from .near_marks import carry_back, correct_marks, may_have_near_marks
from .reader import find_items, find_items_in
from .sections import VALUES, Item, LineStarts, Section
from .tools import PATCH, Meaning, Problem

# How sure a reading is, by what says it: 0.9 would mean that it is written without a question.
NAMED_BY_CALLER = 1.0
BY_VERB = 0.85  # a tool or a tag says what to do
BY_NAME = 0.69  # a fence is under a file's name
BY_SENTENCE = 0.6
BY_PLACE = 0.5  # the reply ends with the fence of a shell
DOUBTED = 0.5
# These say what a reading rests on; they lower it no further.
_WEAK = frozenset((codes.FILE_WITHOUT_VERB, codes.NAME_IN_SENTENCE, codes.SHELL_FENCE))
_OUTSIDE = Mistake(codes.OUTSIDE_LAYOUT, "This text is outside of the actions; it is left out.")
# What is around the files of a patch.
_AROUND_PATCH = compile_pattern(
    r"(?:[ \t]*(?:(?:\*{3} (?:Begin|End) Patch|`{3}[a-z]*)[ \t]*|\\ No newline[^\n]*)?\n)*"
)
_CONTENTS = ("CONTENT", "ADDED", "INDENTED", "PATCH", "VALUE")


def read_format(text: str, format: str | Path | Format | None = None) -> Document:
    """Read a reply in the formats of other agents.

    Args:
        text: The reply.
        format: A format, its name, or the path of its grammar file. None: all installed formats.

    Returns:
        The document: an action for each section that means one, and skipped text. Its dialect is
        the name of the format, or "formats" if several took part.

    Raises:
        GrammarError: There is no such format, or its file is wrong.
    """
    if format is None:
        return _read_meant(text, list(all_sections()))
    chosen = load_format(format)
    return _read_meant(text, chosen.sections, chosen)


def _read_meant(text: str, sections: Sequence[Section], named: Format | None = None) -> Document:
    """Read a reply, without its sections of thinking if that gives more.

    Actions that the reply does not ask for now are doubted, as in a dialect.
    """

    def read(text: str) -> Document:
        document = _Reader(text, sections, named).read()
        findings = tuple(find_unasked(document, text))
        if not findings:
            return document
        starts = {finding.span.start for finding in findings}
        document = mark_suspect(document, starts, DOUBTED)
        return replace(document, diagnostics=in_order(document.diagnostics, findings))

    document = read(text)
    view = view_of(text, document)
    # The same object if nothing is hidden.
    if view is not text:
        document = choose_reading(document, read(view), text, view) or document
    if not may_have_near_marks(document):
        return document
    corrected = correct_marks(text, sections)
    if corrected is None:
        return document
    return carry_back(document, corrected, read(corrected.text)) or document


def read_files(text: str) -> Document:
    """Read the calls, the edits and the named files of a reply in the installed formats.

    Args:
        text: The reply.
    """
    # Samples are read as well, so that fences are paired.
    samples = [section for section in all_sections() if section.rule == "sample"]
    sections = [*file_sections(), *samples]
    return _Reader(text, sections).read()


@cache
def file_sections() -> tuple[Section, ...]:
    """Return the sections of the installed formats, but for fences without a file's name."""
    sections = all_sections()
    return tuple([s for s in sections if s.rule == "write" or "FENCE" not in s.patterns])


@dataclass
class _Reading:
    """An action that an item means, before the doubts of the whole reply."""

    item: Item
    meaning: Meaning
    confidence: float
    doubts: list[str] = field(default_factory=list)
    is_truncated: bool = False


class _Reader:
    """Reads one reply."""

    def __init__(self, text: str, sections: Sequence[Section], named: Format | None = None) -> None:
        self.endings = LineEndings(text)
        self.source = Source(text)
        plain = self.endings.plain
        self.length = len(plain)
        # Marks end with a line feed, which the last line may lack.
        self.is_ended = plain.endswith("\n")
        self.text = plain if self.is_ended else plain + "\n"
        self.named = named
        self.sections = sections
        self.lines = LineStarts(self.text, sections)
        self.items = find_items_in(self.lines, sections, accept)
        doubt_shell(self.text, self.items)
        self.findings: list[Diagnostic] = []

    def span(self, start: int, end: int) -> Span:
        """Return the span in the caller's text of two offsets."""
        start = min(start, self.length)
        return self.endings.span(self.source, start, min(end, self.length))

    def read(self) -> Document:
        readings: list[_Reading] = []
        for item in self.items:
            for row in self._expand(item):
                if isinstance(row, Problem):
                    self._note_problem(row, item)
                else:
                    readings.append(row)
        nodes: list[Node] = []
        contents: dict[str, Meaning] = {}
        done = 0
        for row in readings:
            # The first action of a path.
            meaning = row.meaning
            earlier = contents.setdefault(meaning.path, meaning)
            is_again = earlier is not meaning and earlier.verb == meaning.verb
            if is_again and meaning.verb == "create":
                if earlier.content == meaning.content:
                    continue
                row.doubts.append(codes.SAME_FILE_TWICE)
            start = self.endings.to_text(min(row.item.start, self.length))
            skip_between(self.source, done, start, _OUTSIDE, nodes, self.findings)
            action = self._action(row)
            nodes.append(action)
            done = action.span.end
            for code in row.doubts:
                self._note(code, row.item, Severity.WARNING)
        length = len(self.source.text)
        skip_between(self.source, done, length, _OUTSIDE, nodes, self.findings)
        for lost in find_lost(self.lines, self.sections, self.items):
            self._note(codes.BROKEN_SECTION, lost, Severity.WARNING)
        # One format gives its name to the document.
        names = {row.item.section.format_name for row in readings}
        name = SEVERAL
        if len(names) == 1:
            name = next(iter(names))
        if self.named is not None:
            name = self.named.name
            nodes = self._confirm(nodes)
        self.findings.sort(key=lambda finding: finding.span.start)
        return Document(tuple(nodes), name, diagnostics=tuple(self.findings))

    def _note(self, doubt: str, place: Item | LostSection, severity: Severity) -> None:
        span = self.span(place.start, place.end)
        code, _, detail = doubt.partition(DETAIL)
        message = MESSAGES[code].format(name=place.format_name, detail=detail)
        finding = Diagnostic(code, message, span, severity)
        self.findings.append(finding)

    def _note_problem(self, problem: Problem, item: Item) -> None:
        """Report why a section is not an action."""
        code = problem.code
        lost = None
        if code == codes.NO_FILE_NAMED:
            lost = find_lost_fence(self.text, item)
        if lost is not None:
            self._note(codes.BROKEN_SECTION, lost, Severity.WARNING)
            return
        # The name of the tool may be cut off.
        if code == codes.UNKNOWN_TOOL and codes.BROKEN_ARGUMENTS in item.doubts:
            code = codes.BROKEN_SECTION
        # Something that was meant may be lost.
        severity = Severity.WARNING
        if code in (codes.NO_FILE_NAMED, codes.UNKNOWN_TOOL):
            severity = Severity.NOTE
        self._note(code, item, severity)
        if item.is_truncated and code == codes.NO_FILE_NAMED:  # fences may be paired wrongly
            self._note(codes.NO_CLOSING_MARK, item, Severity.WARNING)

    def _confirm(self, nodes: list[Node]) -> list[Node]:
        """Return the sections with certainty if the caller named the format and all is read."""
        # Nothing is left over or in doubt. A plain input may be a sentence.
        if self.findings or any(map(is_plain, self.items)):
            return nodes
        certain: list[Node] = []
        for node in nodes:
            if not isinstance(node, Action) or node.completeness is not Completeness.COMPLETE:
                return nodes
            certain.append(replace(node, confidence=NAMED_BY_CALLER))
        return certain

    def _action(self, row: _Reading) -> Action:
        item = row.item
        verb, path, content, edits = row.meaning
        doubts = row.doubts
        if content is None and edits:
            content = show_replacements(edits)
        if content is not None:
            content = content.removesuffix("\n").removesuffix("\r")
            plain = without_indent(content, self.text, item)
            # In Markdown, its content does not include the indentation of a fence.
            if plain != content and not item.find("FENCE"):
                doubts.append(codes.INDENTED_SECTION)
            content = plain
            if verb == "create" and leaves_out(content):
                doubts.append(codes.PART_OF_A_FILE)
        last = item.parts[-1]
        # Neither a mark (`_CLOSE`) nor the end of its line follows the last value.
        may_be_cut = last.name not in VALUES and not last.name.startswith("_")
        is_cut = may_be_cut and last.end >= self.length and not self.is_ended
        if is_cut and codes.NO_CLOSING_MARK not in doubts:
            doubts.append(codes.NO_CLOSING_MARK)
        completeness = Completeness.COMPLETE
        is_truncated = item.is_truncated or row.is_truncated
        if is_truncated:
            completeness = Completeness.TRUNCATED
        elif set(doubts) - {codes.SHELL_FENCE}:
            completeness = Completeness.SUSPECT
        confidence = row.confidence
        if is_truncated or set(doubts) - _WEAK:
            confidence = min(confidence, DOUBTED)
        place = self._find_content(item, content or "")
        if place is not None and content:
            # With its own line endings, as in a dialect.
            content = self.source.text[place.start : place.end]
        return Action(
            verb,
            path,
            content,
            confidence=confidence,
            completeness=completeness,
            span=self.span(item.start, item.end),
            content_span=place,
            edits=edits,
        )

    def _find_content(self, item: Item, content: str) -> Span | None:
        """Return where a content is in the text; None if it is only there in another form."""
        for part in item.parts:
            # Another value of a call has the beginning of an empty content, too.
            if part.name == "VALUE" and not content:
                continue
            # Escaped, indented or with signs, it is not there as it is.
            if part.name in _CONTENTS and self.text.startswith(content, part.start):
                return self.span(part.start, part.start + len(content))
        return None

    def _expand(self, item: Item) -> list[_Reading | Problem]:
        """Return the actions of an item."""
        if item.section.rule == "command" and item.find("FENCE"):
            return self._expand_shell(item)
        rows: list[_Reading | Problem] = []
        for meaning in find_meanings(self.text, item):
            if isinstance(meaning, Problem):
                rows.append(meaning)
            elif meaning.verb == PATCH:
                rows += self._expand_patch(item, meaning.content or "")
            else:
                rows.append(self._weigh(item, meaning))
        return rows

    def _weigh(self, item: Item, meaning: Meaning) -> _Reading:
        """Return an action with its confidence, by what says it."""
        doubts = list(item.doubts)
        is_fence = item.find("FENCE") is not None
        in_sentence = item.find("SENTENCE") is not None
        # Marks of an edit say the verb; a fence alone does not.
        is_said = not is_fence or meaning.verb == "edit"
        if is_said and not (in_sentence and item.find("SEARCH")):
            return _Reading(item, meaning, BY_VERB, doubts)
        if in_sentence:
            return _Reading(item, meaning, BY_SENTENCE, [codes.NAME_IN_SENTENCE, *doubts])
        return _Reading(item, meaning, BY_NAME, [codes.FILE_WITHOUT_VERB, *doubts])

    def _expand_patch(self, item: Item, patch: str) -> list[_Reading | Problem]:
        """Return the actions of a patch of several files that is the argument of a call."""
        # Marks end with a line feed.
        text = patch
        if not patch.endswith("\n"):
            text += "\n"
        rows: list[_Reading | Problem] = []
        items = _find_inner(text, "apply_patch", "unified_diff")
        outside = text_outside(text, items)
        doubts = []
        if _AROUND_PATCH.fullmatch(outside) is None:
            doubts.append(codes.UNSIGNED_LINES)
        for inner in items:
            for meaning in find_meanings(text, inner):
                if isinstance(meaning, Problem):
                    doubts.append(codes.UNSIGNED_LINES)
                    continue
                reading = self._weigh(item, meaning)
                reading.doubts += [*inner.doubts, *doubts]
                rows.append(reading)
        return rows or [Problem(codes.MISSING_ARGUMENT)]

    def _expand_shell(self, item: Item) -> list[_Reading | Problem]:
        """Return the actions of a fence of a shell: files, a command, or none.

        A fence of nothing but here-documents is files. Another one is a command if it is the only
        fence and ends the reply, which is the protocol of some agents.
        """
        place = item.find("COMMAND")
        assert place is not None
        script = self.text[place.start : place.end]
        # Here-documents are files that a plan can show and undo.
        inner = _find_inner(script, "heredoc")
        rows: list[_Reading | Problem] = []
        if inner and prepares(script, inner):
            for document in inner:
                doubts = [codes.FILE_WITHOUT_VERB, *item.doubts, *document.doubts]
                if document.is_truncated:
                    doubts.append(codes.NO_CLOSING_MARK)
                files = _weigh_all(item, find_meanings(script, document), BY_NAME, doubts)
                for row in files:
                    row.is_truncated = document.is_truncated
                rows += files
            return rows
        # Explanations end with samples of commands, so another fence makes it one of them.
        is_last = not self.text[item.end :].strip()
        if len(self.items) > 1 or not is_last or item.is_truncated:
            return [Problem(codes.NO_FILE_NAMED)]
        meanings = find_meanings(self.text, item)
        return [*_weigh_all(item, meanings, BY_PLACE, [codes.SHELL_FENCE, *item.doubts])]


def _weigh_all(
    item: Item, meanings: Sequence[Meaning | Problem], confidence: float, doubts: Sequence[str]
) -> list[_Reading]:
    """Return actions with one confidence and the same doubts."""
    readings: list[_Reading] = []
    for meaning in meanings:
        if isinstance(meaning, Problem):
            continue
        # Each action has a list of its own, to which further doubts are added.
        readings.append(_Reading(item, meaning, confidence, list(doubts)))
    return readings


def _find_inner(text: str, *names: str) -> list[Item]:
    """Return the sections of some installed formats in a text."""
    sections: list[Section] = []
    for name in names:
        chosen = formats()[name]
        sections += chosen.sections
    return find_items(text, sections, accept)
