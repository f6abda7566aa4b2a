"""Split actions whose patch changes several files, or moves or deletes one, before the plan.

The actions of one patch are carried out together or not at all: one of them alone would be another
change, such as a moved file that is in both places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...core.document import Action, Document, Section
from ...core.edits import split_patch
from ...core.edits.splitting import FROM
from ...core.text.diagnostics import Diagnostic

Warnings = Mapping[int, tuple[Diagnostic, ...]]


@dataclass(frozen=True, slots=True)
class Patches:
    """The actions that came from patches.

    Attributes:
        sources: The paths of the files that are moved, by the number of the action that creates the
            file at its new place. The content of that action is an edit of the moved file.
        groups: The numbers of the other actions of the same patch, by the number of each action.
    """

    sources: dict[int, str] = field(default_factory=dict)
    groups: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def doubts_about(self, number: int, verb: str) -> tuple[str, ...]:
        """Return why a person is asked about an action because of its patch.

        Args:
            number: The number of the action.
            verb: Its verb.
        """
        if number in self.sources:
            return (f"{self.sources[number]} is moved here",)
        if number in self.groups and verb == "delete":
            return ("a patch moves or deletes the file",)
        return ()

    def share(self, warnings: Warnings) -> dict[int, tuple[Diagnostic, ...]]:
        """Return warnings by action, in which all actions of a patch have the same.

        Args:
            warnings: The warnings by the number of the action. Those about a patch are at its
                first action, because all of them are in one place of the reply.
        """
        shared = dict(warnings)
        for number, members in self.groups.items():
            for member in members:
                if member in warnings:
                    shared[number] = warnings[member]
        return shared


def split_patches(document: Document) -> tuple[Document, Patches]:
    """Return a document in which each action changes one file.

    Args:
        document: The document.

    Returns:
        The document, and the patches. The numbers of actions count those of the new document.
    """
    sections: list[Section] = []
    patches = Patches()
    number = 0
    for section in document.sections:
        parts: tuple[Section, ...] = (section,)
        if isinstance(section, Action):
            actions = split_patch(section)
            if actions != (section,):
                _note_group(actions, number, patches)
            number += len(actions)
            parts = actions
        sections += parts
    if not patches.groups:
        return document, patches
    return replace(document, sections=tuple(sections)), patches


def _note_group(actions: tuple[Action, ...], before: int, patches: Patches) -> None:
    """Keep the actions of one patch; `before` is the number before their first one."""
    numbers = range(before + 1, before + 1 + len(actions))
    for number, action in zip(numbers, actions, strict=True):
        patches.groups[number] = tuple(member for member in numbers if member != number)
        # The attribute of an action outside of a patch is not looked at: it may be the model's.
        source = dict(action.attributes).get(FROM, "")
        if source and action.type == "create":
            patches.sources[number] = source
