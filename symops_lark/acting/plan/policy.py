"""Decide which changes are automatic, which need confirmation, and which are refused.

Purpose
    `Policy` holds the settings, `decide_change` and `decide_command` are pure functions of them. A
    decision has reasons, which a person reads before confirming.

Invariants
    1. The strictest reason decides: one reason to refuse outweighs all others
       (`tests/acting/test_policy.py`).
    2. A command is never automatic unless the policy names it.
    3. Text that was cut off, or that may not be complete, is never written without a question,
       whatever the settings are.
    4. The default policy asks rather than allows wherever a reply was not certain.

A worked example: `delete a.py`, read with confidence 0.8, and the default policy

    ask     it was read with confidence 0.80, below 0.90
    ask     a file is deleted
    → ask, with both reasons

Not here
    Paths that are refused in any case: `files.paths`. Which texts look like notations for edits:
    `core.edits.whole_texts`. Whether a person confirms: `acting.execution`.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields

from ...core.document import Action, Completeness
from ...core.edits import Edited
from ...core.edits.left_out import may_stand_for_code
from ...core.edits.reading import WHOLE_TEXT
from ...core.edits.whole_texts import (
    Thresholds,
    describe_left_out,
    describe_mark,
    find_doubts,
    find_loss,
    find_mark,
)
from ...core.grammar.codes import FENCED_CONTENT
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic
from ...core.validator.contents import is_fenced
from ..changes import Decision, Operation
from ..files.paths import unseen
from ..files.protected import PROTECTED, is_protected, matches
from .policy_values import WrongValue, take_value
from .sensitive import SENSITIVE

Reason = tuple[Decision, str]  # a sentence, and what it alone would decide

_INCOMPLETE = {
    Completeness.UNTERMINATED: "the end of its content was missing",
    Completeness.SUSPECT: "its content may end too early, or hold another section",
    Completeness.TRUNCATED: "the reply was cut off inside it",
}
# Characters that a shell does not read as parts of words: `a; b`, `a > b`, `$(x)`, `*.py`. A glob
# of the policy must not allow them, as `pytest *` would also match `pytest; rm -rf .`.
_OPERATORS = re.compile(r"[;&|$`<>(){}\[\]*?~!#\\\n\r]")
_SHOWN = str.maketrans("\t\n", "  ")  # controls that a command may have
# Marks, embeddings, overrides and isolates (Unicode Annex 9): see "Trojan Source", Boucher and
# Anderson 2021, https://trojansource.codes.
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# All but tab, line feed, vertical tab, form feed and carriage return, which sources contain.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_ODD_CHARACTERS = (
    (_BIDI, "turns the direction of writing, which can make code look like other code"),
    (_CONTROL, "is a control character"),
)
_MAX_SHOWN = 80  # characters of a value that a message shows
# A command may be this many times longer than a path: it has a few of them.
_PATHS_OF_A_COMMAND = 8


@dataclass(frozen=True, slots=True)
class Policy:
    """Which changes are automatic, asked about or refused.

    Globs without a slash match any part of a path, others begin at any folder; case is ignored.

    Attributes:
        auto_from: Confidence (0 to 1) from which on an action needs no question.
        ask_from: Confidence below which an action is refused.
        unterminated: Decision if the closing delimiter of a content was missing.
        suspect: Decision if a content may end too early, or was almost certainly not intended.
        truncated: Decision if the reply was cut off inside a content.
        warned: Decision if `process` warned about the action.
        unwrapped: Decision if the content of a valid reply was a Markdown fence, which was removed.
        fuzzy: Decision if an edit was placed although blanks, indentation, typographic characters
            or line numbers differ.
        whole_text: Decision if the whole new text of a file does not look like one.
        deleting: Decision if a file is deleted.
        allow: Globs of protected and sensitive files that are treated as any others.
        protected: Globs of files that are refused, because they may hold secrets.
        sensitive: Globs of files that are asked about, because they are run or trusted unasked.
        ask_commands: Globs of commands that may run after a question; all others are refused.
        auto_commands: Globs of commands that need no question. A command with operators of a shell
            must be listed literally.
        environment: Globs of variables that commands see, besides the harmless ones.
        shrink_least: Filled lines from which on a file is guarded against losing most of them.
        shrink_share: Share (0 to 1) of these lines that may be lost without a question.
        shrink_end: The same, if they are all of the end: a reply may stop too early.
        max_actions: The highest number of actions.
        max_file_bytes: The highest size of one file, in bytes.
        max_total_bytes: The highest size of all files together, before and after, in bytes.
        max_path_bytes: The highest length of a path, in bytes.
    """

    auto_from: float = 0.9
    ask_from: float = 0.5
    unterminated: Decision = Decision.ASK
    suspect: Decision = Decision.ASK
    truncated: Decision = Decision.REFUSE
    warned: Decision = Decision.ASK
    unwrapped: Decision = Decision.ASK
    fuzzy: Decision = Decision.ASK
    whole_text: Decision = Decision.ASK
    deleting: Decision = Decision.ASK
    allow: tuple[str, ...] = ()
    protected: tuple[str, ...] = field(default_factory=lambda: PROTECTED)
    sensitive: tuple[str, ...] = field(default_factory=lambda: SENSITIVE)
    ask_commands: tuple[str, ...] = ("*",)
    auto_commands: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    shrink_least: int = 20
    shrink_share: float = 0.5
    shrink_end: float = 0.1
    max_actions: int = 1_000
    max_file_bytes: int = 1_000_000
    max_total_bytes: int = 20_000_000
    max_path_bytes: int = 1_024

    def __post_init__(self) -> None:
        """Convert the values as a policy file has them, and check them.

        Raises:
            ValueError: A word is not a decision, a number is out of its range, or `ask_from` is
            above
                `auto_from`.
            TypeError: A value has another type: a string for a tuple of globs, a bool for a number.
        """
        for setting in fields(self):
            value = getattr(self, setting.name)
            try:
                converted = take_value(str(setting.type), value)
            except WrongValue as wrong:
                excerpt = repr(value if wrong.index is None else value[wrong.index])[:_MAX_SHOWN]
                message = f"Policy.{setting.name} is {wrong.expected}, not {excerpt}"
                raise wrong.error(message) from None
            object.__setattr__(self, setting.name, converted)
        if not 0.0 <= self.ask_from <= self.auto_from:
            raise ValueError("Policy: thresholds must be 0 <= ask_from <= auto_from")


def protects(path: str, policy: Policy) -> str:
    """Return why a path needs an explicit allowance, or an empty string.

    Args:
        path: The file, relative to the root.
        policy: The policy, which may allow it by name.
    """
    if is_protected(path, policy.allow, policy.protected):
        return f"{path} may hold secrets: it is protected unless the policy allows it by name"
    return ""


def trusts(path: str, policy: Policy) -> str:
    """Return why a person is asked about each change of a path, or an empty string.

    Args:
        path: The file, relative to the root.
        policy: The policy, which may allow it by name.
    """
    if matches(path, policy.sensitive) and not matches(path, policy.allow):
        return f"{path} is run or trusted without being asked for"
    return ""


def decide_change(
    action: Action,
    path: str,
    operation: Operation,
    before: str | None,
    after: str | None,
    policy: Policy,
    doubts: Iterable[str] = (),
    warnings: Sequence[Diagnostic] = (),
    *,
    edited: Edited | None = None,
) -> tuple[Decision, tuple[str, ...]]:
    """Decide about the change of a file.

    Args:
        action: The action of the reply.
        path: The file, relative to the root.
        operation: What is done to it.
        before: Its text, None if there is none.
        after: Its new text, None if there is none.
        policy: The policy.
        doubts: Further reasons to ask, such as those about the path.
        warnings: The warnings of `process` about the action.
        edited: How the content of an edit was read and placed. None: it is no edit.

    Returns:
        The decision, and the reasons why it is not AUTO.
    """
    reasons = list(_about_reading(action, policy, warnings))
    reasons += [(Decision.ASK, doubt) for doubt in doubts]
    trust = trusts(path, policy)
    if trust:
        reasons.append((Decision.ASK, trust))
    if operation is Operation.DELETE:
        reasons.append((policy.deleting, "a file is deleted"))
    is_replaced = operation is Operation.REPLACE
    is_whole = is_replaced and edited is not None and edited.kind == WHOLE_TEXT
    if edited is not None:
        reasons += _about_places(edited, policy)
    if after is not None:
        # The lines of a diff or of blocks lie anywhere in the file; those of a whole text are all
        # new.
        is_edited = is_replaced and not is_whole
        oddities = _find_oddities(after, before or "", is_edited)
        reasons += [(Decision.ASK, oddity) for oddity in oddities]
        reasons += _about_losses(after, before or "", policy, is_whole)
    return _strictest(reasons)


def _about_places(edited: Edited, policy: Policy) -> Iterator[Reason]:
    """Yield reasons from how an edit was read and placed."""
    for doubt in edited.doubts:
        decision = policy.fuzzy if doubt in edited.tolerances else Decision.ASK
        yield decision, doubt


def decide_command(
    action: Action, policy: Policy, warnings: Sequence[Diagnostic] = ()
) -> tuple[Decision, tuple[str, ...]]:
    """Decide about a command: never AUTO unless the policy names it.

    Args:
        action: The action of the reply; its path is the command line.
        policy: The policy.
        warnings: The warnings of `process` about the action.

    Returns:
        The decision, and the reasons why it is not AUTO.
    """
    command = action.path
    reasons = list(_about_reading(action, policy, warnings))
    # Half of `rm -rf ./build` is `rm -rf .`: no setting allows that.
    if action.completeness is not Completeness.COMPLETE:
        reasons.append((Decision.REFUSE, "a command that may be incomplete is not run"))
    # A line feed is shown as a sign. It is an operator, so a person is asked.
    hidden = unseen(command.translate(_SHOWN))
    if hidden:
        character = f"U+{ord(hidden):04X}"
        message = f"the command has a character that cannot be seen ({character})"
        reasons.append((Decision.REFUSE, message))
    if not command.strip():
        reasons.append((Decision.REFUSE, "the command is empty"))
    max_length = _PATHS_OF_A_COMMAND * policy.max_path_bytes
    if len(command) > max_length:
        limit = counted(max_length, "character")
        reasons.append((Decision.REFUSE, f"the command is longer than {limit}"))
    elif not _is_automatic(command, policy):
        if _is_like(command, policy.ask_commands):
            reasons.append((Decision.ASK, "a command is run"))
        else:
            reasons.append((Decision.REFUSE, "the policy does not allow this command"))
    if action.content:
        reasons.append((Decision.ASK, "the content block of the command is not used"))
    return _strictest(reasons)


def _is_automatic(command: str, policy: Policy) -> bool:
    """Return whether a command is listed literally, or by a glob if it has no operators."""
    if command in policy.auto_commands:
        return True
    return _OPERATORS.search(command) is None and _is_like(command, policy.auto_commands)


def _about_reading(
    action: Action, policy: Policy, warnings: Sequence[Diagnostic]
) -> Iterator[Reason]:
    """Yield reasons from how the action was read: warnings, confidence, completeness."""
    is_unwrapped = _is_unwrapped(action, warnings)
    for warning in warnings:
        yield (policy.unwrapped if is_unwrapped else policy.warned), warning.message
    # Removing the fence lowered the confidence and made the content suspect. Nothing else did.
    has_end = action.completeness in (Completeness.COMPLETE, Completeness.SUSPECT)
    if is_unwrapped and has_end and policy.unwrapped is Decision.AUTO:
        return
    confidence = action.confidence
    # Not `confidence < …`, which is false for NaN: that must be refused too.
    if not confidence >= policy.ask_from:
        message = f"it was read with confidence {confidence:.2f}, below {policy.ask_from:.2f}"
        yield Decision.REFUSE, message
    elif not confidence >= policy.auto_from:
        message = f"it was read with confidence {confidence:.2f}, below {policy.auto_from:.2f}"
        yield Decision.ASK, message
    if action.completeness in _INCOMPLETE:
        message = _INCOMPLETE[action.completeness]
        # A warning knows more than "may end too early".
        if warnings and action.completeness is Completeness.SUSPECT:
            message = warnings[0].message
        # The fields of the policy have the names of the members.
        decision = getattr(policy, action.completeness)
        yield (Decision.ASK if decision is Decision.AUTO else decision), message


def _is_unwrapped(action: Action, warnings: Sequence[Diagnostic]) -> bool:
    """Return whether the only warnings are about a fence that was removed from the content."""
    if not warnings or any(warning.code != FENCED_CONTENT for warning in warnings):
        return False
    return not is_fenced(action.content or "")


def _find_oddities(after: str, before: str, is_edited: bool) -> Iterator[str]:
    """Yield reasons to look at a new text, apart from those that the old text gave already.

    All lines that an edit put into the file are searched for marks, not only those at its ends.
    """
    old_lines = set(before.split("\n"))
    for number, line in enumerate(after.split("\n"), 1):
        if line not in old_lines and may_stand_for_code(line):
            yield describe_left_out((number, line.strip()))
            break
    mark = find_mark(before, after, everywhere=is_edited)
    if mark is not None:
        yield describe_mark(mark)
    for pattern, description in _ODD_CHARACTERS:
        match = pattern.search(after)
        if match is None or pattern.search(before):
            continue
        line_number = after.count("\n", 0, match.start()) + 1
        yield f"on line {line_number}, U+{ord(match[0]):04X} {description}"


def _about_losses(after: str, before: str, policy: Policy, is_whole: bool) -> Iterator[Reason]:
    """Yield reasons from the lines that a file loses, or from a notation in place of its text."""
    limits = Thresholds(
        shrink_from=policy.shrink_least,
        shrink_share=policy.shrink_share,
        end_share=policy.shrink_end,
    )
    if before.strip() and not after.strip():
        yield Decision.ASK, "the file becomes empty"
    elif is_whole:
        for doubt in find_doubts(before, after, limits):
            yield policy.whole_text, doubt
    else:
        loss = find_loss(before, after, limits)
        if loss:
            yield Decision.ASK, loss


def _strictest(reasons: list[Reason]) -> tuple[Decision, tuple[str, ...]]:
    """Return the strictest decision, and the sentences, those to refuse first."""
    refusals = [sentence for decision, sentence in reasons if decision is Decision.REFUSE]
    questions = [sentence for decision, sentence in reasons if decision is Decision.ASK]
    sentences = tuple(dict.fromkeys(refusals + questions))
    if refusals:
        return Decision.REFUSE, sentences
    if questions:
        return Decision.ASK, sentences
    return Decision.AUTO, ()


def _is_like(command: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(command, glob) for glob in globs)
