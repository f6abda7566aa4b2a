"""The LALR parser as the judge of the compiled section patterns."""

from __future__ import annotations

from typing import Any

from symops_lark import Source
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.lalr import Unexpected
from symops_lark.core.strict.builder import Builder, brief_makers, build


def judge(text: str, dialect: Dialect) -> tuple[Any, ...] | int:
    """Return what the LALR parser makes of a text, or where it stops."""
    source = Source(text)
    makers = Builder(source.span, source.span, dialect.marks).makers
    try:
        return tuple(build(dialect.lalr.parse(text, "document"), makers))
    except Unexpected as error:
        return error.offset


def compare(text: str, dialect: Dialect) -> bool:
    """Hold the two against each other; tell whether the compiled grammar read it all."""
    text = text if text.endswith("\n") else text + "\n"
    source = Source(text)
    builder = Builder(source.span, source.span, dialect.marks)
    sections, done = dialect.compiled.read_sections(text, builder.makers, brief_makers(builder))
    expected = judge(text, dialect)
    if isinstance(expected, int):
        judgment = judge(text[done:], dialect)
        assert done < len(text), "accepts what the parser refuses"
        assert isinstance(judgment, int)
        assert expected == (judgment + done if judgment >= 0 else judgment)
    elif done == len(text):
        assert repr(tuple(sections)) == repr(expected)
    else:
        assert repr(tuple(sections)) == repr(expected[: len(sections)]), "reads the beginning as something else"
    return done == len(text)
