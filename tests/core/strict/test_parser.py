"""The strict parser's diagnostics (codes, spans, what was expected, hints), and odd texts: beyond the corpus."""

from __future__ import annotations

import re

import pytest
from texts import DIALECTS, OnFile, groups_on_file, noted

import symops_lark
from symops_lark import Action, Diagnostic, GrammarError, ParseError, Severity, Span, Vitals
from symops_lark.core.grammar.codes import STRAY_DELIMITER
from symops_lark.core.grammar.dialect import Dialect
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.grammar.mistakes import load_mistakes
from symops_lark.core.repairs.loader import all_rules
from symops_lark.core.strict.explain import _LINE_CHECKS, REPORTED_AS
from symops_lark.core.strict.parser import parse, parse_valid

RULES = {rule.id for rule in all_rules()}
OPEN_BLOCK = ">> one\n::create @a.py\n<<<\nx = 1\n"


def complaint(text: str, dialect: str = "v2") -> Diagnostic:
    """Parse a text that is wrong and give the one diagnostic."""
    with pytest.raises(ParseError) as caught:
        parse(text, dialect)
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.severity is Severity.ERROR and diagnostic.message
    assert caught.value.source.text == text
    span = diagnostic.span
    assert 0 <= span.start <= span.end <= len(text)
    assert span == caught.value.source.span(span.start, span.end)
    return diagnostic


MISTAKES = {
    # text: code, the text that the span covers
    "hello\n": ("stray-text", "hello"),
    ">> a\n\nhello world\n>> b\n": ("stray-text", "hello world"),
    "```python\n": ("code-fence", "```python"),
    ">> a\n<<<\nx\n>>>\n": ("stray-delimiter", "<<<"),
    "  >> a\n": ("indented-mark", "  >> a"),
    "::create a.py\n": ("missing-target-mark", "::create a.py"),
    "create @a.py\n": ("missing-action-mark", "create @a.py"),
    "create a.py\n": ("missing-action-mark", "create a.py"),
    "::Create @a.py\n": ("capital-verb", "::Create @a.py"),
    '::create @"a.py"\n': ("decorated-path", '::create @"a.py"'),
    ">>a\n": ("tight-mark", ">>a"),
    "::c0.5 x\n": ("unexpected-text", "x"),
    "::create @a.py ->b\n": ("unexpected-text", "->b"),
    "::create @\n": ("unexpected-text", ""),
    OPEN_BLOCK: ("missing-closer", "<<<"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_has_a_code_and_a_place(text: str) -> None:
    code, covered = MISTAKES[text]
    diagnostic = complaint(text)
    assert diagnostic.code == code
    assert text[diagnostic.span.start : diagnostic.span.end] == covered


def test_every_line_check_has_a_mistake() -> None:
    reported = {REPORTED_AS.get(name, name) for name, _ in _LINE_CHECKS}
    assert reported <= {code for code, _ in MISTAKES.values()}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_hint_names_a_repair_that_exists(text: str) -> None:
    hint = complaint(text).hint
    assert hint
    assert set(re.findall(r"the repair `([a-z-]+)`", hint)) <= RULES
    assert not re.search(r"\{[a-z_]+\}", hint), "a placeholder was left in"


def test_every_repair_in_a_hint_exists() -> None:
    table = load_mistakes(load_dialect("v2"))
    # No rule can write the action that a block lacks.
    checks = [name for name, _ in _LINE_CHECKS if name != STRAY_DELIMITER]
    hints = " ".join(table[name].hint for name in checks)
    matches = set(re.findall(r"the repair `([a-z-]+)`", hints))
    assert len(matches) == len(checks)
    assert matches <= RULES


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("::create\n", "v2", {"@"}),
        ("::create @\n", "v2", {"a path"}),
        ("::run @\n", "v2", {"a command"}),
        ("$ create @ a >\n", "v1", {"a dependency", "a blank"}),
        (">>\n", "v2", {"a blank"}),
        ("hello\n", "v1", {"~", "$", "?", "!", "#c0.9"}),
        ("::create @a.py\nhello\n", "v2", {"a block <<< … >>>", "::", ">>"}),
        (OPEN_BLOCK, "v2", {">>>"}),
        ("$ create @ a\n--\nx\n", "v1", {"--"}),
    ],
)
def test_what_was_expected_is_said_in_marks(text: str, dialect: str, expected: set[str]) -> None:
    answer = set(complaint(text, dialect).expected)
    assert expected <= answer
    assert not any(re.fullmatch(r"_?[A-Z]+", word) for word in answer), "names of terminals mean nothing to people"


@pytest.mark.parametrize("behind", ["", "\n", "\n\n", "\ny = 2\n\n>> no thought\n", "\n  >>>", "\n>>> x", "\n>>"])
def test_an_error_at_the_end_points_at_the_open_block(behind: str) -> None:
    diagnostic = complaint(OPEN_BLOCK.rstrip("\n") + behind)
    assert diagnostic.code == "missing-closer"
    assert (diagnostic.span.line, diagnostic.span.column) == (3, 1)


@pytest.mark.parametrize(
    ("head", "opener", "closer", "dialect"),
    [
        ("::create @a", "<<<", ">>>", "v2_attributes"),
        ("::create\n  @path: a", "<<<", ">>>", "v2_attributes"),
        ("::create @a\n  @deps: b", "<<<", ">>>", "v2_attributes"),
        ("::create @a\n  @mode: b", "<<<", ">>>", "v2_attributes"),
        ("[ACTION_TYPE] create\n[ACTION_PATH] a", "[CONTENT_START]", "[CONTENT_END]", "plain"),
        ("[ACTION_TYPE] create\n[ACTION_PATH] a\n[ACTION_DEPENDS] b", "[CONTENT_START]", "[CONTENT_END]", "plain"),
        ("[ACTION_TYPE] run\n[ACTION_PATH] ls", "[CONTENT_START]", "[CONTENT_END]", "plain"),
        ("::create @a", "<<<<", ">>>>", "v2_long_fence"),
        ("::create @a", "<<<", ">>>", "v2_end_marked"),
    ],
)
def test_an_open_block_is_pointed_at_whatever_stands_above(head: str, opener: str, closer: str, dialect: str) -> None:
    text = f"{head}\n{opener}\nx\n"
    diagnostic = complaint(text, dialect)
    assert (diagnostic.code, diagnostic.expected) == ("missing-closer", (closer,))
    assert text[diagnostic.span.start : diagnostic.span.end] == opener
    assert diagnostic.span.line == head.count("\n") + 2


@pytest.mark.parametrize(
    ("text", "code", "covered"),
    [
        ("\n::create\n  @deps: b\n  @mode: x\n<<<\nx\n>>>\n", "missing-path", "::create"),
        ("::run @ls\n::create\n  @deps: b\n", "missing-path", "::create"),
        ("::create\n>> a\n", "missing-path", "::create"),
        ("::create\n\n  @path: x\n", "missing-path", "::create"),
        ("::create\n  @mode: b\n  @deps\n", "unexpected-text", "deps"),
        ("::create\n  x\n", "stray-text", "  x"),
        ("::run @ls\n::create", "unexpected-text", ""),
        ("  @deps: b\n", "stray-text", "  @deps: b"),
    ],
)
def test_an_action_without_a_path_is_pointed_at(text: str, code: str, covered: str) -> None:
    diagnostic = complaint(text, "v2_attributes")
    assert (diagnostic.code, text[diagnostic.span.start : diagnostic.span.end]) == (code, covered)
    assert (diagnostic.expected == ("@path:",)) is (code == "missing-path")


@pytest.mark.parametrize(
    ("text", "code", "start"),
    [
        ("<<<", "stray-delimiter", 0),
        ("\n<<<\nx\n", "stray-delimiter", 1),
        (">> a\n>>>\t\n", "stray-delimiter", 5),
        ("x", "stray-text", 0),
        ("\n\n  x\n", "stray-text", 2),
        (">> a\n \t\n ?x\n", "indented-mark", 8),
        ("\ufeff::create @\n", "unexpected-text", 11),
    ],
)
def test_the_line_that_is_wrong_is_pointed_at(text: str, code: str, start: int) -> None:
    diagnostic = complaint(text)
    assert (diagnostic.code, diagnostic.span.start) == (code, start)


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("more", [0, 1, 2, 5])
@pytest.mark.parametrize("blanks", ["", " \t"])
def test_a_closer_with_more_signs_is_never_a_thought(name: str, more: int, blanks: str) -> None:
    marks = load_dialect(name).marks
    for mark in (marks["open"], marks["close"]):
        line = f"{mark}{mark[-1] * more}{blanks}"
        diagnostic = complaint(f"{line}\n", name)
        is_exact = more == 0 or mark.startswith(marks["thought"])
        assert (diagnostic.code, diagnostic.span.end) == ("stray-delimiter" if is_exact else "stray-text", len(line))


@pytest.mark.parametrize(("length", "shown"), [(19, 19), (20, 20), (21, 20)])
def test_of_a_long_line_the_beginning_is_shown(length: int, shown: int) -> None:
    assert complaint("::c0.5 " + "x" * length).message == f"{'x' * shown!r} is not expected here"


def test_only_the_last_opener_is_pointed_at() -> None:
    closed = "::create @a.py\n<<<\na\n>>>\n"
    assert complaint(closed * 3 + "::create @b.py\n<<<\nb").span.line == 14
    assert complaint("::create @b.py\n<<<\nb\n" + closed).span.line == 2


def test_the_message_draws_the_line() -> None:
    with pytest.raises(ParseError) as caught:
        parse(">> one\n::c0.5 x\n", "v2", name="reply.txt")
    message = str(caught.value)
    assert message.startswith("reply.txt:2:8: error: ")
    assert "    2 | ::c0.5 x\n" in message and "\n      |        ^\n" in message and "expected: " in message


def test_wide_characters_are_pointed_at() -> None:
    with pytest.raises(ParseError) as caught:
        parse("::create @設定 -> b\n", "v2")
    drawn = str(caught.value).split("\n")
    line = next(row for row in drawn if "設定" in row)
    assert drawn[drawn.index(line) + 1].index("^") == line.index("->") + 2, "two columns for each of two characters"


def test_a_very_long_line_is_cut() -> None:
    with pytest.raises(ParseError) as caught:
        parse("x" * 100_000, "v2")
    assert max(map(len, str(caught.value).split("\n"))) < 500


def test_a_byte_order_mark_counts_in_spans() -> None:
    document = parse("\ufeff>> one\n", "v2")
    assert document.sections[0].span == Span(1, 7, 1, 2)
    assert complaint("\ufeffone\n").span == Span(1, 4, 1, 2)
    assert parse("\ufeff", "v2").sections == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_make_no_difference_to_places(ending: str) -> None:
    text = ending.join([">> one", "", "::create @a.py >b.py", "<<<", "x", "", "y", ">>>", "? q", "  1. c"])
    document = parse(text, "v2")
    assert [(s.span.line, s.span.column) for s in document.sections] == [(1, 1), (3, 1), (9, 1)]
    for section in document.sections:
        covered = text[section.span.start : section.span.end]
        assert covered == covered.strip("\r\n"), "a section ends before the ending of its last line"
    action = document.sections[1]
    assert isinstance(action, Action) and action.content_span
    assert action.content == ending.join(["x", "", "y"])
    assert text[action.content_span.start : action.content_span.end] == action.content


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"])
def test_only_line_feeds_end_lines(character: str) -> None:
    document = parse(f">> one{character}two\n::create @a.py\n<<<\nx{character}{character}y\n>>>\n", "v2")
    assert document.thoughts == (f"one{character}two",)
    assert document.actions[0].content == f"x{character}{character}y"
    assert document.actions[0].span.line == 2
    assert complaint(f">> one{character}two\n{character}\n").span.line == 2


@pytest.mark.parametrize("text", [">> one\r>> two\n", "::run @ls\rx\n", "? a\rb\n", "::c0.5\r::m1\n", "\r>> one\n"])
def test_a_lone_carriage_return_has_no_place_in_markup(text: str) -> None:
    assert "\r" in text[: complaint(text).span.end + 1]


def test_carriage_returns_before_a_line_feed_are_blanks() -> None:
    assert parse(">> one\r\r\n \r \r\n", "v2").thoughts == ("one",)


@pytest.mark.parametrize(
    ("block", "content"),
    [
        ("", ""),
        ("\n", ""),
        ("\n\n", "\n"),
        ("x\n", "x"),
        ("x\n\n", "x\n"),
        ("\nx\n", "\nx"),
        ("x\r\n", "x"),
        ("x\r\r\n", "x\r"),
        (" \n", " "),
        ("\t\n\n\n", "\t\n\n"),
    ],
)
def test_the_content_is_what_stands_between_the_delimiters(block: str, content: str) -> None:
    text = f"::create @a.py\n<<<\n{block}>>>\n"
    [action] = parse(text, "v2").actions
    assert action.content == content
    assert action.content_span and text[action.content_span.start : action.content_span.end] == content


def test_a_span_covers_head_and_block() -> None:
    text = "\n$ create @ a.py > b.py\n--\nx\n--\n\n$ run @ ls  \n"
    first, second = parse(text, "v1").actions
    assert text[first.span.start : first.span.end] == "$ create @ a.py > b.py\n--\nx\n--"
    assert text[second.span.start : second.span.end].rstrip() == "$ run @ ls"
    assert second.content is None and second.content_span is None


def test_an_unknown_dialect_is_an_error_of_the_grammar() -> None:
    with pytest.raises(GrammarError, match="v3"):
        parse("", "v3")


def test_parsing_is_what_the_front_door_offers() -> None:
    assert symops_lark.parse(">> a\n") == symops_lark.parse(">> a\n", "v2") == parse(">> a\n", "v2")
    assert symops_lark.parse(">> one\n").dialect == "v2"


@pytest.mark.parametrize(("dialect", "line"), [("v2", "::c"), ("v1", "#c"), ("plain", "[CONFIDENCE] ")])
def test_no_number_is_infinite(dialect: str, line: str) -> None:
    """JSON has no word for it."""
    [vitals] = parse(line + "9" * 400 + "\n", dialect).sections
    assert isinstance(vitals, Vitals) and vitals["confidence"] == 1e9


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Dialect:
    path = tmp_path_factory.mktemp("tight") / "tight.lark"
    path.write_text(
        "document: (note | pause)*\nnote: _MARK TEXT _NL\npause: _NL _PAUSE?\n"
        '_MARK: "- "\n_PAUSE: "~"\nTEXT: /[a-z]+/\n_NL: /\\n/\n',
        encoding="utf-8",
    )
    dialect = load_dialect(path)
    assert dialect.compiled and dialect.lalr  # the time that this takes is no test's
    return dialect


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("- a\n\n", [Span(0, 3, 1, 1), Span(4, 4, 2, 1)]),
        ("\n- a\n", [Span(0, 0, 1, 1), Span(1, 4, 2, 1)]),
        ("- a\n\n- b", [Span(0, 3, 1, 1), Span(4, 4, 2, 1), Span(5, 8, 3, 1)]),
    ],
)
def test_a_dialect_may_have_no_blank_lines(text: str, spans: list[Span], tight: Dialect) -> None:
    """A line ending is added where there is none, and only there; a section may be one."""
    assert [section.span for section in parse(text, tight).sections] == spans


@groups_on_file()
def test_what_is_refused_at_its_beginning_is_refused_as_a_whole(texts: tuple[OnFile, ...]) -> None:
    for name, _, text in texts:
        for dialect in map(load_dialect, DIALECTS):
            for item in (text, text.rstrip("\n"), "\n" + text, "\ufeff" + text):
                with noted(name, dialect.name):
                    try:
                        expected = parse(item, dialect)
                    except ParseError:
                        expected = None
                    assert parse_valid(item, dialect) == expected
