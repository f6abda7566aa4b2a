"""Mistakes that write the delimiters of other notations: tags, or escapes of HTML and Markdown."""

from __future__ import annotations

from .delimiters import Spelling, respelt
from .draft import Draft

_TAGS: list[Spelling] = [
    ("<content>", "</content>"),
    ("[CONTENT_START]", "[CONTENT_END]"),
    ("<code>", "</code>"),
]


def _escaped(draft: Draft) -> list[Spelling]:
    opener, closer = draft.marks.open, draft.marks.close
    first = ("\\" + opener, "\\" + closer)
    if not draft.paired:
        # Repeated, so that a random number is drawn, as for three forms.
        return [first] * 3
    all_signs = ("\\" + "\\".join(opener), "\\" + "\\".join(closer))
    # HTML escapes angle brackets; without one, this form is declined.
    html: Spelling = (None, None)
    if "<" in opener:
        opener = opener.replace("<", "&lt;")
        html = (opener, closer.replace(">", "&gt;"))
    return [html, all_signs, first]


delimiters_tagged = respelt("Tags of another format replace the delimiters.", lambda draft: _TAGS)
delimiters_escaped = respelt("Delimiters are escaped for HTML or Markdown.", _escaped)
