"""What each fence around the private parts of a library relies on, held against the library that is installed.

A test here fails when a library changes. Its message names the version, what changed, and the one module to adapt.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.grammar.compiling import lark_insides
from symops_lark.core.ground.python_processes import WorkerPool
from symops_lark.core.patterns import re2_fast, re_syntax
from symops_lark.core.patterns.regexes import LinearSet, Sieve, compile_linear, substituter

RE_FENCE = "symops_lark/core/patterns/re_syntax.py"
RE2_FENCE = "symops_lark/core/patterns/re2_fast.py"
LARK_FENCE = "symops_lark/core/grammar/compiling/lark_insides.py"
POOL_FENCE = "symops_lark/core/ground/python_processes.py"
JSONSCHEMA_FENCE = "symops_lark/answers/structured/schema/references.py"
PYTHON = f"re of Python {sys.version.split()[0]}"


def advise(library: str, fault: str, fence: str) -> str:
    """Return what a person reads when a library is not as its fence expects."""
    name = library if " " in library else f"{library} {version(library)}"
    return f"{name}: {fault}. Adapt {fence}, and nothing else; then this test to the new shape"


# ---- re

# For each operation of a tree: a pattern of it, and its value as this package reads it.
SHAPES: dict[str, tuple[str, Any]] = {
    "LITERAL": ("a", 97),
    "NOT_LITERAL": ("[^a]", 97),
    "ANY": (".", None),
    "AT": ("^", "AT_BEGINNING"),
    "IN": (r"[^a-c\dx]", [("NEGATE", None), ("RANGE", (97, 99)), ("CATEGORY", "CATEGORY_DIGIT"), ("LITERAL", 120)]),
    "BRANCH": ("ab|cd", (None, [[("LITERAL", 97), ("LITERAL", 98)], [("LITERAL", 99), ("LITERAL", 100)]])),
    "SUBPATTERN": ("(?i:a)", (None, re.IGNORECASE.value, 0, [("LITERAL", 97)])),
    "MAX_REPEAT": ("a{2,3}", (2, 3, [("LITERAL", 97)])),
    "MIN_REPEAT": ("a{2,3}?", (2, 3, [("LITERAL", 97)])),
    "POSSESSIVE_REPEAT": ("a{2,3}+", (2, 3, [("LITERAL", 97)])),
    "ATOMIC_GROUP": ("(?>a)", [("LITERAL", 97)]),
    "ASSERT": ("(?=a)", (1, [("LITERAL", 97)])),
    "ASSERT_NOT": ("(?<!a)", (-1, [("LITERAL", 97)])),
}


def plain(value: Any) -> Any:
    """Return a part of a tree with names in place of `re`'s constants, and lists in place of its sequences."""
    if isinstance(value, int):
        name = str(value)
        return int(value) if name.isdigit() or name.startswith("-") else name
    if isinstance(value, tuple):
        return tuple(plain(part) for part in value)
    return value if value is None else [plain(part) for part in value]


@pytest.mark.parametrize("operation", SHAPES)
def test_re_gives_an_operation_the_shape_that_is_read(operation: str) -> None:
    pattern, expected = SHAPES[operation]
    tree = re_syntax.parse_pattern(pattern)
    items = [(str(name), plain(value)) for name, value in tree.items]
    assert items == [(operation, expected)], advise(PYTHON, f"{operation} of {pattern!r} has another shape", RE_FENCE)


def test_re_tells_flags_groups_and_endless_repetitions() -> None:
    tree = re_syntax.parse_pattern("(?i)(?P<name>a)(b)*")
    assert tree.flags & re.IGNORECASE, advise(PYTHON, "flags are not in the state of a tree", RE_FENCE)
    assert (tree.names, tree.groups) == ({"name": 1}, 2), advise(PYTHON, "groups are not in the state", RE_FENCE)
    high = list(tree.items)[-1][1][1]
    assert high == re_syntax.ENDLESS > 10**9, advise(PYTHON, "an endless repetition has another bound", RE_FENCE)


def test_re_has_one_of_two_shapes_for_what_never_matches() -> None:
    items = [(str(name), plain(value)) for name, value in re_syntax.parse_pattern("(?!)").items]
    existing: Any = [("ASSERT_NOT", (1, []))], [("FAILURE", ())]  # up to Python 3.12, and since
    assert items in existing, advise(PYTHON, "(?!) has another shape", RE_FENCE)


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "(" * 5_000 + ")" * 5_000])
def test_what_re_cannot_read_is_one_error(pattern: str) -> None:
    with pytest.raises(re_syntax.UnreadablePatternError):
        re_syntax.parse_pattern(pattern)


# ---- RE2


class PublicOnly:
    """Something of a library without its private parts, as a later version may have it."""

    def __init__(self, inner: Any) -> None:
        self._PublicOnly_inner = inner

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._PublicOnly_inner, name)


def hide_private_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `import re2` give a module, compiled patterns and sets that have public names alone."""
    re2 = pytest.importorskip("re2")
    public = ModuleType("re2")
    for name in dir(re2):
        if not name.startswith("_"):
            setattr(public, name, getattr(re2, name))

    class Set:
        @staticmethod
        def SearchSet(options: Any) -> PublicOnly:
            return PublicOnly(re2.Set.SearchSet(options))

    public.compile = lambda *given: PublicOnly(re2.compile(*given))  # type: ignore[attr-defined]
    public.Set = Set  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "re2", public)


TEXTS = ["", "a", "xab", "b\nab\n", "é a b", "aab aab", "\n\n", "日本 ab"]
USES: dict[str, Callable[[str], Any]] = {
    "a sieve": lambda text: list(Sieve("ab|é").lines(text)),
    "a set": lambda text: LinearSet(["a", "^x", "b$"]).find(text),
    "a large set": lambda text: LinearSet(["^a", "b", *(f"{n}z" for n in range(40))]).find(text),
    "all": lambda text: substituter(compile_linear("(?P<it>a+)(b)?"), r"<\2\g<it>\n>", 0)(text),
    "once": lambda text: substituter(compile_linear("b|(a)"), r"[\1]", 1)(text),
    "nothing": lambda text: substituter(compile_linear("x*"), "-", 0)(text),
}


@pytest.mark.parametrize("use", USES)
def test_without_private_parts_re2_gives_the_same(use: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = [USES[use](text) for text in TEXTS]
    hide_private_parts(monkeypatch)
    assert [USES[use](text) for text in TEXTS] == usual
    assert re2_fast._engine_of(compile_linear("a")) is None
    assert re2_fast._split_template("a") is None


def test_re2_has_the_private_parts_that_save_time() -> None:
    re2 = pytest.importorskip("re2")
    compiled, several = re2.compile("(a)(b)?"), re2.Set.SearchSet()
    several.Add("b")
    several.Compile()
    slower = "the public interface is used, which is slower"
    engine = re2_fast._engine_of(compiled)
    assert engine is not None, advise("google-re2", f"no _regexp.Match or _Anchor: {slower}", RE2_FENCE)
    spans = engine[0](engine[1], "é a".encode(), 0, 4)
    assert list(spans) == [(3, 4), (3, 4), (-1, -1)], advise("google-re2", "spans have another shape", RE2_FENCE)
    assert hasattr(several, "_set"), advise("google-re2", f"no _set.Match: {slower}", RE2_FENCE)
    assert list(re2_fast.set_match(several)(b"ab")) == [0], advise("google-re2", "_set.Match differs", RE2_FENCE)
    assert list(re2_fast.set_match(several)(b"x")) == [], advise("google-re2", "_set.Match differs", RE2_FENCE)
    pieces = re2_fast._split_template(r"a\1b\g<name>\n")
    expected = ["a", r"\1", "b", r"\g<name>", r"\n"]
    assert pieces == expected, advise("google-re2", f"_Match._split is gone or differs: {slower}", RE2_FENCE)


@given(st.text("ab\né"), st.integers(0, 8))
def test_both_ways_to_find_the_first_match_agree(text: str, start: int) -> None:
    compiled = pytest.importorskip("re2").compile("ab|$")
    data = text.encode()
    begin = min(start, len(data))
    assert re2_fast.first_match(compiled)(data, begin) == re2_fast.first_match(PublicOnly(compiled))(data, begin)


# ---- Lark

GRAMMAR = """
document: (item | "!")+ -> all
item.-3: WORD [END] _GAP
WORD: /[a-z]+/
END: "."
_GAP: " "
UNUSED: "unused"
%ignore "\\n"
"""


def definitions() -> lark_insides.Definitions:
    return lark_insides.load_definitions(GRAMMAR, Path("a.lark"))


def test_lark_gives_the_trees_of_definitions() -> None:
    loaded = definitions()
    fault = advise("lark", "load_grammar gives definitions of another shape", LARK_FENCE)
    assert list(loaded.rules) == ["document", "item"], fault
    assert {"WORD", "END", "_GAP", "UNUSED"} <= loaded.terminals.keys(), fault
    tree = loaded.rules["item"]
    assert (tree.data, [child.data for child in tree.children]) == ("expansions", ["expansion"]), fault
    kinds = [getattr(part, "data", None) or part.name for part in tree.children[0].children]
    assert kinds == ["value", "maybe", "value"], fault


def test_lark_compiles_definitions_to_rules() -> None:
    terminals, rules, ignored = definitions().compile(["document"])
    fault = advise("lark", "a compiled grammar has another shape", LARK_FENCE)
    assert {"WORD", "END", "_GAP"} == {t.name for t in terminals if not t.name.startswith(("__", "BANG"))}, fault
    assert len(ignored) == 1, fault
    items = [rule for rule in rules if str(rule.origin.name) == "item"]
    assert sorted(len(rule.expansion) for rule in items) == [2, 3], fault
    assert {rule.options.priority for rule in items} == {-3}, fault
    assert sorted(rule.order for rule in items) == [0, 1], fault
    assert any(rule.alias == "all" for rule in rules), fault
    symbols = {symbol.name: (symbol.is_term, symbol.filter_out) for rule in items for symbol in rule.expansion}
    assert symbols == {"WORD": (True, False), "END": (True, False), "_GAP": (True, True)}, fault
    saved, _, _ = definitions().compile(["document"], "*")
    assert "UNUSED" in {t.name for t in saved}, advise("lark", '"*" does not keep all terminals', LARK_FENCE)


def test_lark_gives_the_pattern_of_a_text_in_quotes() -> None:
    tree = definitions().rules["document"]
    [token] = tree.scan_values(lambda leaf: getattr(leaf, "type", "") == "STRING")
    pattern = lark_insides.pattern_of_literal(token)
    fault = advise("lark", "a text in a rule has another pattern than its terminal", LARK_FENCE)
    terminals, _, _ = definitions().compile(["document"])
    assert [t.name for t in terminals if t.pattern == pattern] == ["BANG"], fault
    symbol = lark_insides.left_out_terminal("BANG")
    assert (symbol.name, symbol.is_term, symbol.filter_out) == ("BANG", True, True), fault


@pytest.mark.parametrize(
    ("terminals", "first"),
    [
        ('A: /xy?/\nB.1: /x./', "B"),  # by its priority
        ('A: /x./\nB: /x.?.?/', "B"),  # by its longest text
        ('A: /x./\nB: /[x]./', "B"),  # by the length of its pattern
        ('B: /x[y]/\nA: /[x]y/', "A"),  # by its name
    ],
)  # fmt: skip
def test_lark_tries_terminals_in_the_order_of_their_ranks(terminals: str, first: str) -> None:
    grammar = f"document: (A | B)\n{terminals}\n"
    parser = lark.Lark(grammar, parser="lalr", start="document", lexer="basic")
    fault = advise("lark", "the lexer tries terminals in another order", LARK_FENCE)
    assert [token.type for token in parser.lex("xy")] == [first], fault
    assert min(parser.terminals, key=lark_insides.lexer_rank).name == first, fault


def test_lark_has_an_lalr_table() -> None:
    parser = lark.Lark(GRAMMAR, parser="lalr", start=["document", "item"])
    table = lark_insides.read_parse_table(parser)
    fault = advise("lark", "the LALR table has another shape", LARK_FENCE)
    assert table.starts.keys() == table.ends.keys() == {"document", "item"}, fault
    is_shift, target = table.states[table.starts["item"]]["WORD"]
    assert is_shift and target in table.states, fault
    is_shift, state = table.states[table.starts["item"]]["item"]
    assert is_shift and state == table.ends["item"], fault
    _, after_gap = table.states[target]["_GAP"]
    is_shift, rule = table.states[after_gap]["$END"]
    assert not is_shift and [symbol.name for symbol in rule.expansion] == ["WORD", "_GAP"], fault
    assert rule.options.empty_indices, advise("lark", "empty_indices are gone, which say what is missing", LARK_FENCE)


def test_lark_analyzes_a_grammar_with_conflicts() -> None:
    text = 'document: one | other\none: "a" "b"?\nother: "a" "b"?\n'
    _, rules, _ = lark_insides.load_definitions(text, Path("a.lark")).compile(["document"])
    [start] = lark_insides.analyze_conflicts(rules, ["document"])
    fault = advise("lark", "the LALR analysis has another shape", LARK_FENCE)
    [after] = [state for symbol, state in start.transitions.items() if symbol.is_term]
    [(end, reduced)] = after.lookaheads.items()
    assert end.name == "$END" and {rule.origin.name for rule in reduced} == {"one", "other"}, fault


def test_lark_has_a_postlexer_for_indented_blocks() -> None:
    attributes = {"NL_type": "_NL", "INDENT_type": "_I", "DEDENT_type": "_D", "tab_len": 8}
    attributes |= {"OPEN_PAREN_types": [], "CLOSE_PAREN_types": []}
    postlex = type("Blocks", (lark_insides.load_indenter(),), attributes)()
    grammar = 'start: "a" _NL _I "b" _D\n_NL: /\\n */\n%declare _I _D\n'
    assert lark.Lark(grammar, parser="lalr", postlex=postlex).parse("a\n b").data == "start"
    assert {"NL_type", "tab_len"} <= set(dir(postlex))


def test_lark_reads_tokens_one_by_one() -> None:
    parser = lark.Lark(GRAMMAR, parser="lalr", start="document").parse_interactive("a. b ")
    types = []
    for token in lark_insides.read_tokens(parser):
        parser.feed_token(token)
        types.append(token.type)
    assert types == ["WORD", "END", "_GAP", "WORD", "_GAP"], advise("lark", "tokens differ", LARK_FENCE)


# ---- jsonschema


@pytest.mark.parametrize(
    ("draft", "keyword", "reference"),
    [
        ("2020-12/schema", "$ref", "#/$defs/part"),
        ("2020-12/schema", "$dynamicRef", "#it"),
        ("2019-09/schema", "$recursiveRef", "#"),
    ],
)
def test_jsonschema_resolves_references(draft: str, keyword: str, reference: str) -> None:
    pytest.importorskip("jsonschema")
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.jsonschema import specification_with

    from symops_lark.answers.structured.schema.references import bind_registry, follow_reference

    part = {"type": "string", "$dynamicAnchor": "it"}
    schema: dict[str, Any] = {"$schema": f"https://json-schema.org/draft/{draft}", "$defs": {"part": part}}
    kind: Any = validator_for(schema)
    resource = specification_with(schema["$schema"]).create_resource(schema)
    registry: Any = Registry().with_resource("", resource).crawl()
    fault = advise("jsonschema", "a validator has no _resolver as before", JSONSCHEMA_FENCE)
    try:
        validator, result = follow_reference(bind_registry(kind, schema, registry, ""), keyword, reference)
    except (AttributeError, TypeError) as error:
        pytest.fail(f"{fault}: {error}")
    assert result == (schema if keyword == "$recursiveRef" else part), fault
    assert validator.schema == result and validator._resolver is not None, fault
    assert validator.is_valid(1) is (keyword == "$recursiveRef"), fault


# ---- concurrent.futures


def test_an_executor_knows_its_processes() -> None:
    pool = WorkerPool(max_workers=1)
    library = f"concurrent.futures of Python {sys.version.split()[0]}"
    try:
        assert pool.submit(int, "1").result() == 1
        fault = advise(library, "an executor has no processes by their numbers", POOL_FENCE)
        assert [number == process.pid for number, process in pool._processes.items()] == [True], fault
    finally:
        pool.stop(5)
    assert not pool._processes, advise(library, "an executor that was shut down keeps processes", POOL_FENCE)
