"""The language of a file, told by its name."""

from __future__ import annotations

from pathlib import PurePath

# Ours and not that of pygments, which guesses by file names that SQL is Transact-SQL, Perl Prolog, and CSV nothing.
_BY_SUFFIX = """
Ada .adb .ads|AsciiDoc .adoc .asciidoc|Assembler .asm .s|Batch .bat .cmd|C .c .h|C# .cs|C++ .cc .cpp .cxx .hh .hpp
CMake .cmake|CSS .css .scss|Clojure .clj .cljs|CSV .csv .tsv|Dart .dart|diff .diff .patch|Elixir .ex .exs|Erlang .erl
F# .fs|Fortran .f90|Go .go|GraphQL .graphql|Groovy .gradle .groovy|Haskell .hs|HTML .htm .html
INI .cfg .conf .ini .env .properties|Java .java|JavaScript .cjs .js .jsx .mjs|JSON .json .jsonl .ndjson|Julia .jl
Kotlin .kt .kts|Lark .lark|Lisp .el .lisp|Lua .lua|Markdown .markdown .md .mdc .mdown .mdx .mkd .qmd .rmd
mail .eml .mbox|Nix .nix|OCaml .ml .mli|Org .org|Pascal .pas|Perl .pl .pm|PHP .php|plain text .log .txt
PowerShell .ps1|protobuf .proto|Python .py .pyi|R .r|reST .rst|Ruby .rake .rb|Rust .rs|Scala .scala
Shell .bash .sh .zsh|SQL .sql|Svelte .svelte|Swift .swift|Terraform .tf|TeX .sty .tex|TOML .toml
TypeScript .cts .mts .ts .tsx|VHDL .vhd .vhdl|Vue .vue|XML .svg .xml .xsd|YAML .yaml .yml|Zig .zig
"""
NAMES = {
    "Dockerfile": "Dockerfile",
    "Makefile": "Makefile",
    "GNUmakefile": "Makefile",
    "CMakeLists.txt": "CMake",
    "Gemfile": "Ruby",
    "Rakefile": "Ruby",
    "Jenkinsfile": "Groovy",
    ".env": "INI",
}
LANGUAGES = {
    suffix: words.split(" .")[0]
    for words in _BY_SUFFIX.strip().replace("\n", "|").split("|")
    for suffix in words.split(" ")
    if suffix.startswith(".")
}
# Languages of texts for people, where what is no code is at home: fences, entities, left-out lines.
PROSE = frozenset(("AsciiDoc", "mail", "Markdown", "Org", "plain text", "reST"))
WITH_FENCES = ("", "diff", *sorted(PROSE))  # of files that may hold Markdown fences
OTHER = "other"  # what tables call the languages that nobody knows


def language_of(path: str | PurePath) -> str:
    """Return the language of a file by its name; empty if the name tells nothing."""
    name = str(path).rstrip("/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return NAMES.get(name) or (LANGUAGES.get(dot + suffix.lower(), "") if stem else "")
