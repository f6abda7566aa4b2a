"""Railroad diagrams: well-formed, complete, true to the grammar, and within the page."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import run

from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.lab.workbench.diagram import draw_definitions, show_literal, write_html, write_svg
from symops_lark.lab.workbench.syntax import (
    InOrder,
    Literal,
    OneOf,
    Part,
    Pattern,
    Reference,
    Repeated,
    read_definitions,
    read_regex,
)

pytest.importorskip("railroad")
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["v1", "v2"]


# ---- parts


@pytest.mark.parametrize(
    ("regex", "part"),
    [
        ("abc", Literal("abc")),
        (r"a\.\n", Literal("a.\n")),
        (r"\u00e9", Literal("é")),
        ("ab*", InOrder((Literal("a"), Repeated(Literal("b"), 0, None)))),
        ("[^a]b]+", InOrder((Pattern("[^a]"), Literal("b"), Repeated(Literal("]"), 1, None)))),
        (r"[]\]x]?", Repeated(Pattern(r"[]\]x]"), 0, 1)),
        ("[^]]", Pattern("[^]]")),
        ("a|(?:b|c)d", OneOf((Literal("a"), InOrder((OneOf((Literal("b"), Literal("c"))), Literal("d")))))),
        ("(a|)", Repeated(Literal("a"), 0, 1)),
        (r"\d+", Repeated(Pattern(r"\d"), 1, None)),
        ("", InOrder(())),
        ("[a](,[a])*", Repeated(Pattern("[a]"), 1, None, Literal(","))),
        *((item, Pattern(item)) for item in ("(?=a)", "a*?", "a{2}", "a++", r"\bx", "^a", "a.b", "(?P<n>a)", "(a")),
        ("((((a))))", Pattern("((((a))))")),
    ],
)
def test_regular_expressions_are_taken_apart(regex: str, part: Part) -> None:
    assert read_regex(regex) == part


def _write(part: Part, terminals: dict[str, Part]) -> str:
    """Write parts as a regular expression again."""
    match part:
        case Literal(text):
            return re.escape(text)
        case Pattern(text):
            return f"(?:{text})"
        case Reference(name):
            return _write(terminals[name], terminals)
        case InOrder(parts):
            return "".join(_write(inner, terminals) for inner in parts)
        case OneOf(parts):
            return "(?:" + "|".join(_write(inner, terminals) for inner in parts) + ")"
        case Repeated(inner, least, most, between):
            reply = _write(inner, terminals)
            if between is not None:
                return f"(?:{reply}(?:{_write(between, terminals)}{reply})*)"
            return f"(?:{reply}){{{least},{'' if most is None else most}}}"
    raise AssertionError(part)


@pytest.mark.parametrize("name", NAMES)
def test_the_parts_of_terminals_match_what_the_terminals_match(name: str) -> None:
    dialect = load_grammar(name)
    parts = {d.name: d.part for d in read_definitions(dialect).values() if not d.is_rule}
    rng = random.Random(5)
    texts = ["".join(rng.choices("a1 \t\n@<>-:#$.,~\r", k=rng.randint(0, 6))) for _ in range(2000)]
    texts += ["<<<\na\n>>>\n", "--\na\n--\n", "::c0.9", "#m1", "create", *(m for m in dialect.marks.values())]
    compared = 0
    for terminal in dialect.parser.terminals:
        own, repeated_compile = (
            re.compile(terminal.pattern.to_regexp()),
            re.compile(_write(parts[terminal.name], parts)),
        )
        for text in texts:
            assert bool(own.fullmatch(text)) == bool(repeated_compile.fullmatch(text)), (terminal.name, text)
        compared += any(own.fullmatch(text) for text in texts)
    assert compared > 20


def test_the_rules_are_those_of_the_grammar(tmp_path: Path) -> None:
    path = tmp_path / "small.lark"
    text = 'document: (a | B "x")* [c]\n  | \na: B (_S B)*\n?c: "k"i ~ 2..3 | _S~2 -> z\nB: _S "b"\n_S: "s"\nOFF: "o"\n'
    path.write_text(text)
    table = {name: definition.part for name, definition in read_definitions(load_grammar(path)).items()}
    either = OneOf((Reference("a"), InOrder((Reference("B"), Literal("x")))))
    assert table == {
        "document": Repeated(InOrder((Repeated(either, 0, None), Repeated(Reference("c"), 0, 1))), 0, 1),
        "a": Repeated(Reference("B"), 1, None, Reference("_S")),
        "c": OneOf((Repeated(Pattern('"k"i'), 2, 3), Repeated(Reference("_S"), 2, 2))),
        "B": InOrder((Reference("_S"), Literal("b"))),
        "_S": Literal("s"),
        "OFF": Literal("o"),
    }


# ---- pages


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_complete(name: str) -> None:
    dialect = load_grammar(name)
    expected = read_definitions(dialect).keys()
    met = {terminal.name for terminal in dialect.parser.terminals}
    assert met <= expected and {"document", "head", "_CONTENT_LINE", "_OPEN"} <= expected
    page = ElementTree.fromstring(write_html(dialect).removeprefix("<!DOCTYPE html>\n"))
    sections = {section.get("id", "").removeprefix("def-"): section for section in page.iter("section")}
    assert expected <= sections.keys()
    links = [a.get("href", "").removeprefix("#def-") for a in page.iter("a")]
    assert set(links) <= sections.keys(), "a link that leads nowhere"
    assert expected <= {a.get("href", "").removeprefix("#def-") for a in next(page.iter("nav")).iter("a")}
    for identifier, section in sections.items():
        [heading], texts = section.findall("h3"), [t.text for t in section.iter("text")]
        assert heading.text == identifier and texts


@pytest.mark.parametrize("name", NAMES)
def test_the_svg_is_one_file_with_everything(name: str) -> None:
    dialect = load_grammar(name)
    picture = ElementTree.fromstring(write_svg(dialect))
    names = {element.text for element in picture.iter(f"{SVG}text") if element.get("class") == "name"}
    definitions = read_definitions(dialect)
    assert names == set(definitions)
    texts = {element.text for element in picture.iter(f"{SVG}text")}
    assert {show_literal(mark) for mark in dialect.marks.values()} <= texts
    ids = [element.get("id") for element in picture.iter(f"{SVG}g") if element.get("id")]
    assert len(ids) == len(set(ids)) == len(definitions)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_outside_of_its_picture(name: str) -> None:
    """Boxes lie within their drawing and its margin, apart from each other, and no drawing is wider than a page."""
    for drawing in draw_definitions(load_grammar(name)):
        boxes = [
            [float(r.get(key, "")) for key in ("x", "y", "width", "height")]
            for r in ElementTree.fromstring(drawing.svg).iter("rect")
        ]
        assert drawing.width < 1000
        for x, y, width, height in boxes:
            assert x >= 10 and y >= 10, drawing.definition.name
            assert x + width <= drawing.width - 10, drawing.definition.name
            assert y + height <= drawing.height - 10, drawing.definition.name
        for number, (x, y, width, height) in enumerate(boxes):
            for left, top, wide, high in boxes[:number]:
                apart = x >= left + wide or left >= x + width or y >= top + high or top >= y + height
                assert apart, drawing.definition.name


def test_marks_that_xml_would_take_for_its_own(tmp_path: Path) -> None:
    path = tmp_path / "odd.lark"
    path.write_text(load_grammar("v2").text.replace('_TARGET:   "@"', '_TARGET:   "<&\\"\' \\u200b"'))
    for text in (write_svg(load_grammar(path)), write_html(load_grammar(path)).removeprefix("<!DOCTYPE html>\n")):
        texts = {e.text for e in ElementTree.fromstring(text).iter() if e.tag.endswith("text")}
        assert "<&\"'␣\\u200b" in texts


# ---- the command


@pytest.mark.parametrize(("ending", "write"), [(".svg", write_svg), (".html", write_html)])
def test_the_command_writes_a_file(tmp_path: Path, ending: str, write: object) -> None:
    path = tmp_path / f"out{ending}"
    result = run("grammar", "diagram", "v2", "-o", str(path))
    assert result.exit_code == 0 and str(path) in result.stdout
    assert path.read_text(encoding="utf-8") == write(load_grammar("v2"))  # type: ignore[operator]


def test_what_is_wrong_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("grammar", "diagram", "v2", "-o", "out.png")
    assert result.exit_code == 2 and ".svg or .html" in result.stderr
    assert run("grammar", "diagram", "v2").exit_code == 2
    assert run("grammar", "diagram", "v2", "-o", str(tmp_path / "no" / "a.svg")).exit_code == 2
    monkeypatch.setitem(sys.modules, "railroad", None)
    with pytest.raises(SymOpsError):
        draw_definitions(load_grammar("v2"))
    result = run("grammar", "diagram", "v2", "-o", str(tmp_path / "a.svg"))
    assert result.exit_code == 2 and "pip install 'symops-lark[workbench]'" in result.stderr
    assert not (tmp_path / "a.svg").exists()
