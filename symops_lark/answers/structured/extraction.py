"""Extract a JSON object from any reply of a model: alone, in a fence or in prose, never guessed.

Only a certain object counts. Of several objects the last one that fits the schema counts; if
something after it was cut off, the whole reply was, and nothing counts. An object that a token puts
outside of the answer (an invented turn, thinking) is skipped. If words take back the last object
that fits, nothing counts: an earlier one is never taken silently. Words may only take away.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from ...core.grammar.codes import THOUGHT
from ...core.ground.json_objects import JsonObject
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Source, Span
from .candidates import Candidate, Scan, find_candidates
from .joints import is_empty
from .refusals import Refusals, find_refusal
from .schema.budget import TooComplexError, canonical
from .schema.problems import Schema
from .schema.schemas import problem_finder, with_whole_numbers
from .speech import is_announced, judge_candidates
from .values import DEEPEST, Refused, Value, read_value

_MAX_TRIED = 1_000  # objects that are read, so that the time is bounded
_MAX_FINDINGS = 20
_BLANKS = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff"
# After an object with one of these, an earlier one may count.
_SKIPPED = ("does-not-fit", "a-list", "schema-echoed", "empty")
_SET_ASIDE = {
    "thinking": (THOUGHT, "this is in a section of thinking"),
    "code": ("in-code", "this is in a block of code, and is not an answer"),
    "inside": ("inside-broken", "this is inside something that is broken"),
}


@dataclass(frozen=True, slots=True)
class Extraction(JsonObject):
    """The result of reading a reply.

    Attributes:
        value: The object; None without one.
        strategy: "direct" (it is the whole reply), "code_block" or "braces"; None without a value.
        repaired: Whether it is not exactly JSON.
        span: Its place in the reply.
        diagnostics: What was rejected, and why.
        refused: The words with which the model refused to answer; None if it did not.
    """

    value: dict[str, Any] | None
    strategy: str | None = None
    repaired: bool = False
    span: Span | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: str | None = None


def extract_json(
    text: str, schema: Schema | None = None, refusals: Refusals | None = None
) -> Extraction:
    """Return the last JSON object of a model's reply that fits the schema.

    It never raises an error because of the text.

    Args:
        text: The reply.
        schema: The schema; None: any object fits.
        refusals: The wordings of refusals; None: those of the package.

    Returns:
        The object; a `value` of None if none is certain, with the reasons in `diagnostics`.

    Raises:
        SchemaError: The schema is invalid.
    """
    return Reading(text, schema, refusals).extract()


class Reading:
    """The reading of one reply.

    Attributes:
        last: The offset of the last object that fits, also if it is doubtful; -1 without one.
        is_doubted: Whether words take it back, or nothing decides between it and another one.
    """

    def __init__(self, text: str, schema: Schema | None, refusals: Refusals | None = None) -> None:
        self.source = Source(text)
        self.schema = schema
        self.refusals = refusals
        self.findings: list[Diagnostic] = []
        self.scan = Scan([], [])
        self.last = -1
        self.is_doubted = False
        self.start = len(text) - len(text.lstrip(_BLANKS))
        self.end = max(self.start, len(text.rstrip(_BLANKS)))
        self.has_members = False  # whether some object of the reply is not empty
        # This reports an invalid schema before the reply is read.
        self.find_problems = None if schema is None else problem_finder(schema)

    def extract(self) -> Extraction:
        """Return the result."""
        if self._is_one_string():
            return self._fail()
        self.scan = find_candidates(self.source.text)
        candidates = self.scan.candidates
        for candidate in candidates:
            has_no_end = candidate.fault in ("cut-off", "too-deep")
            if has_no_end and candidate.set_aside in ("", "inside"):
                self._refuse_endless(candidate)
                return self._fail()
        places = [(candidate.start, candidate.end) for candidate in candidates]
        if places == [(self.start, self.end)]:
            candidates[0].strategy = "direct"  # there are no words around it
        else:
            judge_candidates(self.source.text, candidates)
            self.has_members = any(map(self._has_members, candidates))
        # An object in prose may be an example, so one in a fence counts before it.
        for strategy in ("direct", "code_block", "braces"):
            choice = self._choose(strategy)
            if choice is not None:
                self._add_skipped(choice[0])
                return self._accept(*choice)
            if self.is_doubted:
                break
        return self._fail()

    def _has_members(self, candidate: Candidate) -> bool:
        if candidate.is_list or _is_outside(candidate):
            return False
        return not is_empty(self.source.text, candidate.start, candidate.end)

    def _refuse_endless(self, candidate: Candidate) -> None:
        """Refuse a reply in which something has no end."""
        if candidate.fault == "too-deep":
            self._refuse(candidate, "too-deep", "objects and lists are nested too deeply")
        else:
            message = f"the reply ends where {candidate.expected} is expected"
            self._refuse(candidate, "cut-off", message, "ask again, or for less")

    def _is_one_string(self) -> bool:
        """Return whether the whole reply is one JSON string; objects in it are only text."""
        text = self.source.text[self.start : self.end]
        if not (text.startswith('"') and text.endswith('"')):
            return False
        try:
            is_string = isinstance(json.loads(text), str)
        except (ValueError, RecursionError):
            return False
        if is_string:
            hint = ""
            if "{" in text:
                hint = "if it is JSON that was written as a string, decode it first"
            self._add(self._span(), "a-string", "the reply is one string, not an object", hint)
        return is_string

    def _choose(self, strategy: str) -> tuple[Candidate, Value] | None:
        """Return the last candidate that counts, and its value.

        The search ends at a later candidate that was meant and is broken.
        """
        count = 0
        for candidate in reversed(self.scan.candidates):
            if candidate.strategy != strategy:
                continue
            count += 1
            if count > _MAX_TRIED:
                message = f"the last {_MAX_TRIED:,} objects do not fit"
                self._refuse(candidate, "too-many-candidates", message)
                return None
            if _is_outside(candidate):
                self._report(candidate)
                continue
            try:
                value = self._read(candidate)
            except Refused as error:
                self._refuse(candidate, error.code, str(error), error.hint)
                # It is unknown whether a too complex one fits, so an earlier one must not count.
                if error.code == "too-complex":
                    return None
                if error.code not in _SKIPPED and self._may_be_meant(candidate):
                    return None
                continue
            self.last = candidate.start
            self.is_doubted = strategy != "direct" and self._doubt(candidate, value)
            return None if self.is_doubted else (candidate, value)
        return None

    def _doubt(self, chosen: Candidate, value: Value) -> bool:
        """Return whether the last object that fits is not certain, and report the reason."""
        hint = "ask again for one object"
        if chosen.code:
            self._report(chosen, hint=hint)
            return True
        rival = self._find_rival(chosen, value)
        if rival is None:
            return False
        line, column = self.source.place(rival.start)
        message = (
            "several objects fit, with different values, and nothing decides which of them counts: "
            f"another one is in line {line}, column {column}"
        )
        self._refuse(chosen, "several-answers", message, hint)
        return True

    def _find_rival(self, chosen: Candidate, value: Value) -> Candidate | None:
        """Return an earlier object that counts as much as the chosen one, with another value."""
        later = chosen
        candidates = self.scan.candidates
        index = candidates.index(chosen)
        for candidate in reversed(candidates[max(0, index - _MAX_TRIED) : index]):
            if is_announced(self.source.text, self.scan, candidate.end, later.start):
                return None
            later = candidate
            if candidate.strategy != chosen.strategy or candidate.code or candidate.set_aside:
                continue
            try:
                rival = self._read(candidate)
            except Refused:
                continue
            if canonical(rival.value) != canonical(value.value):
                return candidate
        return None

    def _read(self, candidate: Candidate) -> Value:
        self._check(candidate)
        content = read_value(self.source.text, candidate.start, candidate.end)
        if self.schema is None or self.find_problems is None:
            if not content.value and self.has_members:
                raise Refused("empty", "this is empty, and another object of the reply is not")
            return content
        # A reply may repeat the schema, and a schema may fit itself.
        if content.value == self.schema:
            raise Refused("schema-echoed", "this is the schema itself")
        problems = self.find_problems(content.value)
        if problems:
            raise Refused(problems[0].code, "; ".join(map(str, problems)))
        try:
            value = with_whole_numbers(content.value, self.schema, self.schema)
        except TooComplexError as error:
            raise Refused("too-complex", str(error)) from None
        return Value(value, content.repaired)

    def _check(self, candidate: Candidate) -> None:
        """Raise an error for a candidate that is not a complete object."""
        if candidate.is_list:
            raise Refused("a-list", "a list is not an object, and none of its items is the answer")
        if candidate.fault:
            line, column = self.source.place(candidate.at)
            message = f"{candidate.expected} is expected in line {line}, column {column}"
            raise Refused("malformed", message)
        # A part of the answer would be lost.
        if candidate.joint is not None:
            line, column = self.source.place(candidate.joint)
            message = (
                f"it seems to continue beside itself, in line {line}, column {column}: "
                "a bracket is missing, or there is one too many"
            )
            raise Refused("members-outside", message, "ask again")
        if candidate.deepest > DEEPEST:
            depth = f"{candidate.deepest} deep; {DEEPEST} is the limit"
            raise Refused("too-deep", f"objects and lists are nested {depth}")

    def _may_be_meant(self, candidate: Candidate) -> bool:
        """Return whether a broken object may be the answer: it has a name of the schema."""
        names = (self.schema or {}).get("properties")
        if not isinstance(names, dict) or not names:
            return True
        text = self.source.text[candidate.start : candidate.end]
        return any(name in text for name in names)

    def _add_skipped(self, chosen: Candidate) -> None:
        """Add a finding for each candidate that was not read, because another one counts."""
        reported = {(finding.span.start, finding.span.end) for finding in self.findings}
        for candidate in self.scan.candidates:
            if candidate is chosen or (candidate.start, candidate.end) in reported:
                continue
            reason = "one in a fence" if candidate.start > chosen.start else "a later one"
            self._report(candidate, ("passed-over", f"{reason} counts"))

    def _accept(self, candidate: Candidate, value: Value) -> Extraction:
        span = self.source.span(candidate.start, candidate.end)
        if value.repaired:
            message = (
                "this is not quite JSON, and was repaired; "
                "every name and value in it is as it was written"
            )
            self.findings.append(Diagnostic("repaired", message, span, Severity.WARNING))
        diagnostics = self._sorted(Severity.NOTE)
        return Extraction(value.value, candidate.strategy, value.repaired, span, diagnostics)

    def _fail(self) -> Extraction:
        # A reply with an answer may have words of a refusal in its prose.
        refused = None
        if all(map(_is_outside, self.scan.candidates)):
            refused = find_refusal(self.source.text, self.refusals)
        if refused is not None:
            self._add(self._span(), "refused", f"the model refuses to answer: {refused!r}")
        elif not self.findings:
            self._add(self._span(), "no-object", "there is no JSON object in the reply")
        return Extraction(None, diagnostics=self._sorted(Severity.ERROR), refused=refused)

    def _span(self) -> Span:
        return self.source.span(self.start, self.end)

    def _refuse(self, candidate: Candidate, code: str, message: str, hint: str = "") -> None:
        if len(self.findings) < _MAX_FINDINGS:
            span = self.source.span(candidate.start, candidate.end)
            self._add(span, code, message, hint)

    def _report(
        self, candidate: Candidate, default: tuple[str, str] = ("", ""), hint: str = ""
    ) -> None:
        """Add why a candidate does not count: its discourse, else its place, else a default."""
        code, message = _SET_ASIDE.get(candidate.set_aside, default)
        if candidate.code:
            code = candidate.code
            message = candidate.reason
        self._refuse(candidate, code, message, hint)

    def _add(self, span: Span, code: str, message: str, hint: str = "") -> None:
        self.findings.append(Diagnostic(code, message, span, hint=hint))

    def _sorted(self, severity: Severity) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of the text, with the severity of what was rejected."""
        findings = []
        for finding in self.findings:
            # A warning is about the object that counts; the others are about rejected ones.
            if finding.severity is not Severity.WARNING:
                finding = replace(finding, severity=severity)
            findings.append(finding)
        return tuple(sorted(findings, key=lambda finding: (finding.span.start, finding.span.end)))


def _is_outside(candidate: Candidate) -> bool:
    """Return whether a candidate certainly does not belong to the answer."""
    return bool(candidate.set_aside) or (bool(candidate.code) and candidate.is_certain)
