"""Sampling grammars and comparing them: valid, complete, the same every time; minimal, true, of every kind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from command_line import environment, run
from counting import counting_parser
from hypothesis import given, settings
from hypothesis import strategies as st

from symops_lark import Document, GrammarError, ParseError, dialects, parse
from symops_lark.core.grammar.compiling.compiler import WrittenDialect
from symops_lark.core.grammar.compiling.regular import invert
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.core.text.diagnostics import Diagnostic
from symops_lark.lab.workbench.decisions import DecisionGraph, spell
from symops_lark.lab.workbench.difference import Comparison, Kind, Readers, compare, reduce
from symops_lark.lab.workbench.sample import draw, sample_texts

pytestmark = pytest.mark.slow

BOTH = ("v1", "v2")
V2 = load_grammar("v2").text


def derive(name: str, *changes: tuple[str, str]) -> WrittenDialect:
    """Give a dialect made of v2 by replacing text."""
    text = V2
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return WrittenDialect(Path(f"{name}.lark"), text)


# ---- samples


@lru_cache(maxsize=8)
def samples(name: str, n: int = 300) -> list[str]:
    return sample_texts(load_grammar(name), n)


@pytest.mark.parametrize("name", BOTH)
def test_samples_are_valid_distinct_and_sorted_by_length(name: str) -> None:
    texts = samples(name)
    assert len(set(texts)) == len(texts) == 300
    assert texts == sorted(texts, key=len)
    for text in texts:
        parse(text, name)
    sizes = [len(parse(text, name).sections) for text in texts]
    assert max(sizes[:20]) <= 2 and max(sizes) >= 8


@pytest.mark.parametrize("name", BOTH)
def test_lark_itself_accepts_the_samples(name: str) -> None:
    parser = load_grammar(name).parser
    for text in samples(name):
        tree = parser.parse(text if text.endswith("\n") else text + "\n", start="document")
        assert tree.data == "document"


@pytest.mark.parametrize("name", BOTH)
def test_samples_use_every_alternative_of_every_rule_and_every_terminal(name: str) -> None:
    """Counted by the parser, not by the sampler: which alternatives are reduced."""
    lark, used = counting_parser(name)
    for text in samples(name):
        lark.parse(text.removesuffix("\n") + "\n", start="document")
    missed = [(rule.origin.name, [s.name for s in rule.expansion]) for rule in lark.rules if not used[rule]]
    assert missed == [("document", [])], "a text has at least one line, so only the empty alternative stays unused"
    met = {symbol.name for rule in used for symbol in rule.expansion if symbol.is_term}
    assert {terminal.name for terminal in lark.terminals} == met


@pytest.mark.parametrize("name", dialects())
def test_samples_use_every_alternative_of_every_terminal(name: str) -> None:
    """Counted by the sampler; for all that is installed."""
    drawn = draw(load_grammar(name), 300)
    assert len(drawn.texts) == 300
    assert drawn.missed == ()


def test_few_samples_say_what_they_miss() -> None:
    assert "EXECUTE: execute" not in draw(load_grammar("v2"), 300).missed
    assert any(line.startswith(("_running", "BLOCK", "error")) for line in draw(load_grammar("v2"), 3).missed)


def test_contents_look_like_content() -> None:
    contents = [a.content for text in samples("v2") for a in parse(text).actions if a.content]
    assert sum("\n" in content for content in contents) > len(contents) / 4
    marks = tuple(load_grammar("v2").marks.values())
    assert any(line.startswith(marks) for content in contents for line in content.split("\n"))
    assert any(not content.isascii() for content in contents)


def test_samples_are_the_same_everywhere(tmp_path: Path) -> None:
    """In another process too: with another order of hashes, and without the cache of grammars."""
    code = "import sys, json; from symops_lark.core.grammar import load_grammar\n"
    code += "from symops_lark.lab.workbench.sample import sample_texts\n"
    code += "json.dump(sample_texts(load_grammar('v2'), 60, 'seed'), sys.stdout)"
    there = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            timeout=60,
            cwd=tmp_path,
            env=environment(PYTHONHASHSEED=seed, XDG_CACHE_HOME=str(tmp_path)),
        ).stdout
        for seed in ("1", "2")
    ]
    here = sample_texts(load_grammar("v2"), 60, "seed")
    assert [json.loads(text) for text in there] == [here, here]
    assert sample_texts(load_grammar("v2"), 60, "other") != here


@given(seed=st.integers(), n=st.integers(1, 12))
@settings(max_examples=25, deadline=None)
def test_any_seed_gives_valid_samples(seed: int, n: int) -> None:
    texts = sample_texts(load_grammar("v2"), n, seed)
    assert len(set(texts)) == n
    for text in texts:
        parse(text)


def test_the_syntax_of_re_is_sampled() -> None:
    """Possessive and atomic groups, counts, categories, cases, look-around; what the lexer refuses is dropped."""
    odd = r"/(?i:ab)(?>x|y)\d{2,3}+\w?[\S]*?(?=[ \t\r\n])/"
    dialect = derive("odd", ("VERB:    /[a-z][a-z0-9_-]*/", "VERB: " + odd))
    drawn = draw(dialect, 150)
    verbs = {action.type for text in drawn.texts for action in parse(text, dialect).actions}
    odd_verbs = {verb for verb in verbs if verb[:2].lower() == "ab"}
    assert len(drawn.texts) == 150 and len(odd_verbs) > 3 and len({verb[:2] for verb in odd_verbs}) > 1


def test_a_backreference_is_refused() -> None:
    with pytest.raises(GrammarError, match="the terminal 'VERB' may take endless time, because it refers back"):
        sample_texts(derive("back", ("VERB:    /[a-z][a-z0-9_-]*/", r"VERB: /([a-z])\1/")), 5)


def test_a_small_language_ends() -> None:
    text = V2.replace("(_GAP | thought | vitals | action | question | error)*", "thought?")
    text = text.replace("thought:  _THOUGHT _SP TEXT _NL", 'thought: _THOUGHT " a\\n"')
    small = WrittenDialect(Path("small.lark"), text)
    assert draw(small, 50).texts == (">> a\n",), "the empty text gets a newline, which this language has not"
    assert draw(small, 50).rejected > 0


def test_recursion_comes_to_an_end() -> None:
    nested = "ask: _QUESTION _SP deep _NL\ndeep: TEXT | _OPEN deep deep _CLOSE"
    dialect = derive("deep", ("ask:      _QUESTION _SP TEXT _NL", nested))
    graph = DecisionGraph(dialect.parser, dialect.path)
    assert all(node.height < 100 for node in graph.decisions)
    assert sample_texts(dialect, 50)


def test_the_pattern_of_a_decision_is_that_of_the_terminal() -> None:
    import re

    dialect = load_grammar("v2")
    for terminal in DecisionGraph(dialect.parser, dialect.path).decisions:
        if terminal.name == "PATH" and len(terminal.ways) == 1 and not terminal.repeats:
            assert re.fullmatch(spell(terminal), "src/a b.py") and not re.fullmatch(spell(terminal), "a>b")


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)).map(lambda pair: (min(pair), max(pair)))))
def test_ranges_are_inverted(ranges: list[tuple[int, int]]) -> None:
    outside = invert(ranges)
    for code in (*range(0, 303), 0x10FFFF):
        assert any(a <= code <= b for a, b in ranges) != any(a <= code <= b for a, b in outside)


# ---- differences


@lru_cache(maxsize=16)
def compared(*changes: tuple[str, str], n: int = 120) -> tuple[Readers, Comparison]:
    """Compare v2 with what the changes make of it."""
    first, second = load_grammar("v2"), derive("changed", *changes)
    return Readers(first, second), compare(first, second, n)


@lru_cache(maxsize=1)
def v1_and_v2() -> tuple[Readers, Comparison]:
    first, second = load_grammar("v1"), load_grammar("v2")
    return Readers(first, second), compare(first, second)


def texts_of(comparison: Comparison, kind: Kind) -> list[str]:
    return [difference.text for difference in comparison.differences if difference.kind is kind]


def test_a_grammar_does_not_differ_from_itself() -> None:
    comparison = compare(load_grammar("v2"), load_grammar("v2"), 100)
    assert comparison.differences == () and comparison.compared > 400


def test_v1_and_v2_differ_both_ways() -> None:
    comparison = v1_and_v2()[1]
    assert {"~ a", "$a@a"} < set(texts_of(comparison, Kind.FIRST_ONLY))
    assert {">> a", "::a@a"} < set(texts_of(comparison, Kind.SECOND_ONLY))
    assert len(comparison.differences) < 12, "one of each shape, not all"


NARROW_VERB = ("VERB:    /[a-z][a-z0-9_-]*/", "VERB: /[a-z]+/")
OTHER_THOUGHT = ('_THOUGHT:  ">>"', '_THOUGHT:  "%%"')
EXCHANGED = (('_OPEN:     "<<<"', '_OPEN: ">>>"'), ('_CLOSE:    ">>>"', '_CLOSE: "<<<"'))
NOTE = (("| question | error)*", "| question | error | note)*"), ("ask:  ", 'note: "%%" _SP TEXT _NL\nask:  '))
CREATE_RUNS = (("RUN | TEST", "RUN | CREATE | TEST"), ("CREATE | EDIT", "EDIT"))
CHANGES = (
    ((NARROW_VERB,), Kind.FIRST_ONLY, ["::a0@a"]),
    ((OTHER_THOUGHT,), Kind.FIRST_ONLY, [">> a"]),
    ((OTHER_THOUGHT,), Kind.SECOND_ONLY, ["%% a"]),
    (EXCHANGED, Kind.FIRST_ONLY, ["::a@a\n<<<\n>>>"]),
    (EXCHANGED, Kind.SECOND_ONLY, ["::a@a\n>>>\n<<<"]),
    (NOTE, Kind.SECOND_ONLY, ["%% a"]),
    (CREATE_RUNS, Kind.READ_DIFFERENTLY, ["::create@a>a"]),
)


@pytest.mark.parametrize(("changes", "kind", "expected"), CHANGES)
def test_a_change_is_found_as_its_least_example(changes: Any, kind: Kind, expected: list[str]) -> None:
    comparison = compared(*changes)[1]
    assert texts_of(comparison, kind) == expected


@pytest.mark.slow
def test_what_is_a_mark_in_one_and_content_in_the_other_is_found() -> None:
    """A second closing delimiter: a block may have it as a line of its content where it is none."""
    begin = V2[: V2.index("BLOCK: _OPEN")]
    text = begin + "BLOCK: _OPEN _NL _LINE* _CLOSE _NL\n_LINE: /[^<>\\n][^\\n]*\\n/\n"
    two = begin + 'BLOCK: _OPEN _NL _LINE* (_CLOSE | _END) _NL\n_LINE: /[^<>%\\n][^\\n]*\\n/\n_END: "%"\n'
    readers = Readers(WrittenDialect(Path("one.lark"), text), WrittenDialect(Path("two.lark"), two))
    comparison = compare(*readers.dialects)
    assert texts_of(comparison, Kind.FIRST_ONLY) == ["::a@a\n<<<\n%\n>>>"]
    assert texts_of(comparison, Kind.SECOND_ONLY) == ["::a@a\n<<<\n%"]
    for difference in comparison.differences:
        assert_least(difference.text, readers)


def test_a_narrower_grammar_differs_one_way() -> None:
    assert {difference.kind for difference in compared(NARROW_VERB)[1].differences} == {Kind.FIRST_ONLY}


def all_comparisons() -> list[tuple[Readers, Comparison]]:
    return [v1_and_v2(), *(compared(*changes) for changes in dict.fromkeys(row[0] for row in CHANGES))]


def test_each_difference_is_true() -> None:
    """What is reported is what the parsers say, and it is the kind of difference that is named."""
    for readers, comparison in all_comparisons():
        assert comparison.differences
        for difference in comparison.differences:
            for dialect, text in zip(readers.dialects, (difference.first, difference.second), strict=True):
                try:
                    assert parse(difference.text, dialect) == text
                except ParseError as error:
                    assert error.diagnostics[0] == text
            accepted = isinstance(difference.first, Document), isinstance(difference.second, Document)
            assert accepted == (difference.kind is not Kind.SECOND_ONLY, difference.kind is not Kind.FIRST_ONLY)
            assert accepted != (True, True) or difference.first != difference.second


def assert_least(text: str, readers: Readers) -> None:
    kind = readers.find_kind(text)
    assert kind is not None
    lines = text.split("\n")
    shorter = [text[:at] + text[at + 1 :] for at in range(len(text))]
    shorter += ["\n".join(lines[:at] + lines[at + 1 :]) for at in range(len(lines))]
    for candidate in shorter:
        assert readers.find_kind(candidate) is not kind, (text, candidate)


def test_nothing_can_be_left_out_of_a_difference() -> None:
    for readers, comparison in all_comparisons():
        for difference in comparison.differences:
            assert_least(difference.text, readers)


@given(place=st.integers(0, 299), change=st.sampled_from([(NARROW_VERB,), EXCHANGED, CREATE_RUNS]))
@settings(max_examples=40, deadline=None)
def test_a_reduced_text_differs_in_the_same_way_and_is_least(place: int, change: tuple[tuple[str, str], ...]) -> None:
    readers, text = compared(*change)[0], samples("v2")[place]
    kind = readers.find_kind(text)
    if kind is None:
        with pytest.raises(ValueError, match="agree"):
            reduce(text, readers)
    else:
        least = reduce(text, readers)
        assert readers.find_kind(least) is kind and len(least) <= len(text)
        assert_least(least, readers)


def test_comparisons_are_the_same_each_time() -> None:
    first, second = load_grammar("v2"), derive("changed", NARROW_VERB)
    assert compare(first, second, 60, "x") == compare(first, second, 60, "x")


# ---- the commands


def test_sample_prints_texts_with_lines_between() -> None:
    result = run("grammar", "sample", "v2", "-n", "4", "--seed", "s")
    assert result.exit_code == 0
    texts = sample_texts(load_grammar("v2"), 4, "s")
    ended = [text if text.endswith("\n") or not text else text + "\n" for text in texts]
    assert result.stdout == "".join(f"--- sample {k} ---\n{text}" for k, text in enumerate(ended, 1))


def test_sample_as_json_is_one_string_a_line() -> None:
    result = run("grammar", "sample", "v1", "-n", "30", "--json")
    datas = [json.loads(line) for line in result.stdout.removesuffix("\n").split("\n")]
    assert datas == sample_texts(load_grammar("v1"), 30)


def test_sample_writes_files(tmp_path: Path) -> None:
    result = run("grammar", "sample", "v2", "-n", "12", "-o", str(tmp_path / "new" / "samples"))
    assert result.exit_code == 0 and result.stdout.endswith("samples: 12 files\n")
    decodeds = [path.read_bytes().decode() for path in sorted((tmp_path / "new" / "samples").iterdir())]
    assert decodeds == sample_texts(load_grammar("v2"), 12)
    assert run("grammar", "sample", "v2", "--json", "-o", str(tmp_path)).exit_code == 2


def test_diff_shows_what_each_says(tmp_path: Path) -> None:
    (tmp_path / "mine.lark").write_text(derive("mine", NARROW_VERB).text, encoding="utf-8")
    mine = os.path.join(tmp_path, "mine.lark")
    result = run("grammar", "diff", "v2", mine, "-n", "60")
    assert result.exit_code == 1
    assert '1. only v2 accepts\n    | ::a0@a\n  v2 reads:\n    action type "a0", path "a"\n' in result.stdout
    assert f"  {mine} refuses: 1:4 " in result.stdout and "1 difference found in " in result.stdout
    value = json.loads(run("grammar", "diff", "v2", mine, "-n", "60", "--json").stdout)
    [difference] = value["differences"]
    assert (difference["kind"], difference["text"]) == ("first-only", "::a0@a")
    assert Document.from_dict(difference["first"]) == parse("::a0@a")
    assert Diagnostic.from_dict(difference["second"]).code


def test_diff_shows_a_section_that_only_the_grammar_knows(tmp_path: Path) -> None:
    mine = tmp_path / "mine.lark"
    mine.write_text(derive("mine", *NOTE).text, encoding="utf-8")
    result = run("grammar", "diff", "v2", str(mine), "-n", "60")
    assert result.exit_code == 1 and "    | %% a\n" in result.stdout and '    custom name "note", ' in result.stdout
    assert run("grammar", "diff", "v2", str(mine), "-n", "60", "--json").exit_code == 1


def test_diff_without_differences_says_how_much_was_compared() -> None:
    result = run("grammar", "diff", "v2", "v2", "-n", "20")
    assert result.exit_code == 0
    assert result.stdout.startswith("v2 and v2: no differences found in ") and result.stdout.endswith(" texts\n")
    assert run("grammar", "diff", "v2", "no-such").exit_code == 2
