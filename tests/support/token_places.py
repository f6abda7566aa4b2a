"""The places of the tokens of a corrected parse, in the text that was given."""

from __future__ import annotations

from lark import Token, Tree

from symops_lark.error_correcting import CorrectedParse, InsertedToken


def check_token_places(parse: CorrectedParse, text: str) -> None:
    """Check that each token that was not changed is where it says, and that an inserted one is empty."""
    changed = [(edit.start, edit.stop) for edit in parse.edits]
    assert isinstance(parse.tree, Tree)
    for token in parse.tree.scan_values(lambda value: isinstance(value, Token)):
        start, stop = token.start_pos, token.end_pos
        assert 0 <= start <= stop <= len(text)
        if isinstance(token, InsertedToken):
            assert start == stop
        elif not any(begin <= stop and start <= end for begin, end in changed):
            assert text[start:stop] == token
