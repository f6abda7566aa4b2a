"""The definitions in a text, and the places where a name is used, by tree-sitter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .languages import Language

_MAX_HEAD = 200  # characters of a line in an answer
_BODIES = frozenset(("function", "method"))  # variables in them are local
# What is around one of several names: `(a, *b) = c`, `const { a, b: [c] } = d`.
_PATTERNS = frozenset(
    (
        *("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"),
        *("object_pattern", "pair_pattern", "object_assignment_pattern"),
        *("array_pattern", "assignment_pattern", "rest_pattern"),
    )
)
# What binds names. Parameters and comprehensions have such patterns too, but their names are local.
_STATEMENTS = frozenset(("assignment", "variable_declarator"))
_BINDERS = _STATEMENTS | {"for_statement", "named_expression", "as_pattern_target"}
# `const { run } = require("./a")` imports a name that is defined elsewhere.
_IMPORTING = re.compile(rb"(?:await\s+)?(?:require|import)\s*\(")
# An exception is unbound after its handler.
_LOCAL = frozenset(("lambda", "except_clause", "except_group_clause"))
_TYPES = frozenset(("class", "interface", "struct", "trait", "enum", "within"))
_PLAIN_TEXT = frozenset(("string", "comment", "template", "regex", "char", "character"))
_TYPES_WITH_KEYS = frozenset(("lookup_type", "type_arguments"))
_TYPES_OF_PYTHON = frozenset(
    ("type", "type_parameter", "generic_type", "union_type", "binary_operator", "subscript", "list")
)
# `t.Optional`, not `t.LIMITS`: a constant has no small letters.
_GENERIC = re.compile(rb"(?:.*\.)?[A-Z]\w*[a-z]\w*", re.DOTALL)
_ACCESSORS = ("getattr", "hasattr", "setattr", "delattr")
# Functions of Python with names or types in quotes: the indexes of these arguments.
_MENTIONS = {
    "cast": (0,),
    "NewType": (1,),
    "TypeVar": tuple(range(1, 10)),  # constraints
    **dict.fromkeys(_ACCESSORS, (1,)),
}
# `export async function run`, `pub fn run`; not `the class of`, which begins with another word.
_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:export|public|private|protected|internal|static|abstract|final|async|local"
    r"|inline|virtual|override|pub|default|open|sealed|data|unsafe|extern|constexpr)[ \t]+)*"
    r"(?P<kind>def|class|function|func|fun|fn|sub|struct|interface|trait|enum|module|namespace"
    r"|protocol|typedef|record|object|message|service|defmodule|defp|macro)[ \t]+"
    r"(?:self\.)?(?P<name>[^\W\d]\w*[?!]?)",
    re.MULTILINE,
)
# `export type Row = {`, `let limit: number`; not `let us see`.
_SCRIPT_DEFINITION = re.compile(
    r"^(?:export[ \t]+)?(?:declare[ \t]+)?(?P<kind>type|const|let|var)[ \t]+"
    r"(?P<name>[A-Za-z_$][\w$]*)[ \t]*(?=[=<:;]|$)",
    re.MULTILINE,
)
_KINDS = dict.fromkeys(("def", "func", "fun", "fn", "sub"), "function")
_KINDS |= dict.fromkeys(("const", "let", "var"), "variable")
_KEYWORDS = frozenset((
    "return", "if", "else", "for", "while", "do", "switch", "case", "const", "let", "var", "new",
    "await", "async", "function", "class", "typeof", "throw", "try", "catch", "finally", "import",
    "export", "default", "in", "of", "with", "yield", "void", "delete",
))  # fmt: skip


class Symbol(NamedTuple):
    """A definition: lines and columns count from 1; `within` is the qualified name around it."""

    name: str
    kind: str
    line: int
    column: int
    end_line: int
    within: str
    head: str


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a name is an identifier; `start` is its first byte."""

    line: int
    column: int
    text: str
    start: int


class _Scope(NamedTuple):
    end: int
    name: str
    kind: str


_Ranges = list[tuple[int, int]]
_NO_SCOPE = _Scope(0, "", "")


def read_symbols(data: bytes, language: Language, root: Any = None) -> list[Symbol]:
    """Return the definitions in a text in order, and its imports as the kind `import`.

    In lines with syntax errors, definitions at the begin of a line are found without syntax.

    Args:
        data: The text in UTF-8.
        language: Its language.
        root: The root of its syntax tree; by default it is parsed here.
    """
    if root is None:
        root = language.parser.parse(data).root_node
    symbols = _read_parsed(data, language, root)
    if not root.has_error:
        return symbols
    ranges = broken_lines(root)
    # A property may have the name `var`; in broken lines that is a keyword.
    certain = [
        symbol
        for symbol in symbols
        if not (symbol.name in _KEYWORDS and _has_line(ranges, symbol.line))
    ]
    return certain + _read_broken(data, language, certain, ranges)


def broken_lines(root: Any) -> list[tuple[int, int]]:
    """Return the first and last lines (from 1) of syntax errors, in order, without overlaps."""
    ranges: _Ranges = []
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type == "ERROR" or node.is_missing:
            ranges.append((node.start_point[0] + 1, node.end_point[0] + 1))
        elif node.has_error:
            nodes += node.children
    merged: _Ranges = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _has_line(ranges: _Ranges, line: int) -> bool:
    return any(first <= line <= last for first, last in ranges)


def _read_broken(
    data: bytes, language: Language, symbols: list[Symbol], ranges: _Ranges
) -> list[Symbol]:
    """Return likely definitions in broken lines, without those that have been parsed."""
    text = _decode(data)
    candidates = read_symbols_of_text(text)
    if language.name in ("javascript", "typescript", "tsx"):
        candidates += _guess(_SCRIPT_DEFINITION, text)
    lines = text.split("\n")
    places = {(symbol.name, symbol.line) for symbol in symbols}
    guessed = []
    for symbol in candidates:
        if (symbol.name, symbol.line) in places or symbol.name in _KEYWORDS:
            continue
        # Indented code may be local: without syntax its scope is unknown.
        if _has_line(ranges, symbol.line) and not lines[symbol.line - 1][:1].isspace():
            guessed.append(symbol._replace(kind=_KINDS.get(symbol.kind, symbol.kind)))
    return guessed


def _read_parsed(data: bytes, language: Language, root: Any) -> list[Symbol]:
    from tree_sitter import QueryCursor

    definitions: dict[tuple[int, int], tuple[Any, Any, str]] = {}
    for _, captures in QueryCursor(language.query).matches(root):
        names = captures.pop("name")
        [kind] = (label for label in captures if label[0] != "_")
        node = captures[kind][0]
        if kind == "bound":
            kind, node = "variable", _binding_of(names[0])
        for name in names if node is not None else ():
            # Two patterns may match one name; the more specific kind counts.
            span = (name.start_byte, name.end_byte)
            existing = definitions[span][2] if span in definitions else "variable"
            if existing == "variable" or (existing == "type" and kind != "variable"):
                definitions[span] = (node, name, kind)
    lines = data.split(b"\n")
    symbols = []
    scopes: list[_Scope] = []
    for node, name, kind in sorted(definitions.values(), key=_from_outside):
        while scopes and scopes[-1].end <= node.start_byte:
            scopes.pop()
        around = scopes[-1] if scopes else _NO_SCOPE
        if kind == "function" and around.kind in _TYPES and node.type != "variable_declarator":
            kind = "method"
        text = _decode(name.text or b"").strip('"')
        is_in_body = any(scope.kind in _BODIES for scope in scopes)
        if kind != "within" and not (kind == "variable" and is_in_body):
            symbols.append(_symbol(text, kind, node, name, around.name, lines))
        if kind not in ("variable", "import"):
            # `within` is a name that is qualified already, as the type of a method of Go.
            outer = f"{around.name}." if around.name and kind != "within" else ""
            scopes.append(_Scope(node.end_byte, outer + text, kind))
    return symbols


def _binding_of(name: Any) -> Any:
    """Return the statement that binds a name, or the part of it; None if the name is local."""
    part, binder = name, name.parent
    while binder.type in _PATTERNS:
        part, binder = binder, binder.parent
    if binder.type not in _BINDERS:
        return None
    if binder.type in _STATEMENTS:
        value = binder.child_by_field_name("value")
        is_import = value is not None and _IMPORTING.match(value.text or b"")
        return None if is_import else binder
    above = binder
    while above is not None and above.type not in ("block", "module"):
        if above.type in _LOCAL:
            return None
        above = above.parent
    return part


def _from_outside(definition: tuple[Any, Any, str]) -> tuple[int, int]:
    """Sort by the start; of two with the same start, the longer one is around the other."""
    node = definition[0]
    return node.start_byte, -node.end_byte


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _symbol(text: str, kind: str, node: Any, name: Any, within: str, lines: list[bytes]) -> Symbol:
    row, offset = name.start_point
    column = len(_decode(lines[row][:offset])) + 1
    head = _decode(lines[row]).strip()[:_MAX_HEAD]
    return Symbol(text, kind, row + 1, column, node.end_point[0] + 1, within, head)


def read_symbols_of_text(text: str) -> list[Symbol]:
    """Return likely definitions in a text without a parser for its language."""
    return _guess(_DEFINITION, text)


def _guess(pattern: re.Pattern[str], text: str) -> list[Symbol]:
    symbols = []
    line = 1
    place = 0
    for match in pattern.finditer(text):
        line += text.count("\n", place, match.start("name"))
        place = match.start("name")
        start = text.rfind("\n", 0, place) + 1
        head = text[start:].partition("\n")[0].strip()[:_MAX_HEAD]
        column = place - start + 1
        symbols.append(Symbol(match["name"], match["kind"], line, column, line, "", head))
    return symbols


def is_mention(node: Any) -> bool:
    """Return whether a text is code too: an annotation of Python, or a name in `__all__`.

    Other texts of Python are names in `__slots__`, types in `cast`, `TypeVar` and `NewType`, and
    the name in `getattr` and similar functions. In scripts a mention is the key of a member:
    `o["name"]`, `Type["name"]`.
    """
    if node.type not in ("string_fragment", "string_content"):
        return False
    above = node.parent.parent
    kind = "" if above is None else above.type
    if node.type == "string_fragment":
        is_key = kind == "literal_type" and above.parent.type in _TYPES_WITH_KEYS
        return is_key or kind == "subscript_expression"
    if kind in ("list", "tuple"):
        names = above.parent.child_by_field_name("left")
        if names is not None and names.text in (b"__all__", b"__slots__"):
            return True
    if kind == "keyword_argument":
        is_bound = above.child_by_field_name("name").text == b"bound"
        is_type = is_bound and _called(above.parent) == "TypeVar"
    elif kind == "argument_list":
        index = [child.id for child in above.named_children].index(node.parent.id)
        is_type = index in _MENTIONS.get(_called(above), ())
    else:
        is_type = _is_in_type(above)
    return is_type and _is_expression(node.text or b"")


def _is_in_type(node: Any) -> bool:
    """Return whether code around a text is a type: an annotation, or `Optional[…]` anywhere."""
    is_type = False
    while node is not None and node.type in _TYPES_OF_PYTHON:
        if node.type in ("generic_type", "subscript"):
            generic = node.children[0].text or b""
            if b"Literal" in generic:
                return False  # its strings are values
            is_type |= _GENERIC.fullmatch(generic) is not None
        is_type |= node.type == "type"
        node = node.parent
    return is_type


def names_member(node: Any) -> bool:
    """Return whether a text is the name of an attribute: `getattr(module, "name")`."""
    above = node.parent.parent
    return above is not None and above.type == "argument_list" and _called(above) in _ACCESSORS


def _called(arguments: Any) -> str:
    """Return the last name of the function of a call; empty for the bases of a class."""
    function = arguments.parent.child_by_field_name("function")
    name = "" if function is None else _decode(function.text or b"")
    return name.rpartition(".")[2]


def _is_expression(data: bytes) -> bool:
    """Return whether a text is an expression; the words in `Annotated` usually are not."""
    try:
        ast.parse(_decode(data).strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def find_uses(data: bytes, name: str, root: Any = None) -> Iterator[Use]:
    """Yield the places where a name is an identifier, in order.

    Args:
        data: The text in UTF-8.
        name: The name.
        root: The root of the syntax tree. With it, strings and comments are left out, except
            in lines with syntax errors.
    """
    ranges = broken_lines(root) if root is not None and root.has_error else []
    target = name.encode()
    line = 1
    start = 0
    place = data.find(target)
    while place >= 0:
        line += data.count(b"\n", start, place)
        start = place
        tree = None if _has_line(ranges, line) else root
        if _is_use(data, place, target, tree):
            line_start = data.rfind(b"\n", 0, place) + 1
            line_end = data.find(b"\n", place)
            text = _decode(data[line_start : line_end if line_end >= 0 else len(data)])
            column = len(_decode(data[line_start:place])) + 1
            yield Use(line, column, text.strip()[:_MAX_HEAD], place)
        place = data.find(target, place + len(target))


def _is_use(data: bytes, place: int, target: bytes, root: Any) -> bool:
    end = place + len(target)
    node = root.descendant_for_byte_range(place, end) if root is not None else None
    if root is None or (node is not None and is_mention(node)):
        # A character has at most 4 bytes; a part of another one before it is ignored.
        before = data[max(0, place - 4) : place].decode("utf-8", "ignore")[-1:]
        after = data[end : end + 4].decode("utf-8", "ignore")[:1]
        return re.search(r"\w", before + after) is None
    if node is None or node.child_count:
        return False
    if node.start_byte != place or node.end_byte != end:
        return False
    return not _PLAIN_TEXT & set(node.type.split("_")) or "identifier" in node.type
