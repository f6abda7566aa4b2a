"""Write a lexer for Pygments as a package for pip: then `pygmentize -l symops` finds it."""

from __future__ import annotations

import json
from importlib import resources
from pprint import pformat
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.version import __version__
from .headers import header, markdown_header, slug
from .highlighting.languages import load_languages
from .highlighting.lines import (
    FURTHER_LINES,
    LABELS,
    Shape,
    find_followers,
    find_strays,
    line_shapes,
    usual_lines,
)

SUMMARY = "a lexer for Pygments, with contents in their languages"
KIND = "highlighter"
ENGINE = "pygments"
TOLERANT = False
_README = """\
# Highlighting of Sym-Ops ({name}) for Pygments

`pip install .` in this folder; then `pygmentize -l symops reply.txt` shows a reply of the dialect
{name} in colors, each content in the language of its file. Files called `*.symops` need no `-l`. If
several dialects are installed, name one: `-l {alias}`.
"""
_LINES = """\
# By kind: a pattern, and its parts. A part is a group, its label, and a pattern that matches the
# text of the group piece by piece.
LINES = {
"""
_PROJECT = """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
{settings}
[project.entry-points."pygments.lexers"]
symops = "{module}:SymOpsLexer"

[tool.hatch.build.targets.wheel]
only-include = ["{module}.py"]
"""


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the module with the lexer and the other files of the package, by their names."""
    module = f"symops_pygments_{slug(dialect, '_')}"
    alias = f"symops-{slug(dialect)}"
    about = f"Sym-Ops replies of the dialect {dialect.name} for Pygments: see SymOpsLexer."
    path = resources.files(__package__).joinpath("highlighting/pygments_lexer.txt")
    lexer = path.read_text(encoding="utf-8")
    # The template has one line for the tables.
    lexer = lexer.replace("# tables\n", _write_tables(dialect, alias), 1)
    # The module, the project and the page have the same header.
    comment = header(dialect, "pygments")
    page = _README.format(name=dialect.name, alias=alias)
    return {
        f"{module}.py": f"{comment}{pformat(about, width=200)}\n\n{lexer}",
        "pyproject.toml": comment + _write_project(dialect, module),
        "README.md": page + markdown_header(dialect, "pygments"),
    }


def _write_project(dialect: WrittenDialect, module: str) -> str:
    settings = {
        "name": f"symops-pygments-{slug(dialect)}",
        "version": __version__,
        "description": f"Pygments lexer for Sym-Ops, dialect {dialect.name}",
        "readme": "README.md",
        "requires-python": ">=3.11",
        "license": "MIT",
        "dependencies": ["pygments>=2.14"],
    }
    # JSON strings and lists are valid TOML.
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
    return _PROJECT.format(settings="".join(lines), module=module)


def _write_tables(dialect: WrittenDialect, alias: str) -> str:
    """Return the constants that the lexer reads, as Python."""
    shapes = line_shapes(dialect)
    suffixes: dict[str, str] = {}
    names: dict[str, str] = {}
    for language in load_languages():
        suffixes |= dict.fromkeys(language.suffixes, language.lexer)
        names |= dict.fromkeys(language.names, language.lexer)
    tables: dict[str, Any] = {
        "NAME": f"Sym-Ops ({dialect.name})",
        "ALIASES": ["symops", alias],
        "FILENAMES": ["*.symops"],
        "LABELS": {label: f"Token.{token}" for label, (token, _) in LABELS.items()},
        "FENCES": {opener: list(closers) for opener, closers in dialect.fences.items()},
        "STRAY": find_strays(dialect),
        "FOLLOWS": find_followers(dialect),
        "FURTHER_LINES": [rule for rule in FURTHER_LINES if rule in shapes],
        "USUAL": usual_lines(dialect),
        "SUFFIXES": suffixes,
        "NAMES": names,
    }
    code = ""
    for name, value in tables.items():
        code += f"{name} = {pformat(value, width=110, sort_dicts=False)}\n"
    # The shapes are code, because they have compiled patterns.
    code += _LINES
    for rule, shape in shapes.items():
        code += f"    {rule!r}: {_write_shape(shape)},\n"
    return code + "}\n"


def _write_shape(shape: Shape) -> str:
    parts = []
    for part in shape.parts:
        # `inner` is None for most parts.
        inner = part.inner and _write_shape(part.inner)
        parts.append(f"({part.group}, {part.label!r}, {inner})")
    return f"(re.compile({shape.pattern!r}), [{', '.join(parts)}])"
