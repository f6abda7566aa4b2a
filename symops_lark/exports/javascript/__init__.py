"""An npm package: the modules of this package that read, translated, and a dialect's tables. No dependencies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.errors import ExportError
from ...core.repairs.rule import Rule
from ..bundle.data_files import DATA_FILES, write_data
from ..bundle.format_tables import INCLUDED, READ_FORMAT, write_formats
from ..bundle.javascript import Translator
from ..bundle.kept import remember
from ..bundle.modules import Bundle
from ..bundle.shortening import shorten, shorten_helpers, shorter_names, squeeze
from ..bundle.tables import write_tables
from ..headers import header
from .formats import OFFERED, list_names, write_format_types
from .npm import write_package
from .strict import write_strict
from .types import write_types

SUMMARY = "an ES module with types, without dependencies"
KIND = "parser"
ENGINE = "node"
TOLERANT = True
_COMMENT = re.compile(r"(?m)(?<=[;{,(]) // [^\n]*$")  # behind code
_HERE = Path(__file__).parent
_STANDALONE = f"{__package__.rpartition('.')[0]}.standalone"
_ENTRY = f"{_STANDALONE}.entry"
_RUNTIME = frozenset(  # what runtime.js and regex.js have of their own
    [
        "core.ground.numbers.rounded",
        "core.ground.numbers.whole",
        "core.ground.numbers.quoted",
        "core.ground.numbers.grouped",
        "core.ground.numbers.short",
        "core.text.drawing.draw_finding",
        "core.text.source.cut",
        "core.text.source.size",
        "core.patterns.regexes.compile_pattern",
        "core.patterns.regexes.compile_linear",
        "core.patterns.regexes.LinearSet",
        "core.patterns.regexes.escape",
        "core.patterns.regexes.is_encodable",
        "exports.standalone.records.replace",
        "exports.standalone.tables.read_data",
        "exports.standalone.tables.read_tables",
    ]
)
_SPACED = (":", "+", "=>", "===", "!==", "&&", "||", "??=", "??", "<=", ">=", "=", "?", "<", ">")
_BLANKS = re.compile(r"""[{;] | [{}]|(?<!["`]), (?!["`])""")
_KEPT = ("ParseError", "ProtocolError")
_CALLED = ("changed", "to_dict", "receive", "next_event", "close")  # by what is written here and in the files beside
_TOLERANT = (
    "export const {0} = (text, {{ cutOff = null }} = {{}}) =>\n"
    "  $outward(() => ${0}($text_of(text), cutOff).to_dict());"
)
_OFFERED = {
    "parse": "export const parse = (text) => $outward(() => $parse($text_of(text)).to_dict());",
    "recover": _TOLERANT.format("recover"),
    "process": _TOLERANT.format("process"),
    "repair": (
        "export const repair = (text) => $outward(() => {\n"
        "  const made = $repair($text_of(text));\n"
        "  const repairs = made.repairs.map((each) => each.to_dict());\n"
        '  return $dict([["text", made.text], ["changed", made.changed], ["repairs", repairs]]);\n'
        "});"
    ),
}


def write(
    dialect: WrittenDialect,
    *,
    tolerant: bool,
    rules: Sequence[Rule] | None = None,
    package_name: str = "",
    version: str = "",
) -> dict[str, str]:
    """Return the package: the module, its types, and what npm wants to know."""
    strict = _strict_files(dialect, tolerant)
    files = {"index.js": _module(dialect, rules) if tolerant else strict["index.js"], **write_types(dialect, tolerant)}
    files = {**files, **{name: text for name, text in strict.items() if name not in files}}
    if tolerant:
        files["formats.js"] = _module(dialect, rules, formats=True)
        files["formats.d.ts"] = header(dialect, "javascript", "// ") + write_format_types()
    return write_package(dialect, files, tolerant, package_name, version)


def _module(dialect: WrittenDialect, rules: Sequence[Rule] | None, *, formats: bool = False) -> str:
    code = remember(_translate, bool(dialect.own), formats)
    said = f"javascript --tolerant{' --rules' if rules else ''}"
    errors = [name for name in _KEPT if f"class {name} " in code]
    written = "\n".join(
        (
            *(_tidy(name) for name in ("runtime.js", "methods.js", "regex.js")),
            "const $read_tables = () => $thaw(TABLES);",
            "const $DATA = {DATA}, $read_data = (name) => $thaw($DATA[name]());",
            code,
            _tidy("footer.js"),
            *_OFFERED.values(),
            _tidy("stream.js"),
            f'export const fingerprint = "{dialect.fingerprint}";',
            *([OFFERED, f"export const formats = Object.freeze([{list_names()}]);"] if formats else ()),
            f"export {{ {', '.join(errors)} }};\n",
        )
    )
    short = header(dialect, said, "// ") + "\n" + shorten_helpers(written)
    data = [f"{name}: () => ({write_data(name)})" for name in DATA_FILES]
    if formats:
        data.append(f"formats: () => ({write_formats()})")
    short = short.replace("{DATA}", "{" + ", ".join(data) + "}", 1)
    return short.replace("TABLES", write_tables(dialect, tolerant=True, rules=rules), 1)


def _translate(own: bool, formats: bool) -> str:
    """Return the modules of this package that read, as JavaScript.

    `own` keeps what only some dialects have, and `formats` the reader of the formats of other agents.
    """
    entries = [(_ENTRY, name) for name in _OFFERED]
    entries.append((f"{_STANDALONE}.stream", "StreamParser"))
    if formats:
        entries.append(READ_FORMAT)
    included = INCLUDED if formats else frozenset()
    statements = Bundle(entries, _RUNTIME, _CALLED, own=own, included=included).statements()
    names = [*_OFFERED, "StreamParser", "read_format"]
    inside = {**shorter_names(statements, _KEPT), **{name: f"${name}" for name in names}}
    return shorten(squeeze(Translator(statements, inside).module(statements)))


def _tidy(name: str) -> str:
    return tidy((_HERE / name).read_text(encoding="utf-8"))


def tidy(code: str) -> str:
    """Return JavaScript of ours without comments, indentation, and blanks around operators: none is in its texts."""
    text = _COMMENT.sub("", code)
    lines = (line.strip() for line in text.split("\n"))
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    for operator in _SPACED:
        text = text.replace(f" {operator} ", operator)
    return _BLANKS.sub(lambda found: found[0].strip(), text)


def _strict_files(dialect: WrittenDialect, tolerant: bool) -> dict[str, str]:
    """Return the files of the strict parser; the tolerant one can do without, where there are no tables."""
    try:
        return write_strict(dialect)
    except ExportError as error:
        if tolerant:
            return {}
        raise ExportError(f"{error}; the tolerant form has a parser that keeps it: --tolerant") from None
