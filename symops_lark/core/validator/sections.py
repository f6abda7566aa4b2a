"""Check a document as a whole, and how its sections fit together."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Completeness, Document, ErrorNote, Section, Skipped, Thought, Vitals
from ..grammar.codes import (
    CIRCULAR_DEPENDENCY,
    DANGLING_DEPENDENCY,
    DRAFT_ACTION,
    DUPLICATE_TARGET,
    EARLY_CLOSE,
    EMPTY_DOCUMENT,
    MARKED_UNFINISHED,
    MISSING_CONTENT,
    MISSING_TARGET,
    NEEDLESS_CONTENT,
    NUMBER_GAP,
    NUMBER_REPEATED,
    REPEATED_ATTRIBUTE,
    REPEATED_COMMAND,
    SECOND_TARGET,
    UNKNOWN_VERB,
    VITALS_OUT_OF_RANGE,
)
from ..ground.numbers import quoted, short
from ..text.diagnostics import Diagnostic, Severity, make_finding
from ..text.source import Span
from ..unfinished import find_marked
from .check import Verbs, warn
from .signs import DocumentSign, check


def is_ordinary(document: Document, verbs: Verbs) -> bool:
    """Return whether no check of sections reports anything about a document; most are so.

    Invariant: if this is True, each check of this module yields nothing. False is not a proof of
    the opposite.

    Args:
        document: The document.
        verbs: The verbs of its dialect.
    """
    targets = set()
    for section in document.sections:
        if isinstance(section, Action):
            # A command and a file may have the same name.
            target = section.path
            if section.type in verbs["running"]:
                target = f"{section.type} {section.path}"
            if target in targets or not _is_ordinary(section, verbs):
                return False
            targets.add(target)
        elif not isinstance(section, Thought) and not _is_fine(section):
            return False
    return bool(document.sections)


def _is_fine(section: Section) -> bool:
    if isinstance(section, Vitals):
        return all(0.0 <= value <= 1.0 for value in section.values())
    return not isinstance(section, ErrorNote | Skipped)


def _is_ordinary(action: Action, verbs: Verbs) -> bool:
    """Return whether no check of sections reports anything about an action without the others."""
    if action.completeness is not Completeness.COMPLETE:
        return False
    # These have checks that compare several actions or values.
    if action.number is not None or action.dependencies:
        return False
    if action.attributes or action.repeated_attributes:
        return False
    if action.type in verbs["writing"]:
        fits = action.content is not None
    elif action.type in verbs["removing"]:
        fits = not action.content
    else:
        fits = action.type in verbs["running"]
    path = action.path
    # A path in another spelling may be the same target: `./a.py`, `b/../a.py`, `a.py/`.
    is_plain = "./" not in path and "//" not in path and path[-1:] not in ("", ".", "/")
    return fits and is_plain


def _is_unusual(document: Document, verbs: Verbs) -> bool:
    return not is_ordinary(document, verbs)


# All checks of this module share one sign, so each section is looked at once. Most documents do not
# have it.
_UNUSUAL = DocumentSign(_is_unusual)


@check(sign=_UNUSUAL)
def check_vitals(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Report vitals that are not between 0.0 and 1.0."""
    for section in document.sections:
        if not isinstance(section, Vitals):
            continue
        for name, value in section.items():
            if not 0.0 <= value <= 1.0:
                message = f"{name} is {short(value)}, outside of 0.0 to 1.0"
                hint = "0.85 means 85 %"
                yield Diagnostic(VITALS_OUT_OF_RANGE, message, section.span, hint=hint)


@check(sign=_UNUSUAL)
def check_verbs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of verbs that the dialect does not have."""
    valid_verbs: list[str] = []
    for group in verbs.values():
        valid_verbs += group
    for action in document.actions:
        if action.type not in valid_verbs:
            message = f"the verb {quoted(action.type)} is not known"
            hint = "known verbs: " + ", ".join(valid_verbs)
            yield warn(UNKNOWN_VERB, message, action, hint)


@check(sign=_UNUSUAL)
def check_content(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Report an action that writes without a content block, and one that removes and has one."""
    for action in document.actions:
        if action.type in verbs["writing"] and action.content is None:
            message = f"{action.type} {action.path} has no content block"
            hint = "an empty file has an empty block"
            severity = Severity.ERROR
            yield make_finding(MISSING_CONTENT, message, action.span, severity, (), hint)
        elif action.type in verbs["removing"] and action.content:
            message = f"{action.type} {action.path} has a content block, which has no meaning here"
            yield warn(NEEDLESS_CONTENT, message, action)


@check(sign=_UNUSUAL)
def check_targets(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Report actions without a target, with two of them, or with the target of another action."""
    by_path: dict[str, Span] = {}
    for action in document.actions:
        if not action.path:
            yield Diagnostic(MISSING_TARGET, f"{action.type} names no target", action.span)
        attributes = dict(action.attributes)
        if "path" in attributes:
            path = attributes["path"]
            message = f"{action.path} has a second path, {path}, as an attribute"
            hint = "name the target once: on the action line or below it"
            yield warn(SECOND_TARGET, message, action, hint)
        if action.type in verbs["running"]:
            continue
        path = _plain_path(action.path)
        if path in by_path:
            message = f"{action.path} is a target already, on line {by_path[path].line}"
            yield warn(DUPLICATE_TARGET, message, action)
        by_path.setdefault(path, action.span)


def _plain_path(path: str) -> str:
    """Return a path without `.`, `..` and empty parts."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    root = "/" if path[:1] == "/" else ""
    return root + "/".join(parts)


@check(sign=_UNUSUAL)
def check_repetition(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that occurs again although no file has changed since.

    A model that repeats a command may be in a loop.
    """
    spans: dict[tuple[str, str], Span] = {}
    for action in document.actions:
        command = (action.type, action.path)
        if action.type not in verbs["running"]:
            spans.clear()
        elif command in spans:
            line = spans[command].line
            name = f"{action.type} {action.path}"
            message = f"{name} is already on line {line}; no file changes since"
            yield warn(REPEATED_COMMAND, message, action, "write it once")
        else:
            spans[command] = action.span


@check(sign=_UNUSUAL)
def check_attributes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of an attribute with two values, of which only the last counts."""
    for action in document.actions:
        for name in action.repeated_attributes:
            attribute = quoted(name)
            path = action.path
            message = f"{path} has the attribute {attribute} more than once; the last value counts"
            hint = "give each attribute once, or all values in one line"
            yield warn(REPEATED_ATTRIBUTE, message, action, hint)


@check(sign=_UNUSUAL)
def check_numbers(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of numbers of actions that do not count up from 1."""
    expected = 1
    for action in document.actions:
        number = action.number
        if number is None:
            continue
        if number != expected:
            code = NUMBER_GAP
            problem = f"not {expected}: a number is left out"
            if number < expected:
                code = NUMBER_REPEATED
                problem = "repeated or out of order"
            message = f"action {action.path} has the number {number}, {problem}"
            yield warn(code, message, action, "a gap may mean that an action is lost")
        expected = max(expected, number + 1)


@check(sign=_UNUSUAL)
def check_dependencies(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Report circular dependencies, and warn of dependencies that the document does not create."""
    actions = document.actions
    if not any(action.dependencies for action in actions):
        return
    by_path = {action.path: action for action in actions if action.type not in verbs["running"]}
    targets = {path.removeprefix("./") for path in by_path}
    for action in actions:
        for dependency in action.dependencies:
            if dependency.removeprefix("./") not in targets:
                path = action.path
                message = f"{path} depends on {dependency}, which is not a target in this document"
                yield warn(DANGLING_DEPENDENCY, message, action, "fine if the file exists already")
    for cycle in _cycles(by_path):
        message = "dependencies go in a circle: " + " > ".join((*cycle, cycle[0]))
        yield Diagnostic(CIRCULAR_DEPENDENCY, message, by_path[cycle[0]].span)


@check(sign=_UNUSUAL)
def check_emptiness(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Report a document without sections."""
    if all(isinstance(section, Skipped) for section in document.sections):
        yield Diagnostic(EMPTY_DOCUMENT, "the text has no section", Span(0, 0))


@check(sign=_UNUSUAL)
def check_early_close(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a content that may continue after its closer, and of a possible draft."""
    for action in document.actions:
        if action.completeness is not Completeness.SUSPECT:
            continue
        if action.content is None:
            name = f"{action.type} {action.path}"
            message = f"{name} may be a draft or an example, and no action"
            yield warn(DRAFT_ACTION, message, action)
        else:
            name = f"the content of {action.path}"
            message = f"{name} may have been closed too early, hold another section, or be a draft"
            yield warn(EARLY_CLOSE, message, action)


@check(sign=_UNUSUAL)
def check_marks(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of an action that an error section of the text marks as incomplete."""
    for index, state in find_marked(document.sections).items():
        action = document.sections[index]
        # `check_early_close` reports a suspect action.
        if isinstance(action, Action) and state is not Completeness.SUSPECT:
            message = f"an error section says that {action.path} is {state}"
            yield warn(MARKED_UNFINISHED, message, action, "ask for it again")


def _cycles(by_path: dict[str, Action]) -> list[tuple[str, ...]]:
    """Return each circle of dependencies once, beginning at the path that comes first.

    This is a depth-first search with an explicit stack: a chain of dependencies may be longer than
    the recursion limit. The time is linear in the dependencies.
    """
    cycles = []
    state = {}  # by path: 1 while it is on the stack, 2 when it is done
    for root in by_path:
        if root in state:
            continue
        # The stack: paths, each with an iterator over the dependencies not followed yet.
        trail = [(root, iter(by_path[root].dependencies))]
        state[root] = 1
        while trail:
            path, remaining = trail[-1]
            step = next((name for name in remaining if name in by_path), None)
            if step is None:
                state[path] = 2
                trail.pop()
            elif state.get(step) == 1:
                names = [name for name, _ in trail]
                start = names.index(step)
                cycles.append(tuple(names[start:]))
            elif step not in state:
                state[step] = 1
                trail.append((step, iter(by_path[step].dependencies)))
    return cycles
