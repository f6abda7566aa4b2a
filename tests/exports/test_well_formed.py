"""Grammars of well-formed texts: part of the language of a dialect, without what the validator refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from grammar_engines import ENGINES, Followed
from wings import need_wing

from symops_lark import ExportError, Skipped, dialects, export, parse, process, render, validate
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.text.diagnostics import Severity
from symops_lark.exports import load_exports
from symops_lark.exports.automata.alphabet import cut
from symops_lark.exports.automata.automaton import Automaton
from symops_lark.exports.automata.language import find_language
from symops_lark.exports.portable.cases import _find_ends, _targets_of

NOT_REGULAR = {"circular-dependency"}  # no automaton sees that


def step(language: Automaton, state: int | None, character: str) -> int | None:
    """Return the state after a character."""
    if state is None:
        return None
    return _targets_of(language, state).get(language.alphabet.letter(character))


def find_outside(small: Automaton, large: Automaton) -> str | None:
    """Return a text of the small language that is not in the large one."""
    alphabet, _ = cut([item.alphabet.ranges(1 << n) for item in (small, large) for n in set(item.alphabet.letters)])
    begin: tuple[int, int | None] = (0, 0)
    fields = {begin: ""}
    waiting = [begin]
    for first, second in waiting:
        if first in small.accepting and second not in large.accepting:
            return fields[first, second]
        for character in alphabet.shown:
            after = step(small, first, character)
            if after is None:
                continue
            pair = (after, step(large, second, character))
            if pair not in fields:
                fields[pair] = fields[first, second] + character
                waiting.append(pair)
    return None


@pytest.mark.slow
@pytest.mark.alike(2)
@pytest.mark.parametrize("name", dialects())
def test_well_formed_texts_are_texts_of_the_dialect(name: str) -> None:
    dialect = load_grammar(name)
    assert find_outside(find_language(dialect, True), find_language(dialect)) is None
    assert find_outside(find_language(dialect), find_language(dialect, True)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["v1", "v2", "v2_1"])
def test_random_well_formed_texts_have_no_error(name: str) -> None:
    language = find_language(load_grammar(name), True)
    ends = _find_ends(language)
    draw = random.Random(7)
    for _ in range(100):
        state, text = 0, ""
        for _ in range(draw.randrange(5, 120)):
            targets = _targets_of(language, state)
            letter = draw.choice(sorted(targets))
            text += language.alphabet.shown[letter]
            state = targets[letter]
        text += ends[state]
        codes = [item.code for item in validate(parse(text, name)) if item.severity is Severity.ERROR]
        assert set(codes) <= NOT_REGULAR, repr(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("\n\n", False),
        ("::create @a.py\n", False),
        ("::create @a.py\n>> x\n", False),
        ("::frobnicate @a.py\n", False),
        ("::c99999\n", False),
        ("::c0.9\n", True),
        ("::delete @a.py\n", True),
        (">> hm\n\n::create @a.py\n<<<\nx\n>>>\n\n::run @ls\n", True),
    ],
)
def test_a_text_without_what_it_needs_is_refused(text: str, expected: bool) -> None:
    assert Followed(find_language(load_grammar("v2"), True)).accepts(text) is expected


@pytest.mark.slow
def test_what_models_write_rightly_is_in_the_language() -> None:
    need_wing("lab")
    from benchmarks.speed import texts
    from symops_lark.lab.benchmark.faults.documents import write

    accepts = Followed(find_language(load_grammar("v2"), True)).accepts
    for number in range(5):
        text = write(texts.typical("v2", number), "v2").rstrip("\n") + "\n"
        assert accepts(text) and accepts(text.replace("\n::", "\n\n::")), text


def test_only_given_paths_are_in_the_language() -> None:
    accepts = Followed(find_language(load_grammar("v2"), True, ("a.py", "a.pyi"))).accepts
    for path, expected in {"a.py": True, "a.pyi": True, "b.py": False, "a.p": False}.items():
        assert accepts(f"::delete @{path}\n") is expected
    with pytest.raises(ExportError, match="not a path in v2"):
        export("gbnf", "v2", well_formed=True, paths=["a\nb"])


@pytest.mark.parametrize("name", ["gbnf", "llguidance", "xgrammar"])
def test_exports_for_decoders_have_the_form(name: str) -> None:
    [usual] = export(name, "v2").values()
    [narrow] = export(name, "v2", well_formed=True, paths=["only.py"]).values()
    assert "only.py" in narrow.replace('" "', "") or "only" in narrow
    assert narrow != usual
    with pytest.raises(ExportError, match="well-formed"):
        export(name, "v2", paths=["a.py"])


def write_samples(name: str) -> list[str]:
    """Return texts with a lead-in, without one, and with what a lead-in must not have."""
    dialect = load_grammar(name)
    action = render(parse("::run @ls\n\n>> x\n", "v2"), name)
    block = render(parse("::create @a.py\n<<<\nx\n>>>\n", "v2"), name)
    leads = ["", "\n", "Sure, here it is:\n", "Sure\n\n\nOK: a :: b\n \t\n", "- a\r\n\n* b\né🙂\n", "Sure", "1. a\n"]
    for mark in dialect.said_marks.values():
        leads += [f"{mark} no\n", f"Sure\n\t {mark}\n", f"Sure {mark}\n", f"{mark[0]}a\n"]
    return [single_lead + text for single_lead in leads for text in ("", action, block, f"{action}\n\n{block}")]


@pytest.mark.alike(2)
@pytest.mark.parametrize("name", ["v1", "v2", "v2_1", "plain"])
def test_lines_without_a_mark_may_come_before_the_text(name: str) -> None:
    dialect = load_grammar(name)
    narrow = Followed(find_language(dialect, True))
    wide = Followed(find_language(dialect, True, (), True))
    marks = tuple(dialect.said_marks.values())
    for text in write_samples(name):
        lines = text.splitlines(keepends=True)
        expected = narrow.accepts(text)
        for count, line in enumerate(lines, 1):
            if not line.endswith("\n") or line.lstrip(" \t\r").startswith(marks):
                break
            expected = expected or narrow.accepts("".join(lines[count:]))
        assert wide.accepts(text) is expected, text


def test_a_text_with_a_lead_in_has_the_sections_of_the_text() -> None:
    accepts = Followed(find_language(load_grammar("v2"), True, (), True)).accepts
    for item in ("Sure, here it is:\n", "I fix it.\n\n", "1. Look\n2. Act\n\n"):
        text = ">> look\n\n::create @a.py\n<<<\nx\n>>>\n\n::run @ls\n"
        assert accepts(item + text)
        sections = process(item + text, format="v2").document.sections
        assert [section for section in sections if not isinstance(section, Skipped)] == [*parse(text, "v2").sections]


def test_marks_that_no_rule_uses_are_no_lead_in(tmp_path: Path) -> None:
    path = tmp_path / "few.lark"
    path.write_text("%import .v2\n%override document: (_GAP | thought | action)*\n", encoding="utf-8")
    accepts = Followed(find_language(load_grammar(path), True, (), True)).accepts
    assert accepts("Sure?\n::run @ls\n") and not accepts("? Sure\n::run @ls\n")


@pytest.mark.alike(3)
@pytest.mark.parametrize("name", ["gbnf", "llguidance"])
@pytest.mark.parametrize("dialect", ["v1", "v2", "v2_1", "plain"])
def test_engines_agree_on_a_lead_in(name: str, dialect: str) -> None:
    [grammar] = export(name, dialect, well_formed=True, lead_in=True).values()
    engine = ENGINES[load_exports()[name].ENGINE](grammar)
    accepts = Followed(find_language(load_grammar(dialect), True, (), True)).accepts
    for text in write_samples(dialect):
        assert engine.accepts(text) is accepts(text), text


def test_a_structural_tag_has_the_grammar_of_its_file() -> None:
    files = export("xgrammar", "v2", well_formed=True, lead_in=True)
    tag = json.loads(files["v2.structural_tag.json"])
    assert tag["type"] == "structural_tag" and tag["format"]["type"] == "grammar"
    assert files["v2.ebnf"].endswith(tag["format"]["grammar"]) and tag["format"]["grammar"].startswith("# at the")
    with pytest.raises(ExportError, match="a lead-in is for well-formed"):
        export("xgrammar", "v2", lead_in=True)


def test_other_exports_have_no_such_form() -> None:
    with pytest.raises(ExportError, match="gbnf, llguidance, xgrammar"):
        export("python", "v2", well_formed=True)
