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
        return self.compile()

    def compile(self, **lark_options: Any) -> Lark:
        """Compile the grammar.

        Args:
            lark_options: Options of Lark, such as `keep_all_tokens`.

        Raises:
            GrammarError: The grammar cannot be compiled.
        """
        return self._compile(self.dialect.text, lark_options)

    def _compile(self, text: str, lark_options: dict[str, Any]) -> Lark:
        from ...error_correcting.loading import Written, compile_by_lark

        notes: list[str] = []
        source = Written(self.dialect.path, text)
        options: dict[str, Any] = {"source_path": str(self.dialect.path), **lark_options}
        parser = compile_by_lark(source, self.start, "auto", options, notes)
        # A further parser of the same grammar has the same notes.
        self.notes = self.notes or notes
        return parser

    @cached_property
    def sampled(self) -> Lark:
        """The parser whose rules and terminals are sampled: indented blocks have signs in it."""
        postlex = self.parser.options.postlex
        if postlex is None:
            return self.parser
        # Blocks are made of blanks at the beginning of lines, which rules do not describe.
        from ...error_correcting.indentation import read_indenter, sign_source

        return self._compile(
            sign_source(self.dialect.text, read_indenter(postlex)), {"postlex": None}
        )

    def finish(self, text: str) -> str:
        """Return a drawn text as it is written: with indented blocks.

        Args:
            text: The text.
        """
        if self.parser.options.postlex is None:
            return text
        from ...error_correcting.indentation import write_blocks

        return write_blocks(text)

    @property
    def blank(self) -> str:
        """What separates words: a blank, if the grammar ignores it."""
        # Without a blank, two names would become one.
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
        from lark.exceptions import LarkError

        try:
            self.parser.parse(text)
        # Lark's `Indenter` raises two of them, and its Earley parser RuntimeError for some loops.
        except (LarkError, AssertionError, IndexError, RuntimeError):
            return False
        return True
