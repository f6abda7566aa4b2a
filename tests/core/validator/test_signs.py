"""Checks are asked only about what has signs of theirs: they say nothing of all the rest."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given
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
from symops_lark.core.edits.left_out import FAMILIAR, LEFT_OUT, find_left_out
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.patterns.line_sieves import line_sieve
from symops_lark.core.patterns.regexes import Sieve, compile_pattern
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.core.validator import CHECKS, VALUE_CHECKS
from symops_lark.core.validator.check import Check, Verbs
from symops_lark.core.validator.sections import is_ordinary
from symops_lark.core.validator.signs import SIGNS, BeginningSign, check, select_checks

VERBS = load_dialect("v2").verbs
_WORDS = """the rest of code file content implementation functions existing previous unchanged same as before omitted
remains goes here keep ... … # // /* */ -- ; % <!-- --> {# (* " ' REM [ ( （ 【 ] ) your full add insert TODO: Your HERE
snip [snip] cont'd continued from for brevity 以下同様 中略 そのまま 残り 既存 コード 代码 不变 ``` ~~~
```python 1 2 3 | : L1 &lt; &gt; &amp;&amp; & &l t; ; "lt;" 'x' \\n @@ --- +++ diff -- Index: “ ” ‘ ’ x = y foo()
<|im_end|> </s> python py js <![CDATA[ ]]> \\" (\\"a\\" ... 200 more lines </content> <file> EOF {"path": } [CODE]
User: assistant ======= <<<<<<< >>>>>>> &amp; <|eot_id|> a.py"""
ENDS = [" ", " ", "", "\n", "\n", "\t", "\r\n", "\x0b", "\xa0", "\u3000", "\n\n"]
_PATHS = """a.py src/a.py path/to/a.py _a.py_ a.py. a.py, [a.py] a.py:10 file.ext src//a.py your_file a/.../b a_ -> a.md
a.yaml profile.py a.py[1] a.ts x.diff a.html a.pyを PATH/TO/x.py .../a"""

contents = st.lists(st.tuples(st.sampled_from(_WORDS.split()), st.sampled_from(ENDS)).map("".join), max_size=12).map(
    "".join
)
_COMMANDS = ["cat <<EOF", "$ make", "bash: ls", "ls</s>", "ls</command>", "a &amp; b", "ls $ run @ b", "# ls", "bash"]
paths = st.sampled_from([*_PATHS.split(), "a b.py", "a.py (new)", "the file", "a.png", "Python", *_COMMANDS, ""])


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
    document = Document((Action(verb, path, None if content is None else before + content, needs),))
    selected = select_checks(document, VERBS)
    assert [
        value_check
        for value_check in VALUE_CHECKS
        if value_check not in selected and list(value_check(document, VERBS))
    ] == []


@pytest.mark.slow
def test_no_check_that_would_report_is_skipped_in_thousands_of_contents() -> None:
    draw = random.Random(16)
    words = [*_WORDS.split(), " ", "\n", "\n\n"]
    begins = ["", "1: x\n2: y\n3: ", "--- a\n+++ b\n@@ ", "  x\n  y\n  ", "...", "python\n", "x\\ny\\nz", "x = “y”\n"]
    begins += ["```\nx\n```", "# ... rest of the code unchanged\n", "<![CDATA[x]]>", "x &lt; y\n", "[code here]"]
    begins += ['a(\\"b\\")\n', "    x\n\n    y\n\n", '{"path": "']
    ends = ["", "", "\n<|im_end|>", "\n</content>", '"}', "\nThis adds the file of code."]
    reported: Counter[Check] = Counter()
    for _ in range(4_000):
        parts = [draw.choice(words) + draw.choice(ENDS) for _ in range(draw.choice([0, 1, 7]))]
        path = draw.choice(["a.py", "src/a.ts", "a.png", draw.choice(_COMMANDS), draw.choice(_PATHS.split())])
        content = draw.choice(begins) + "".join(parts) + draw.choice(ends)
        action = Action(draw.choice(["create", "create", "edit", "run"]), path, content)
        document = Document((action, Action("create", draw.choice([path, "b.py"]), "x")))
        selected = select_checks(document, VERBS)
        for item in (*CHECKS, *VALUE_CHECKS):
            if list(item(document, VERBS)):
                assert item in selected and list(item(selected[item], VERBS)) == list(item(document, VERBS)), action
                reported[item] += 1
    assert reported.keys() >= {*VALUE_CHECKS}, "a check has nothing to report: the draws prove nothing of it"


@given(
    st.lists(
        st.builds(
            Action,
            st.sampled_from(["create", "edit", "run"]),
            st.sampled_from(["a.py", "a.yaml", "path/to/a.py", "a.py (new)", "x.diff", "a.html"]),
            contents | st.none(),
        ),
        max_size=5,
    ).map(tuple)
)
def test_checks_say_the_same_of_all_and_of_what_is_selected(actions: tuple[Action, ...]) -> None:
    document = Document(actions)
    selected = select_checks(document, VERBS)
    for item in (*CHECKS, *VALUE_CHECKS):
        request = list(item(selected[item], VERBS)) if item in selected else []
        assert request == list(item(document, VERBS))


@given(
    st.sampled_from(["a.py", "a.js", "a.yaml", "a.md"]),
    st.sampled_from(["", "1: x\n", "--- a/x\n", "<![CDATA[", "x\\ny", "...", "x = 1\n", "[code here]"]),
    contents,
)
def test_what_excludes_a_beginning_excludes_its_findings(path: str, begin: str, rest: str) -> None:
    """Each pattern by itself, behind the one condition that all share."""
    content = begin + rest
    document = Document((Action("create", path, content),))
    for key, signs in SIGNS.items():
        patterns = [sign.excluded_by for sign in signs if isinstance(sign, BeginningSign)]
        alone = len(patterns) == len(signs)  # a check with a sign of another kind may be asked for that
        excluded = any(compile_pattern(f"(?=[!-~]){pattern}").match(content) for pattern in patterns)
        assert not (alone and excluded and list(key(document, VERBS))), key


def test_every_check_has_a_sign_and_is_asked() -> None:
    assert list(SIGNS) and SIGNS.keys() == {*CHECKS, *VALUE_CHECKS}
    assert all(SIGNS.values())


def test_a_check_may_have_several_signs() -> None:
    first, two = (BeginningSign(lambda content, bare: True, "") for _ in range(2))
    try:
        check(sign=(first, two))(_find_nothing)
        assert SIGNS[_find_nothing] == (first, two)
    finally:
        SIGNS.pop(_find_nothing, None)


def _find_nothing(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    yield from ()


def test_ordinary_code_has_no_signs() -> None:
    code = 'def load(path):\n    # the code of a file\n    """Return it."""\n    return open(path).read()\n'
    assert select_checks(Document((Action("create", "src/load.py", code),)), VERBS) == {}


def test_without_re2_everything_may_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    sieve = Sieve("x")
    assert sieve.may_occur("abc")
    assert list(sieve.lines("a\n\nb")) == ["a", "", "b"]


@given(st.text("ax\n\ud800é"))
def test_a_sieve_keeps_the_lines_that_have_its_pattern(text: str) -> None:
    lines = list(Sieve("x").lines(text))
    expected = [line for line in text.split("\n") if "x" in line]
    assert lines == expected or "\ud800" in text
    assert Sieve("x").may_occur(text) or not expected


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
    findings = [finding for check in CHECKS for finding in check(document, VERBS)]
    assert not (findings and is_ordinary(document, VERBS))


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


_LEADS = [
    "# ",
    "// ",
    "/* ",
    "-- ",
    "; ",
    "% ",
    "<!-- ",
    "{/* ",
    "{# ",
    "(* ",
    "REM ",
    "' ",
    "'",
    "...",
    "…",
    "[",
    "（",
    "【",
]
_PIECES = [
    *sorted(FAMILIAR),
    "...",
    "…",
    "12",
    "x",
    "'a'",
    "don't",
    "as before",
    "no change",
    "そのまま",
    "コード",
    "代码",
]
_PIECES += ["以下省略", "既存", "その他は", "изменений", "#", "-", "(", ")", "*/", ".", ",", ";", ":", '"']


@given(
    st.sampled_from(["", "  ", "\t"]),
    st.sampled_from([*_LEADS, '"']),
    st.lists(st.sampled_from(_PIECES), max_size=7),
    st.sampled_from([" ", ""]),
)
@example("", "# ", ["rest", "of", "code", "unchanged"], " ")
@example("", "' ", ["other", "handlers", "..."], " ")
def test_each_line_for_left_out_code_has_the_sign(indentation: str, lead: str, pieces: list[str], between: str) -> None:
    line = indentation + lead + between.join(pieces)
    if list(find_left_out(line)):
        assert _LEFT_OUT.may_occur("\n" + line), line


def test_the_sign_of_left_out_code_is_rare() -> None:
    """The sign does not match each comment: else the check would run for almost all contents."""
    comments = ["# the code is here", "# Loading the module ...", "# imports", "...", "x = 1  # rest"]
    assert not [line for line in comments if _LEFT_OUT.may_occur("\n" + line)]


_LEFT_OUT = line_sieve(LEFT_OUT)
