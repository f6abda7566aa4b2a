"""Mark incomplete actions in texts: an error section after the action records the defect.

`parse` and `plan` read these sections again. So a document that is rendered and parsed does not
lose the fact that half of a content is missing. In v2:

    ::create @a.py
    <<<
    x = 1
    >>>
    ! Truncated @ a.py the reply was cut off inside this action

Invariant: no text that is written for an action makes it more complete than it was. If a dialect
has no error section, no text is written (tests/test_unfinished.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .document import Action, Completeness, Document, ErrorNote, Section, Skipped

# From the worst state to the best: `_RANKS` is made from this order. The messages are for people;
# when a text is read again, only the type of the section counts.
_MESSAGES = {
    Completeness.TRUNCATED: "the reply was cut off inside this action",
    Completeness.UNTERMINATED: "the end of its content was missing",
    Completeness.SUSPECT: "its content may end too early, or not be what was meant",
}
_STATES = {str(state): state for state in _MESSAGES}  # by the type of the error section
_RANKS = {state: rank for rank, state in enumerate((*_MESSAGES, Completeness.COMPLETE))}


def is_whole(action: Action) -> bool:
    """Return whether the content of an action is complete, as far as it is known."""
    return action.completeness is Completeness.COMPLETE


def find_unfinished(document: Document) -> tuple[Action, ...]:
    """Return the incomplete actions of a document, its error sections taken into account."""
    actions = read_marks(document).actions
    return tuple(action for action in actions if not is_whole(action))


def mark_of(action: Action) -> tuple[ErrorNote, ErrorNote]:
    """Return the error section for an incomplete action.

    Args:
        action: The action; its completeness is not `COMPLETE`.

    Returns:
        The section with the action's path, and the same without it: an error section names its
        target by one word, and not every path or command is one.
    """
    message = _MESSAGES[action.completeness]
    word = str(action.completeness)
    kind = word[0].upper() + word[1:]
    return ErrorNote(kind, action.path, message), ErrorNote(kind, None, message)


def read_marks(document: Document) -> Document:
    """Return a document whose actions have the completeness that its error sections record.

    Args:
        document: The document. An action that is already worse stays as it is.
    """
    marked = find_marked(document.sections)
    if not marked:
        return document
    sections = list(document.sections)
    for place, state in marked.items():
        action = sections[place]
        assert isinstance(action, Action)
        sections[place] = replace(action, completeness=_worse(action.completeness, state))
    return replace(document, sections=tuple(sections))


def find_marked(sections: Sequence[Section]) -> dict[int, Completeness]:
    """Return the completeness of actions that error sections record.

    An error section is about the action right above it, unless it names another one. Then it is
    about all actions with the path that it names. If it names no action, and is not right below
    one, it is about the last action above it.

    Args:
        sections: The sections of a document.

    Returns:
        The worst state of each action that is recorded as incomplete, by its index.
    """
    # Almost all documents have no error section. `map` looks for one fastest.
    if ErrorNote not in map(type, sections):
        return {}
    # Several actions may have one path: an error that names it is about all of them.
    places_by_path: dict[str, list[int]] = {}
    for place, section in enumerate(sections):
        if isinstance(section, Action):
            places_by_path.setdefault(section.path, []).append(place)

    states: dict[int, Completeness] = {}
    states_by_path: dict[str, Completeness] = {}
    last: int | None = None  # the index of the last action
    path: str | None = None  # its path, as long as only errors and skipped text are below it
    for place, section in enumerate(sections):
        if isinstance(section, Action):
            last = place
            path = section.path
            continue
        state = _state(section)
        if state is None:
            if not isinstance(section, ErrorNote | Skipped):
                path = None
            continue
        assert isinstance(section, ErrorNote)
        target = section.target if section.target in places_by_path else None
        # An error that names another action than the one above it: wait for all actions, because
        # those with this path may be below.
        if target is not None and target != path:
            states_by_path[target] = _worse(states_by_path.get(target, state), state)
        elif last is not None:
            states[last] = _worse(states.get(last, state), state)

    for target, state in states_by_path.items():
        for place in places_by_path[target]:
            states[place] = _worse(states.get(place, state), state)
    return states


def _state(section: Section) -> Completeness | None:
    """Return the state that an error section records; None for any other section or error."""
    if not isinstance(section, ErrorNote):
        return None
    # A model may have written this section, and the word in any case.
    return _STATES.get(section.type.casefold())


def _worse(left: Completeness, right: Completeness) -> Completeness:
    return min(left, right, key=lambda state: _RANKS[state])
