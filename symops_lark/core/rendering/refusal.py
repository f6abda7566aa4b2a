"""Why a dialect cannot say a section."""

from __future__ import annotations

from typing import cast

from ..document import Section


class Refusal(Exception):
    """Why a dialect cannot say a section; `line` is the line of the content, if it is the content's fault."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line
        self.number, self.section = 0, cast(Section, None)

    def at(self, number: int, section: Section) -> Refusal:
        """Return the place: the section and its number in the document."""
        self.number, self.section = number, section
        return self
