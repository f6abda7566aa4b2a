"""The grammars: strict, portable, nothing dead in them, the only place that spells a mark; broken ones are reported."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import lark.lexer
import pytest
from counting import counting_parser
from lark import Lark, Token
from lark.exceptions import UnexpectedInput
from texts import DIALECTS, texts_on_file

import symops_lark
from symops_lark import GrammarError
from symops_lark.core.grammar.compiling.compiler import STARTS
from symops_lark.core.grammar.loading import load_grammar

PACKAGE = Path(symops_lark.__file__).parent
V2 = load_grammar("v2").text


# ---- strict and portable


@pytest.mark.alike(3)
@pytest.mark.parametrize("name", DIALECTS)
def test_it_passes_larks_strict_mode(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No collision between regular expressions, no conflict in the tables (needs interegular)."""
    pytest.importorskip("interegular")
    monkeypatch.setattr(lark.lexer, "has_interegular", True)
    assert Lark(load_grammar(name).text, parser="lalr", start=list(STARTS), strict=True).options.strict


def _regexes(name: str) -> Iterator[tuple[str, str]]:
    for terminal, tree in load_grammar(name).definitions[1].items():
        for token in tree.scan_values(lambda value: isinstance(value, Token) and value.type == "REGEXP"):
            yield terminal, str(token)


_CLASS = r"\[\^?(?:\\[nrtfv\\\]\[^/-]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|[^\\\]])+\]"
_LITERAL = r"\\[nrt\\./()\[\]{}|?*+$^-]|[^\\.\[\](){}|?*+^$]"
_PORTABLE = re.compile(rf"(?:{_CLASS}|{_LITERAL}|\((?!\?)|\)|\||[?*+](?![?*+]))*")


@pytest.mark.parametrize("name", DIALECTS)
def test_it_is_in_the_portable_subset(name: str) -> None:
    """Literals, explicit classes, `( ) | ? * +`: what every exporter can keep."""
    found = list(_regexes(name))
    assert len(found) > 10
    for terminal, regex in found:
        body, slash, flags = regex[1:].rpartition("/")
        assert slash and not flags, f"{terminal} has flags"
        assert _PORTABLE.fullmatch(body), f"{terminal}: {body}"


@pytest.mark.parametrize(
    "regex", [r"a.b", r"\d+", r"\w", r"\s", r"^a", r"a$", r"(?=a)", r"(?:a)", r"a*?", r"a{2}", r"\bx"]
)
def test_the_subset_is_checked(regex: str) -> None:
    assert not _PORTABLE.fullmatch(regex)


@pytest.mark.parametrize("name", DIALECTS)
def test_it_uses_no_feature_that_exporters_lose(name: str) -> None:
    text = re.sub(r"//[^\n]*", "", load_grammar(name).text)
    text = re.sub(r'"(?:\\.|[^"\\])*"|/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\\n])+/', "LITERAL", text)
    for feature in ("%ignore", "%import", "%extend", "%override", "%declare", "->", "[", "{", "~"):
        assert feature not in text
    assert not re.search(r"^[?!]?\w+\.-?\d", text, re.MULTILINE), "no priorities"
    assert not re.search(r"^[?!]", text, re.MULTILINE), "no rule that keeps or drops its tree"


# ---- nothing dead: every alternative of every rule and every terminal is reached by a strict case


@lru_cache(maxsize=16)
def coverage(name: str) -> tuple[Lark, Counter[Any]]:
    """Parse all valid texts on file with a parser that counts how often it reduces each alternative of each rule."""
    lark, rules = counting_parser(name)
    parsed = 0
    for _, dialect, text in texts_on_file():
        if dialect in (name, load_grammar(name).family):  # what builds on v2 reads the texts of v2
            try:
                lark.parse(text.removeprefix("\ufeff").removesuffix("\n") + "\n", start="document")
            except UnexpectedInput:
                continue
            parsed += 1
    assert parsed > (10 if name == "plain" else 30)
    return lark, rules


def _shown(rule: Any) -> str:
    return f"{rule.origin.name}: " + " ".join(symbol.name for symbol in rule.expansion)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_alternative_is_reached(name: str) -> None:
    lark, rules = coverage(name)
    missed = {_shown(rule) for rule in lark.rules if not rules[rule]}
    assert missed == {"document: "}, "a text has at least one line, so only the empty alternative stays unused"


@pytest.mark.parametrize("name", DIALECTS)
def test_every_terminal_is_reached(name: str) -> None:
    lark, rules = coverage(name)
    met = {symbol.name for rule in rules for symbol in rule.expansion if symbol.is_term}
    assert {terminal.name for terminal in lark.terminals} - met == set()


@pytest.mark.parametrize("name", DIALECTS)
def test_no_definition_is_dead(name: str) -> None:
    """What nothing refers to is dropped by Lark without a word."""
    text = re.sub(r"//[^\n]*", "", load_grammar(name).text)
    defined = re.findall(r"^(\w+)[ ]*:", text, re.MULTILINE)
    assert len(defined) > 40
    assert [word for word in defined if len(re.findall(rf"\b{word}\b", text)) < 2 and word != "document"] == []


# ---- marks are spelled in the grammars and nowhere else

ALLOWED = {
    # file, string: why this is no mark
    ("__init__.py", "."): "a relative module name",
    ("core/repairs/__init__.py", "."): "a relative module name",
    ("core/recovery/lines/passes.py", "!"): "before a form that a dialect must not have",
    ("adapters/cli/__init__.py", "."): "a relative module name",
    ("models/correction/__init__.py", "."): "a relative module name",
    ("models/__init__.py", "."): "a relative module name",
    ("core/grammar/compiling/gathering.py", "."): "what joins names",
    ("core/recovery/reading.py", ">"): "a sign and its mirror",
    ("core/recovery/doubts/nests.py", "~"): "a character of Markdown fences",
    ("models/addresses.py", "."): "what joins the parts of a host's name",
    ("models/addresses.py", "@"): "what ends the user's name in a URL",
    ("models/addresses.py", "?"): "what begins the query of a URL",
    ("models/addresses.py", "#"): "what begins the fragment of a URL",
    ("models/addresses.py", ")(?::(?P<port>[0-9]{1,5}))?(?:/[!-~]*)?\\Z"): "a part of a pattern of URLs",
    (
        "models/addresses.py",
        "|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(?::(?P<port>[0-9]{1,5}))?\\Z",
    ): "a part of a pattern of hosts",
    (
        "models/addresses.py",
        ": write IPv4 as four decimal numbers, such as 127.0.0.1, IPv6 as [::1]",
    ): "an address in a message",
    ("answers/structured/schema/budget.py", ","): "what joins the parts of a JSON text",
    ("answers/structured/joints.py", ","): "what joins the members of a JSON text",
    ("answers/structured/schema/validators.py", "#"): "what begins the fragment of a `$ref`",
    ("acting/files/protected.py", "?"): "a wildcard of globs",
    ("code_intelligence/index/owners/block_names.py", "::"): "what joins names in C++ and Rust",
    ("core/grammar/compiling/section_compiler.py", ">"): "a part of the syntax of named groups",
    ("core/grammar/compiling/section_compiler.py", "?"): "an operator of grammars",
    ("core/grammar/dialect.py", ">"): "a part of the syntax of named groups",
    ("core/grammar/compiling/own_sections.py", "?"): "an operator of grammars",
    ("core/grammar/compiling/own_sections.py", "~"): "an operator of grammars",
    ("core/grammar/compiling/rule_trees.py", "?"): "an operator of grammars",
    ("models/prompts/own_samples.py", "."): "what joins the names of rules and terminals",
    ("core/rendering/templates.py", "."): "what joins the names of rules and terminals",
    ("core/strict/builder.py", "."): "the point of a number, and what joins names",
    ("core/grammar/lalr.py", ">"): "a part of the syntax of named groups",
    (
        "core/grammar/compiling/dialect_tables.py",
        ': write each as a terminal that is one string, such as _ACTION: "::"',
    ): "an example in a message",
    ("lab/baselines/__init__.py", "."): "a relative module name",
    ("exports/textmate.py", "#"): "a reference in TextMate grammars",
    ("core/ground/json_text.py", "."): "the point of a number",
    ("code_intelligence/gate/record.py", "[.#]|::"): "what joins names in code",
    ("code_intelligence/tools/find_definitions.py", "::"): "what joins names in C++ and Rust",
    ("core/ground/json_text.py", ","): "punctuation of JSON",
    ("models/streams.py", ">"): "the representation of an object",
    ("core/repairs/planner.py", "~"): "a Markdown fence",
    ("core/repairs/plain_lines.py", "?"): "stands for what a rule does not say",
    ("core/validator/contents.py", "<<<<<<"): "the beginning of SEARCH/REPLACE",
    ("core/validator/leftovers.py", "."): "the point of a suffix",
    ("core/validator/sections.py", "."): "the folder itself in a path",
    ("core/validator/leftovers.py", ">"): "the end of a control token",
    ("core/validator/targets.py", "$"): "the end in a pattern",
    ("core/recovery/doubts/drafts.py", "#"): "a heading in Markdown",
    ("core/recovery/foreign/fence_layout.py", "#"): "a comment of a shell",
    ("core/recovery/foreign/fence_layout.py", "$"): "the prompt of a shell",
    ("core/recovery/foreign/json_layout.py", ","): "punctuation of JSON",
    ("core/recovery/foreign/tag_layout.py", ">"): "the end of a tag",
    ("core/recovery/lines/tagged_blocks.py", ">"): "the end of a tag",
    ("core/repairs/wrappers.py", ">"): "a sign that HTML escapes",
    ("core/validator/contents.py", "#"): "a comment",
    ("core/validator/contents.py", "--"): "a comment of SQL",
    ("core/validator/contents.py", ">"): "a sign that HTML escapes",
    ("core/edits/left_out.py", "#"): "a comment",
    ("core/edits/marks.py", "@"): "the beginning of a mark of diffs",
    ("core/edits/marks.py", ">"): "the beginning of a mark of SEARCH/REPLACE",
    ("core/ground/members.py", "."): "what joins names in Python",
    ("core/ground/numbers.py", ","): "a thousands separator",
    ("core/ground/resources.py", "~"): "the home folder",
    ("core/grammar/compiling/statements.py", "?"): "punctuation of a message",
    ("core/grammar/loading.py", "?"): "punctuation of a message",
    ("adapters/cli/options.py", ","): "punctuation",
    ("models/providers.py", "."): "a module's name",
    ("models/redaction.py", "$"): "an environment variable",
    ("models/prompts/linting/chat.py", ">"): "a sign of YAML",
    ("models/prompts/context.py", ","): "punctuation",
    ("models/prompts/linting/excerpts.py", ">"): "the end of a tag",
    ("models/prompts/template.py", ","): "punctuation",
    ("adapters/cli/acting/asking.py", "~"): "the sign of a change in a list",
    ("adapters/cli/acting/asking.py", "$"): "the sign of a command in a list",
    ("adapters/cli/visibility.py", ">"): "the end of the name of a character",
    ("acting/journal/records.py", ","): "a thousands separator, punctuation",
    ("acting/journal/seal.py", "."): "a part of a path",
    ("adapters/cli/acting/apply.py", "."): "the folder at hand",
    ("acting/commands/sandbox.py", "--"): "the end of the options of a command line",
    ("lab/workbench/decisions.py", ","): "punctuation",
    ("adapters/cli/reading/repair.py", "@"): "a hunk of a diff",
    ("adapters/cli/reading/rules.py", "?"): "punctuation of a message",
    ("adapters/cli/acting/plan.py", "."): "the folder where one is",
    ("adapters/cli/acting/plan_view.py", "@"): "a hunk of a diff",
    ("adapters/cli/acting/plan_view.py", ","): "a thousands separator",
    ("acting/files/paths.py", "~"): "the home folder",
    ("acting/files/paths.py", "."): "punctuation of file names",
    ("acting/plan/planning.py", ","): "a thousands separator",
    ("core/text/yaml_file.py", "?"): "punctuation of a message",
    ("core/ground/json_objects.py", "."): "a joint of keys",
    ("lab/baselines/yaml_blocks.py", "."): "the point of a number",
    ("core/ground/file_types.py", "."): "file names",
    ("acting/files/view.py", "."): "a part of a path that is refused",
    ("exports/__init__.py", "."): "a module's name",
    ("core/grammar/mistakes.py", "."): "the end of a sentence",
    ("core/grammar/mistakes.py", ","): "what joins the tags of a comment",
    ("adapters/cli/texts.py", "."): "punctuation, file names",
    ("adapters/cli/texts.py", ","): "punctuation",
    ("answers/conditions.py", ">"): "a comparison",
    ("answers/conditions.py", "."): "a joint of names",
    ("answers/conditions.py", "!"): "a sign of other languages",
    ("answers/conditions.py", "?"): "punctuation of a message",
    ("answers/judgment/rules_file.py", "?"): "punctuation of a message",
    ("answers/judgment/tag_lines.py", ","): "punctuation",
    ("exports/gbnf.py", " ::= "): "a sign of its notation",
    ("exports/expressions.py", "?"): "a sign of regular expressions",
    ("exports/language.py", ","): "of a number",
    ("exports/llguidance.py", "::="): "a sign of another notation, which must not come up",
    ("exports/llguidance.py", "::[=]"): "what is written instead",
    ("answers/structured/arriving.py", ","): "a sign of JSON",
    ("answers/structured/extraction.py", ","): "a thousands separator",
    ("answers/structured/notations.py", " ::= "): "a sign of its notation",
    ("answers/structured/notations.py", "#"): "a comment of its notation",
    ("answers/structured/schema/problems.py", "#"): "the beginning of a reference inside a schema",
    ("answers/structured/schema/problems.py", "~"): "an escape of JSON pointers",
    ("answers/structured/schema/projection.py", "#"): "a reference to the whole schema",
    ("answers/structured/scalars.py", ","): "a thousands separator",
    ("answers/structured/tokens.py", ","): "a sign of JSON",
    ("answers/structured/values.py", ","): "a thousands separator",
}
LONG = ("<<<", ">>>", "::", ">> ")


def _literals() -> Iterator[tuple[str, int, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.is_relative_to(PACKAGE / "lab" / "benchmark" / "faults"):
            continue  # a second reading of the formats, made on purpose: it must not lean on the first
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                yield path.relative_to(PACKAGE).as_posix(), node.lineno, node.value


# Lone signs are punctuation there, or JavaScript's.
REPORTING = (
    "lab/benchmark/",
    "lab/measuring/",
    "adapters/cli/bench/",
    "adapters/cli/run_",
    "core/former_names",
    "core/ground/json_lines",
    "exports/bundle/",
    "exports/javascript/",
    "lab/playground/",
    "routing/",
    "adapters/cli/route/",
    "adapters/cli/routing_view",
    "adapters/cli/contestants",
    "code_intelligence/",
    "adapters/cli/code/code",
    "adapters/cli/code/gate",
    "adapters/cli/code/sessions",
)


@pytest.mark.slow
def test_marks_are_spelled_nowhere_else() -> None:
    marks = {mark for name in DIALECTS for mark in load_grammar(name).marks.values()}
    found = [
        (file, line, text)
        for file, line, text in _literals()
        if (text in marks and not file.startswith(REPORTING)) or any(mark in text for mark in LONG)
    ]
    new = [(file, line, text) for file, line, text in found if (file, text) not in ALLOWED]
    assert not new, "\n".join(map(str, new))
    assert {(file, text) for file, _, text in found} == ALLOWED.keys(), "the list of exceptions has grown old"


def test_marks_and_verbs_are_read_from_the_grammar() -> None:
    marks = load_grammar("v2").marks
    assert (marks["open"], marks["close"], marks["action"], marks["thought"]) == ("<<<", ">>>", "::", ">>")
    assert load_grammar("v1").marks["open"] == load_grammar("v1").marks["close"] == "--"
    assert (
        load_grammar("v1").verbs
        == load_grammar("v2").verbs
        == {
            "running": ("run", "test", "execute", "check", "verify"),
            "writing": ("create", "edit", "update"),
            "removing": ("delete", "remove"),
        }
    )


def test_a_new_dialect_is_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "at.lark"
    path.write_text(
        V2.replace('"::"', '"%%"')
        .replace('"<<<"', '"BEGIN"')
        .replace('">>>"', '"END"')
        .replace(V2[V2.index("_CONTENT_LINE: ") :], '_CONTENT_LINE: /[^BE\\n][^\\n]*\\n/ | "\\n"\n')
    )
    document = symops_lark.parse("%%c0.5\n%%create @a.py\nBEGIN\nx\nEND\n", path)
    assert document.dialect == "at" and document.actions[0].content == "x"
    assert symops_lark.process("Sure:\n\n%%create @a.py\nBEGIN\nx\nEND\n", path).document.actions == document.actions


# ---- broken grammars

BROKEN = {
    "not-a-grammar": (lambda text: text + "what is this?\n", r"broken\.lark:\d+:\d+: "),
    "unclosed-group": (lambda text: text.replace("choice:   _SP", "choice:   (_SP"), r"broken\.lark:\d+:\d+: "),
    "bad-character": (lambda text: text.replace('_TARGET:   "@"', "_TARGET:   '@'"), r"broken\.lark:\d+:\d+: "),
    "unknown-terminal": (lambda text: text.replace("_SP TEXT _NL", "_SP TEXTT _NL", 1), r"broken\.lark.*TEXTT"),
    "unknown-rule": (lambda text: text.replace("| question |", "| qestion |"), r"broken\.lark.*qestion"),
    "bad-regex": (lambda text: text.replace("NUMBER:     /[0-9]+/", "NUMBER:     /[0-9+/"), r"broken\.lark.*NUMBER"),
    "twice": (lambda text: text + "\nNUMBER: /x/\n", r"broken\.lark.*NUMBER"),
    "zero-width": (lambda text: text.replace("_SP: /[ \\t]+/", "_SP: /[ \\t]*/"), r"broken\.lark.*_SP"),
    "empty": (lambda text: "", r"broken\.lark.*document"),
}


def _broken(kind: str, folder: Path) -> tuple[Path, str]:
    change, pattern = BROKEN[kind]
    path = folder / "broken.lark"
    path.write_text(change(V2), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != V2
    return path, pattern


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_grammar_is_reported(kind: str, tmp_path: Path) -> None:
    path, pattern = _broken(kind, tmp_path)
    with pytest.raises(GrammarError, match=pattern):
        symops_lark.parse(">> hi\n", path)
    with pytest.raises(GrammarError):
        symops_lark.process("hi\n", path)


@pytest.mark.parametrize(
    "kind", ["bad-character", "unknown-terminal", "unknown-rule", "bad-regex", "twice", "zero-width"]
)
def test_a_broken_grammar_is_reported_with_its_place(kind: str, tmp_path: Path) -> None:
    path, _ = _broken(kind, tmp_path)
    with pytest.raises(GrammarError, match=r"broken\.lark:\d+:\d+: "):
        symops_lark.parse(">> hi\n", path)


def test_a_grammar_without_marks_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "bare.lark"
    path.write_text(V2.replace('_TARGET:   "@"', "_TARGET:   /@/"))
    with pytest.raises(GrammarError, match=r"bare\.lark: no mark _TARGET"):
        symops_lark.process("hi\n", path)


def test_a_grammar_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(GrammarError, match=r"gone\.lark"):
        symops_lark.parse("", tmp_path / "gone.lark")
    with pytest.raises(GrammarError, match=r"'v9'.*v1, v2"):
        symops_lark.parse("", "v9")
    folder = tmp_path / "folder.lark"
    folder.mkdir()
    with pytest.raises(GrammarError, match=r"folder\.lark"):
        symops_lark.parse("", folder)
    (tmp_path / "latin.lark").write_bytes(b"// caf\xe9\n")
    with pytest.raises(GrammarError, match=r"latin\.lark"):
        symops_lark.parse("", tmp_path / "latin.lark")
