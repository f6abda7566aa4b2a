"""Blocks that are surely whole are passed over: the reading is the same, and their lines are not looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from new_dialects import NEW

from symops_lark.core.known_processors import known_processor
from symops_lark.core.processor import SymOpsProcessor
from symops_lark.core.recovery import reading
from symops_lark.core.recovery.lines.kinds import Kind
from symops_lark.core.recovery.lines.lexer import LineLexer
from symops_lark.core.recovery.outline import known_blocks
from symops_lark.core.recovery.outline.outline import Outline
from symops_lark.core.repairs.engine import RepairEngine

BLOCKS = {
    "v1": ["$ create @ a.py\n--\nx = 1\n--\n", "$ edit @ b.py\n--\n@cache\ndef f():\n\n    return 1\n--\n"],
    "v2": ["::create @a.py\n<<<\nx = 1\n>>>\n", "::edit @b.py\n<<<\n@cache\ndef f():\n\n    return 1\n>>>\n"],
}
RICHER = ("v2_attributes", "v2_end_marked", "v2_long_fence", "v2_numbered", "v2_1")
BLOCKS |= dict.fromkeys(RICHER, BLOCKS["v2"])
_FURTHER = """@path: c.py
@deps: a.py
 @tags: x
path: c.py
::create
create
::1 create @c.py
:: 2 edit @c.py
<<<<
<<< <
>>>>
>>>END
>>> END
>>END
<<<<<<< HEAD
&gt;&gt;&gt;
\\@path: x
──"""
_ODD = """::create @a.py
$ create @ c.py
create a.py <<<
> x.py
@ d.py
<<<
>>>
--
<<
   <<<
>>>::create @x.py
```
<code>
</code>
<plan>
</plan>
Plan:
<think>
</think>
>> so

﹫x
＄create ＠a.py
## create `a.py` <<<
- **::edit @a.py**
It works now."""


def read(text: str, dialect: str) -> Outline:
    engine = known_processor(dialect, ()).engine(dialect)
    engine.repairer.last_read = "", None, None  # what was read last is not read again
    return reading.read_outline(text, engine.dialect, engine.repairer)


@given(st.data())
def test_the_reading_is_the_same(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(sorted(BLOCKS)))
    text = "".join(data.draw(st.lists(st.sampled_from(BLOCKS[dialect]), min_size=1, max_size=4)))
    lines = text.split("\n")
    odd = st.sampled_from(_ODD.splitlines() + _FURTHER.splitlines() * (dialect in RICHER))
    for at, line in data.draw(st.lists(st.tuples(st.integers(0, 40), odd), max_size=5)):
        lines.insert(at % (len(lines) + 1), line)
    check_reading("\n".join(lines), dialect)


def check_reading(text: str, dialect: str) -> None:
    result = read(text, dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "find_known", lambda text, lexer: None)
        line_by_line = read(text, dialect)
        assert line_by_line == result and line_by_line.groups == result.groups


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("v2", "::create @a.py\n<<<\nx = 1\n<<<\ny\n>>>\n>>>\n"),
        ("v2", "::create @a.py\n\n<<<\nx = 1\n>>>\n"),
        ("v2", "::create @a.py\n<<<\nx\n::run @ls <<<\n>>>\n"),
        ("v2", "::create @a.py\n<<<\ncreate a.py <<<\n>>>\n"),
        ("v2", "::create @a.py\n<<<\n- create `b.py` &lt;&lt;&lt;\ny\n>>>\n>>>\n"),
        ("v2", "::create @a.py\n<<<\n::edit\n@ b.py\n>>>\n"),
        ("v2", "::create @a.py\n<<<\n</code>\n>>>\n"),
        ("v2", "::create @a.py\n<<<\n<code>\nx\n</code>\n>>>\nmore\n>>>\n"),
        ("v2", "::create @a.py\n<<<\n﹫ b.py\n>>>\n"),
        ("v2", "<<<\nx\n>>>\n"),
        ("v2_1", "::create @d.py\n<<<<\n>>> # x:\na\n>>>>\n::create @e.py <<<\n"),
        ("v2_1", "::edit @b.py\n<<<\ncreate a.py\n \n>>>END\n<<<<<<\n<<<\n"),
        ("v2_1", "<<<<\n>>> # x\na\n>>>>\n::create @d.py\n<<<<\na\n>>>>\n"),
        ("v2", "::creat @a.py\n<<<\n::create @b.py\n<<<\ny\n>>>\n>>>\n"),
        ("v1", "$ create @ a.py\n--\nx\n--\n--\ny\n--\n$ run @ ls\n"),
        ("v1", "$ create @ a.py\n\n--\nx\n--\n$ create @ b.py\n--\ny\n--\n"),
        ("v1", "$ create\n@ a.py\n--\nx\n--\n$ create @ b.py\n--\ny\n--\n"),
        ("v1", "$ create a.py\n--\nx\n--\n$ create @ b.py\n--\n$ run @ ls\n--\n"),
        ("v1", "--\nx\n--\n$ create @ b.py\n--\ny\n--\n"),
        ("v1", "some words\n--\n$ create @ b.py\n--\ny\n--\n> and so\n"),
        ("v1", "@ a.py\n--\n$ create @ b.py\n--\ny\n--\n"),
    ],
)
def test_what_may_be_no_whole_block_is_read_line_by_line(dialect: str, text: str) -> None:
    check_reading(text, dialect)


_V2 = "::create @a.py\n<<<\n"
_V1 = "$ edit @ b.py\n--\ny\n--\n"


@pytest.mark.parametrize(
    ("dialect", "text", "known"),
    [
        ("v2", _V2 + "x\n>>>\n", ["x"]),
        ("v2", "hi\n" + _V2 + "x <<<\ny\n>>>  ", ["x <<<"]),
        ("v2", _V2 + ">>>\n", [">>>"]),
        ("v2", _V2 + "x\n>>>\n::run @ls\n<<<\n@y\n--\n>>>\n", ["x", "@y"]),
        ("v2", _V2 + "x\n", []),  # is never closed
        ("v2", _V2 + "x\n<<<\ny\n>>>\n", []),  # another is opened in it
        ("v2", _V2 + "::create @b.py\n>>>\n", []),
        ("v2", _V2 + "::edit\n@ b.py\n>>>\n", []),
        ("v2", _V2 + "x\n </code>\n>>>\n", []),
        ("v2", _V2 + "</code>\n>>>\n", []),
        ("v2", "<<<\nx\n>>>\n", []),
        ("v2", "words\n<<<\nx\n>>>\n", []),
        ("v2", "::create @a.py\n\n<<<\nx\n>>>\n", []),
        ("v2", "::Create a.py\n<<<\nx\n>>>\n", []),
        ("v1", "$ create @ a.py\n--\nx\n--\n" + _V1, ["x", "y"]),
        ("v1", "$ create @ a.py\n\n--\nx\n--\n" + _V1, ["y"]),  # the delimiter behind x closes
        ("v1", "$ create a.py\n--\nx\n--\n" + _V1, ["y"]),
        ("v1", "$ create @ a.py\n--\n--\n" + _V1, ["--", "y"]),
        ("v1", "$ create @ a.py\n--\n$ run @ ls\n--\n" + _V1, ["$ run @ ls", "y"]),
        ("v1", "--\n" + _V1, ["y"]),
        ("v1", "some words\n--\n" + _V1, ["y"]),
        ("v1", "@ a.py\n--\n" + _V1, []),  # may be the path of an action, whose block it opens
        ("v2_1", _V2 + "x\n>>>\n", ["x"]),
        ("v2_1", _V2 + "x\n>>>END\n", ["x"]),
        ("v2_1", _V2 + "x <<<< y\n>>>\n" + _V2 + "y\n>>>\n", ["y"]),  # has signs of what is longer
        ("v2_1", _V2 + "@path: b.py\n>>>\n", []),
        ("v2_1", _V2 + "x\n>>>>\n", []),  # its own closer is missing
        ("v2_1", "::create @a.py\n<<<<\nx\n>>>\ny\n>>>>\n", []),
        ("v2_1", "::create @a.py\n<<<<\nx\n>>>>\n", []),  # may hold shorter ones
        ("v2_1", "::1 create @a.py\n<<<\nx\n>>>\n", ["x"]),
        ("v2_1", "::create @a.py\n@tags: x\n<<<\nx\n>>>\n", []),  # something stands between
        ("plain", "x\n", None),
    ],
)
def test_what_is_passed_over_is_surely_a_content(dialect: str, text: str, known: list[str] | None) -> None:
    engine = known_processor(dialect, ()).engine(dialect)
    lexer = LineLexer(engine.dialect, engine.repairer)
    blocks = known_blocks.find_known(text, lexer)
    assert (blocks is None) == (known is None)
    if blocks is not None and known is not None:
        lines = lexer.read(text, blocks.pass_over)
        assert [text[at:].split("\n")[0] for at in sorted(blocks.passed)] == known
        assert "".join(text[line.start : line.end] for line in lines) == text
        assert all((line.kind is Kind.BLANK) == (not text[line.start : line.stop].strip()) for line in lines)


def test_blocks_are_known_where_only_the_installed_rules_respell(tmp_path: Path) -> None:
    own = tmp_path / "own.lark"
    own.write_text(NEW["lines"].grammar)
    engine = SymOpsProcessor(own).engine(own)
    assert known_blocks.find_known("x", LineLexer(engine.dialect, engine.repairer)) is None
    v2 = known_processor("v2", ()).engine("v2")
    rules = RepairEngine("v2")
    rules.repairer.usual = False
    assert known_blocks.find_known("x", LineLexer(v2.dialect, v2.repairer)) is not None
    assert known_blocks.find_known("x", LineLexer(rules.dialect, rules.repairer)) is None


@pytest.mark.parametrize(
    ("before", "behind", "content"),
    [("<think>\n", "</think>\n", False), ("Plan:\n", "", True), ("```\n", "```\n", True), ("", "", True)],
)
def test_what_the_reading_takes_for_no_content_is_read_line_by_line(before: str, behind: str, content: bool) -> None:
    text = before + _V2 + "x\n\ny\n>>>\n" + behind
    check_reading(text, "v2")
    engine = known_processor("v2", ()).engine("v2")
    lexer = LineLexer(engine.dialect, engine.repairer)
    blocks = known_blocks.find_known(text, lexer)
    assert blocks is not None
    outline = read(text, "v2")
    assert blocks.are_bodies(outline), "where nothing is passed over"
    lexer.read(text, blocks.pass_over)
    assert blocks.passed == {text.index("x\n")}
    assert blocks.are_bodies(outline) is content


@pytest.mark.parametrize("dialect", BLOCKS)
def test_lines_of_whole_blocks_are_not_looked_at(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head, opener, *_, closer = BLOCKS[dialect][0].split("\n")[:-1]
    blocks = [f"{head}\n{opener}\n" + f"value = compute({number})\n" * 50 + f"{closer}\n" for number in range(30)]
    visited = []
    kind = LineLexer.kind_of

    def note(lexer: LineLexer, line: str) -> Kind:
        visited.append(line)
        return kind(lexer, line)

    monkeypatch.setattr(LineLexer, "kind_of", note)
    read("some prose\n" + "".join(blocks), dialect)
    assert len(visited) < 3 * len(blocks)  # of 1,560 lines
