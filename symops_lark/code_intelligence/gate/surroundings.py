"""What a session needs of the folder that it works on, and shares with the other sessions there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...acting.files.entries import Tree
from ..requests.words import Antonyms, Synonyms
from .outcome_log import OutcomeLog


class Surroundings(Protocol):
    """A folder, seen without following links, with its tools, its words and its outcomes."""

    @property
    def root(self) -> str:
        """The path of the folder."""

    @property
    def view(self) -> Tree:
        """The folder as it stands."""

    @property
    def synonyms(self) -> Synonyms:
        """What may stand in code for a term."""

    @property
    def antonyms(self) -> Antonyms:
        """What rules a word out."""

    @property
    def outcomes(self) -> OutcomeLog:
        """What came of the sessions."""

    def read_params(self, tool: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a tool as it wants them; raise `FieldError` for others."""

    def run_tool(self, tool: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a tool finds."""

    def hides(self, path: str) -> bool:
        """Return whether the text of a file is not shown, as it may hold secrets."""

    def names_in(self, paths: Sequence[str]) -> dict[str, list[tuple[int, str]]]:
        """Return what files define: lines and names, by path."""

    def is_only_markup(self, target: str) -> bool:
        """Return whether a target is found in markup and style files, and in no other file."""

    def sizes(self) -> dict[str, int]:
        """Return how much there is at all, in a small project."""
