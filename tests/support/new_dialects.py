"""Dialects that say new things: their grammars, a valid text, and damaged ones with what they are to say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from repository import ROOT

SECTIONS = "_GAP | thought | vitals | action | question | error"


class NewDialect(NamedTuple):
    """`names` are those of what only it says, in the order of the text; `broken` say the same, damaged."""

    grammar: str
    text: str
    names: tuple[str, ...]
    broken: tuple[str, ...]


NEW = {
    "lines": NewDialect(
        f"""// v2 with a plan and a test result, each of one line.
%import .v2
%override document: ({SECTIONS} | plan | test_result)*
plan:        _PLAN _SP TEXT _NL
test_result: _RESULT _SP STATUS _SP COUNT (_SP TEXT)? _NL
_PLAN:   "=="
_RESULT: "%%"
STATUS:  "passed" | "failed"
COUNT:   /[0-9]+/
""",
        ">> one\n\n== look, then act\n\n%% passed 12 all fine\n\n::create @a.py\n<<<\nx = 1\n>>>\n",
        ("plan", "test_result"),
        (
            "Sure:\n>> one\n  == look, then act\n- %% passed 12 all fine\n::Create a.py\n<<<\nx = 1\n>>>\n",
            "**== look, then act**\n＝＝ look, then act\n==look, then act\n::create @a.py\n<<<\nx\n%% passed 12\n",
        ),
    ),
    "blocks": NewDialect(
        f"""// v2 with notes that hold a block, plans of several lines, and logs that may have a block.
%import .v2
%override document: ({SECTIONS} | note | plan | log)*
note: _NOTE _SP TITLE _NL BLOCK
plan: _PLAN _SP TITLE _NL step+
step: _SP NUMBER _DOT _SP TEXT _NL
log:  _LOG _SP WORD _NL BLOCK?
_NOTE: "##"
_PLAN: "=="
_LOG:  "%%"
TITLE: /[^ \\t\\r\\n]([^\\r\\n]*[^ \\t\\r\\n])?/
""",
        "## A title\n<<<\n>> not a thought\n>>>\n\n== big\n 1. look\n 2. act\n\n%% quiet\n\n%% loud\n<<<\nbang\n>>>\n",
        ("note", "plan", "log", "log"),
        (
            "## A title\n```\nhello\n```\n== big\n 1. look\n%% quiet\n%% loud\n",
            " ## A title\n<<<\nhello\n>>>\n- == big\n 1. look\n%% quiet\n%% loud\n<<<\nbang\n::run @ls\n",
        ),
    ),
    "inner": NewDialect(
        f"""// v2 with sections that hold several blocks.
%import .v2
%override document: ({SECTIONS} | swap | book)*
swap: _SWAP _SP TITLE _NL BLOCK BLOCK
book: _BOOK _SP TITLE _NL page+
page: _SP TITLE _NL BLOCK
_SWAP: "%%"
_BOOK: "=="
TITLE: /[a-z]+/
""",
        "%% names\n<<<\nold\n>>>\n<<<\n>> new\n>>>\n\n== tale\n one\n<<<\nfirst\n>>>\n two\n<<<\n== no\n>>>\n",
        ("swap", "book"),
        ("Sure:\n %% names\n<<<\nold\n>>>\n<<<\nnew\n>>>\n- == tale\n one\n<<<\nfirst\n>>>\n::Run ls\n",),
    ),
    "vital": NewDialect(
        """// v2 with a vital of its own.
%import .v2
%override vitals: _vital (_SP _vital)* _NL
_vital: VITAL | DOUBT
DOUBT: /::d[0-9]+(\\.[0-9]+)?/
""",
        "::c0.8 ::d0.3\n",
        ("doubt",),
        (" ::c0.8 ::d0.3\n", "**::c0.8 ::d0.3**\n"),
    ),
    "verb": NewDialect(
        """// v2 with a verb of two arguments.
%import .v2
%extend _change: MOVE _SP? _TARGET _SP? PATH _SP? _INTO _SP? DESTINATION
MOVE: "move"
_INTO: "=>"
DESTINATION: /[^ \\t\\r\\n@<>"]([^\\r\\n<>]*[^ \\t\\r\\n<>"])?/
""",
        ":: move @ a.py => b.py\n\n::create @d.py\n<<<\nx\n>>>\n",
        ("destination",),
        ("::Move @a.py => b.py\nhi\n", "- ::move @a.py=>b.py\n"),
    ),
    "recipe": NewDialect(
        """// Recipes: nothing of Sym-Ops in it.
document: (_GAP | title | ingredient | cooking)*
title:      _TITLE _SP TEXT _NL
ingredient: _ITEM _SP AMOUNT _SP UNIT _SP TEXT _NL
cooking:    _COOK _SP TEXT _NL
_TITLE: "#"
_ITEM:  "-"
_COOK:  "*"
AMOUNT: /[0-9]+/
UNIT:   "g" | "ml" | "pc"
TEXT:   /[^ \\t\\r\\n]([^\\r\\n]*[^ \\t\\r\\n])?/
_SP: /[ \\t]+/
_NL: /[ \\t\\r]*\\n/
_GAP: /([ \\t\\r]*\\n)+/
""",
        "# Cake\n\n- 200 g flour\n- 3 pc eggs\n\n* Mix all.\n",
        ("title", "ingredient", "ingredient", "cooking"),
        ("Here you go\n  # Cake\n - 200 g flour\n - 3 pc eggs\n*Mix all\n",),
    ),
}


def write_dialects(folder: Path) -> dict[str, Path]:
    """Write the grammars into a folder; return their paths by name."""
    paths = {name: folder / f"{name}.lark" for name in NEW}
    for name, path in paths.items():
        path.write_text(NEW[name].grammar, encoding="utf-8")
    return paths


def write_thin_plain(folder: Path) -> Path:
    """Write a dialect of the shape of plain that has actions, and no contents, thoughts, dependencies or mood."""
    text = (ROOT / "grammars" / "plain.lark").read_text(encoding="utf-8")
    text = text.replace("reasoning | ", "").replace(" depends_line* BLOCK?", "").replace(" | _MOOD", "")
    gone = "reasoning|thought|_reason_line|depends_line|BLOCK|_THOUGHT|_DEPENDS|_MOOD|_OPEN|_CLOSE"
    path = folder / "thin.lark"
    path.write_text(re.sub(rf"(?m)^(?:{gone}): .*\n", "", text), encoding="utf-8")
    return path
