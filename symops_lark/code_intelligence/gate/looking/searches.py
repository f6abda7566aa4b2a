"""The searches for facts that a session has, each a method with the arguments of its tool."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..arguments import as_list
from ..slot_steps import Answer


class Searches(ABC):
    """The searches; more arguments of a tool are passed by their names."""

    @abstractmethod
    def call(self, tool: str, **params: Any) -> Answer:
        """Return what a tool finds."""

    def query(self, text: str, **options: Any) -> Answer:
        """Return the code that is about some words."""
        return self.call("query", text=text, **options)

    def get_symbols(self, path: str, **options: Any) -> Answer:
        """Return what a file or folder defines."""
        return self.call("get_symbols", path=path, **options)

    def analyze_structure(self, path: str | None = None, **options: Any) -> Answer:
        """Return the structure of a folder or file."""
        # Without a path, the tool describes the whole folder.
        if path is not None:
            options["path"] = path
        return self.call("analyze_structure", **options)

    def search_text(self, patterns: list[str] | str, **options: Any) -> Answer:
        """Return the lines that texts occur in, several at once."""
        texts = as_list(patterns, "patterns")
        return self.call("search_text", patterns=texts, **options)

    def search_files(self, pattern: str, **options: Any) -> Answer:
        """Return files by their names."""
        return self.call("search_files", pattern=pattern, **options)

    def find_definitions(self, symbol: str, **options: Any) -> Answer:
        """Return where a symbol is defined."""
        return self.call("find_definitions", symbol=symbol, **options)

    def find_references(self, symbol: str, **options: Any) -> Answer:
        """Return where a symbol is used."""
        return self.call("find_references", symbol=symbol, **options)

    def get_function_at_line(self, path: str, line: int | str, **options: Any) -> Answer:
        """Return the function or class that a line belongs to."""
        return self.call("get_function_at_line", path=path, line=line, **options)
