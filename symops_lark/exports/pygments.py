"""A lexer for Pygments, in a folder that pip installs: `pygmentize -l symops` knows it then."""

from __future__ import annotations

import json
from importlib import resources
from pprint import pformat
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.version import __version__
from .headers import header, markdown_header, slug
from .highlighting.languages import load_languages
from .highlighting.lines import FURTHER_LINES, LABELS, Shape, find_followers, find_strays, line_shapes, usual_lines

SUMMARY = "a lexer for Pygments, with contents in their languages"
KIND = "highlighter"
ENGINE = "pygments"
TOLERANT = False
_README = """\
# Highlighting of Sym-Ops ({name}) for Pygments

`pip install .` in this folder; then `pygmentize -l symops reply.txt` shows a reply of the dialect {name} in colours,
each content in the language of its file. Files called `*.symops` need no `-l`. Where several dialects are installed,
`-l {alias}` says which.
"""


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the module with the lexer, and what makes a package of it."""
    module, alias = f"symops_pygments_{slug(dialect, '_')}", f"symops-{slug(dialect)}"
    about = f"Sym-Ops replies of the dialect {dialect.name} for Pygments: see SymOpsLexer."
    runtime = resources.files(__package__).joinpath("highlighting/pygments_lexer.txt").read_text(encoding="utf-8")
    lexer = runtime.replace("# tables\n", _write_tables(dialect, alias), 1)
    head = header(dialect, "pygments")
    return {
        f"{module}.py": f"{head}{pformat(about, width=200)}\n\n{lexer}",
        "pyproject.toml": head + _write_project(dialect, module),
        "README.md": _README.format(name=dialect.name, alias=alias) + markdown_header(dialect, "pygments"),
    }


def _write_project(dialect: WrittenDialect, module: str) -> str:
    project = {
        "name": f"symops-pygments-{slug(dialect)}",
        "version": __version__,
        "description": f"Pygments lexer for Sym-Ops, dialect {dialect.name}",
        "readme": "README.md",
        "requires-python": ">=3.11",
        "license": "MIT",
        "dependencies": ["pygments>=2.14"],
    }
    settings = "".join(f"{key} = {json.dumps(value)}\n" for key, value in project.items())
    return f"""\
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


def _write_tables(dialect: WrittenDialect, alias: str) -> str:
    shapes, languages = line_shapes(dialect), load_languages()
    tables: dict[str, Any] = {
        "NAME": f"Sym-Ops ({dialect.name})",
        "ALIASES": ["symops", alias],
        "FILENAMES": ["*.symops"],
        "LABELS": {label: f"Token.{token}" for label, (token, _) in LABELS.items()},
        "FENCES": {opener: list(closing) for opener, closing in dialect.fences.items()},
        "STRAY": find_strays(dialect),
        "FOLLOWS": find_followers(dialect),
        "FURTHER_LINES": [rule for rule in FURTHER_LINES if rule in shapes],
        "USUAL": usual_lines(dialect),
        "SUFFIXES": {suffix: each.lexer for each in languages for suffix in each.suffixes},
        "NAMES": {file: each.lexer for each in languages for file in each.names},
    }
    written = "".join(f"{name} = {pformat(value, width=110, sort_dicts=False)}\n" for name, value in tables.items())
    lines = "".join(f"    {rule!r}: {_write_shape(shape)},\n" for rule, shape in shapes.items())
    explained = "# By kind: a pattern, and its parts (the group, its label, what is matched again and again in it).\n"
    return f"{written}{explained}LINES = {{\n{lines}}}\n"


def _write_shape(shape: Shape) -> str:
    parts = [f"({part.group}, {part.label!r}, {part.inner and _write_shape(part.inner)})" for part in shape.parts]
    return f"(re.compile({shape.pattern!r}), [{', '.join(parts)}])"
