"""Write the strict parser of a dialect as a crate of Rust: a runtime, and the tables as statics.

The crate needs no other crate, and rustc 1.63 or later. Its library is also a library for C and
WebAssembly, with the feature `c`.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

from ...core.document import Action, Document, Thought
from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.errors import RenderError
from ...core.ground.version import __version__
from ...core.rendering.renderer import render
from ..headers import header, header_lines, markdown_header
from ..portable.tables import portable_tables
from .data import show_text, write_data, write_widths

SUMMARY = "a crate of Rust without dependencies, with a door for C and WebAssembly"
KIND = "parser"
ENGINE = "rustc"
TOLERANT = False
_HERE = Path(__file__).parent


def write(dialect: WrittenDialect, *, tolerant: bool, rules: object = None) -> dict[str, str]:
    """Return the crate.

    Args:
        dialect: The dialect.
        tolerant: Ignored: the crate is strict.
        rules: Ignored: a strict parser repairs nothing.

    Raises:
        ExportError: A terminal of the dialect is not a regular language.
    """
    comment = header(dialect, "rust", "// ")
    tables = portable_tables(dialect)
    values = _describe(dialect)
    files = {
        "Cargo.toml": header(dialect, "rust") + _fill("crate_manifest.txt", values),
        "LICENSE": "\n".join(header_lines(dialect, "rust")) + "\n",
        "README.md": _fill("crate_readme.txt", values) + markdown_header(dialect, "rust"),
        "src/data.rs": comment + _fill("crate_data.txt", write_data(tables)),
        "src/widths.rs": comment + write_widths(),
    }
    # The runtime is the same for each dialect.
    runtime = _HERE / "runtime"
    for path in runtime.glob("*.rs"):
        files[f"src/{path.name}"] = comment + path.read_text(encoding="utf-8")
    return dict(sorted(files.items()))


def crate_name(dialect: WrittenDialect) -> str:
    """Return the name of the library of a dialect, as programs in Rust import it."""
    return "symops_" + "".join(sign if _is_plain(sign) else "_" for sign in dialect.name)


def _is_plain(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()


def _describe(dialect: WrittenDialect) -> dict[str, str]:
    """Return the values of the manifest and the README."""
    library = crate_name(dialect)
    values = {
        "PACKAGE": library.replace("_", "-"),
        "LIBRARY": library,
        "DIALECT": dialect.name,
        "VERSION": __version__,
        "EXAMPLE": _write_example(dialect),
    }
    # They are in literals of Rust and TOML, which have the same escapes.
    return {name: show_text(text)[1:-1] for name, text in values.items()}


def _fill(name: str, values: dict[str, str]) -> str:
    """Return a file of this folder with values in it."""
    template = Template((_HERE / name).read_text(encoding="utf-8"))
    return template.substitute(values)


def _write_example(dialect: WrittenDialect) -> str:
    """Return a short valid text."""
    for section in (Thought("a plan"), Action("run", "ls")):
        try:
            return render(Document((section,)), dialect)
        except RenderError:
            # Some dialects have custom sections only.
            continue
    return ""
