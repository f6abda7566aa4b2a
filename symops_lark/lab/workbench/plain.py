"""Grammars of Lark that are not dialects: their start rule, and Lark's parser for them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...core.grammar.compiling.compiler import STARTS, WrittenDialect
from ...core.grammar.tokens import split

if TYPE_CHECKING:
    from lark import Lark

START = "start"


def find_start(dialect: WrittenDialect, start: str = "") -> str:
    """Return the start rule of a grammar that is not a dialect; empty for a dialect.

    Args:
        dialect: The grammar.
        start: The rule that a user names; empty: `start`, if the grammar has it and no `document`.
    """
    if start:
        return start
    names = {definition.name.text for definition in split(dialect.text).definitions}
    if START in names and STARTS[0] not in names:
        return START
    return ""


class PlainGrammar:
    """A grammar with a start rule.

    Attributes:
        dialect: The grammar as it is written.
        start: The start rule.
        notes: Lark's decisions about it, such as why it is not read as LALR.
    """

    def __init__(self, dialect: WrittenDialect, start: str) -> None:
        """Prepare a grammar; it is compiled when `parser` is first read.

        Args:
            dialect: The grammar as it is written.
            start: The start rule.
        """
        self.dialect = dialect
        self.start = start
        self.notes: list[str] = []

    @cached_property
    def parser(self) -> Lark:
        """Lark's parser: LALR if the grammar fits, else Earley."""
        from ...error_correcting.loading import Written, compile_by_lark

        source = Written(self.dialect.path, self.dialect.text)
        options: dict[str, Any] = {"source_path": str(self.dialect.path)}
        return compile_by_lark(source, self.start, "auto", options, self.notes)

    @property
    def blank(self) -> str:
        """What separates words: a blank, if the grammar ignores it."""
        ignored = set(self.parser.ignore_tokens)
        for terminal in self.parser.terminals:
            if terminal.name in ignored and re.fullmatch(terminal.pattern.to_regexp(), " "):
                return " "
        return ""

    def accepts(self, text: str) -> bool:
        """Return whether a text is valid.

        Args:
            text: The text.
        """
        from lark.exceptions import UnexpectedInput

        try:
            self.parser.parse(text)
        except UnexpectedInput:
            return False
        return True
