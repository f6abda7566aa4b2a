"""The proof of an export: what it writes runs where it is meant to run, and says of texts what this package says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grammar_engines import ENGINES, MISSING
from highlighters import PACKAGES, editor, lex, load_lexer
from lark import Lark
from lark.exceptions import LarkError
from mutated_documents import is_valid, mutated_documents
from portable_runtime import read_by_tables, run_cases
from pygments.token import Error, string_to_tokentype
from registries import NotProvedError, Registry, in_place_of
from rust_crates import RUSTC, compile_runner, pass_cases

from benchmarks.exports._parsers import RUNTIMES, ask_all, comparable, first_difference, ours
from symops_lark import SymOpsProcessor, export, parse
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports import list_exports, load_exports
from symops_lark.exports.highlighting.lines import LABELS

DIALECTS = ("v2", "plain")  # with delimiters, and with a line for each part
COUNT = 60
REPLIES = ("Sure!\n::Create @a.py\n<<<\nx = 1\n>>>\n", ">> a\n::run @ls\n", "nothing of the kind", "::create @a\n<<<")
Files = Mapping[str, str]
Accepts = Callable[[str], bool]


def _texts(dialect: str) -> list[str]:
    """Return texts of which some are valid and some are not."""
    grammar = load_grammar(dialect)
    texts = mutated_documents(grammar, COUNT)
    assert COUNT / 5 < sum(is_valid(text, grammar) for text in texts) < COUNT, "both answers are tried"
    return texts


def _agree(accepts: Accepts, dialect: str) -> None:
    for text in _texts(dialect):
        assert accepts(text) == is_valid(text, load_grammar(dialect)), repr(text)


def _single(files: Files) -> str:
    assert len(files) == 1
    return next(iter(files.values()))


def _prove_constraint(name: str, engine: str) -> None:
    """The engine lets a model say what the strict parser takes, and nothing else."""
    assert engine in ENGINES, f"say in tests/support/grammar_engines.py how {engine} is asked"
    if engine in MISSING:
        raise NotProvedError(MISSING[engine])
    for dialect in DIALECTS:
        try:
            started = ENGINES[engine](_single(export(name, dialect)))
        except ValueError as error:
            raise AssertionError(f"{engine} does not read the grammar: {error}") from None
        _agree(started.accepts, dialect)


def _prove_parser(name: str, engine: str) -> None:
    """The parser, in its own runtime, says of broken replies what this package says, to the last number."""
    if engine == "rustc":
        _prove_crate(name)
        return
    assert name in RUNTIMES, f"say in benchmarks/exports/_parsers.py how a parser is asked in {engine}"
    for dialect in DIALECTS:
        texts = [*comparable(REPLIES), *comparable(_texts(dialect)[:20])]
        processor = SymOpsProcessor(dialect)
        try:
            answers = ask_all(name, dialect, texts)
        except (RuntimeError, BrokenPipeError, KeyError) as error:
            raise AssertionError(f"the parser does not run: {error!r}") from None
        for text, answer in zip(texts, answers, strict=True):
            assert first_difference(ours(processor, text), answer) == "", repr(text)


def _prove_crate(name: str) -> None:
    """A strict parser in Rust passes the cases of the conformance suite."""
    if RUSTC is None:
        raise NotProvedError("rustc is not installed")
    for dialect in DIALECTS:
        with tempfile.TemporaryDirectory() as folder:
            suite = export("conformance", dialect)
            done = pass_cases(compile_runner(suite, export(name, dialect), Path(folder)), suite["cases.jsonl"])
            assert done.returncode == 0, done.stderr


def _prove_grammar(name: str, engine: str) -> None:
    """Lark itself, without a file beside this one, takes what the strict parser takes."""
    assert engine == "lark", f"say here how a grammar is used in {engine}"
    for dialect in DIALECTS:
        try:
            lark = Lark(_single(export(name, dialect)), parser="lalr", start="document")
        except LarkError as error:
            raise AssertionError(f"Lark does not read the grammar: {error}") from None

        def accepts(text: str, lark: Lark = lark) -> bool:
            try:
                lark.parse(text)
            except LarkError:
                return False
            return True

        _agree(accepts, dialect)


def _prove_highlighter(name: str, engine: str) -> None:
    """A valid text is highlighted whole, without a mistake in it, and its verbs are those of its document."""
    assert engine in _HIGHLIGHTERS, f"say here how {engine} highlights"
    for dialect in DIALECTS:
        texts = [text for text in _texts(dialect) if is_valid(text, load_grammar(dialect))][:20]
        assert any(parse(text, dialect).actions for text in texts)
        _HIGHLIGHTERS[engine](export(name, dialect), dialect, texts)


def _highlight_in_pygments(files: Files, dialect: str, texts: list[str]) -> None:
    module = load_lexer(files)
    assert hasattr(module, "SymOpsLexer")
    verbs = {string_to_tokentype(LABELS[label][0]) for label in ("verb", "unknown-verb")}
    for text in texts:
        result = lex(module, text)
        assert "".join(value for _, _, value in result) == text
        assert not [value for _, kind, value in result if kind in Error]
        # In a file of Python, the name of a function has the same kind.
        marked = iter([value for _, kind, value in result if kind in verbs])
        assert all(action.type in marked for action in parse(text, dialect).actions)


def _highlight_in_an_editor(files: Files, dialect: str, texts: list[str]) -> None:
    if not (PACKAGES / "node_modules").is_dir():
        raise NotProvedError(f"the packages of node are not installed: {PACKAGES.name}")
    [grammar] = [text for path, text in files.items() if path.endswith("tmLanguage.json")]
    assert grammar, "the grammar is empty"
    scopes = {f"{LABELS[label][1]}.symops" for label in ("verb", "unknown-verb")}
    with editor() as vscode:
        for text in texts:
            lines = vscode.read(grammar, text)
            assert "\n".join("".join(value for value, _ in line) for line in lines) == text
            tokens = [token for line in lines for token in line]
            assert not [value for value, result in tokens if "invalid.illegal.symops" in result]
            verbs = [value for value, finding in tokens if scopes.intersection(finding)]
            assert verbs == [action.type for action in parse(text, dialect).actions]


def _prove_data(name: str, engine: str) -> None:
    """The runtime of the strict npm package agrees with this package on the tables, and passes the cases."""
    assert engine == "node", f"say here how data are read in {engine}"
    for dialect in DIALECTS:
        files = export(name, dialect)
        assert all(files.values()), "a file is empty"
        if name == "conformance":
            assert "cases passed" in run_cases(files, dialect)
            continue
        texts = _texts(dialect)
        for text, is_taken in zip(texts, read_by_tables(files["tables.json"], texts), strict=True):
            assert is_taken == is_valid(text, load_grammar(dialect)), repr(text)


_HIGHLIGHTERS = {"pygments": _highlight_in_pygments, "vscode-textmate": _highlight_in_an_editor}
_PROOFS = {
    "constraint": _prove_constraint,
    "data": _prove_data,
    "grammar": _prove_grammar,
    "highlighter": _prove_highlighter,
    "parser": _prove_parser,
}


def _prove(name: str, module: Any, folder: Path) -> None:
    assert module.SUMMARY and module.KIND in _PROOFS and module.ENGINE
    with in_place_of(load_exports(), name, module):
        _PROOFS[module.KIND](name, module.ENGINE)


def _noop(module: Any) -> Any:
    """Return an export that writes all its files, with nothing in them."""

    def write(*arguments: Any, **options: Any) -> dict[str, str]:
        return dict.fromkeys(module.write(*arguments, **options), "")

    table = {name: getattr(module, name) for name in ("SUMMARY", "KIND", "ENGINE", "TOLERANT")}
    return SimpleNamespace(write=write, **table)


EXPORTS = Registry("exports", load_exports(), _noop, _prove, slow=list_exports("parser"))
