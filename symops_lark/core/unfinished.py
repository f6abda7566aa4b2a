"""Actions that are not whole, in texts: an error section behind the action says so, and is read again.

The law: no text that is written of an action makes it more whole than it was. Where a dialect cannot say it, no text
is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .document import Action, Completeness, Document, ErrorNote, Section, Skipped

_SAID = {
    Completeness.TRUNCATED: "the reply was cut off inside this action",
    Completeness.UNTERMINATED: "the end of its content was missing",
    Completeness.SUSPECT: "its content may end too early, or not be what was meant",
}
_WORDS = {str(state): state for state in _SAID}
_BADNESS = {state: number for number, state in enumerate((*_SAID, Completeness.COMPLETE))}  # the worst is the least


def is_whole(action: Action) -> bool:
    """Return whether nothing is known to be missing of an action."""
    return action.completeness is Completeness.COMPLETE


def find_unfinished(document: Document) -> tuple[Action, ...]:
    """Return the actions that are not whole, those included of which an error section says so."""
    return tuple(action for action in read_marks(document).actions if not is_whole(action))


def mark_of(action: Action) -> tuple[ErrorNote, ErrorNote]:
    """Return the error section for an action that is not whole: with its path, and for paths that are no words."""
    word, message = str(action.completeness), _SAID[action.completeness]
    kind = word[0].upper() + word[1:]
    return ErrorNote(kind, action.path, message), ErrorNote(kind, None, message)


def read_marks(document: Document) -> Document:
    """Return the document whose actions are no more whole than its error sections say."""
    told = find_marked(document.sections)
    if not told:
        return document
    sections = list(document.sections)
    for place, state in told.items():
        action = sections[place]
        assert isinstance(action, Action)
        sections[place] = replace(action, completeness=_worse(action.completeness, state))
    return replace(document, sections=tuple(sections))


def find_marked(sections: Sequence[Section]) -> dict[int, Completeness]:
    """Return what error sections say of actions, by their places.

    One right behind an action means this one, unless it names another; else those that it names, else the last before.
    """
    if not any(_state(section) for section in sections if isinstance(section, ErrorNote)):
        return {}
    paths: dict[str, list[int]] = {}
    for place, section in enumerate(sections):
        if isinstance(section, Action):
            paths.setdefault(section.path, []).append(place)
    told: dict[int, Completeness] = {}
    named: dict[str, Completeness] = {}
    last = behind = None  # the last action, and its path as long as sections stand right behind it
    for place, section in enumerate(sections):
        if isinstance(section, Action):
            last, behind = place, section.path
        elif (state := _state(section)) is None:
            behind = behind if isinstance(section, ErrorNote | Skipped) else None
        else:
            assert isinstance(section, ErrorNote)
            target = section.target if section.target in paths else None
            if target is not None and target != behind:
                named[target] = _worse(named.get(target, state), state)
            elif last is not None:
                told[last] = _worse(told.get(last, state), state)
    for target, state in named.items():
        for place in paths[target]:
            told[place] = _worse(told.get(place, state), state)
    return told


def _state(section: Section) -> Completeness | None:
    return _WORDS.get(section.type.casefold()) if isinstance(section, ErrorNote) else None


def _worse(left: Completeness, right: Completeness) -> Completeness:
    return min(left, right, key=lambda state: _BADNESS[state])
