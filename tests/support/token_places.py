"""The places of the tokens of a corrected parse, in the text that was given."""

from __future__ import annotations

from lark import Token, Tree

from symops_lark.error_correcting import CorrectedParse, InsertedToken
from symops_lark.error_correcting.edits import Edit


def check_token_places(parse: CorrectedParse, text: str) -> None:
    """Check that each token that was not changed is where it says, and that an inserted one is empty."""
    assert isinstance(parse.tree, Tree)
    for token in parse.tree.scan_values(lambda value: isinstance(value, Token)):
        start, stop = token.start_pos, token.end_pos
        assert 0 <= start <= stop <= len(text)
        if isinstance(token, InsertedToken):
            assert start == stop
        elif not any(_touches(edit, start, stop) for edit in parse.edits):
            assert text[start:stop] == token


def _touches(edit: Edit, start: int, stop: int) -> bool:
    """Return whether an edit may change a token: what is written beside it may be a part of it."""
    if edit.kind == "delete":
        return edit.start < stop and start < edit.stop
    return edit.start <= stop and start <= edit.stop
