"""Describe why a dialect cannot express a section."""

from __future__ import annotations

from typing import cast

from ..document import Section


class Refusal(Exception):
    """The reason why a dialect cannot express a section.

    It is raised while text is written, or returned by functions that look for a reason.

    Attributes:
        reason: The reason, as the end of a sentence.
        line: The 1-based line of the section's content that is at fault; None: another part is.
        number: The 1-based number of the section in the document; 0: not known yet.
        section: The section; None: not known yet.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.number = 0
        # `at` sets it before anyone reads it; the cast spares each reader a check.
        self.section = cast(Section, None)

    def at(self, number: int, section: Section) -> Refusal:
        """Set the place of the section, and return this refusal.

        Args:
            number: The 1-based number of the section in the document.
            section: The section.

        Returns:
            This refusal, to be raised or returned.
        """
        self.number = number
        self.section = section
        return self
