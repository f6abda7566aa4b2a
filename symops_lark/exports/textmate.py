"""Write a TextMate grammar as an extension of VS Code, with contents in their languages.

TextMate grammars match line by line. A string that a content leaves open must not hide the end of
its block. So the rule of a block has the condition `while`, which is tested at the beginning of
each line before all other patterns.
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
Rule = dict[str, Any]  # of a TextMate grammar, as JSON
# The end of a line that may have blanks.
_END = r"[ \t\r]*$\n?"
_BLOCK = "meta.embedded.block"
# Without a scope, there is no grammar to include.
_LANGUAGES = tuple(language for language in load_languages() if language.scope)
_README = """\
# Sym-Ops ({name})

Highlights replies in the dialect {name} of Sym-Ops; contents are in the language of their action's
path. Marks that begin no valid section are shown as mistakes.

It is used for files called `*.symops`; for others choose `Sym-Ops ({name})` as their language. To
install it, run `npx @vscode/vsce package --allow-missing-repository` in this folder, then
`code --install-extension` with the file that it writes.
"""


def write(dialect: WrittenDialect, *, tolerant: bool) -> dict[str, str]:
    """Return the files of the extension, by their names.

    Raises:
        ExportError: Editors cannot run a pattern.
    """
    terms = "\n".join(header_lines(dialect, "textmate"))
    page = markdown_header(dialect, "textmate")
    grammar = _Grammar(dialect).write()
    return {
        "package.json": _write_json(_write_package(dialect)),
        "language-configuration.json": _write_json(_write_configuration(dialect)),
        _grammar_file(dialect): json.dumps(grammar, ensure_ascii=False) + "\n",
        "README.md": _README.format(name=dialect.name) + page,
        "LICENSE": f"{terms}\n",
        "CHANGELOG.md": f"# Changelog\n\n## {__version__}\n{page}",
    }


def _write_json(data: Rule) -> str:
    return json.dumps(data, indent=2) + "\n"


def _grammar_file(dialect: WrittenDialect) -> str:
    return f"syntaxes/symops-{slug(dialect)}.tmLanguage.json"


def _scope(dialect: WrittenDialect) -> str:
    return f"source.symops.{slug(dialect)}"


def _write_package(dialect: WrittenDialect) -> Rule:
    """Return the manifest of the extension."""
    name = f"symops-{slug(dialect)}"
    title = f"Sym-Ops ({dialect.name})"
    language = {
        "id": name,
        "aliases": [title],
        "extensions": [".symops"],
        "configuration": "./language-configuration.json",
    }
    # With these, comments and brackets in contents behave as in their languages.
    embedded = {f"{_BLOCK}.{language.editor}": language.editor for language in _LANGUAGES}
    embedded |= {LABELS["command"][1]: "shellscript", f"{_BLOCK}.plaintext": "plaintext"}
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
        "files": [
            "language-configuration.json",
            "syntaxes",
            "README.md",
            "LICENSE",
            "CHANGELOG.md",
        ],
        "contributes": {"languages": [language], "grammars": [grammar]},
    }


def _write_configuration(dialect: WrittenDialect) -> Rule:
    """Return the configuration of the language: how blocks fold."""
    configuration: Rule = {"//": header_lines(dialect, "textmate")}
    # In v1, both delimiters of a block are the same, so a line does not show which one it is.
    if dialect.family != "v1":
        markers = {
            "start": f"^{any_of(dialect.fences)}[ \\t]*$",
            "end": f"^{any_of(dialect.closers)}[ \\t]*$",
        }
        configuration["folding"] = {"markers": markers}
    return configuration


def _include(name: str) -> Rule:
    return {"include": f"#{name}"}


def _key(rule: str) -> str:
    """Return the name of a rule in the repository of the TextMate grammar."""
    return rule.strip("_").replace("_", "-")


class _Grammar:
    """Makes the grammar of one dialect."""

    def __init__(self, dialect: WrittenDialect) -> None:
        self.dialect = dialect
        self.shapes = line_shapes(dialect)
        self.followers = find_followers(dialect)
        self.usual = usual_lines(dialect)

    def write(self) -> Rule:
        """Return the grammar.

        It has rules for kinds of lines, for sections of several lines, and for actions in each
        language.
        """
        repository = {_key(rule): self._line(rule) for rule in self.usual}
        for kind, follower in self.followers.items():
            repository[_key(kind)] = self._lines(kind, follower)
        repository["block"] = self._block(None)
        actions = {f"action-{language.editor}": self._action(language) for language in _LANGUAGES}
        # An action without a known language is tried after all others.
        actions["action"] = self._action(None)
        # Marks that no rule has matched.
        stray = {
            "match": f"^(?:{self._translate(find_strays(self.dialect))})",
            "name": f"{LABELS['stray'][1]}.symops",
        }
        names = [*actions, *map(_key, self.usual), "block"]
        return {
            "information_for_contributors": header_lines(self.dialect, "textmate"),
            "name": f"Sym-Ops ({self.dialect.name})",
            "scopeName": _scope(self.dialect),
            "fileTypes": ["symops"],
            "patterns": [*map(_include, names), stray],
            "repository": repository | actions,
        }

    def _line(self, rule: str) -> Rule:
        shape = self.shapes[rule]
        return {
            "name": f"meta.{_key(rule)}.symops",
            "match": f"^{self._translate(shape.pattern)}",
            "captures": self._captures(shape),
        }

    def _lines(self, kind: str, follower: str) -> Rule:
        """Return the rule of a line and of the lines that are valid only after it."""
        first = self._line(kind)
        return {
            "name": first["name"],
            "begin": first["match"],
            "beginCaptures": first["captures"],
            "end": f"^(?!{self._translate(self.shapes[follower].pattern)})",
            "patterns": [self._line(follower)],
        }

    def _action(self, language: Language | None) -> Rule:
        """Return the rule of actions whose paths are in a language; None: in no known one."""
        rules = []
        for rule, shape in self.shapes.items():
            labels = [part.label for part in shape.parts]
            # A command is in no known language.
            if "path" in labels or (language is None and "command" in labels):
                rules.append(rule)
        begins = [self._in_language(rule, language) for rule in rules]
        further = [rule for rule in FURTHER_LINES if rule in self.shapes]
        further_rules = [_include(_key(rule)) for rule in further]
        # An action continues with a block, or with lines for its attributes.
        continues = [any_of(self.dialect.fences) + "[ \\t\\r]*$"]
        continues += [self._translate(self.shapes[rule].pattern) for rule in further]
        return {
            "name": "meta.action.symops",
            "begin": f"^(?:{'|'.join(begins)})",
            "beginCaptures": {"0": {"patterns": [_include(_key(rule)) for rule in rules]}},
            "end": f"^(?!{'|'.join(continues)})",
            "patterns": [*self._block(language)["patterns"], *further_rules],
        }

    def _in_language(self, rule: str, language: Language | None) -> str:
        """Return the pattern of a line whose path is in a language; None: of any line."""
        shape = self.shapes[rule]
        pattern = shape.pattern
        if language is None:
            return self._translate(pattern)
        path, *_ = [part for part in shape.parts if part.label == "path"]
        # Conditions at the ends of groups, by their offsets.
        conditions = {end_of_group(pattern, path.group): _match_files(language)}
        for part in shape.parts:
            # A line with a command in place of a path is not in this language.
            if part.label == "command":
                conditions[end_of_group(pattern, part.group)] = "(?!)"
        for offset, condition in sorted(conditions.items(), reverse=True):
            pattern = pattern[:offset] + condition + pattern[offset:]
        return self._translate(pattern)

    def _block(self, language: Language | None) -> Rule:
        """Return the rules of blocks with contents in a language; None: in plain text."""
        scope = f"{_BLOCK}.{language.editor if language else 'plaintext'}"
        included = [{"include": language.scope}] if language else []
        delimiter = {"1": {"name": f"{LABELS['delimiter'][1]}.symops"}}
        rules = []
        for opener, closers in self.dialect.fences.items():
            closer = any_of(closers)
            is_content = f"^(?!{closer}[ \\t\\r]*$)"
            # A rule inside the block, because `while` is not possible beside `end`.
            content = {
                "begin": is_content,
                "while": is_content,
                "contentName": scope,
                "patterns": included,
            }
            rule = {
                "begin": f"^({escape(opener)}){_END}",
                "beginCaptures": delimiter,
                "end": f"^({closer}){_END}",
                "endCaptures": delimiter,
                "patterns": [content],
            }
            rules.append(rule)
        return {"patterns": rules}

    def _captures(self, shape: Shape) -> Rule:
        return {str(part.group): self._capture(part) for part in shape.parts}

    def _capture(self, part: Part) -> Rule:
        # The inner pattern matches one piece after the other.
        if part.inner is not None:
            inner = {
                "match": self._translate(part.inner.pattern),
                "captures": self._captures(part.inner),
            }
            return {"patterns": [inner]}
        scope = LABELS[part.label][1]
        # The scope of a command is in `embeddedLanguages`.
        if part.label == "command":
            return {"name": scope, "patterns": [{"include": "source.shell"}]}
        return {"name": f"{scope}.symops"}

    def _translate(self, pattern: str) -> str:
        try:
            return to_oniguruma(pattern)
        except NoPattern as error:
            message = (
                f"{error} is not in the regular expressions of editors: write the grammar without"
                " it (symops grammar check has details), and export again"
            )
            raise ExportError(f"{self._place(str(error))}: {message}") from error

    def _place(self, construct: str) -> Path | str:
        for number, line in enumerate(self.dialect.text.split("\n"), 1):
            if construct in line and not line.startswith("//"):
                column = line.index(construct) + 1
                path, row, column, _ = self.dialect.place(number, column)
                return f"{path}:{row}:{column}"
        # It comes from a flag.
        return self.dialect.path


def _match_files(language: Language) -> str:
    """Return the condition that a path before it is in a language."""
    ends = []
    for suffix in language.suffixes:
        # Suffixes can be in upper case, and a name does not begin with its suffix.
        letters = re.sub("[a-z]", lambda match: f"[{match[0]}{match[0].upper()}]", escape(suffix))
        ends.append(f"[^/]{letters}")
    names = list(map(escape, language.names))
    ends += [f"/{name}" for name in names]
    return "|".join([f"(?<={'|'.join(ends)})", *names])
