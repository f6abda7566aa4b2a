"""The definitions in a text, and the places where a name is used, by tree-sitter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .languages import Language

_HEAD = 200  # characters of the line that is shown
_BODIES = frozenset(("function", "method"))  # variables in them are nobody else's
_TYPES = frozenset(("class", "interface", "struct", "trait", "enum", "within"))
_PLAIN_TEXT = frozenset(("string", "comment", "template", "regex", "char", "character"))
_TYPES_WITH_KEYS = frozenset(("lookup_type", "type_arguments"))
_TYPES_OF_PYTHON = frozenset(
    ("type", "type_parameter", "generic_type", "union_type", "binary_operator", "subscript", "list")
)
_GENERIC = re.compile(rb"(?:.*\.)?[A-Z]\w*[a-z]\w*", re.DOTALL)  # `t.Optional`: a constant has no small letters
_ACCESSORS = ("getattr", "hasattr", "setattr", "delattr")
# The arguments of functions of Python that are names, or types, in quotes: places in the call.
_MENTIONS = {
    "cast": (0,),
    "NewType": (1,),
    "TypeVar": tuple(range(1, 10)),  # constraints
    **dict.fromkeys(_ACCESSORS, (1,)),
}
_DEFINES = re.compile(
    r"^[ \t]*(?:(?:export|public|private|protected|internal|static|abstract|final|async|local|inline|virtual|override"
    r"|pub|default|open|sealed|data|unsafe|extern|constexpr)[ \t]+)*"
    r"(?P<kind>def|class|function|func|fun|fn|sub|struct|interface|trait|enum|module|namespace|protocol|typedef|record"
    r"|object|message|service|defmodule|defp|macro)[ \t]+(?:self\.)?(?P<name>[^\W\d]\w*[?!]?)",
    re.MULTILINE,
)


_OF_SCRIPTS = re.compile(
    r"^(?:export[ \t]+)?(?:declare[ \t]+)?(?P<kind>type|const|let|var)[ \t]+"
    r"(?P<name>[A-Za-z_$][\w$]*)[ \t]*(?=[=<:;]|$)",
    re.MULTILINE,
)
_KINDS = {"def": "function", "func": "function", "fun": "function", "fn": "function", "sub": "function",
          "const": "variable", "let": "variable", "var": "variable"}  # fmt: skip
_KEYWORDS = frozenset((
    "return", "if", "else", "for", "while", "do", "switch", "case", "const", "let", "var", "new", "await", "async",
    "function", "class", "typeof", "throw", "try", "catch", "finally", "import", "export", "default", "in", "of",
    "with", "yield", "void", "delete",
))  # fmt: skip


class Symbol(NamedTuple):
    """A definition: lines and columns count from 1, in characters; `within` is the qualified name around it."""

    name: str
    kind: str
    line: int
    column: int
    end_line: int
    within: str
    head: str


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a name stands as an identifier; `start` is its first byte."""

    line: int
    column: int
    text: str
    start: int


class _Scope(NamedTuple):
    end: int
    name: str
    kind: str


def read_symbols(data: bytes, language: Language, root: Any = None) -> list[Symbol]:
    """Return the definitions in a text of a language, in order, and its imports as the kind `import`.

    Where the parser does not get through, what stands at the begin of a line is read as text. `root` is the root of the
    tree, if the text was parsed before.
    """
    root = language.parser.parse(data).root_node if root is None else root
    symbols = _read_parsed(data, language, root)
    if not root.has_error:
        return symbols
    ranges = broken_lines(root)
    kept = []
    for symbol in symbols:  # a property may be called `var`; in broken lines that is a keyword
        is_broken = any(first <= symbol.line <= last for first, last in ranges)
        if not is_broken or symbol.name not in _KEYWORDS:
            kept.append(symbol)
    return kept + _read_broken(data, language, kept, ranges)


def broken_lines(root: Any) -> list[tuple[int, int]]:
    """Return the first and last lines (from 1) of what no rule of the grammar holds, in order, none twice."""
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "ERROR" or node.is_missing:
            found.append((node.start_point[0] + 1, node.end_point[0] + 1))
        elif node.has_error:
            waiting += node.children
    merged: list[tuple[int, int]] = []
    for first, last in sorted(found):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _read_broken(data: bytes, language: Language, symbols: list[Symbol], ranges: list[tuple[int, int]]) -> list[Symbol]:
    """Return what looks like definitions in broken lines, and is not known by its syntax."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    known = {(symbol.name, symbol.line) for symbol in symbols}
    guessed = read_symbols_of_text(text)
    if language.name in ("javascript", "typescript", "tsx"):
        guessed += _guess(_OF_SCRIPTS, text)
    found = []
    for symbol in guessed:
        is_broken = any(first <= symbol.line <= last for first, last in ranges)
        is_new = (symbol.name, symbol.line) not in known and symbol.name not in _KEYWORDS
        if is_broken and is_new and not lines[symbol.line - 1][:1].isspace():
            found.append(symbol._replace(kind=_KINDS.get(symbol.kind, symbol.kind)))
    return found


def _read_parsed(data: bytes, language: Language, root: Any) -> list[Symbol]:
    from tree_sitter import QueryCursor

    found: dict[tuple[int, int], tuple[Any, Any, str]] = {}
    for _, captures in QueryCursor(language.query).matches(root):
        [(kind, nodes)] = [(kind, nodes) for kind, nodes in captures.items() if kind != "name" and kind[0] != "_"]
        for name in captures["name"]:
            key = (name.start_byte, name.end_byte)
            known = found[key][2] if key in found else "variable"
            if known == "variable" or (known == "type" and kind != "variable"):
                found[key] = (nodes[0], name, kind)
    lines = data.split(b"\n")
    symbols: list[Symbol] = []
    scopes: list[_Scope] = []
    for node, name, kind in sorted(found.values(), key=lambda row: (row[0].start_byte, -row[0].end_byte)):
        while scopes and scopes[-1].end <= node.start_byte:
            scopes.pop()
        text = (name.text or b"").decode("utf-8", "replace").strip('"')
        around = scopes[-1] if scopes else None
        own = _kind(kind, around, node)
        local = kind == "variable" and any(scope.kind in _BODIES for scope in scopes)
        if kind != "within" and not local:
            symbols.append(_symbol(text, own, node, name, around, lines))
        if kind not in ("variable", "import"):
            outer = f"{around.name}." if around and around.name and kind != "within" else ""
            scopes.append(_Scope(node.end_byte, outer + text, own))
    return symbols


def _kind(kind: str, around: _Scope | None, node: Any) -> str:
    if kind == "function" and around and around.kind in _TYPES and node.type != "variable_declarator":
        return "method"
    return kind


def _symbol(text: str, kind: str, node: Any, name: Any, around: _Scope | None, lines: list[bytes]) -> Symbol:
    row, offset = name.start_point
    line = lines[row]
    return Symbol(
        text,
        kind,
        row + 1,
        len(line[:offset].decode("utf-8", "replace")) + 1,
        node.end_point[0] + 1,
        around.name if around else "",
        line.decode("utf-8", "replace").strip()[:_HEAD],
    )


def read_symbols_of_text(text: str) -> list[Symbol]:
    """Return what looks like definitions in a text of a language whose grammar is not at hand."""
    return _guess(_DEFINES, text)


def _guess(pattern: re.Pattern[str], text: str) -> list[Symbol]:
    symbols, line, place = [], 1, 0
    for found in pattern.finditer(text):
        line += text.count("\n", place, found.start("name"))
        place = found.start("name")
        start = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        head = text[start : end if end >= 0 else len(text)].strip()[:_HEAD]
        symbols.append(Symbol(found["name"], found["kind"], line, place - start + 1, line, "", head))
    return symbols


def is_mention(node: Any) -> bool:
    """Return whether a text is code too: an annotation of Python, or a name in `__all__` or `__slots__`.

    So are the types in `cast`, `TypeVar` and `NewType`, and the name in `getattr` and its like.
    In scripts it is the key of a member: `o["name"]`, `Type["name"]`.
    """
    if node.type == "string_fragment":
        above = node.parent.parent
        is_key = above is not None and above.type == "literal_type" and above.parent.type in _TYPES_WITH_KEYS
        return is_key or (above is not None and above.type == "subscript_expression")
    if node.type != "string_content":
        return False
    above = node.parent.parent
    if above is not None and above.type in ("list", "tuple"):
        names = above.parent.child_by_field_name("left")
        if names is not None and names.text in (b"__all__", b"__slots__"):
            return True
    if above is not None and above.type == "keyword_argument":
        is_bound = above.child_by_field_name("name").text == b"bound"
        return is_bound and _called(above.parent) == "TypeVar" and _is_expression(node.text or b"")
    if above is not None and above.type == "argument_list":
        place = [child.id for child in above.named_children].index(node.parent.id)
        wanted = _MENTIONS.get(_called(above), ())
        return place in wanted and _is_expression(node.text or b"")
    return _is_in_type(above) and _is_expression(node.text or b"")


def _is_in_type(node: Any) -> bool:
    """Return whether code around a text is a type of Python: an annotation, or `Optional[…]` anywhere."""
    is_type = False
    while node is not None and node.type in _TYPES_OF_PYTHON:
        if node.type in ("generic_type", "subscript"):
            around = node.children[0].text or b""
            if b"Literal" in around:
                return False  # its strings are values
            is_type |= _GENERIC.fullmatch(around) is not None
        is_type |= node.type == "type"
        node = node.parent
    return is_type


def names_member(node: Any) -> bool:
    """Return whether a text is the name of an attribute: `getattr(module, "name")`."""
    above = node.parent.parent
    return above is not None and above.type == "argument_list" and _called(above) in _ACCESSORS


def _called(arguments: Any) -> str:
    """Return the last name of the function that gets some arguments; empty in the heading of a class."""
    function = arguments.parent.child_by_field_name("function")
    name = (function.text or b"").decode("utf-8", "replace") if function is not None else ""
    return name.rpartition(".")[2]


def _is_expression(data: bytes) -> bool:
    """Return whether a text is an expression of Python; the words in `Annotated` usually are not."""
    try:
        ast.parse(data.decode("utf-8", "replace").strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def find_uses(data: bytes, name: str, root: Any = None) -> Iterator[Use]:
    """Yield the places where a name stands as an identifier, in order.

    With the root of a syntax tree those in strings and comments are none, but for lines that are broken.
    """
    ranges = broken_lines(root) if root is not None and root.has_error else []
    wanted = name.encode()
    line, start, place = 1, 0, data.find(wanted)
    while place >= 0:
        line += data.count(b"\n", start, place)
        start = place
        begin = data.rfind(b"\n", 0, place) + 1
        is_broken = any(first <= line <= last for first, last in ranges)
        if _is_use(data, place, wanted, None if is_broken else root):
            end = data.find(b"\n", place)
            text = data[begin : end if end >= 0 else len(data)].decode("utf-8", "replace")
            yield Use(line, len(data[begin:place].decode("utf-8", "replace")) + 1, text.strip()[:_HEAD], place)
        place = data.find(wanted, place + len(wanted))


def _is_use(data: bytes, place: int, wanted: bytes, root: Any) -> bool:
    end = place + len(wanted)
    if root is None:
        before = data[max(0, place - 4) : place].decode("utf-8", "ignore")[-1:]
        behind = data[end : end + 4].decode("utf-8", "ignore")[:1]
        return re.search(r"\w", before + behind) is None
    node = root.descendant_for_byte_range(place, end)
    if node is not None and is_mention(node):
        return _is_use(data, place, wanted, None)
    if node is None or node.start_byte != place or node.end_byte != end or node.child_count:
        return False
    return not _PLAIN_TEXT & set(node.type.split("_")) or "identifier" in node.type
