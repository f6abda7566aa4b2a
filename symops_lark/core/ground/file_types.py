"""Detect the language of a file from its name."""

from __future__ import annotations

from pathlib import PurePath

# A list of this package, not that of Pygments: from file names alone, that one takes SQL for
# Transact-SQL, Perl for Prolog, and does not know CSV.
_BY_SUFFIX = """
Ada .adb .ads|AsciiDoc .adoc .asciidoc|Assembler .asm .s|Batch .bat .cmd|C .c .h|C# .cs
C++ .cc .cpp .cxx .hh .hpp|CMake .cmake|CSS .css .scss|Clojure .clj .cljs|CSV .csv .tsv
Dart .dart|diff .diff .patch|Elixir .ex .exs|Erlang .erl|F# .fs|Fortran .f90|Go .go
GraphQL .graphql|Groovy .gradle .groovy|Haskell .hs|HTML .htm .html
INI .cfg .conf .ini .env .properties|Java .java|JavaScript .cjs .js .jsx .mjs
JSON .json .jsonl .ndjson|Julia .jl|Kotlin .kt .kts|Lark .lark|Lisp .el .lisp|Lua .lua
Markdown .markdown .md .mdc .mdown .mdx .mkd .qmd .rmd|mail .eml .mbox|Nix .nix|OCaml .ml .mli
Org .org|Pascal .pas|Perl .pl .pm|PHP .php|plain text .log .txt|PowerShell .ps1|protobuf .proto
Python .py .pyi|R .r|reST .rst|Ruby .rake .rb|Rust .rs|Scala .scala|Shell .bash .sh .zsh
SQL .sql|Svelte .svelte|Swift .swift|Terraform .tf|TeX .sty .tex|TOML .toml
TypeScript .cts .mts .ts .tsx|VHDL .vhd .vhdl|Vue .vue|XML .svg .xml .xsd|YAML .yaml .yml
Zig .zig
"""
# The languages of files without a suffix, or whose name means more than the suffix.
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
# The languages by suffix, in lower case and with the point.
LANGUAGES = {
    suffix: words.split(" .")[0]
    for words in _BY_SUFFIX.strip().replace("\n", "|").split("|")
    for suffix in words.split(" ")
    if suffix.startswith(".")
}
# Languages of texts for people. Fences, entities and "..." are normal in them; in code they are
# signs that a model left something out.
PROSE = frozenset(("AsciiDoc", "mail", "Markdown", "Org", "plain text", "reST"))
WITH_FENCES = ("", "diff", *sorted(PROSE))  # languages of files that may contain Markdown fences
_BINARY = """
jpg jpeg png gif webp ico bmp tiff pdf zip gz tar bz2 7z xz woff woff2 ttf otf mp3 mp4 wav ogg
flac avi mov exe dll so dylib class jar pyc whl xlsx docx pptx sqlite db parquet npy pkl
"""
BINARY = frozenset(_BINARY.split())  # suffixes of files that are not text, without the point
OTHER = "other"  # the row of unknown languages in tables


def language_of(path: str | PurePath) -> str:
    """Return the language of a file, by its name.

    Args:
        path: The path of the file, with slashes. The file need not exist.

    Returns:
        The language, as the tables above name it; "" if the name does not identify one.
    """
    name = str(path).rstrip("/").rpartition("/")[2]
    if name in NAMES:
        return NAMES[name]
    stem, dot, suffix = name.rpartition(".")
    if not stem:  # no suffix; or a name such as ".py", whose point is its beginning
        return ""
    return LANGUAGES.get(dot + suffix.lower(), "")
