"""Checks of a document as a whole, and of how its sections stand to each other: one small function per check."""

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
    """Return whether no check of sections reports anything of a document, as of most; False where one may."""
    seen: set[str] = set()
    for section in document.sections:
        if isinstance(section, Action):
            name = f"{section.type} {section.path}" if section.type in verbs["running"] else section.path
            if name in seen or not _is_ordinary(section, verbs):
                return False
            seen.add(name)
        elif not isinstance(section, Thought) and not _is_fine(section):
            return False
    return bool(document.sections)


def _is_fine(section: Section) -> bool:
    if isinstance(section, Vitals):
        return all(0.0 <= value <= 1.0 for value in section.values())
    return not isinstance(section, ErrorNote | Skipped)


def _is_ordinary(action: Action, verbs: Verbs) -> bool:
    """Return whether an action, by itself, is one of which no check of sections reports anything."""
    path = action.path
    if action.type in verbs["writing"]:
        fits = action.content is not None
    else:
        fits = action.type in verbs["running"] or (action.type in verbs["removing"] and not action.content)
    more = action.number is not None or action.dependencies or action.attributes or action.repeated_attributes
    if not fits or more or action.completeness is not Completeness.COMPLETE:
        return False
    return bool(path) and "./" not in path and "//" not in path and path[-1] not in "./"


def _is_unusual(document: Document, verbs: Verbs) -> bool:
    return not is_ordinary(document, verbs)


# One look at each section answers for all checks here: most documents are ordinary.
_UNUSUAL = DocumentSign(_is_unusual)


@check(sign=_UNUSUAL)
def check_vitals(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Vitals lie between 0.0 and 1.0."""
    for section in document.sections:
        if isinstance(section, Vitals):
            for name, value in section.items():
                if not 0.0 <= value <= 1.0:
                    message = f"{name} is {short(value)}, outside of 0.0 to 1.0"
                    yield Diagnostic(VITALS_OUT_OF_RANGE, message, section.span, hint="0.85 means 85 %")


@check(sign=_UNUSUAL)
def check_verbs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Verbs are known ones."""
    known = [verb for group in verbs.values() for verb in group]
    for action in document.actions:
        if action.type not in known:
            yield warn(
                UNKNOWN_VERB, f"the verb {quoted(action.type)} is not known", action, "known verbs: " + ", ".join(known)
            )


@check(sign=_UNUSUAL)
def check_content(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """An action that writes a file has a content block; one that removes a file has none."""
    for action in document.actions:
        if action.type in verbs["writing"] and action.content is None:
            message = f"{action.type} {action.path} has no content block"
            yield make_finding(
                MISSING_CONTENT, message, action.span, Severity.ERROR, (), "an empty file has an empty block"
            )
        elif action.type in verbs["removing"] and action.content:
            message = f"{action.type} {action.path} has a content block, which has no meaning here"
            yield warn(NEEDLESS_CONTENT, message, action)


@check(sign=_UNUSUAL)
def check_targets(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """No path is written twice, in whichever spelling; every action names its target."""
    seen: dict[str, Span] = {}
    for action in document.actions:
        if not action.path:
            yield Diagnostic(MISSING_TARGET, f"{action.type} names no target", action.span)
        if action.attributes and "path" in dict(action.attributes):
            message = f"{action.path} has a second path, {dict(action.attributes)['path']}, as an attribute"
            yield warn(SECOND_TARGET, message, action, "name the target once: on the action line or below it")
        if action.type in verbs["running"]:
            continue
        path = _plain_path(action.path)
        if path in seen:
            message = f"{action.path} is a target already, on line {seen[path].line}"
            yield warn(DUPLICATE_TARGET, message, action)
        seen.setdefault(path, action.span)


def _plain_path(path: str) -> str:
    """Return a path without `.`, `..` and empty parts."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) if path[:1] != "/" else "/" + "/".join(parts)


@check(sign=_UNUSUAL)
def check_repetition(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """No command comes again before a file has changed: a model that repeats one may go round in circles."""
    seen: dict[tuple[str, str], Span] = {}
    for action in document.actions:
        command = action.type, action.path
        if action.type not in verbs["running"]:
            seen.clear()
        elif command in seen:
            message = f"{action.type} {action.path} stands on line {seen[command].line} already; no file changes since"
            yield warn(REPEATED_COMMAND, message, action, "say it once")
        else:
            seen[command] = action.span


@check(sign=_UNUSUAL)
def check_attributes(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """No attribute is given twice: only the last value counts."""
    for action in document.actions:
        for name in action.repeated_attributes:
            message = f"{action.path} has the attribute {quoted(name)} more than once; the last value counts"
            yield warn(REPEATED_ATTRIBUTE, message, action, "give each attribute once, or all values in one line")


@check(sign=_UNUSUAL)
def check_numbers(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Numbered actions are numbered one after the other, from 1."""
    wanted = 1
    for action in document.actions:
        if action.number is None:
            continue
        if action.number != wanted:
            code = NUMBER_GAP if action.number > wanted else NUMBER_REPEATED
            what = "repeated or out of order" if action.number < wanted else f"not {wanted}: a number is left out"
            message = f"action {action.path} has the number {action.number}, {what}"
            yield warn(code, message, action, "a gap may mean that an action is lost")
        wanted = max(wanted, action.number + 1)


@check(sign=_UNUSUAL)
def check_dependencies(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Dependencies that the document creates do not go in circles; others are only named."""
    actions = document.actions
    if not any(action.dependencies for action in actions):
        return
    by_path = {action.path: action for action in actions if action.type not in verbs["running"]}
    for action in actions:
        for dependency in action.dependencies:
            if dependency not in by_path:
                message = f"{action.path} depends on {dependency}, which is no target in this document"
                yield warn(DANGLING_DEPENDENCY, message, action, "fine if the file exists already")
    for cycle in _cycles(by_path):
        message = "dependencies go in a circle: " + " > ".join((*cycle, cycle[0]))
        yield Diagnostic(CIRCULAR_DEPENDENCY, message, by_path[cycle[0]].span)


@check(sign=_UNUSUAL)
def check_emptiness(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A document says something."""
    if all(isinstance(section, Skipped) for section in document.sections):
        yield Diagnostic(EMPTY_DOCUMENT, "the text has no section", Span(0, 0))


@check(sign=_UNUSUAL)
def check_early_close(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A content that may go on behind its closing delimiter is pointed out, and an action that may be none."""
    for action in document.actions:
        if action.completeness is not Completeness.SUSPECT:
            continue
        if action.content is None:
            message = f"{action.type} {action.path} may be a draft or an example, and no action"
            yield warn(DRAFT_ACTION, message, action)
        else:
            what = f"the content of {action.path}"
            message = f"{what} may have been closed too early, hold another section, or be a draft"
            yield warn(EARLY_CLOSE, message, action)


@check(sign=_UNUSUAL)
def check_marks(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """An action of which the text itself says that it is not whole is pointed out."""
    for place, state in find_marked(document.sections).items():
        action = document.sections[place]
        if isinstance(action, Action) and state is not Completeness.SUSPECT:  # that has its finding
            message = f"an error section says that {action.path} is {state}"
            yield warn(MARKED_UNFINISHED, message, action, "ask for it again")


def _cycles(by_path: dict[str, Action]) -> list[tuple[str, ...]]:
    """Return each circle of dependencies once, beginning at the path that comes first."""
    found: list[tuple[str, ...]] = []
    state: dict[str, int] = {}  # 1 on the way, 2 done
    for root in by_path:
        if root in state:
            continue
        trail = [(root, iter(by_path[root].dependencies))]
        state[root] = 1
        while trail:
            path, rest = trail[-1]
            step = next((d for d in rest if d in by_path), None)
            if step is None:
                state[path] = 2
                trail.pop()
            elif state.get(step) == 1:
                names = [name for name, _ in trail]
                found.append(tuple(names[names.index(step) :]))
            elif step not in state:
                state[step] = 1
                trail.append((step, iter(by_path[step].dependencies)))
    return found
