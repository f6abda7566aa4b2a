"""Which export loses what: a table, with what each entry rests on.

A loss is that of a program that takes the same `.lark` file, or one made from it word by word. `source` says where the
claim was read; where nothing was found that says so, it is `UNVERIFIED`. Read in 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

UNVERIFIED = "not verified"
_LLG = "llguidance, docs/syntax.md, Unsupported Lark features"
_XG_DOC = "XGrammar 0.2.5, Lark Grammar"
_XG_REGEX = "XGrammar, cpp/regex_converter.cc"
_GBNF = "llama.cpp, grammars/README.md, which has no such thing"
_JS = "larkjs/lark.js 0.1.4: patterns go to RegExp as they are"
LARK_JS, LLGUIDANCE, XGRAMMAR, GBNF, SYMOPS = "lark-js", "llguidance", "XGrammar", "GBNF", "symops"


@dataclass(frozen=True, slots=True)
class Loss:
    """What one export does with a feature."""

    export: str
    effect: str
    source: str = UNVERIFIED


@dataclass(frozen=True, slots=True)
class Feature:
    """Something outside the portable subset: a note if no export is known to lose it, else a warning.

    The grammars that `symops export` writes for constrained decoding are made of the compiled dialect, so they keep
    most of it. `refused` says why they cannot keep it; `narrowed` what it means in them, if not quite the same.
    """

    code: str
    name: str
    hint: str
    losses: tuple[Loss, ...] = ()
    refused: str = ""
    narrowed: str = ""


_NO_GBNF = Loss(GBNF, "has no such thing", _GBNF)
_NAMED_BY_RULES = (  # what gives the nodes of a tree other names
    Loss(SYMOPS, "builds nodes by the names of rules", "symops_lark/core/strict/builder.py"),
    Loss(XGRAMMAR, "ignores it", _XG_DOC),
    _NO_GBNF,
)
_BESIDE = "a text is read from left to right, without a look at what is beside it"

FEATURES = {
    feature.code: feature
    for feature in (
        # ---- in regular expressions
        Feature(
            "any-character",
            "`.` in a regular expression",
            "write the class of what is meant, such as [^\\n]",
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
            (Loss(LLGUIDANCE, "refuses it", _LLG), Loss(XGRAMMAR, "refuses it", _XG_REGEX), _NO_GBNF),
            refused=_BESIDE,
        ),
        Feature(
            "backreference",
            "a backreference",
            "write a terminal for each text that it may stand for",
            (Loss(LLGUIDANCE, "refuses it: Rust's regex has none"), Loss(XGRAMMAR, "refuses it", _XG_REGEX), _NO_GBNF),
            refused="what must be said again is no finite automaton",
        ),
        Feature(
            "named-group",
            "a named group",
            "write ( ) alone",
            (
                Loss(LARK_JS, "(?P<…>) is a syntax error in JavaScript", _JS),
                Loss(XGRAMMAR, "refuses it", _XG_REGEX),
                _NO_GBNF,
            ),
        ),
        Feature(
            "group-extension",
            "a group that begins with (?",
            "write ( ) alone, and both cases of a letter as a class",
            (Loss(XGRAMMAR, "refused it before its Lark front end; now takes a few forms", _XG_REGEX), _NO_GBNF),
        ),
        Feature(
            "regex-flag",
            "a flag behind a regular expression",
            "write both cases of a letter as a class",
            (Loss(XGRAMMAR, "takes only `s`", _XG_DOC), Loss(LARK_JS, "older engines refuse (?i:…)"), _NO_GBNF),
            narrowed="only letters of ASCII have two cases",
        ),
        Feature(
            "lazy-repetition",
            "a lazy repetition",
            "let the class exclude what ends it",
            (Loss(LLGUIDANCE, "refuses it", _LLG), Loss(XGRAMMAR, "has no notion of it"), _NO_GBNF),
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
            refused="they keep what a repetition may take, not what it gives back",
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
        # ---- in rules and terminals
        Feature(
            "priority",
            "a priority",
            "let the terminals or rules exclude each other",
            (
                Loss(LLGUIDANCE, "has none for terminals", _LLG),
                Loss(XGRAMMAR, "does not list them", _XG_DOC),
                Loss(LARK_JS, "has not finished them", "larkjs/lark.js 0.1.4: a TODO in its Scanner"),
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
            (Loss(LLGUIDANCE, "refuses it", _LLG), Loss(XGRAMMAR, "does not list it", _XG_DOC), _NO_GBNF),
        ),
        Feature("ignore", "%ignore", "say where blanks may stand", (_NO_GBNF,)),
        Feature(
            "declare",
            "%declare",
            "write the terminal",
            (
                Loss(LARK_JS, "needs a lexer of one's own"),
                Loss(LLGUIDANCE, "has no terminal without a pattern"),
                Loss(XGRAMMAR, "has no such directive", _XG_DOC),
                _NO_GBNF,
            ),
        ),
        Feature(
            "import",
            "an %import from another grammar",
            "copy the definition",
            (Loss(LLGUIDANCE, "knows only `common`", _LLG), Loss(XGRAMMAR, "knows only `common`", _XG_DOC), _NO_GBNF),
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
