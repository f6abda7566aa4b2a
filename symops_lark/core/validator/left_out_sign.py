"""The sign of a line that surely stands for code that was left out, for one pass of RE2.

Invariant: each line that `edits.left_out.surely_stands_for_code` accepts matches `LEFT_OUT`. Some
other lines match, too: a sign only decides whether a check runs. The pattern has the conditions of
that function in another form, so that RE2 gives up most lines within their first words. The phrases
themselves, such as `rest of the code`, would have to be searched for in all of each comment.
"""

from __future__ import annotations

import re

from ..edits.left_out import BARE_LEAD, DOTS, ENDINGS, FAMILIAR, FRAME, HINTS, MAX_WORDS_BEFORE_DOTS
from ..patterns.regexes import escape

_HINT = re.compile(HINTS)
# Parts of words here: a hyphen or an apostrophe counts as a character between two of them.
_WORDS = sorted({part for word in FAMILIAR for part in re.findall("[a-z]+", word)})
# `as before` and `no change` are hints of two words.
_HINT_WORDS = [word for word in _WORDS if _HINT.search(word) or word in ("before", "no")]
_MAX_WORDS = MAX_WORDS_BEFORE_DOTS - 1  # before the one that has a hint
_PARTS = {
    "comment": BARE_LEAD,
    "frame": f"[{escape(FRAME)}]*",
    "dots": DOTS,
    "endings": ENDINGS,
    "hint": rf"(?:{HINTS}|[^\x00-\x7f…])",
    "familiar": "|".join(_WORDS),
    "familiar_hint": "|".join(_HINT_WORDS),
    # What is between two words: neither letters nor characters of code.
    "between": r"[^A-Za-z\n=;`:]",
    "letter": "[0-9A-Za-z_'-]",
    # After `'`, another quotation mark ends a string, and the line is no comment.
    "between_quoted": r"[^A-Za-z\n=;`:']",
    "letter_quoted": "(?:[0-9A-Za-z_-]|'[0-9A-Za-z_])",
}
# The beginning of a line after its blanks, one form a row.
_FORMS = (
    # `# ... rest`
    "{frame}{dots}[^\n]*{hint}",
    # `# other methods ...`
    "(?:{comment}){frame}"
    + _MAX_WORDS * "(?:{between}*{letter}+)?"
    + "{between}*{letter}*{hint}(?:{between}|{letter})*{dots}",
    # `' other methods ...`
    "'+{frame}"
    + _MAX_WORDS * "(?:{between_quoted}*{letter_quoted}+)?"
    + "{between_quoted}*{letter_quoted}*{hint}(?:{between_quoted}|{letter_quoted})*{dots}",
    # `# 以下省略`
    "(?:{comment}|'+){frame}{between}*(?:{endings})",
    # `# rest of the code unchanged`
    "(?:{comment}|'+){frame}{between}*(?:(?:{familiar}){between}+)*(?:{familiar_hint})"
    "(?:{between}+(?:{familiar}))*[^A-Za-z\n]*(?:\n|\\z)",
)
_ANY_FORM = "|".join(_FORMS).format_map(_PARTS)
# The beginning of a line, in the syntax of RE2.
LEFT_OUT = rf"(?i:[ \t]*(?:{_ANY_FORM}))"
