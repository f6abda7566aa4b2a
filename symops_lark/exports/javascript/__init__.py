"""Write an npm package without dependencies that parses one dialect.

The tolerant form has the modules of symops-lark that read replies, translated to JavaScript. The
strict form has a runtime that people can read. Both have the tables of the dialect as data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from pathlib import Path

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.errors import ExportError
from ...core.repairs.rule import Rule
from ..bundle.data_files import DATA_FILES, write_data
from ..bundle.format_tables import INCLUDED, READ_FORMAT, write_formats
from ..bundle.gathering import Bundle
from ..bundle.kept import remember
from ..bundle.shortening import shorten, shorten_helpers, shorter_names, squeeze
from ..bundle.tables import write_tables
from ..bundle.translation.names import Untranslated
from ..bundle.translation.statements import Translator
from ..headers import header
from .formats import OFFERED, list_names, write_format_types
from .npm import write_package
from .strict import write_strict
from .types import write_types

SUMMARY = "an ES module with types, without dependencies"
KIND = "parser"
ENGINE = "node"
TOLERANT = True
_COMMENT = re.compile(r"(?m)(?<=[;{,(]) // [^\n]*$")  # a comment after code
_HERE = Path(__file__).parent
_STANDALONE = f"{__package__.rpartition('.')[0]}.standalone"
_ENTRY = f"{_STANDALONE}.entry"
# Names that runtime.js and regex.js define, so they are not translated.
_RUNTIME = frozenset(
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
_HELPERS = ("runtime.js", "methods.js", "regex.js")
_HELPER_NAME = re.compile(r'(?<!["\w])\$[A-Za-z_]\w*')
# Helpers that `_write_module` and the translator define.
_FURTHER_HELPERS = frozenset(("$read_data", "$read_tables", "$first", "$made", "$error"))
_OPERATORS = (":", "+", "=>", "===", "!==", "&&", "||", "??=", "??", "<=", ">=", "=", "?", "<", ">")
# The blanks of blocks, objects and lists, except beside a quotation mark.
_BLANKS = re.compile(r"""[{;] | [{}]|(?<!["`]), (?!["`])""")
# Errors that the module exports by these names.
_ERRORS = ("ParseError", "ProtocolError")
# Methods that the templates of this module and the .js files of this folder call.
_CALLED = ("changed", "to_dict", "receive", "next_event", "close")
_TOLERANT = (
    "export const {0} = (text, {{ cutOff = null }} = {{}}) =>\n"
    "  $outward(() => ${0}($text_of(text), cutOff).to_dict());"
)
# The functions that the module exports.
_FUNCTIONS = {
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
    """Return the files of the package, by their names.

    Args:
        dialect: The dialect.
        tolerant: Whether the parser also repairs and recovers.
        rules: Custom repair rules; None: the installed ones.
        package_name: The name of the package on npm; empty: one of the dialect.
        version: Its version; empty: that of symops-lark.

    Raises:
        ExportError: The strict parser cannot express the dialect, or npm refuses the name or the
            version.
    """
    strict = _strict_files(dialect, tolerant)
    index = _write_module(dialect, rules) if tolerant else strict["index.js"]
    files = {"index.js": index, **write_types(dialect, tolerant)}
    # The main files come first, because commands list the files in this order.
    files = {**files, **strict, **files}
    if tolerant:
        files["formats.js"] = _write_module(dialect, rules, formats=True)
        files["formats.d.ts"] = header(dialect, "javascript", "// ") + write_format_types()
    return write_package(dialect, files, tolerant, package_name, version)


def _write_module(
    dialect: WrittenDialect, rules: Sequence[Rule] | None, *, formats: bool = False
) -> str:
    code = remember(_translate, bool(dialect.own), formats)
    errors = [name for name in _ERRORS if f"class {name} " in code]
    # The placeholders DATA and TABLES are filled in last, because data must not be shortened.
    parts = [
        *map(_read, _HELPERS),
        "const $read_tables = () => $thaw(TABLES);",
        "const $DATA = {DATA}, $read_data = (name) => $thaw($DATA[name]());",
        code,
        _read("footer.js"),
        *_FUNCTIONS.values(),
        _read("stream.js"),
        f'export const fingerprint = "{dialect.fingerprint}";',
    ]
    if formats:
        parts += [OFFERED, f"export const formats = Object.freeze([{list_names()}]);"]
    parts.append(f"export {{ {', '.join(errors)} }};\n")
    module = shorten_helpers("\n".join(parts))
    data = [f"{name}: () => ({write_data(name)})" for name in DATA_FILES]
    if formats:
        data.append(f"formats: () => ({write_formats()})")
    module = module.replace("{DATA}", "{" + ", ".join(data) + "}", 1)
    tables = write_tables(dialect, tolerant=True, rules=rules)
    command = f"javascript --tolerant{' --rules' if rules else ''}"
    return f"{header(dialect, command, '// ')}\n{module.replace('TABLES', tables, 1)}"


def _translate(own: bool, formats: bool) -> str:
    """Return the modules of this package that read replies, as JavaScript.

    Args:
        own: Whether to keep the code for custom sections, which most dialects do not have.
        formats: Whether to add the reader of the formats of other agents.
    """
    entries = [(_ENTRY, name) for name in _FUNCTIONS]
    entries.append((f"{_STANDALONE}.stream", "StreamParser"))
    if formats:
        entries.append(READ_FORMAT)
    # Other bundles have replacements for these.
    included = INCLUDED if formats else frozenset()
    statements = Bundle(entries, _RUNTIME, _CALLED, own=own, included=included).statements()
    names = shorter_names(statements, _ERRORS)
    for name in (*_FUNCTIONS, "StreamParser", "read_format"):
        names[name] = f"${name}"
    code = Translator(statements, names).module(statements)
    refuse_unknown_helpers(code, {*names.values()})
    return shorten(squeeze(code))


def refuse_unknown_helpers(code: str, own_names: Set[str]) -> None:
    """Refuse translated code that uses a function of Python which no helper stands for.

    JavaScript would report such a name only when it comes to that line.

    Args:
        code: The translated modules.
        own_names: The names that they define.

    Raises:
        Untranslated: A helper is missing.
    """
    used = set(_HELPER_NAME.findall(code))
    known = set(_HELPER_NAME.findall("\n".join(map(_read, _HELPERS))))
    missing = used - known - _FURTHER_HELPERS - own_names
    if missing:
        raise Untranslated(f"JavaScript has no helper for {', '.join(sorted(missing))}")


def _read(name: str) -> str:
    return tidy((_HERE / name).read_text(encoding="utf-8"))


def tidy(code: str) -> str:
    """Return JavaScript without comments, indentation and the blanks around operators.

    It is only for the files of this package: their strings have no comments and no such blanks.
    """
    text = _COMMENT.sub("", code)
    lines = map(str.strip, text.split("\n"))
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    for operator in _OPERATORS:
        text = text.replace(f" {operator} ", operator)
    return _BLANKS.sub(lambda match: match[0].strip(), text)


def _strict_files(dialect: WrittenDialect, tolerant: bool) -> dict[str, str]:
    """Return the files of the strict parser, which is optional in a tolerant package."""
    try:
        return write_strict(dialect)
    except ExportError as error:
        if tolerant:
            return {}
        message = f"{error}; the tolerant form has a parser that keeps it: --tolerant"
        raise ExportError(message) from None
