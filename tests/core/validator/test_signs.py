"""Checks are asked only about what has signs of theirs: they say nothing of all the rest."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.core.document import (
    Action,
    Completeness,
    Document,
    ErrorNote,
    Question,
    Section,
    Skipped,
    Thought,
    Vitals,
)
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.patterns.regexes import Sieve
from symops_lark.core.validator import CHECKS, VALUE_CHECKS
from symops_lark.core.validator.signs import actions_by_check, is_ordinary

VERBS = load_dialect("v2").verbs
_WORDS = """the rest of code file content implementation functions existing previous unchanged same as before omitted
remains goes here keep ... … # // /* */ -- ; % <!-- --> {# (* " ' REM [ ( （ 【 ] ) your full add insert TODO: Your HERE
snip [snip] cont'd continued from for brevity 以下同様 中略 そのまま 残り 既存 コード 代码 不变 ``` ~~~
```python 1 2 3 | : L1 &lt; &gt; &amp;&amp; & &l t; ; "lt;" 'x' \\n @@ --- +++ diff -- Index: “ ” ‘ ’ x = y foo()
<|im_end|> </s> python py js <![CDATA[ ]]> \\" (\\"a\\" ... 200 more lines"""
ENDS = [" ", " ", "", "\n", "\n", "\t", "\r\n", "\x0b", "\xa0", "\u3000", "\n\n"]
_PATHS = """a.py src/a.py path/to/a.py _a.py_ a.py. a.py, [a.py] a.py:10 file.ext src//a.py your_file a/.../b a_ -> a.md
a.yaml profile.py a.py[1] a.ts x.diff a.html a.pyを PATH/TO/x.py .../a"""

contents = st.lists(st.tuples(st.sampled_from(_WORDS.split()), st.sampled_from(ENDS)).map("".join), max_size=12).map(
    "".join
)
paths = st.sampled_from([*_PATHS.split(), "a b.py", "a.py (new)", "the file", "cat <<EOF", "$ make", "bash: ls", ""])


@given(
    st.sampled_from(["create", "edit", "run"]),
    paths,
    contents | st.none(),
    st.lists(paths, max_size=2).map(tuple),
    st.sampled_from(["", "def f():\n    return 1\n", "\n", "\u3000"]),
)
def test_what_has_no_signs_has_no_findings(
    verb: str, path: str, content: str | None, needs: tuple[str, ...], before: str
) -> None:
    action = Action(verb, path, None if content is None else before + content, needs)
    signs = actions_by_check(Document((action,)))
    for check in VALUE_CHECKS:
        assert check in signs or not list(check(Document((action,)), VERBS))


def test_ordinary_code_has_no_signs() -> None:
    code = 'def load(path):\n    # the code of a file\n    """Return it."""\n    return open(path).read()\n'
    assert actions_by_check(Document((Action("create", "src/load.py", code),))) == {}


def test_without_re2_everything_may_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    sieve = Sieve("x")
    assert sieve.may_occur("abc")
    assert list(sieve.lines("a\n\nb")) == ["a", "", "b"]


@given(st.text("ax\n\ud800é"))
def test_a_sieve_keeps_the_lines_that_have_its_pattern(text: str) -> None:
    found = list(Sieve("x").lines(text))
    wanted = [line for line in text.split("\n") if "x" in line]
    assert found == wanted or "\ud800" in text
    assert Sieve("x").may_occur(text) or not wanted


_SECTIONS = st.one_of(
    st.builds(
        Action,
        st.sampled_from(["create", "edit", "run", "test", "delete", "remove", "copy"]),
        st.sampled_from(["a.py", "b.py", "./a.py", "b/../a.py", "a.py/", "/a.py", "a//b", "a.", "", "ls"]),
        st.none() | st.sampled_from(["", "x"]),
        st.sampled_from([(), (), ("a.py",), ("c.py",)]),
        number=st.sampled_from([None, None, 1, 3]),
        completeness=st.sampled_from([*[Completeness.COMPLETE] * 4, *Completeness]),
        attributes=st.sampled_from([(), (), (("path", "x"),), (("note", "x"),)]),
        repeated_attributes=st.sampled_from([(), (), ("note",)]),
    ),
    st.builds(Thought, st.just("x")),
    st.builds(Vitals, st.lists(st.tuples(st.just("mood"), st.floats()), max_size=2).map(tuple)),
    st.builds(Question, st.just("x")),
    st.sampled_from([ErrorNote("Truncated", "a.py"), ErrorNote("Suspect"), ErrorNote("TypeError"), Skipped("x")]),
)


@given(st.lists(_SECTIONS, max_size=5).map(tuple))
def test_checks_of_sections_say_nothing_of_an_ordinary_document(sections: tuple[Section, ...]) -> None:
    document = Document(sections)
    found = [finding for check in CHECKS for finding in check(document, VERBS)]
    assert not (found and is_ordinary(document, VERBS))


@pytest.mark.parametrize(
    ("section", "ordinary"),
    [
        (Action("create", "a.py", "x"), True),
        (Action("run", "ls"), True),
        (Action("delete", "a.py"), True),
        (Vitals((("mood", 1.0),)), True),
        (Action("delete", "a.py", "x"), False),
        (Action("create", "a.py"), False),
        (Vitals((("mood", 1.1),)), False),
        (Skipped("x"), False),
    ],
)
def test_most_documents_are_ordinary(section: Section, ordinary: bool) -> None:
    assert is_ordinary(Document((Thought("x"), section)), VERBS) is ordinary
