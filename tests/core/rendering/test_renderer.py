"""The renderer: canonical text, read back equal, and refusals that a person can act on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import contents, documents

from symops_lark import ParseError, RenderError, dialects, parse, render
from symops_lark.core.document import (
    Action,
    Document,
    ErrorNote,
    Question,
    Replacement,
    Section,
    Skipped,
    Thought,
    Vitals,
)
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.rendering.renderer import can_render

EVERYTHING = Document(
    (
        Thought("first"),
        Thought("second"),
        Vitals((("confidence", 0.88), ("mood", 1.0))),
        Vitals((("stamina", 1e-7),)),
        Action("create", "src/a b.py", "x = 1\n\n", ("b.py", "c.py")),
        Action("create", "empty", ""),
        Action("run", "ls > out | wc"),
        Question('Use "x"?', ("yes", "", "no")),
        ErrorNote("Slow"),
        ErrorNote("Timeout", "job.py", "after 3 s"),
    )
)
V1 = """\
~ first
~ second

#c0.88 #m1.0
#s0.0000001

$ create @ src/a b.py > b.py, c.py
--
x = 1


--

$ create @ empty
--
--

$ run @ ls > out | wc

? "Use "x"?"
  1. yes
  2.
  3. no

! Slow

! Timeout @ job.py after 3 s
"""
V2 = """\
>> first
>> second

::c0.88 ::m1.0
::s0.0000001

::create @src/a b.py >b.py, c.py
<<<
x = 1


>>>

::create @empty
<<<
>>>

::run @ls > out | wc

? "Use "x"?"
  1. yes
  2.
  3. no

! Slow

! Timeout @ job.py after 3 s
"""


@pytest.mark.parametrize(("dialect", "text"), [("v1", V1), ("v2", V2)])
def test_canonical_text(dialect: str, text: str) -> None:
    assert render(EVERYTHING, dialect) == text
    assert parse(text, dialect) == EVERYTHING


@pytest.mark.parametrize("dialect", dialects())
def test_an_empty_document_is_an_empty_text(dialect: str) -> None:
    assert render(Document(), dialect) == ""


def test_skipped_text_is_left_out() -> None:
    document = Document((Thought("a"), Skipped("Sure!\n"), Thought("b"), Skipped(">>>")))
    assert render(document) == ">> a\n>> b\n"


@pytest.mark.parametrize("dialect", dialects())
@given(data=st.data())
def test_what_was_rendered_parses_to_the_same_document(dialect: str, data: st.DataObject) -> None:
    document = data.draw(documents(dialect))
    text = render(document, dialect)
    loaded = parse(text, dialect)
    assert loaded == document
    assert render(loaded, dialect) == text
    assert can_render(document, dialect)


@pytest.mark.parametrize("dialect", dialects())
@given(data=st.data())
def test_contents_are_exact(dialect: str, data: st.DataObject) -> None:
    content = data.draw(contents(load_grammar(dialect)))
    [action] = parse(render(Document((Action("create", "x", content),)), dialect), dialect).actions
    assert action.content == content


SHAPES = (None, "", "\n", "\n\n", "x", "x\n", "\nx", " ", "a\r\nb", "a\r\n", "\r\n", "a\rb", "\x0c\u2028\x00")


@pytest.mark.parametrize("content", SHAPES)
@pytest.mark.parametrize("dialect", dialects())
def test_contents_of_every_shape(dialect: str, content: str | None) -> None:
    document = Document((Action("edit", "x", content), Thought("next")))
    assert parse(render(document, dialect), dialect) == document


def refuse(section: Section, dialect: str = "v2") -> RenderError:
    document = Document((Thought("before"), section))
    with pytest.raises(RenderError) as caught:
        render(document, dialect)
    assert not can_render(document, dialect)
    return caught.value


V2_ALL = ("v2", "v2_1", "v2_attributes", "v2_end_marked", "v2_long_fence", "v2_numbered")
FENCED = ("v2_1", "v2_long_fence")
ALL_FENCES = "\n".join(">" * length for length in range(3, 9))


@pytest.mark.parametrize(
    ("dialect", "content", "line", "able"),
    [
        ("v1", "a\n--\nb", 2, ("plain", *V2_ALL)),
        ("v1", "--", 1, ("plain", *V2_ALL)),
        ("v1", "a\n\n-- \t\r\nb", 3, ("plain", *V2_ALL)),
        ("v2", "a\n>>>", 2, ("plain", "v1", *FENCED)),
        ("v2", "<<<  \na", 1, ("plain", "v1", *FENCED)),
        ("v2", "a\n--\n>>>", 3, ("plain", *FENCED)),
        ("plain", "a\n[CONTENT_END] \n>>>", 2, ("v1", *FENCED)),
        ("plain", "[CONTENT_START]", 1, ("v1", *V2_ALL)),
        ("v2_end_marked", "a\n>>>END", 2, ("plain", "v1", *(n for n in V2_ALL if n != "v2_end_marked"))),
        ("v2_long_fence", ALL_FENCES, 1, ("plain", "v1")),
        ("v2_1", ALL_FENCES, 1, ("plain", "v1")),
        ("v2", "[CONTENT_END]\n--\n" + ALL_FENCES, 3, ()),
        ("v2", "a\r", 1, ()),
        ("v1", "a\nb\r", 2, ()),
    ],
)
def test_contents_that_a_dialect_cannot_say(dialect: str, content: str, line: int, able: tuple[str, ...]) -> None:
    error = refuse(Action("create", "notes.md", content), dialect)
    assert (error.line, error.dialects) == (line, able)
    assert f"{dialect} cannot say section 2, create 'notes.md'" in str(error)
    assert f"line {line}" in str(error)
    text = " and ".join(filter(None, (", ".join(able[:-1]), *able[-1:])))
    assert (f"; {text} can say it" if able else "no installed dialect can") in str(error)


def test_dialects_that_can_say_the_section_but_not_the_document_are_named() -> None:
    text = "[CONTENT_END]\n" + ALL_FENCES
    document = Document((Action("create", "a", "--"), Action("create", "b", text)))
    with pytest.raises(RenderError, match=r"plain, v2, .* and v2_numbered can say it, but not the rest of"):
        render(document, "v1")


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        (Action("create", ""), "its path '' is empty"),
        (Action("create", "a\nb"), "has a line break"),
        (Action("create", "a\r"), "has a line break"),
        (Action("create", " a"), "begins or ends with a blank"),
        (Action("create", "a\t"), "begins or ends with a blank"),
        (Action("create", '"a.py"'), "begins with '\"'"),
        (Action("create", "`a`"), "begins with '`'"),
        (Action("create", "a > b"), "contains '>'"),
        (Action("create", "a → b"), "contains '→'"),
        (Action("create", "a:"), "ends with ':'"),
        (Action("create", "a", None, ("b,c",)), "its dependency 'b,c' contains ','"),
        (Action("Create", "a"), "its verb 'Create' begins with 'C'"),
        (Action("cre ate", "a"), "its verb 'cre ate' contains ' '"),
        (Action("run", "ls\nrm"), "its command 'ls\\nrm' has a line break"),
        (Action("edit", "a.py", "x", edits=(Replacement("a", "b"),)), "it has edits beside its content"),
        (Thought(""), "its text '' is empty"),
        (Thought("a\nb"), "has a line break"),
        (Thought(" a"), "begins or ends with a blank"),
        (Question("a\nb"), "has a line break"),
        (Question("a", ("b", "c\nd")), "its choice 'c\\nd' has a line break"),
        (Question("a", (" b",)), "begins or ends with a blank"),
        (ErrorNote("two words"), "its type 'two words' contains ' '"),
        (ErrorNote("E", "x y"), "its target 'x y' contains ' '"),
        (ErrorNote("E", None, "@home"), "its message '@home' begins with '@'"),
        (Vitals((("mood", -0.5),)), "mood is -0.5"),
        (Vitals((("mood", float("nan")),)), "mood is nan"),
        (Vitals((("mood", float("inf")),)), "mood is inf"),
        (Vitals((("joy", 0.5),)), "'joy' is not one of the vitals"),
        (Vitals(()), "it has no value"),
    ],
)
@pytest.mark.parametrize("dialect", dialects())
def test_what_no_grammar_would_read_back(dialect: str, section: Section, reason: str) -> None:
    error = refuse(section, dialect)
    assert reason in str(error)
    assert error.line is None and error.dialects == ()


@pytest.mark.parametrize(
    ("section", "form", "reason"),
    [
        (Action("run", "make", None, ("a",)), ("attributes", "lines"), "a command has no dependencies"),
        (Action("create", "a", number=7), ("numbers",), "it has the number 7, and actions of this dialect have none"),
        (Action("create", "a", attributes=(("k", "v"),)), ("attributes",), "it has the attribute 'k'"),
    ],
)
def test_what_only_some_dialects_say(section: Section, form: tuple[str, ...], reason: str) -> None:
    able = tuple(name for name in dialects() if load_grammar(name).forms & set(form))
    assert able
    for name in dialects():
        if name in able:
            assert parse(render(Document((section,)), name), name).sections == (section,)
        else:
            error = refuse(section, name)
            assert reason in str(error) and error.dialects == able


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ((("k", "a\nb"),), "its attribute k 'a\\nb' has a line break"),
        ((("k", " a"),), "begins or ends with a blank"),
        ((("deps", "a"),), "its attribute's name 'deps' would be read differently"),
        ((("a b", "c"),), "its attribute's name 'a b' contains ' '"),
        ((("1st", "c"),), "begins with '1'"),
        ((("", "c"),), "is empty"),
        ((("k", "1"), ("k", "2")), "would be read differently"),
    ],
)
@pytest.mark.parametrize("dialect", ["v2_1", "v2_attributes"])
def test_attributes_that_no_grammar_would_read_back(dialect: str, attributes: Any, reason: str) -> None:
    assert reason in str(refuse(Action("create", "a", attributes=attributes), dialect))


def test_values_of_the_wrong_type_are_refused_not_written() -> None:
    assert "its path is None, not a text" in str(refuse(Action("create", None)))  # type: ignore[arg-type]
    assert "its text is 5, not a text" in str(refuse(Thought(5)))  # type: ignore[arg-type]
    assert "content is '5', not a text" in str(refuse(Action("create", "a", 5)))  # type: ignore[arg-type]


@given(texts=st.lists(st.text(max_size=12), min_size=7, max_size=7), value=st.floats())
def test_any_strings_at_all_are_written_exactly_or_refused(texts: list[str], value: float) -> None:
    a, b, c, d, e, f, g = texts
    for section in (
        Thought(a),
        Action(b, c, d, (e,)),
        Action("create", c, d),
        Question(e, (f, g)),
        ErrorNote(a, b, c),
        Vitals((("focus", value),)),
    ):
        document = Document((section, Thought("next")))
        try:
            text = render(document)
        except RenderError as error:
            assert str(error).startswith("v2 cannot say section 1, ")
        else:
            assert parse(text) == document


def test_marks_and_style_come_from_the_grammar(tmp_path: Path) -> None:
    long, short = tmp_path / "long.lark", tmp_path / "short.lark"
    v1, v2 = load_grammar("v1").text, load_grammar("v2").text
    long.write_text(v2.replace('_ACTION:   "::"', '_ACTION:   "=>"').replace('_TARGET:   "@"', '_TARGET:   "at:"'))
    short.write_text(v1.replace('_ACTION:   "$"', '_ACTION:   "%"'))
    document = Document((Action("create", "a.py", "", ("b.py",)),))
    assert render(document, long) == "=>create at:a.py >b.py\n<<<\n>>>\n"
    assert render(document, short) == "% create @ a.py > b.py\n--\n--\n"


def test_a_dialect_without_a_mark_says_so(tmp_path: Path) -> None:
    lines = load_grammar("v2").text.split("\n")
    dropped = ("question:", "ask:", "choice:", "_QUESTION:", "_DOT:", "NUMBER:")
    gone = [line for line in lines if not line.startswith(dropped)]
    path = tmp_path / "quiet.lark"
    path.write_text("\n".join(gone).replace(" | question", "") + "\nquestion: _ERROR\n")
    assert isinstance(load_grammar(path), Dialect)
    with pytest.raises(RenderError, match=r"no mark for it \(_QUESTION in quiet.lark\); plain, v1, v2, .* can say it"):
        render(Document((Question("why?"),)), path)


def test_a_large_document_is_fast() -> None:
    content = "x = 1\n" * 200_000
    document = Document((Action("create", "big.py", content),))
    assert parse(render(document)) == document


def test_a_verb_that_would_look_like_vitals_is_written_apart_from_its_mark() -> None:
    with pytest.raises(ParseError):
        parse("::c0 @x\n")
    document = Document((Thought("before"), Action("c0", "x")))
    assert parse(render(document)) == document


def test_values_of_another_type_are_refused_with_their_names() -> None:
    with pytest.raises(RenderError, match="its dependency is 3"):
        render(Document((Action("create", "a", "x", (3,)),)), "v2")  # type: ignore[arg-type]
    with pytest.raises(RenderError, match="focus is True"):
        render(Document((Vitals((("focus", True),)),)))
    with pytest.raises(RenderError, match="confidence is x"):
        render(Document((Vitals((("confidence", "x"),)),)), "v2")  # type: ignore[arg-type]


def test_equal_vitals_have_one_hash() -> None:
    twice, once = Vitals((("c", 1.0), ("c", 2.0))), Vitals((("c", 1.0),))
    assert twice == once and hash(twice) == hash(once)
