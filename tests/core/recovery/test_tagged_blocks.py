"""Tags of another format around contents: which pairs delimit a block, and which are only tags."""

from __future__ import annotations

import pytest

from symops_lark.core.recovery.lines.kinds import Kind
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.repairs import RepairEngine

ENGINES = {name: RepairEngine(name) for name in ("v2", "v2_long_fence", "v2_attributes")}


def delimiters(text: str, dialect: str = "v2") -> list[int]:
    """Return the numbers of the lines that are respelt as delimiters."""
    engine = ENGINES[dialect]
    lines = LineLexer(engine.dialect, engine.repairer).read(text)
    return [text.count("\n", 0, line.start) + 1 for line in lines if line.kind in (Kind.NEAR_OPEN, Kind.NEAR_CLOSE)]


HEAD = "::create @a.py\n"
LONG = f'<content id="{"a" * 185}">'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (HEAD + "<content>\nx\n</content>\n", [2, 4]),
        (HEAD + "\n<content>\nx\n\n</content>\n>> done\n", [3, 6]),
        (HEAD + "<content>\n</content>\n", [2, 3]),
        (HEAD + "<content>\nx\n</content>\n<content>\ny\n</content>\n", [2, 7]),
        (HEAD + "<content>\nx\n</content>\ny\n</content>\n>> done\n", [2, 6]),
        (HEAD + "<content>\nx\n</content>\n>> so\n</content>\n>> done\n", [2, 4]),
        (HEAD + "<content>\nx\n</content>\ny\n", [2, 4]),
        (HEAD + "<content>\nx\n", []),
        (HEAD + "<content>\n<<<\nx\n>>>\n</content>\n", []),
        (HEAD + "<content>\n\n<<<\nx\n>>>\n</content>\n", []),
        (HEAD + "<content>\nx\n>>>\ny\n</content>\n", []),
        (HEAD + "<content>\nx\n>>>\n\n</content>\n", []),
        (HEAD + "<CONTENT>\nx\n </Content> \n", [2, 4]),
        (HEAD + "[CONTENT]\nx\n[/CONTENT]\n", [2, 4]),
        (HEAD + "[CONTENT_START]\nx\n[CONTENT_END]\n", [2, 4]),
        (HEAD + "Here:\n<content>\nx\n</content>\n", []),
        ("<content>\nx\n</content>\n", []),
        (HEAD + "<content>\nx\n</content>\n::create @b.py\n<content>\ny\n</content>\n", [2, 4, 6, 8]),
        (HEAD + "<content>\n::create @b.py\n<content>\ny\n</content>\n</content>\n", [4, 7]),
        (HEAD + LONG + "\nx\n</content>\n", [2, 4]),
        (HEAD + LONG.replace("a", "aa", 1) + "\nx\n</content>\n", []),
        (HEAD + "<content>\nx\n" + "</content>".ljust(200) + "\n", [2, 4]),
        (HEAD + "<content>\nx\n" + "</content>".ljust(201) + "\n", []),
    ],
)
def test_tags_below_an_action(text: str, found: list[int]) -> None:
    assert delimiters(text) == found


def test_a_lone_delimiter_inside_wants_a_longer_fence() -> None:
    text = HEAD + "<content>\nx\n>>>\ny\n</content>\n"
    assert (delimiters(text), delimiters(text, "v2_long_fence")) == ([], [2, 6])


@pytest.mark.parametrize("behind", ["", "\n"])
def test_a_delimiter_next_to_a_tag_encloses_the_block(behind: str) -> None:
    """In every dialect: a longer fence is for delimiters that stand amid the content."""
    assert delimiters(HEAD + f"<content>\nx\n>>>\n{behind}</content>\n", "v2_long_fence") == []
    assert delimiters(HEAD + f"<content>\n{behind}<<<\nx\n</content>\n", "v2_long_fence") == []


def test_attributes_may_stand_between() -> None:
    assert delimiters("::create\n  @path: a.py\n<content>\nx\n</content>\n", "v2_attributes") == [3, 5]
