"""Find the examples in a prompt from which a model would learn mistakes.

A prompt teaches by its examples. Each is parsed strictly, validated, and searched for texts that no
model should write: marks of other dialects, results of tools, words of the user, and placeholders
in place of values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

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
from ....core.text.source import Source
from ....core.validator import validate
from .chat import ASSISTANT, SYSTEM, USER, Turn, read_chat
from .excerpts import FENCE, LOOSE, TURN, Excerpt, find_excerpts
from .kinds import LineKinds
from .passage import Passage
from .placeholders import fill_blanks, find_placeholders, is_placeholder

# Lines that only a tool writes.
_RESULT = re.compile(
    r"""
    [ \t]*(?:[#*_>-]+[ \t]*)?
    (?:
        (?:(?:tool|command|function|execution|test)[ _-]?)?(?:results?|outputs?|responses?)
        |observation
        |stdout
        |stderr
        |exit[ ](?:code|status)
        |return(?:ed)?[ ]code
    )
    (?:[*_]{1,2})?[ \t]*[:=]
    # a tag
    |[ \t]*</?(?:
        tool_results?
        |tool_response
        |tool_output
        |function_results?
        |observation
        |stdout
        |stderr
        |output
    )\b[^>]*>
    # the last line of a test runner
    |=+[ ].*\b\d+[ ](?:passed|failed|errors?|skipped)\b.*[ ]=+[ \t]*$
    |[ \t]*\d+[ ](?:passed|failed)(?:,[ ]\d+[ ]\w+)*[ ]in[ ][\d.]+s[ \t]*$
    # an exception
    |Traceback[ ]\(most[ ]recent[ ]call[ ]last\):
    # a note of a shell
    |\[(?:exit|process|command|tool)[ -](?:code|completed|exited|output|result)[^\]]*\]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SPEAKER = re.compile(
    r"""
    (?:[#*_]{1,6}[ ]?)?
    (User|Human|Customer|System|Tool)
    (?:[*_]{1,2})?
    [ \t]*:(?=\s|[*_]|$)
    """,
    re.VERBOSE,
)
# A token of a chat template that begins the turn of another speaker.
_ROLE_TOKEN = re.compile(
    r"""
    [ \t]*(
        <\|(?:im_start|start_header_id)\|>[ \t]*(?:user|system|tool)\b.*
        |</?(?:user|human)>
    )
    """,
    re.VERBOSE,
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_DENIAL = re.compile(
    r"\b(?:not|never|no|instead of|rather than|avoid|without|unlike|wrong|former)\b|n't\b",
    re.IGNORECASE,
)
_TOOL_PARTS = re.compile(
    r"(?:tool|function|web_search|code_execution|bash)\w{0,40}_(?:result|output|response)"
)

# Findings that are normal in examples: `find_placeholders` reports the others of their kind.
_NORMAL = frozenset((EMPTY_DOCUMENT, PLACEHOLDER_CONTENT, LEFT_OUT_CODE, ECHOED_TEMPLATE))


@dataclass(frozen=True, slots=True)
class Linted:
    """The result of checking a prompt.

    Attributes:
        dialect: The name of the dialect that is taught.
        diagnostics: The findings, in the order of the file.
        examples: Number of examples that were checked.
    """

    dialect: str
    diagnostics: tuple[Diagnostic, ...]
    examples: int

    @property
    def clean(self) -> bool:
        """Whether there is nothing to correct. Notes only describe what the repairs would do."""
        return all(finding.severity is Severity.NOTE for finding in self.diagnostics)


def lint_prompt(text: str, format: str | Path | Dialect = "v2") -> Linted:
    """Check the examples in a prompt or chat transcript.

    Examples are searched for between tags such as `reply`, in fences, after `Assistant:`, loose in
    prose, and in messages with the role assistant (JSON, JSON Lines, YAML).

    Args:
        text: The prompt or transcript.
        format: The dialect that is taught: its name, the path of its grammar, or the dialect.

    Returns:
        The findings, with places in `text`.

    Raises:
        GrammarError: There is no such dialect.
    """
    linter = _Linter(text, load_dialect(format))
    turns = read_chat(text)
    if turns is None:
        linter.read_prompt(Passage.whole(text))
    else:
        for turn in turns:
            linter.read_turn(turn)
    # Two rules may find the same mistake.
    findings = list(dict.fromkeys(linter.findings))
    findings.sort(key=_place)
    return Linted(linter.dialect.name, tuple(findings), linter.examples)


def _place(finding: Diagnostic) -> tuple[int, bool, int]:
    """Return the sort key of a finding: within a line, notes come last."""
    return finding.span.line, finding.severity is Severity.NOTE, finding.span.start


class _Linter:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self.source = Source(text)
        self.dialect = dialect
        self.kinds = LineKinds(dialect)
        self.findings: list[Diagnostic] = []
        self.examples = 0
        self._engine: RepairEngine | None = None

    def read_turn(self, turn: Turn) -> None:
        """Check a message of a chat: replies are examples, and the system's text is a prompt."""
        is_call = turn.type in ("tool_use", "function_call")
        if turn.role == SYSTEM:
            self.read_prompt(turn.passage)
        elif turn.role == ASSISTANT and _TOOL_PARTS.search(turn.type):
            message = f"a part of the type {turn.type} has the assistant's role: no model wrote it"
            hint = "give it to the role user or tool"
            self._add("tool-result-in-reply", message, turn.passage, 0, 1, hint)
        elif turn.role == ASSISTANT and turn.type == "text" and turn.passage.text.strip():
            self.read_example(Excerpt(turn.passage, TURN))
        elif turn.role == USER and is_call:
            message = "a tool call has the user's role"
            hint = "the assistant calls tools"
            self._add("reply-in-user-turn", message, turn.passage, 0, 1, hint)

    def read_prompt(self, passage: Passage) -> None:
        """Check the examples in a prompt, and the marks in its prose."""
        parts = find_excerpts(passage, self.kinds)
        for excerpt in parts.excerpts:
            self.read_example(excerpt)
        for line in parts.prose:
            self._read_prose(line)

    def _add(
        self,
        code: str,
        message: str,
        passage: Passage,
        start: int,
        stop: int,
        hint: str = "",
        severity: Severity = Severity.ERROR,
    ) -> None:
        span = passage.span(start, stop, self.source)
        self.findings.append(Diagnostic(code, message, span, severity, hint=hint))

    def _carry(self, finding: Diagnostic, passage: Passage) -> None:
        """Add a finding of a passage, with its place in the file."""
        self.findings.append(passage.carry(finding, self.source))

    def _read_prose(self, passage: Passage) -> None:
        text = passage.text
        for match in _CODE_SPAN.finditer(text):
            mark = match[2].strip()
            dialect = self.kinds.find_stale_mark(mark, text)
            # A prompt may name a mark to forbid it.
            if dialect is None or _DENIAL.search(text[: match.start()]):
                continue
            message = f"`{mark}` is of {dialect.name}; {self.dialect.name} has no such mark"
            place = (passage, *match.span(2))
            self._add("stale-mark", message, *place, self._marks_hint(), Severity.WARNING)

    def _marks_hint(self) -> str:
        marks = self.dialect.marks
        names = ("thought", "action", "target", "open", "close")
        # Several names may have one mark.
        listed = " ".join(dict.fromkeys(marks[name] for name in names))
        return f"the marks of {self.dialect.name} begin with: {listed}"

    # ---- examples

    def read_example(self, excerpt: Excerpt) -> None:
        """Check one example."""
        self.examples += 1
        passage = excerpt.passage
        # Their lines are reported once, and not as mistakes of the dialect.
        misplaced = set(self._read_foreign_words(passage))
        try:
            document = parse(passage.text, self.dialect)
        except ParseError as error:
            # A form with placeholders is correct if it parses with values.
            try:
                parse(self._fill_form(passage), self.dialect)
            except ParseError as worse:
                self._explain(passage, error if misplaced else worse, misplaced)
            return
        if not document.sections and excerpt.how not in (FENCE, LOOSE):
            message = "this example says nothing"
            self._add("empty-example", message, passage, 0, 1, severity=Severity.WARNING)
        blanks = {action.span for action in document.actions if is_placeholder(action.path)}
        for finding in validate(document, self.dialect):
            is_blank = finding.code == DOUBTFUL_PATH and finding.span in blanks
            if finding.code in _NORMAL or is_blank:
                continue
            # An example does not show which files exist.
            if finding.code == DANGLING_DEPENDENCY:
                finding = replace(finding, severity=Severity.NOTE)
            self._carry(finding, passage)
        for finding in find_placeholders(document):
            self._carry(finding, passage)

    def _explain(self, passage: Passage, error: ParseError, misplaced: Collection[int]) -> None:
        """Report why an example does not parse: it is of another dialect, or has mistakes."""
        stale = {}
        # The end of each line, by its beginning.
        ends = dict(passage.lines())
        for start, line in self._outside_blocks(passage):
            dialect = self.kinds.foreign(line)
            if dialect is not None and start not in misplaced:
                stale[start] = dialect
        for dialect in dict.fromkeys(stale.values()):
            document = parse_valid(passage.text, dialect)
            if document is not None and document.sections:
                start = min(stale)
                hint = self._conversion_hint(dialect)
                fact = f"this example is {dialect.name}"
                self._add_stale(fact, passage, start, ends[start], hint)
                return
        repairs = self._repairs(error.source.text)
        for start, dialect in stale.items():
            hint = _after(repairs.pop(start, [])) or self._marks_hint()
            fact = f"this line is of {dialect.name}"
            self._add_stale(fact, passage, start, ends[start], hint)
        for start in misplaced:
            # They are reported already, and would be left out.
            repairs.pop(start, None)
        for finding in error.diagnostics:
            start = error.source.line_starts[finding.span.line - 1]
            if start in stale or start in misplaced:
                continue
            message = f"this example is not strict {self.dialect.name}: {finding.message}"
            hint = _after(repairs.pop(start, [])) or finding.hint
            self._carry(replace(finding, message=message, hint=hint), passage)
        for repairs_of_line in repairs.values():
            for repair in repairs_of_line:
                message = f"a repair: {repair.summary}"
                hint = _after([repair])
                note = Diagnostic(repair.rule, message, repair.before, Severity.NOTE, hint=hint)
                self._carry(note, passage)

    def _conversion_hint(self, dialect: Dialect) -> str:
        name = self.dialect.name
        target = name if name in dialects() else self.dialect.file
        return f"`symops convert --format {dialect.name} --to {target}` rewrites it"

    def _add_stale(self, fact: str, passage: Passage, start: int, end: int, hint: str) -> None:
        # Only the line is cut out: with the text before it, this would take quadratic time.
        stop = start + len(passage.text[start:end].rstrip())
        message = f"{fact}, not {self.dialect.name}"
        self._add("stale-mark", message, passage, start, stop, hint)

    def _repairs(self, text: str) -> dict[int, list[Repair]]:
        """Return the repairs that make an example strict, by the offsets of their lines."""
        self._engine = self._engine or RepairEngine(self.dialect)
        repaired = self._engine.repair(text)
        repairs: dict[int, list[Repair]] = {}
        # Repairs that are not enough would be bad advice.
        if repaired.document is not None:
            for repair in repaired.repairs:
                start = repair.before.start - repair.before.column + 1
                repairs.setdefault(start, []).append(repair)
        return repairs

    def _fill_form(self, passage: Passage) -> str:
        """Return an example with values in place of the placeholders in its markup."""
        text = passage.text
        pieces = []
        done = 0
        for start, line in self._outside_blocks(passage):
            if self.kinds.begins_with_a_mark(line):
                pieces += [text[done:start], fill_blanks(line)]
                done = start + len(line)
        return "".join((*pieces, text[done:]))

    def _outside_blocks(self, passage: Passage) -> Iterator[tuple[int, str]]:
        """Yield the lines that are not inside a closed block, with their offsets."""
        lines = []
        for start, stop in passage.lines():
            lines.append((start, passage.text[start:stop].rstrip("\r\n")))
        # The last occurrence of each line: a block without a closer after it is not closed.
        last = {line.rstrip(" \t"): start for start, line in lines}
        closers: tuple[str, ...] = ()
        for start, line in lines:
            bare = line.rstrip(" \t")
            if closers:
                if bare in closers:
                    closers = ()
                continue
            yield start, line
            expected = tuple(self.kinds.closers_of(bare))
            if any(last.get(closer, -1) > start for closer in expected):
                closers = expected

    def _read_foreign_words(self, passage: Passage) -> Iterator[int]:
        """Report results of tools and words of the user; yield the offsets of their lines."""
        # In a dialect of lines, a thought has no mark that could be before such words.
        thought = self.dialect.marks["thought"] if "lines" not in self.dialect.forms else None
        for start, line in self._outside_blocks(passage):
            words = line
            if thought and line.startswith((thought + " ", thought + "\t")):
                words = line[len(thought) :].lstrip()
            stop = start + len(line)
            place = (passage, stop - len(words), stop)
            speaker = _SPEAKER.match(words) or _ROLE_TOKEN.match(words)
            if _RESULT.match(words):
                message = (
                    "the result of a tool is in an example of a reply: a model would learn to "
                    "invent results"
                )
                hint = "end the reply before it; it belongs to the next turn of the user or tool"
                self._add("tool-result-in-reply", message, *place, hint)
            elif speaker and self.kinds.own(line) in (None, "thought"):
                message = "words of another speaker are in an example of a reply"
                hint = "end the reply before them"
                self._add("other-speaker-in-reply", message, *place, hint)
            else:
                continue
            yield start


def _after(repairs: list[Repair]) -> str:
    """Return the text of a line after its repairs, as a hint."""
    if not repairs:
        return ""
    after = repairs[-1].text_after.strip("\n").replace("\n", " ⏎ ")
    return f"it would be: {after}" if after else "it would be left out"
