"""A TextMate grammar in a folder that is an extension of VS Code; contents are in the languages of their files.

TextMate grammars match line by line. What keeps a content from running beyond its closer, whatever the language of the
content left open, is `while`: it is asked at the beginning of each line, before all else.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.errors import ExportError
from ..core.ground.version import __version__
from ..core.patterns.regexes import escape
from .headers import header_lines, markdown_header, slug
from .highlighting.languages import Language, load_languages
from .highlighting.lines import (
    FURTHER_LINES,
    LABELS,
    Part,
    Shape,
    any_of,
    find_followers,
    find_strays,
    line_shapes,
    usual_lines,
)
from .highlighting.oniguruma import NoPattern, end_of_group, to_oniguruma

SUMMARY = "a TextMate grammar in an extension for VS Code, with contents in their languages"
KIND = "highlighter"
ENGINE = "vscode-textmate"
TOLERANT = False
Rule = dict[str, Any]
_END = r"[ \t\r]*$\n?"
_LANGUAGES = tuple(language for language in load_languages() if language.scope)
_README = """\
# Sym-Ops ({name})

Highlights replies in the dialect {name} of Sym-Ops; contents are in the language of their action's path. Marks that
begin no valid section are shown as mistakes.

Files called `*.symops` are read so; for others choose `Sym-Ops ({name})` as their language. To install it, run
`npx @vscode/vsce package --allow-missing-repository` in this folder, then `code --install-extension` with the file that
it writes.
"""


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the files of the extension; raise `ExportError` for a pattern that editors cannot run."""
    terms = "\n".join(header_lines(dialect, "textmate"))
    grammar = json.dumps(_Grammar(dialect).write(), ensure_ascii=False)
    return {
        "package.json": json.dumps(_write_package(dialect), indent=2) + "\n",
        "language-configuration.json": json.dumps(_write_configuration(dialect), indent=2) + "\n",
        _grammar_file(dialect): grammar + "\n",
        "README.md": _README.format(name=dialect.name) + markdown_header(dialect, "textmate"),
        "LICENSE": terms + "\n",
        "CHANGELOG.md": f"# Changelog\n\n## {__version__}\n" + markdown_header(dialect, "textmate"),
    }


def _grammar_file(dialect: WrittenDialect) -> str:
    return f"syntaxes/symops-{slug(dialect)}.tmLanguage.json"


def _scope(dialect: WrittenDialect) -> str:
    return f"source.symops.{slug(dialect)}"


def _write_package(dialect: WrittenDialect) -> Rule:
    name, title = f"symops-{slug(dialect)}", f"Sym-Ops ({dialect.name})"
    language = {
        "id": name,
        "aliases": [title],
        "extensions": [".symops"],
        "configuration": "./language-configuration.json",
    }
    embedded = {f"meta.embedded.block.{each.editor}": each.editor for each in _LANGUAGES}
    embedded |= {LABELS["command"][1]: "shellscript", "meta.embedded.block.plaintext": "plaintext"}
    grammar = {
        "language": name,
        "scopeName": _scope(dialect),
        "path": f"./{_grammar_file(dialect)}",
        "embeddedLanguages": embedded,
    }
    return {
        "//": header_lines(dialect, "textmate"),
        "name": name,
        "displayName": title,
        "description": f"Highlighting of Sym-Ops replies in the dialect {dialect.name}",
        "version": __version__,
        "publisher": "symops-lark",
        "license": "MIT",
        "engines": {"vscode": "^1.75.0"},
        "categories": ["Programming Languages"],
        "files": ["language-configuration.json", "syntaxes", "README.md", "LICENSE", "CHANGELOG.md"],
        "contributes": {"languages": [language], "grammars": [grammar]},
    }


def _write_configuration(dialect: WrittenDialect) -> Rule:
    """Return how blocks fold; delimiters that are the same at both ends cannot tell where one begins."""
    said = {"//": header_lines(dialect, "textmate")}
    if dialect.family == "v1":
        return said
    openers, closers = (any_of(marks) for marks in (dialect.fences, dialect.closers))
    return {**said, "folding": {"markers": {"start": f"^{openers}[ \\t]*$", "end": f"^{closers}[ \\t]*$"}}}


def _include(name: str) -> Rule:
    return {"include": f"#{name}"}


class _Grammar:
    """Makes the grammar of one dialect."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.dialect = dialect
        self.shapes = line_shapes(dialect)
        self.follows = find_followers(dialect)

    def write(self) -> Rule:
        """Return the grammar: kinds of lines, the sections that go on below a line, and actions by language."""
        repository = {self._key(rule): self._line(rule) for rule in usual_lines(self.dialect)}
        repository |= {self._key(above): self._lines(above, below) for above, below in self.follows.items()}
        repository |= {"block": self._block(None)}
        actions = {f"action-{each.editor}": self._action(each) for each in _LANGUAGES} | {"action": self._action(None)}
        stray = {"match": f"^(?:{self._translated(find_strays(self.dialect))})", "name": f"{LABELS['stray'][1]}.symops"}
        names = [*actions, *(self._key(rule) for rule in usual_lines(self.dialect)), "block"]
        return {
            "information_for_contributors": header_lines(self.dialect, "textmate"),
            "name": f"Sym-Ops ({self.dialect.name})",
            "scopeName": _scope(self.dialect),
            "fileTypes": ["symops"],
            "patterns": [*map(_include, names), stray],
            "repository": repository | actions,
        }

    def _key(self, rule: str) -> str:
        return rule.strip("_").replace("_", "-")

    def _line(self, rule: str) -> Rule:
        shape = self.shapes[rule]
        scope = f"meta.{self._key(rule)}.symops"
        return {"name": scope, "match": f"^{self._translated(shape.pattern)}", "captures": self._captures(shape)}

    def _lines(self, above: str, below: str) -> Rule:
        """Return the rule of a line and of the lines that are read as such only below it."""
        first = self._line(above)
        return {
            "name": first["name"],
            "begin": first["match"],
            "beginCaptures": first["captures"],
            "end": f"^(?!{self._translated(self.shapes[below].pattern)})",
            "patterns": [self._line(below)],
        }

    def _action(self, language: Language | None) -> Rule:
        """Return the rule of an action, from its path on: of one in a language, or of one whose path tells none."""
        rules = [
            rule for rule, shape in self.shapes.items() if {"path", "command"} & {part.label for part in shape.parts}
        ]
        if language is not None:
            rules = [rule for rule in rules if self._path(rule) is not None]
        begins = [self._in_language(rule, language) for rule in rules]
        further = [rule for rule in FURTHER_LINES if rule in self.shapes]
        goes_on = [
            any_of(self.dialect.fences) + "[ \\t\\r]*$",
            *(self._translated(self.shapes[rule].pattern) for rule in further),
        ]
        return {
            "name": "meta.action.symops",
            "begin": f"^(?:{'|'.join(begins)})",
            "beginCaptures": {"0": {"patterns": [_include(self._key(rule)) for rule in rules]}},
            "end": f"^(?!{'|'.join(goes_on)})",
            "patterns": [*self._block(language)["patterns"], *(_include(self._key(rule)) for rule in further)],
        }

    def _path(self, rule: str) -> Part | None:
        return next((part for part in self.shapes[rule].parts if part.label == "path"), None)

    def _in_language(self, rule: str, language: Language | None) -> str:
        """Return the pattern of a line; with a language, of one whose path is in it."""
        pattern = self.shapes[rule].pattern
        path = self._path(rule)
        if language is None or path is None:
            return self._translated(pattern)
        ends = [
            f"[^/]{re.sub('[a-z]', lambda found: f'[{found[0]}{found[0].upper()}]', escape(s))}"
            for s in language.suffixes
        ]
        ends += [f"/{escape(name)}" for name in language.names]
        whole = "".join(f"|{escape(name)}" for name in language.names)
        suffixes = {end_of_group(pattern, path.group): f"(?<={'|'.join(ends)}){whole}"}
        commands = [part for part in self.shapes[rule].parts if part.label == "command"]
        # Where a line may have a command in place of a path, that is no path of this language.
        never = {end_of_group(pattern, part.group): "(?!)" for part in commands}
        for at, added in sorted((suffixes | never).items(), reverse=True):
            pattern = pattern[:at] + added + pattern[at:]
        return self._translated(pattern)

    def _block(self, language: Language | None) -> Rule:
        """Return the rules of blocks: `begin` and `end` for the delimiters, `while` for what stands between."""
        scope = f"meta.embedded.block.{language.editor if language else 'plaintext'}"
        included = [{"include": language.scope}] if language else []
        delimiter = {"1": {"name": f"{LABELS['delimiter'][1]}.symops"}}
        rules = []
        for opener, closers in self.dialect.fences.items():
            goes_on = f"^(?!{any_of(closers)}[ \\t\\r]*$)"
            content = {"begin": goes_on, "while": goes_on, "contentName": scope, "patterns": included}
            rules.append(
                {
                    "begin": f"^({escape(opener)}){_END}",
                    "beginCaptures": delimiter,
                    "end": f"^({any_of(closers)}){_END}",
                    "endCaptures": delimiter,
                    "patterns": [content],
                }
            )
        return {"patterns": rules}

    def _captures(self, shape: Shape) -> Rule:
        return {str(part.group): self._capture(part) for part in shape.parts}

    def _capture(self, part: Part) -> Rule:
        if part.inner is not None:
            again = {"match": self._translated(part.inner.pattern), "captures": self._captures(part.inner)}
            return {"patterns": [again]}
        scope = LABELS[part.label][1]
        if part.label == "command":
            return {"name": scope, "patterns": [{"include": "source.shell"}]}
        return {"name": f"{scope}.symops"}

    def _translated(self, pattern: str) -> str:
        try:
            return to_oniguruma(pattern)
        except NoPattern as error:
            raise ExportError(
                f"{self._place(str(error))}: {error} is no part of the regular expressions of editors: write the "
                "grammar without it (symops grammar check tells more), and export again"
            ) from error

    def _place(self, feature: str) -> Path | str:
        for number, line in enumerate(self.dialect.text.split("\n"), 1):
            if feature in line and not line.startswith("//"):
                path, row, column, _ = self.dialect.place(number, line.index(feature) + 1)
                return f"{path}:{row}:{column}"
        return self.dialect.path  # it comes from a flag
