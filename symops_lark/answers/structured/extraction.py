"""A JSON object out of any reply of a model: alone, in a fence or in prose, checked, and never guessed.

Nothing is accepted that is not certain. Of several objects the last one counts that fits the schema; where something
behind it was cut off, the reply was, and nothing counts. An object that a token puts outside of the answer (an invented
turn, thinking) is passed over. If words take back the last one that fits, nothing counts: no earlier one is taken
silently. Words may only take away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...core.grammar.codes import THOUGHT
from ...core.ground.json_objects import JsonObject
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Source, Span
from .candidates import Candidate, Found, find_candidates
from .joints import is_empty
from .refusals import Refusals, find_refusal
from .schema.budget import TooComplexError, canonical
from .schema.problems import Schema
from .schema.schemas import problem_finder, with_whole_numbers
from .speech import is_announced, judge_candidates
from .values import DEEPEST, Refused, Value, read_value

_MOST_TRIED = 1_000
_MOST_TOLD = 20
_BLANKS = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\u3000\ufeff"
_PASSED_OVER = ("does-not-fit", "a-list", "schema-echoed", "empty")  # an object before it may count
_SET_ASIDE = {
    "thinking": (THOUGHT, "this is in a section of thinking"),
    "code": ("in-code", "this stands in a block of code, and is no answer"),
    "inside": ("inside-broken", "this stands inside something that is broken"),
}


@dataclass(frozen=True, slots=True)
class Extraction(JsonObject):
    """What was found in a reply: `value` is an object, or None.

    `strategy` is "direct" (it is the whole reply), "code_block" or "braces"; `repaired` says that it was not quite
    JSON; `span` is its place in the reply. `diagnostics` say what was refused and why; `refused` are the words by
    which the model refused to answer, if it did.
    """

    value: dict[str, Any] | None
    strategy: str | None = None
    repaired: bool = False
    span: Span | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    refused: str | None = None


def extract_json(text: str, schema: Schema | None = None, refusals: Refusals | None = None) -> Extraction:
    """Return the JSON object of a model's reply, the last that fits the schema; never raises for a text.

    `value` is None where there is none that is certain, and `diagnostics` say why. `refusals` say how refusals are
    worded, if not as ours do. Raises `SchemaError` if the schema itself is wrong.
    """
    return Reading(text, schema, refusals).extract()


class Reading:
    """The reading of one reply.

    Attributes:
        last: Where the last object that fits begins, also if it is doubtful; -1 without one.
        is_doubted: Whether words take it back, or nothing says that it counts rather than another one.
    """

    def __init__(self, text: str, schema: Schema | None, refusals: Refusals | None = None) -> None:
        self.source = Source(text)
        self.schema, self.refusals = schema, refusals
        self.findings: list[Diagnostic] = []
        self.found = Found([], [])
        self.last = -1
        self.is_doubted = False
        self.start = len(text) - len(text.lstrip(_BLANKS))
        self.end = max(self.start, len(text.rstrip(_BLANKS)))
        self.has_members = False  # whether some object of the reply is not empty
        self.find_problems = problem_finder(schema) if schema is not None else None  # a wrong schema is told first

    def extract(self) -> Extraction:
        if self._is_one_string():
            return self._fail([])
        self.found = find_candidates(self.source.text)
        candidates = self.found.candidates
        cut = next(
            (each for each in candidates if each.fault in ("cut-off", "too-deep") and each.set_aside in ("", "inside")),
            None,
        )
        if cut is not None:
            self._stop_at(cut)
            return self._fail(candidates)
        if len(candidates) == 1 and (candidates[0].start, candidates[0].end) == (self.start, self.end):
            candidates[0].strategy = "direct"  # no words are around it
        else:
            judge_candidates(self.source.text, candidates)
            self.has_members = any(self._has_members(each) for each in candidates)
        for strategy in ("direct", "code_block", "braces"):
            chosen = self._choose([each for each in candidates if each.strategy == strategy])
            if chosen is not None:
                self._pass_over(candidates, chosen[0])
                return self._accept(*chosen, strategy)
            if self.is_doubted:
                break
        return self._fail(candidates)

    def _has_members(self, candidate: Candidate) -> bool:
        if candidate.is_list or _is_outside(candidate):
            return False
        return not is_empty(self.source.text, candidate.start, candidate.end)

    def _stop_at(self, last: Candidate) -> None:
        """Refuse a reply in which something has no end."""
        if last.fault == "too-deep":
            self._refuse(last, "too-deep", "objects and lists are nested too deeply")
        else:
            self._refuse(last, "cut-off", f"the reply ends where {last.expected} is expected", "ask again, or for less")

    def _is_one_string(self) -> bool:
        """Return whether the whole reply is one JSON string: then what looks like an object in it is only told."""
        stretch = self.source.text[self.start : self.end]
        if stretch[:1] != '"' or stretch[-1:] != '"':
            return False
        try:
            is_string = isinstance(json.loads(stretch), str)
        except (ValueError, RecursionError):
            return False
        if is_string:
            hint = "if it is JSON that was written as a string, decode it first" if "{" in stretch else ""
            span = self.source.span(self.start, self.end)
            self.findings.append(Diagnostic("a-string", "the reply is one string, and no object", span, hint=hint))
        return is_string

    def _choose(self, candidates: list[Candidate]) -> tuple[Candidate, Value] | None:
        """Return the last candidate that counts, and its value; stop where a later one was meant, and is broken."""
        for number, candidate in enumerate(reversed(candidates)):
            if number == _MOST_TRIED:
                self._refuse(candidate, "too-many-candidates", f"the last {_MOST_TRIED:,} objects do not fit")
                return None
            if _is_outside(candidate):
                self._tell(candidate)
                continue
            try:
                value = self._read(candidate)
            except Refused as error:
                self._refuse(candidate, error.code, str(error), error.hint)
                if error.code == "too-complex":  # nobody knows whether it fits, so no earlier one may count
                    return None
                if error.code not in _PASSED_OVER and self._may_be_meant(candidate):
                    return None
                continue
            self.last = candidate.start
            self.is_doubted = candidate.strategy != "direct" and self._doubt(candidate, value)
            return None if self.is_doubted else (candidate, value)
        return None

    def _doubt(self, chosen: Candidate, value: Value) -> bool:
        """Return whether the last object that fits is no certain answer, and tell why."""
        hint = "ask again for one object"
        if chosen.code:
            self._tell(chosen, hint=hint)
            return True
        other = self._find_other(chosen, value)
        if other is None:
            return False
        line, column = self.source.place(other.start)
        message = "several objects fit, with different values, and nothing says which of them counts: another one is in"
        self._refuse(chosen, "several-answers", f"{message} line {line}, column {column}", hint)
        return True

    def _find_other(self, chosen: Candidate, value: Value) -> Candidate | None:
        """Return an earlier object that counts as much as the chosen one, and has another value."""
        later = chosen
        candidates = self.found.candidates
        position = candidates.index(chosen)
        for candidate in reversed(candidates[max(0, position - _MOST_TRIED) : position]):
            if is_announced(self.source.text, self.found, candidate.end, later.start):
                return None
            later = candidate
            if candidate.strategy != chosen.strategy or candidate.code or candidate.set_aside:
                continue
            try:
                other = self._read(candidate)
            except Refused:
                continue
            if canonical(other.value) != canonical(value.value):
                return candidate
        return None

    def _read(self, candidate: Candidate) -> Value:
        if candidate.is_list:
            raise Refused("a-list", "a list is no object, and none of its items is the answer")
        if candidate.fault:
            line, column = self.source.place(candidate.at)
            raise Refused("malformed", f"{candidate.expected} is expected in line {line}, column {column}")
        if candidate.joint is not None:
            line, column = self.source.place(candidate.joint)
            raise Refused(
                "members-outside",
                f"more of it seems to stand beside it, in line {line}, column {column}: a bracket is missing, or there "
                "is one too many",
                "ask again",
            )
        if candidate.deepest > DEEPEST:
            raise Refused("too-deep", f"objects and lists are nested {candidate.deepest} deep; {DEEPEST} is the limit")
        value, repaired = read_value(self.source.text, candidate.start, candidate.end)
        if self.schema is None or self.find_problems is None:
            if not value and self.has_members:
                raise Refused("empty", "this is empty, and another object of the reply is not")
            return Value(value, repaired)
        if value == self.schema:
            raise Refused("schema-echoed", "this is the schema itself")
        if problems := self.find_problems(value):
            raise Refused(problems[0].code, "; ".join(map(str, problems)))
        try:
            return Value(with_whole_numbers(value, self.schema, self.schema), repaired)
        except TooComplexError as error:
            raise Refused("too-complex", str(error)) from None

    def _may_be_meant(self, candidate: Candidate) -> bool:
        """Return whether a broken object may be the answer: it has one of the names that the schema asks for."""
        names = (self.schema or {}).get("properties")
        if not isinstance(names, dict) or not names:
            return True
        stretch = self.source.text[candidate.start : candidate.end]
        return any(name in stretch for name in names)

    def _pass_over(self, candidates: list[Candidate], chosen: Candidate) -> None:
        """Note what was not looked at, because another object counts."""
        told = {(each.span.start, each.span.end) for each in self.findings}
        for each in candidates:
            if each is not chosen and (each.start, each.end) not in told:
                why = "one in a fence" if each.start > chosen.start else "a later one"
                self._tell(each, ("passed-over", f"{why} counts"))

    def _accept(self, candidate: Candidate, value: Value, strategy: str) -> Extraction:
        span = self.source.span(candidate.start, candidate.end)
        if value.repaired:
            message = "this is not quite JSON, and was repaired; every name and value in it is as it was written"
            self.findings.append(Diagnostic("repaired", message, span, Severity.WARNING))
        return Extraction(value.value, strategy, value.repaired, span, self._told(Severity.NOTE))

    def _fail(self, candidates: Iterable[Candidate]) -> Extraction:
        refused = None
        everything = self.source.span(self.start, self.end)
        if all(_is_outside(each) for each in candidates):
            refused = find_refusal(self.source.text, self.refusals)
        if refused is not None:
            self.findings.append(Diagnostic("refused", f"the model refuses to answer: {refused!r}", everything))
        elif not self.findings:
            self.findings.append(Diagnostic("no-object", "there is no JSON object in the reply", everything))
        return Extraction(None, diagnostics=self._told(Severity.ERROR), refused=refused)

    def _refuse(self, candidate: Candidate, code: str, message: str, hint: str = "") -> None:
        if len(self.findings) < _MOST_TOLD:
            span = self.source.span(candidate.start, candidate.end)
            self.findings.append(Diagnostic(code, message, span, hint=hint))

    def _tell(self, candidate: Candidate, otherwise: tuple[str, str] = ("", ""), hint: str = "") -> None:
        """Tell why a candidate does not count: by the discourse, else by where it is, else by `otherwise`."""
        code, message = _SET_ASIDE.get(candidate.set_aside, otherwise)
        if candidate.code:
            code, message = candidate.code, candidate.reason
        self._refuse(candidate, code, message, hint)

    def _told(self, severity: Severity) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of the text; those of what does not count are notes if something does."""
        told = [
            each
            if each.severity is Severity.WARNING
            else Diagnostic(each.code, each.message, each.span, severity, hint=each.hint)
            for each in self.findings
        ]
        return tuple(sorted(told, key=lambda each: (each.span.start, each.span.end)))


def _is_outside(candidate: Candidate) -> bool:
    """Return whether a candidate is certainly no part of the answer."""
    return bool(candidate.set_aside) or (bool(candidate.code) and candidate.is_certain)
