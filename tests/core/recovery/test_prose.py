"""Which plain lines are surely sentences for people."""

from __future__ import annotations

import pytest

from symops_lark.core.recovery.lines.prose import looks_like_prose


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        ("It is a.", True),
        ("I am a.", False),
        ("It is so. ".ljust(999, "a") + ".", True),
        ("It is so. ".ljust(1000, "a") + ".", False),
        ("It\tis\tnot here.", True),
        ("It is\tso.", True),
        ("Two words.", False),
        ("it is not here.", False),
        ("- it is not here.", False),
        ("**It is (really) here.**", True),
        ('"It is not here."', True),
        ("Is it not here?", True),
        ("It is here: ", True),
        ("It is here", False),
        ("It is {here}.", False),
        ("It is x = 1.", False),
        ("これはここにあります。", True),
        ("これはここにあります", False),
        ("", False),
    ],
)
def test_sentences(line: str, prose: bool) -> None:
    assert looks_like_prose(line) is prose
