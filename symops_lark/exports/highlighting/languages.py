"""The languages of contents, as highlighters call them: by `file_types`, whose names the first column has."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.ground.file_types import LANGUAGES, NAMES

# The language, the lexer of Pygments (`text`: none), the scope of TextMate grammars (`-`: none), and its
# name in VS Code; then the suffixes of those file types of it that are another language for highlighters.
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
    """A language as highlighters know it, and the files that are in it: suffixes with their dots, and whole names."""

    lexer: str
    scope: str  # empty: no grammar
    editor: str
    suffixes: tuple[str, ...]
    names: tuple[str, ...]


def load_languages() -> tuple[Language, ...]:
    """Return the languages that contents are highlighted in."""
    rows = [row.replace("plain text", "plain_text").split() for row in _ROWS.strip().splitlines()]
    special = {suffix for row in rows for suffix in row[4:]}
    return tuple(
        Language(lexer, "" if scope == "-" else scope, editor, tuple(own or _usual(name, special)), _named(name, own))
        for name, lexer, scope, editor, *own in ((row[0].replace("_", " "), *row[1:]) for row in rows)
    )


def _usual(name: str, special: set[str]) -> list[str]:
    return [suffix for suffix, language in LANGUAGES.items() if language == name and suffix not in special]


def _named(name: str, own: list[str]) -> tuple[str, ...]:
    return () if own else tuple(file for file, language in NAMES.items() if language == name)
