"""What runs patterns where google-re2 is missing: the same matches as RE2's, in steps that grow with the text alone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import re2
from corpus_reader import corpus_files, read_corpus
from hypothesis import assume, given
from hypothesis import strategies as st
from repository import ROOT

from symops_lark import dialects, process
from symops_lark.core.patterns.pattern_machine import Machine, MachinePattern
from symops_lark.core.patterns.pattern_syntax import SyntaxProblem
from symops_lark.core.patterns.regexes import LinearSet, compile_linear

OPTIONS = re2.Options()
OPTIONS.log_errors = False
CORPUS = [case.text for case in read_corpus(corpus_files())]
LINES = list(dict.fromkeys(line for text in CORPUS for line in text.split("\n") if len(line) < 200))


def spans(match: Any, groups: int) -> list[tuple[int, int]] | None:
    return None if match is None else [match.span(group) for group in range(groups + 1)]


def compare(pattern: str, text: str) -> None:
    """Fail unless RE2 and ours find the same."""
    theirs, ours = re2.compile(pattern, OPTIONS), MachinePattern(pattern)
    assert ours.groups == theirs.groups
    matches, expected = list(ours.finditer(text)), list(theirs.finditer(text))
    assert [spans(match, ours.groups) for match in matches] == [spans(item, ours.groups) for item in expected], (
        pattern,
        text,
    )
    assert spans(ours.search(text), ours.groups) == spans(theirs.search(text), ours.groups)
    assert ours.sub("<", text) == theirs.sub("<", text) and ours.sub("<", text, 1) == theirs.sub("<", text, 1)
    assert bool(Machine(["x{3}", pattern]).find(text) & {1}) is bool(expected)


ATOMS = st.sampled_from(
    [
        *("a", "b", "é", "K", "[ab]", "[^a]", ".", r"\w", r"\W", r"\d", r"\s", r"\S", r"\b", "^", "$", r"\A", r"\z"),
        *(r"\x{e9}", r"\x41", r"[\x{e0}-\x{ff}]", r"\pL", r"\p{Nd}", r"\P{Lu}", r"[\p{Lu}b]", r"[^\pL]", "[[:alpha:]]"),
        *("[[:digit:]_]", r"\Qa.b\E", r"[\]a]", "[]a]", "[^]a]", r"\n", "a{,2}", "_", " ", ""),
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        inner.map("({})".format),
        inner.map("(?i:{})".format),
        inner.map("(?s:{})".format),
        inner.map("(?m:{})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abAké\n _1K.", max_size=12))
def test_the_same_as_re2(pattern: str, text: str) -> None:
    assume(not ("(?:" in pattern and _repeats_nothing(pattern)))
    compare(pattern, text)


def _repeats_nothing(pattern: str) -> bool:
    """Return whether something is repeated that may be empty: there the two differ in what empty groups are told."""
    return any(f"){sign}" in pattern for sign in "*+{") and MachinePattern(f"^(?:{pattern})$").search("") is not None


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(a*)*b",
            "(a|a)*b",
            "(a|aa)+$",
            "(.*)*x",
            "(.*a){9}",
            "^(([a-z])+.)+[A-Z]([a-z])+$",
            "(x+x+)+y",
            "(a?){30}a{30}",
        ),
        *(r"(\w+\s*)+:", "(?:a+){2,}[bc]", "((a{1,5}){1,5}){1,5}b"),
    ],
)
def test_patterns_that_backtrack_for_ever_elsewhere(pattern: str) -> None:
    compare(pattern, "a" * 60)
    compare(pattern, "ab x: aX" * 10)
    machine = Machine([pattern])
    machine.matches("a" * 10_000 + "!")
    assert machine._moves < 2_000, "what was seen before is not worked out again"


def test_memory_has_an_end() -> None:
    machine = Machine(["(?:a|b)*a(?:a|b){14}x"])
    text = "".join("ab"[number.bit_count() % 2] for number in range(120_000))
    assert not machine.matches(text) and len(machine._states) <= 50_001
    assert machine.matches(text + "a" * 15 + "x")


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<!a)b",
            r"(a)\1",
            "(?>a)",
            "a*+",
            "(?P=x)",
            "(?(1)a)",
            "a**",
            "(",
            ")",
            "[a",
            "a{2000}",
        ),
        *(
            r"\C",
            r"\Z",
            r"\p{Nothing}",
            r"\x{110000}",
            "[[:nothing:]]",
            "(?x)a",
            "(?L)a",
            "(?a:a)",
            "((a{100}){100}){100}",
        ),
    ],
)
def test_what_re2_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(SyntaxProblem):
        MachinePattern(pattern)


def test_no_boundary() -> None:
    """In other texts than ASCII RE2 finds one between the bytes of a character."""
    for text in ("", "a", "ab c", " a ", "  "):
        compare(r"\B", text)
        compare(r"a\B|\Bb", text)


def test_templates_are_those_of_re2() -> None:
    for template in (r"\2-\1", r"<\g<2>>", r"\g<n>", r"\n\t\\1", r"\x41\u00e9", "plain é", r"\101"):
        theirs = re2.compile(r"(?P<n>\w)(\d?)").search("a1").expand(template)
        assert MachinePattern(r"(?P<n>\w)(\d?)").search("a1").expand(template) == theirs  # type: ignore[union-attr]
    assert MachinePattern("a").sub(lambda match: str(match[0]).upper(), "banana") == "bAnAnA"


# ---- without google-re2

WITHOUT = """
import json, sys
sys.modules["re2"] = None
from symops_lark import Policy, dialects, process
from symops_lark.core.result import ProtocolError
from symops_lark.acting.plan.policy import protects
found = []
for text in json.load(sys.stdin):
    for dialect in dialects():
        try:
            found.append(process(text, format=dialect).to_dict())
        except ProtocolError as error:
            found.append([finding.to_dict() for finding in error.diagnostics])
print(json.dumps([found, protects("a/.env", Policy()), "re2._re2" in sys.modules]))
"""


def results(texts: list[str], code: str = WITHOUT) -> Any:
    """Run a program without google-re2, over some texts."""
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts), capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_every_dialect_is_processed_without_re2() -> None:
    from symops_lark.core.result import ProtocolError

    texts = [text for text in CORPUS if len(text) < 600][:: max(1, len(CORPUS) // 40)]
    expected: list[Any] = []
    for text in texts:
        for dialect in dialects():
            try:
                expected.append(process(text, format=dialect).to_dict())
            except ProtocolError as error:
                expected.append([finding.to_dict() for finding in error.diagnostics])
    result, protected, loaded = results(texts)
    assert len(texts) >= 30 and result == json.loads(json.dumps(expected))
    assert protected and not loaded
    assert any(isinstance(value, dict) and value["phase"] == "repaired" for value in result)


def test_what_cannot_be_had_without_re2_is_told() -> None:
    code = (
        "import sys; sys.modules['re2'] = None\n"
        "from symops_lark.core.patterns.regexes import PatternError, compile_linear\n"
        "try: compile_linear(r'\\p{Han}')\n"
        "except PatternError as error: import json; print(json.dumps(str(error)))\n"
    )
    assert (
        results([], code)
        == "the characters called Han are known to RE2 alone (google-re2 is not installed: it may know more)"
    )


def test_sets_are_the_same() -> None:
    patterns = ["^a", "b$", "", "[0-9]+", r"\bend\b", "(?i:É)"]
    machine, real = Machine(patterns), LinearSet(patterns)
    for line in [*LINES[:500], "", "a", "b", "é", "the end", "ends"]:
        assert tuple(sorted(machine.find(line))) == real.find(line)
    assert compile_linear("a").search("a") is not None and LinearSet([]).find("a") == ()
