"""List the languages of contents with their names in Pygments, in TextMate grammars and in VS Code.

The first column has the names of `core.ground.file_types`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...core.ground.file_types import LANGUAGES, NAMES

# The language, its lexer in Pygments (`text`: none), its scope in TextMate grammars (`-`: none),
# and its name in VS Code. Highlighters have more languages than `file_types`: suffixes at the end
# of a row belong to this row, and not to the first row of that language.
_ROWS = """
Ada           ada               source.ada             ada
AsciiDoc      text              text.asciidoc          asciidoc
Assembler     gas               source.asm.x86_64      asm
Batch         batch             source.batchfile       bat
C             c                 source.c               c
C#            csharp            source.cs              csharp
C++           cpp               source.cpp             cpp
CMake         cmake             source.cmake           cmake
CSS           css               source.css             css
CSS           scss              source.css.scss        scss             .scss
Clojure       clojure           source.clojure         clojure
CSV           text              text.csv               csv
CSV           text              text.tsv               tsv              .tsv
Dart          dart              source.dart            dart
Dockerfile    docker            source.dockerfile      dockerfile
diff          diff              source.diff            diff
Elixir        elixir            source.elixir          elixir
Erlang        erlang            source.erlang          erlang
F#            fsharp            source.fsharp          fsharp
Fortran       fortran           source.fortran.free    fortran
Go            go                source.go              go
GraphQL       graphql           source.graphql         graphql
Groovy        groovy            source.groovy          groovy
Haskell       haskell           source.haskell         haskell
HTML          html              text.html.basic        html
INI           ini               source.ini             ini
Java          java              source.java            java
JavaScript    javascript        source.js              javascript
JavaScript    jsx               source.js.jsx          javascriptreact  .jsx
JSON          json              source.json            json
JSON          json              source.json.lines      jsonl            .jsonl .ndjson
Julia         julia             source.julia           julia
Kotlin        kotlin            source.kotlin          kotlin
Lark          text              source.lark            lark
Lisp          common-lisp       source.commonlisp      commonlisp
Lisp          emacs-lisp        source.emacs.lisp      elisp            .el
Lua           lua               source.lua             lua
mail          email             -                      eml
Makefile      make              source.makefile        makefile
Markdown      markdown          text.html.markdown     markdown
Markdown      markdown          source.mdx             mdx              .mdx
Nix           nix               source.nix             nix
OCaml         ocaml             source.ocaml           ocaml
Org           org               source.org             org
Pascal        delphi            source.pascal          pascal
Perl          perl              source.perl            perl
PHP           php               text.html.php          php
plain text    text              -                      plaintext
PowerShell    powershell        source.powershell      powershell
protobuf      protobuf          source.proto           proto
Python        python            source.python          python
R             r                 source.r               r
reST          rst               source.rst             restructuredtext
Ruby          ruby              source.ruby            ruby
Rust          rust              source.rust            rust
Scala         scala             source.scala           scala
Shell         bash              source.shell           shellscript
SQL           sql               source.sql             sql
Svelte        html              source.svelte          svelte
Swift         swift             source.swift           swift
Terraform     terraform         source.hcl.terraform   terraform
TeX           tex               text.tex.latex         latex
TOML          toml              source.toml            toml
TypeScript    typescript        source.ts              typescript
TypeScript    tsx               source.tsx             typescriptreact  .tsx
VHDL          vhdl              source.vhdl            vhdl
Vue           vue               text.html.vue          vue
XML           xml               text.xml               xml
YAML          yaml              source.yaml            yaml
Zig           zig               source.zig             zig
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A language as highlighters know it.

    Attributes:
        lexer: The name of its lexer in Pygments.
        scope: Its scope in TextMate grammars; empty: there is no such grammar.
        editor: Its name in VS Code.
        suffixes: The suffixes of its files, with their dots.
        names: Complete names of its files, such as `Makefile`.
    """

    lexer: str
    scope: str
    editor: str
    suffixes: tuple[str, ...]
    names: tuple[str, ...]


def load_languages() -> tuple[Language, ...]:
    """Return the languages that contents are highlighted in."""
    rows = [row.replace("plain text", "plain_text").split() for row in _ROWS.strip().splitlines()]
    special = {suffix for row in rows for suffix in row[4:]}
    languages = []
    for column, lexer, scope, editor, *suffixes in rows:
        language = column.replace("_", " ")
        names = []
        if not suffixes:
            usual = _find_files(LANGUAGES, language)
            suffixes = [suffix for suffix in usual if suffix not in special]
            names = _find_files(NAMES, language)
        scope = "" if scope == "-" else scope
        languages.append(Language(lexer, scope, editor, tuple(suffixes), tuple(names)))
    return tuple(languages)


def _find_files(types: dict[str, str], language: str) -> list[str]:
    """Return the suffixes or the names of the files of a language."""
    return [file for file, name in types.items() if name == language]
