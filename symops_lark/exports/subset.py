"""List the features of grammars that other programs lose, with a source for each claim.

A loss is that of a program that reads the same `.lark` file, or a literal translation of it. The
sources were read in 2026. A claim without a source is `UNVERIFIED`.
"""

from __future__ import annotations

from dataclasses import dataclass

UNVERIFIED = "not verified"
# Sources.
_LLG = "llguidance, docs/syntax.md, Unsupported Lark features"
_XG_DOC = "XGrammar 0.2.5, Lark Grammar"
_XG_REGEX = "XGrammar, cpp/regex_converter.cc"
_GBNF = "llama.cpp, grammars/README.md, which has no such thing"
_JS = "larkjs/lark.js 0.1.4: patterns go to RegExp as they are"
# Programs.
LARK_JS = "lark-js"
LLGUIDANCE = "llguidance"
XGRAMMAR = "XGrammar"
GBNF = "GBNF"
SYMOPS = "symops"


@dataclass(frozen=True, slots=True)
class Loss:
    """The effect of a feature in a program.

    Attributes:
        export: The program.
        effect: The effect, as a verb with an object.
        source: The page or file with the claim.
    """

    export: str
    effect: str
    source: str = UNVERIFIED


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature outside of the portable subset.

    `symops grammar check` reports a note if no program loses it, else a warning. The grammars that
    `symops export` writes for constrained decoding come from the compiled dialect, so they keep
    most features.

    Attributes:
        code: The code of the finding.
        name: The name, as a noun with an article.
        hint: What to write in its place.
        losses: The programs that lose it.
        refused: Why an exported grammar cannot keep it; empty: it can.
        narrowed: Its meaning in an exported grammar; empty: it is the same.
    """

    code: str
    name: str
    hint: str
    losses: tuple[Loss, ...] = ()
    refused: str = ""
    narrowed: str = ""


_REFUSED_BY_XGRAMMAR = Loss(XGRAMMAR, "refuses it", _XG_REGEX)
_REFUSED_BY_LLGUIDANCE = Loss(LLGUIDANCE, "refuses it", _LLG)
# GBNF has only rules, classes, texts and repetitions.
_NO_GBNF = Loss(GBNF, "has no such thing", _GBNF)
# These features change the names of the nodes of a tree.
_NAMED_BY_RULES = (
    Loss(SYMOPS, "builds nodes by the names of rules", "symops_lark/core/strict/builder.py"),
    Loss(XGRAMMAR, "ignores it", _XG_DOC),
    _NO_GBNF,
)
# An automaton sees one character at a time.
_BESIDE = "a text is read from left to right, without a look at what is beside it"

FEATURES = {
    feature.code: feature
    for feature in (
        # In regular expressions.
        Feature(
            "any-character",
            "`.` in a regular expression",
            "write a class of characters, such as [^\\n]",
            (
                Loss(LARK_JS, "leaves out \\r and the Unicode line separators too", "ECMAScript"),
                Loss(GBNF, "matches a newline too"),
            ),
        ),
        Feature(
            "class-shorthand",
            "`\\d`, `\\w` or `\\s`",
            "write the class: [0-9], [A-Za-z0-9_], [ \\t]",
            (
                Loss(GBNF, "refuses it", "llama.cpp issue 13347 and pull request 27889"),
                Loss(LARK_JS, "takes \\d and \\w as ASCII, Python as Unicode", "ECMAScript"),
            ),
        ),
        Feature(
            "anchor",
            "an anchor",
            "lines end with a newline here: write it",
            (
                Loss(XGRAMMAR, "ignores ^ and $ inside, refuses \\b", _XG_REGEX),
                Loss(LLGUIDANCE, "may refuse it"),
                _NO_GBNF,
            ),
            refused=_BESIDE,
        ),
        Feature(
            "look-around",
            "look-around",
            "write what may follow, or use a class that excludes it",
            (_REFUSED_BY_LLGUIDANCE, _REFUSED_BY_XGRAMMAR, _NO_GBNF),
            refused=_BESIDE,
        ),
        Feature(
            "backreference",
            "a backreference",
            "write a terminal for each text that it can be",
            (Loss(LLGUIDANCE, "refuses it: Rust's regex has none"), _REFUSED_BY_XGRAMMAR, _NO_GBNF),
            refused="an automaton cannot repeat a text that it has read",
        ),
        Feature(
            "named-group",
            "a named group",
            "write ( ) alone",
            (
                Loss(LARK_JS, "(?P<…>) is a syntax error in JavaScript", _JS),
                _REFUSED_BY_XGRAMMAR,
                _NO_GBNF,
            ),
        ),
        Feature(
            "group-extension",
            "a group that begins with (?",
            "write ( ) alone, and both cases of a letter as a class",
            (
                Loss(
                    XGRAMMAR,
                    "refused it before its Lark front end; now takes a few forms",
                    _XG_REGEX,
                ),
                _NO_GBNF,
            ),
        ),
        Feature(
            "regex-flag",
            "a flag after a regular expression",
            "write both cases of a letter as a class",
            (
                Loss(XGRAMMAR, "takes only `s`", _XG_DOC),
                Loss(LARK_JS, "older engines refuse (?i:…)"),
                _NO_GBNF,
            ),
            narrowed="only letters of ASCII have two cases",
        ),
        Feature(
            "lazy-repetition",
            "a lazy repetition",
            "let the class exclude what ends it",
            (_REFUSED_BY_LLGUIDANCE, Loss(XGRAMMAR, "has no notion of it"), _NO_GBNF),
        ),
        Feature(
            "possessive-repetition",
            "a possessive repetition",
            "let the class exclude what follows",
            (
                Loss(LARK_JS, "is a syntax error in JavaScript", _JS),
                Loss(LLGUIDANCE, "takes the + for another repetition"),
                _NO_GBNF,
            ),
            refused="an automaton has no backtracking that they could prevent",
        ),
        Feature(
            "counted-repetition",
            "a counted repetition",
            "write it out, or use * or +",
            (Loss(GBNF, "before pull request 6640 refuses it", "llama.cpp pull request 6640"),),
        ),
        Feature("non-ascii-class", "characters outside ASCII in a class", ""),
        Feature(
            "astral-class",
            "characters above U+FFFF in a class",
            "leave them out, or write them as alternatives",
            (Loss(LARK_JS, "takes each for two units, as it sets no flag `u`", _JS),),
        ),
        # In rules and terminals.
        Feature(
            "priority",
            "a priority",
            "let the terminals or rules exclude each other",
            (
                Loss(LLGUIDANCE, "has none for terminals", _LLG),
                Loss(XGRAMMAR, "does not list them", _XG_DOC),
                Loss(LARK_JS, "has not finished them", "larkjs/lark.js 0.1.4, its Scanner"),
                _NO_GBNF,
            ),
        ),
        Feature("alias", "an alias `->`", "make it a rule with a name", _NAMED_BY_RULES),
        Feature(
            "maybe-group",
            "an optional group in [ ]",
            "write ( )?",
            (
                Loss(SYMOPS, "may get a None in the tree", "Lark's maybe_placeholders"),
                Loss(GBNF, "takes [ ] for a class", "llama.cpp, grammars/README.md"),
            ),
        ),
        Feature(
            "template",
            "a template",
            "write the rules that it makes",
            (_REFUSED_BY_LLGUIDANCE, Loss(XGRAMMAR, "does not list it", _XG_DOC), _NO_GBNF),
        ),
        Feature("ignore", "%ignore", "write the blanks where they are allowed", (_NO_GBNF,)),
        Feature(
            "declare",
            "%declare",
            "write the terminal",
            (
                Loss(LARK_JS, "needs a custom lexer"),
                Loss(LLGUIDANCE, "has no terminal without a pattern"),
                Loss(XGRAMMAR, "has no such directive", _XG_DOC),
                _NO_GBNF,
            ),
        ),
        Feature(
            "import",
            "an %import from another grammar",
            "copy the definition",
            (
                Loss(LLGUIDANCE, "knows only `common`", _LLG),
                Loss(XGRAMMAR, "knows only `common`", _XG_DOC),
                _NO_GBNF,
            ),
        ),
        Feature(
            "counted-rule",
            "a repetition with `~`",
            "write it out",
            (Loss(GBNF, "writes {m,n}", "llama.cpp, grammars/README.md"),),
        ),
        Feature(
            "string-flag",
            "a string with the flag i",
            "write a regular expression with classes",
            (Loss(XGRAMMAR, "takes it for ASCII only", _XG_DOC), _NO_GBNF),
            narrowed="only letters of ASCII have two cases",
        ),
        Feature(
            "character-range",
            "a range of strings",
            "write a class in a regular expression",
            (Loss(GBNF, "writes a class", "llama.cpp, grammars/README.md"),),
        ),
        Feature(
            "rule-modifier",
            "`?` or `!` in front of a rule",
            "name the rule with or without a leading underscore",
            _NAMED_BY_RULES,
        ),
        Feature("start-rule", "a first rule that is not called `start`", "the exporter renames it"),
    )
}
