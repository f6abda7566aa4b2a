"""Blocks that are surely whole are passed over: the reading is the same, and their lines are not looked at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.processor import known_processor
from symops_lark.recovery import known_blocks, reading
from symops_lark.recovery.kinds import Kind
from symops_lark.recovery.lexer import LineLexer
from symops_lark.recovery.outline import Outline

BLOCKS = {
    "v1": ["$ create @ a.py\n--\nx = 1\n--\n", "$ edit @ b.py\n--\n@cache\ndef f():\n\n    return 1\n--\n"],
    "v2": ["::create @a.py\n<<<\nx = 1\n>>>\n", "::edit @b.py\n<<<\n@cache\ndef f():\n\n    return 1\n>>>\n"],
}
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
    return reading.read_outline(text, engine.dialect, engine.repairer)


@given(st.data())
def test_the_reading_is_the_same(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(sorted(BLOCKS)))
    text = "".join(data.draw(st.lists(st.sampled_from(BLOCKS[dialect]), min_size=1, max_size=4)))
    lines = text.split("\n")
    for at, line in data.draw(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(_ODD.splitlines())), max_size=5)):
        lines.insert(at % (len(lines) + 1), line)
    text = "\n".join(lines)
    found = read(text, dialect)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_blocks, "find_known", lambda text, lexer: None)
        assert read(text, dialect) == found


@pytest.mark.parametrize("dialect", BLOCKS)
def test_lines_of_whole_blocks_are_not_looked_at(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head, opener, *_, closer = BLOCKS[dialect][0].split("\n")[:-1]
    blocks = [f"{head}\n{opener}\n" + f"value = compute({number})\n" * 50 + f"{closer}\n" for number in range(30)]
    seen = []
    kind = LineLexer.kind_of

    def note(lexer: LineLexer, line: str) -> Kind:
        seen.append(line)
        return kind(lexer, line)

    monkeypatch.setattr(LineLexer, "kind_of", note)
    read("some prose\n" + "".join(blocks), dialect)
    assert len(seen) < 30
