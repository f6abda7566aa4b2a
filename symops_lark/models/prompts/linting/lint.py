"""What is wrong with a prompt: examples that a model would learn mistakes from.

A prompt teaches by its examples. So each is parsed strictly, validated, and looked through for what no model should
write: another dialect's marks, results of tools, words of the user, placeholders where a value belongs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ....core.document import Action, Document
from ....core.grammar.codes import (
    DANGLING_DEPENDENCY,
    DOUBTFUL_PATH,
    ECHOED_TEMPLATE,
    EMPTY_DOCUMENT,
    LEFT_OUT_CODE,
    PLACEHOLDER_CONTENT,
)
from ....core.grammar.dialect import Dialect
from ....core.grammar.loading import dialects, load_dialect
from ....core.repairs.engine import RepairEngine
from ....core.repairs.repaired import Repair
from ....core.strict.parser import parse, parse_valid
from ....core.text.diagnostics import Diagnostic, ParseError, Severity
from ....core.text.source import Source, Span
from ....core.validator import validate
from .chat import ASSISTANT, SYSTEM, USER, Turn, read_chat
from .excerpts import FENCE, LOOSE, TURN, Excerpt, find_excerpts
from .kinds import LineKinds
from .passage import Passage

_RESULT = re.compile(
    r"[ \t]*(?:[#*_>-]+[ \t]*)?(?:(?:(?:tool|command|function|execution|test)[ _-]?)?(?:results?|outputs?|responses?)"
    r"|observation|stdout|stderr|exit (?:code|status)|return(?:ed)? code)(?:[*_]{1,2})?[ \t]*[:=]"
    r"|[ \t]*</?(?:tool_results?|tool_response|tool_output|function_results?|observation|stdout|stderr|output)\b[^>]*>"
    r"|=+ .*\b\d+ (?:passed|failed|errors?|skipped)\b.* =+[ \t]*$"
    r"|[ \t]*\d+ (?:passed|failed)(?:, \d+ \w+)* in [\d.]+s[ \t]*$"
    r"|Traceback \(most recent call last\):"
    r"|\[(?:exit|process|command|tool)[ -](?:code|completed|exited|output|result)[^\]]*\]",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"(?:[#*_]{1,6} ?)?(User|Human|Customer|System|Tool)(?:[*_]{1,2})?[ \t]*:(?=\s|[*_]|$)")
_ROLE_TOKEN = re.compile(r"[ \t]*(<\|(?:im_start|start_header_id)\|>[ \t]*(?:user|system|tool)\b.*|</?(?:user|human)>)")
_PLACEHOLDER = re.compile(
    r"\[[^\[\]\n]*[A-Za-z][^\[\]\n]*\]|<[A-Za-z][^<>\n]*>|\{+[A-Za-z][^{}\n]*\}+|YOUR_[A-Z_]+|\.\.\.|…"
)
_BLANK = re.compile(r"\[[^\[\]\n]+\]|<[A-Za-z][^<>\n]*>|\{[A-Za-z][^{}\n]*\}")
_ELISION = re.compile(
    r"[ \t]*(?:#|//|--|;|/\*|<!--)?[ \t]*(?:\.\.\.|…)?[ \t]*"
    r"(?:\(?(?:rest|remainder) of (?:the )?(?:file|code|content)\b.*"
    r"|(?:existing|previous|other|your) code(?: here| goes here)?\b.*|\.\.\.|…)[ \t]*(?:\*/|-->)?[ \t]*",
    re.IGNORECASE,
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_DENIAL = re.compile(
    r"\b(?:not|never|no|instead of|rather than|avoid|without|unlike|wrong|former)\b|n't\b", re.IGNORECASE
)
_TOOL_PARTS = re.compile(r"(?:tool|function|web_search|code_execution|bash)\w*_(?:result|output|response)")

# What is said of replies and is the nature of examples: `_find_placeholders` speaks of these.
_NORMAL = frozenset((EMPTY_DOCUMENT, PLACEHOLDER_CONTENT, LEFT_OUT_CODE, ECHOED_TEMPLATE))


@dataclass(frozen=True, slots=True)
class Linted:
    """The findings about a prompt, and how many examples were looked at."""

    dialect: str
    diagnostics: tuple[Diagnostic, ...]
    examples: int

    @property
    def clean(self) -> bool:
        """Whether there is nothing to put right: notes only tell what the repairs would do."""
        return all(finding.severity is Severity.NOTE for finding in self.diagnostics)


def lint_prompt(text: str, format: str | Path | Dialect = "v2") -> Linted:
    """Find what is wrong with the examples in a prompt or chat transcript, with places in `text`.

    Examples are found between tags such as `reply`, in fences, behind `Assistant:`, loose among the prose, and in
    messages with the role assistant (JSON, JSON Lines, YAML). Raises `GrammarError` if there is no such dialect.
    """
    linter = _Linter(text, load_dialect(format))
    chat = read_chat(text)
    for turn in chat or ():
        linter.read_turn(turn)
    if chat is None:
        linter.read_prompt(Passage.whole(text))
    found = dict.fromkeys(linter.found)
    ordered = sorted(found, key=lambda d: (d.span.line, d.severity is Severity.NOTE, d.span.start))
    return Linted(linter.dialect.name, tuple(ordered), linter.examples)


class _Linter:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self.source = Source(text)
        self.dialect = dialect
        self._called = dialect.name if dialect.name in dialects() else dialect.file
        self.kinds = LineKinds(dialect)
        self.found: list[Diagnostic] = []
        self.examples = 0
        self._engine: RepairEngine | None = None

    def read_turn(self, turn: Turn) -> None:
        """Look at a message of a chat: the assistant's is an example, the system's a prompt, others are the user's."""
        if turn.role == SYSTEM:
            self.read_prompt(turn.passage)
        elif turn.role == ASSISTANT and _TOOL_PARTS.search(turn.type):
            message = f"a part of the type {turn.type} stands in the assistant's role: no model wrote it"
            self._add("tool-result-in-reply", message, turn.passage, 0, 1, "give it to the role user or tool")
        elif turn.role == ASSISTANT and turn.type == "text" and turn.passage.text.strip():
            self.read_example(Excerpt(turn.passage, TURN))
        elif turn.role == USER and turn.type in ("tool_use", "function_call"):
            message = "a tool call stands in the user's role"
            self._add("reply-in-user-turn", message, turn.passage, 0, 1, "the assistant calls tools")

    def read_prompt(self, passage: Passage) -> None:
        """Look at the examples in a prompt, and at the marks that its prose names."""
        found = find_excerpts(passage, self.kinds)
        for excerpt in found.excerpts:
            self.read_example(excerpt)
        for line in found.prose:
            self._read_prose(line)

    def _add(
        self, code: str, message: str, passage: Passage, start: int, stop: int, hint: str = "", is_mild: bool = False
    ) -> None:
        severity = Severity.WARNING if is_mild else Severity.ERROR
        self.found.append(Diagnostic(code, message, passage.span(start, stop, self.source), severity, hint=hint))

    def _read_prose(self, passage: Passage) -> None:
        text = passage.text
        for match in _CODE_SPAN.finditer(text):
            shown = match[2].strip()
            other = self.kinds.find_stale_mark(shown, text)
            if other is not None and not _DENIAL.search(text[: match.start()]):
                message = f"`{shown}` is of {other.name}; {self.dialect.name} has no such mark"
                self._add("stale-mark", message, passage, *match.span(2), self._marks_hint(), is_mild=True)

    def _marks_hint(self) -> str:
        marks = self.dialect.marks
        shown = " ".join(dict.fromkeys(marks[name] for name in ("thought", "action", "target", "open", "close")))
        return f"the marks of {self.dialect.name} begin with: {shown}"

    # ---- examples

    def read_example(self, excerpt: Excerpt) -> None:
        """Look at one example."""
        self.examples += 1
        passage = excerpt.passage
        misplaced = set(self._read_others_words(passage))
        try:
            document = parse(passage.text, self.dialect)
        except ParseError as error:
            try:
                parse(self._fill_form(passage), self.dialect)  # if that is all, the reader sees that it is a form
            except ParseError as worse:
                self._explain(passage, error if misplaced else worse, misplaced)
            return
        if not document.sections and excerpt.how not in (FENCE, LOOSE):
            self._add("empty-example", "this example says nothing", passage, 0, 1, is_mild=True)
        blanks = {action.span for action in document.actions if _PLACEHOLDER.fullmatch(action.path.strip())}
        for finding in validate(document, self.dialect):
            if finding.code not in _NORMAL and not (finding.code == DOUBTFUL_PATH and finding.span in blanks):
                if finding.code == DANGLING_DEPENDENCY:  # which files there are already, an example does not show
                    finding = replace(finding, severity=Severity.NOTE)
                self.found.append(passage.carry(finding, self.source))
        for finding in _find_placeholders(document):
            self.found.append(passage.carry(finding, self.source))

    def _explain(self, passage: Passage, error: ParseError, misplaced: set[int]) -> None:
        """Report why an example does not parse: it is of another dialect, or has mistakes, which repairs may cure."""
        foreign = ((at, self.kinds.foreign(line)) for at, line in self._outside_blocks(passage))
        stale = [(at, other) for at, other in foreign if other is not None and at not in misplaced]
        others = dict.fromkeys(other for _, other in stale)
        readings = ((other, parse_valid(passage.text, other)) for other in others)
        whole = next((other for other, read in readings if read is not None and read.sections), None)
        repairs = self._repairs(error.source.text) if whole is None else {}
        lines = dict(passage.lines())
        for at, other in stale[: 1 if whole else None]:
            what = f"this example is {other.name}" if whole else f"this line is of {other.name}"
            hint = f"`symops convert --format {other.name} --to {self._called}` rewrites it" if whole else ""
            hint = hint or _after(repairs.pop(at, [])) or self._marks_hint()
            stop = len(passage.text[: lines[at]].rstrip())
            self._add("stale-mark", f"{what}, not {self.dialect.name}", passage, at, stop, hint)
        if whole is not None:
            return
        for at in misplaced:  # that they would be left out is no news
            repairs.pop(at, None)
        told = misplaced | {at for at, _ in stale}
        for finding in error.diagnostics:
            start = error.source.line_starts[finding.span.line - 1]
            if start not in told:
                message = f"this example is not strict {self.dialect.name}: {finding.message}"
                cure = _after(repairs.pop(start, [])) or finding.hint
                self.found.append(passage.carry(replace(finding, message=message, hint=cure), self.source))
        for made in (made for repairs_of_a_line in repairs.values() for made in repairs_of_a_line):
            note = Diagnostic(made.rule, f"a repair: {made.summary}", made.before, Severity.NOTE, hint=_after([made]))
            self.found.append(passage.carry(note, self.source))

    def _repairs(self, text: str) -> dict[int, list[Repair]]:
        """Return the repairs that make an example strict, by the offsets of their lines; none if they do not."""
        self._engine = self._engine or RepairEngine(self.dialect)
        repaired, found = self._engine.repair(text), dict[int, list[Repair]]()
        for made in repaired.repairs if repaired.document is not None else ():
            found.setdefault(made.before.start - made.before.column + 1, []).append(made)
        return found

    def _fill_form(self, passage: Passage) -> str:
        """Put values of the same length into the placeholders of lines of markup, such as `[path]` and `[0-1]`."""
        text, pieces, done = passage.text, [], 0
        for start, line in self._outside_blocks(passage):
            if self.kinds.begins_with_a_mark(line):
                pieces += [text[done:start], _BLANK.sub(_fill_blank, line)]
                done = start + len(line)
        return "".join((*pieces, text[done:]))

    def _outside_blocks(self, passage: Passage) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not inside of a closed block."""
        closers: tuple[str, ...] = ()
        lines = [(start, passage.text[start:stop].rstrip("\r\n")) for start, stop in passage.lines()]
        last = {line.rstrip(" \t"): number for number, (_, line) in enumerate(lines)}
        for number, (start, line) in enumerate(lines):
            bare = line.rstrip(" \t")
            if closers:
                closers = () if bare in closers else closers
                continue
            yield start, line
            wanted = tuple(self.kinds.closers_of(bare))
            if any(last.get(closer, -1) > number for closer in wanted):
                closers = wanted

    def _read_others_words(self, passage: Passage) -> Iterator[int]:
        """Point out results of tools and words of the user; give the offsets of their lines."""
        thought = self.dialect.marks["thought"] if "lines" not in self.dialect.forms else None
        for start, line in self._outside_blocks(passage):
            body = line
            if thought and line.startswith((thought + " ", thought + "\t")):
                body = line[len(thought) :].lstrip()
            begin = start + len(line) - len(body)
            speaker = _SPEAKER.match(body) or _ROLE_TOKEN.match(body)
            if _RESULT.match(body):
                message = "the result of a tool stands in an example of a reply: a model would learn to make results up"
                hint = "end the reply before it; the result belongs to the next turn of the user or the tool"
                self._add("tool-result-in-reply", message, passage, begin, start + len(line), hint)
            elif speaker and self.kinds.own(line) in (None, "thought"):
                message = "words of another speaker stand in an example of a reply"
                hint = "end the reply before them"
                self._add("other-speaker-in-reply", message, passage, begin, start + len(line), hint)
            else:
                continue
            yield start


def _fill_blank(match: re.Match[str]) -> str:
    inner = match[0][1:-1]
    word = "0.5" if not re.search(r"[A-Za-z]", inner) else re.sub(r"[^a-z]", "", inner.lower()) or "x"
    return word[: len(match[0])].ljust(len(match[0]))


def _after(repairs: list[Repair]) -> str:
    if not repairs:
        return ""
    after = repairs[-1].text_after.strip("\n").replace("\n", " ⏎ ")
    return f"it would be: {after}" if after else "it would be left out"


def _find_placeholders(document: Document) -> Iterator[Diagnostic]:
    """Find placeholders beside real values: a form that has only placeholders is read as a form."""
    values = [text for action in document.actions for text in (action.path, action.content) if text]
    blanks = [text for text in values if _PLACEHOLDER.fullmatch(text.strip())]
    if len(blanks) == len(values):
        return
    for action in document.actions:
        if _PLACEHOLDER.fullmatch(action.path.strip()):
            yield _placeholder(f"{action.path} is a placeholder, but reads as a path", action.span)
        yield from _find_elisions(action)


def _find_elisions(action: Action) -> Iterator[Diagnostic]:
    content, span = action.content, action.content_span
    if not content or span is None:
        return
    if _PLACEHOLDER.fullmatch(content.strip()):
        yield _placeholder(f"the content of {action.path} is only a placeholder", span)
        return
    for number, line in enumerate(content.split("\n"), 1):
        if _ELISION.fullmatch(line) and line.strip() != "...":  # alone it is Python for an empty body
            yield _placeholder(f"line {number} of the content of {action.path} stands for text left out", span)


def _placeholder(message: str, span: Span) -> Diagnostic:
    hint = "write a real value: a model copies what it is shown"
    return Diagnostic("placeholder-in-example", message, span, Severity.WARNING, hint=hint)
