"""An npm package: the modules of this package that read, translated, and a dialect's tables. No dependencies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...core.grammar.compiling.compiler import WrittenDialect
from ...core.ground.version import __version__
from ...core.repairs.rule import Rule
from ..bundle.data_files import DATA_FILES, write_data
from ..bundle.javascript import Translator
from ..bundle.kept import remember
from ..bundle.modules import Bundle
from ..bundle.shortening import shorten, shorten_helpers, shorter_names, squeeze
from ..bundle.tables import write_tables
from ..headers import header, header_lines, markdown_header
from .formats import write_formats_module

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


def write(dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None) -> dict[str, str]:
    """Return the package: the module, its types, and what npm wants to know."""
    names = tuple(_OFFERED) if tolerant else ("parse",)
    formats = write_formats_module(header(dialect, "javascript", "// ")) if tolerant else {}
    return {
        **formats,
        "index.js": _module(dialect, names, tolerant, rules),
        "index.d.ts": header(dialect, "javascript", "// ") + _types(names),
        "package.json": json.dumps(_package(dialect, formats), indent=2) + "\n",
        "README.md": _readme(dialect, tolerant) + markdown_header(dialect, "javascript"),
        "LICENSE": "\n".join(header_lines(dialect, "javascript")) + "\n",
    }


def _module(dialect: WrittenDialect, names: tuple[str, ...], tolerant: bool, rules: Sequence[Rule] | None) -> str:
    code = remember(_translate, names, tolerant, bool(dialect.own))
    said = f"javascript{' --tolerant' if tolerant else ''}{' --rules' if rules else ''}"
    errors = [name for name in _KEPT if f"class {name} " in code]
    written = "\n".join(
        (
            *(_tidy(name) for name in ("runtime.js", "methods.js", "regex.js")),
            "const $read_tables = () => $thaw(TABLES);",
            *(["const $DATA = {DATA}, $read_data = (name) => $thaw($DATA[name]());"] if tolerant else ()),
            code,
            _tidy("footer.js"),
            *(_OFFERED[name] for name in names),
            *([_tidy("stream.js")] if tolerant else ()),
            f"export {{ {', '.join(errors)} }};\n",
        )
    )
    short = header(dialect, said, "// ") + "\n" + shorten_helpers(written)
    if tolerant:
        data = (f"{name}: () => ({write_data(name)})" for name in DATA_FILES)
        short = short.replace("{DATA}", "{" + ", ".join(data) + "}", 1)
    return short.replace("TABLES", write_tables(dialect, tolerant=tolerant, rules=rules), 1)


def _translate(names: tuple[str, ...], tolerant: bool, own: bool) -> str:
    """Return the modules of this package that read, as JavaScript; `own` keeps what only some dialects have."""
    entries = [(_ENTRY, name) for name in names]
    if tolerant:
        entries.append((f"{_STANDALONE}.stream", "Stream"))
    statements = Bundle(entries, _RUNTIME, _CALLED, own=own).statements()
    inside = {**shorter_names(statements, _KEPT), **{name: f"${name}" for name in names}, "Stream": "$Stream"}
    return shorten(squeeze(Translator(statements, inside).module(statements)))


def _tidy(name: str) -> str:
    """Return a file of ours without its comments, indentation, and blanks around operators: none is in its texts."""
    text = _COMMENT.sub("", (_HERE / name).read_text(encoding="utf-8"))
    lines = (line.strip() for line in text.split("\n"))
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    for operator in _SPACED:
        text = text.replace(f" {operator} ", operator)
    return _BLANKS.sub(lambda found: found[0].strip(), text)


def _types(names: tuple[str, ...]) -> str:
    text = (_HERE / "index.d.ts").read_text(encoding="utf-8")
    if "process" in names:
        return text
    return text[: text.index("// Only in the tolerant form.")]


def _package(dialect: WrittenDialect, formats: Iterable[str]) -> dict[str, object]:
    exports = {".": {"types": "./index.d.ts", "default": "./index.js"}}
    if formats:
        exports["./formats"] = {"types": "./formats.d.ts", "default": "./formats.js"}
    name = "".join(sign if sign.isalnum() else "-" for sign in dialect.name)
    return {
        "//": header_lines(dialect, "javascript"),
        "name": f"symops-{name}",
        "version": __version__,
        "description": f"A parser of Sym-Ops replies in the dialect {dialect.name}",
        "license": "MIT",
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "exports": exports,
        "files": ["index.js", "index.d.ts", *formats],
        "sideEffects": False,
        "engines": {"node": ">=18"},
    }


def _readme(dialect: WrittenDialect, tolerant: bool) -> str:
    verb = "process" if tolerant else "parse"
    return f"""# symops-{dialect.name}

A parser of Sym-Ops replies in the dialect {dialect.name}.

```js
import {{ {verb} }} from "symops-{dialect.name}";

console.log({verb}(reply){".document" if tolerant else ""}.sections);
```

Offsets and columns count UTF-16 units, as JavaScript's texts do.
"""
