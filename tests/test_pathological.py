"""Hostile texts: whatever the input, an answer comes, and the work grows with the length and no faster.

Work is counted, not timed: function calls of Python and of its built-ins, and the characters that are copied or passed
over in one. What happens inside one call of a regular expression cannot be counted; for that there are very long lines
and an alarm that is far beyond what they need.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from counting import count_calls, count_characters
from texts import DIALECTS

import symops_lark
from benchmarks.speed.shapes import BEGINNINGS, LONG, REPEATED
from symops_lark import ProtocolError, RuleError


class TookTooLong(Exception):
    """The alarm went off."""


@pytest.fixture(autouse=True)
def safety_net() -> Iterator[None]:
    """Interrupt what seems to hang, by the time that this process computes; the limit is no measure of speed."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, 20)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def answer(text: str, dialect: str) -> None:
    """Ask for all that can be asked for; any answer will do that has something of a text that is not blank."""
    with contextlib.suppress(ProtocolError):
        sections = symops_lark.process(text, dialect).document.sections
        assert sections and all(section.span.line for section in sections)  # lines are counted when they are asked for
    assert symops_lark.recover(text, dialect).sections or not text.strip()


@pytest.mark.alike(5)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_the_work_grows_with_the_number_of_lines(piece: str, dialect: str) -> None:
    answer(piece, dialect)  # whatever is compiled on first use
    few, many = (count_calls(lambda n=n: answer(piece * n, dialect)) for n in (60, 240))  # type: ignore[misc]
    assert many <= 4.6 * few + 2000


@pytest.mark.alike(5)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_what_is_copied_grows_with_the_length(piece: str, dialect: str) -> None:
    """A call that slices the rest of a text is one call, however much that is."""
    few, many = (count_characters(piece * n, lambda text: answer(text, dialect)) for n in (60, 480))
    assert 0 < many <= 9 * few + 2000


@pytest.mark.alike(4)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("number", range(len(LONG)), ids=LONG)
def test_long_lines_are_answered(number: int, dialect: str) -> None:
    """In each dialect every piece is read with every beginning, and with every end; every beginning with every end."""
    piece = [*LONG.values()][number]
    line = piece * (12_000 // len(piece))
    for place, beginning in enumerate(BEGINNINGS):
        end = ("", '"')[(place + number + DIALECTS.index(dialect)) % 2]
        answer(f"{beginning}{line}{end}\n>> x\n", dialect)


@pytest.mark.parametrize("beginning", ["", "a", "::create @a.py "])
@pytest.mark.parametrize("sign", "\u200b\u200d\u2060\ufeff\u00ad\u00a0\u2003\u3000", ids=ascii)
def test_signs_that_are_not_seen_cost_no_calls(sign: str, beginning: str) -> None:
    """Each dialect looks at a line in several roles: a call for each sign would be a call for each of them."""

    def read(count: int) -> None:
        for piece in (sign, "b" + sign):
            with contextlib.suppress(ProtocolError):
                symops_lark.process(f"{beginning}{piece * count}\n")

    read(10)  # whatever is compiled on first use
    few, many = (count_calls(lambda n=n: read(n)) for n in (500, 4000))  # type: ignore[misc]
    assert many <= few + 5000


@pytest.mark.alike(4)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_many_lines_of_some_length_are_answered(piece: str, dialect: str) -> None:
    """Rules leave very long lines alone: the worst lines are those that they still look at."""
    line = piece * (900 // len(piece))
    answer(
        "".join(f"{beginning}{line}{end}\n" for beginning in BEGINNINGS for end in ("", '"', "!") for _ in range(3)),
        dialect,
    )


def test_words_that_never_end_are_answered() -> None:
    answer("".join(f"A{' a' * 480} {number}\n" for number in range(40)), "v2")


@pytest.mark.parametrize("sign", "-./~+")
def test_runs_of_signs_in_paths_are_answered(sign: str) -> None:
    """Words of paths are looked for at the beginnings of runs alone: from each sign it would be for minutes."""
    answer(f"::create @{sign * 100_000}\n>> x\n", "v2")


@pytest.mark.alike(3)
@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_large_text_is_answered(dialect: str) -> None:
    plain = "[ACTION_TYPE] create\n[ACTION_PATH] c.py\n[CONTENT_START]\nz = 1\n[CONTENT_END]\n"
    text = "Sure!\n" + ("::create @a.py\n<<<\nx = 1\n>>>\n$ create @ b.py\n--\ny = 1\n--\n" + plain) * 600
    assert len(symops_lark.process(text, dialect).document.actions) >= 600


def test_a_text_beyond_the_limit_is_refused() -> None:
    processor = symops_lark.SymOpsProcessor("v2", max_characters=1000)
    assert processor.process(">> x\n" * 200).phase is symops_lark.Phase.STRICT
    with pytest.raises(ProtocolError, match="1,001 characters"):
        processor.process("x" * 1001)


def test_deep_chains_of_dependencies_need_no_recursion() -> None:
    size = 3000
    chain = "".join(f"::create @{i} >{i + 1}\n<<<\n>>>\n" for i in range(size))
    result = symops_lark.process(chain + f"::create @{size} >0\n<<<\n>>>\n", "v2")
    assert "circular-dependency" in {finding.code for finding in result.diagnostics}


EVIL = ("(a+)+$", "(a|a)*b", "(.*a){12}b", "(x+x+)+y", r"^(\s*\S+)*!$")


def _rule(pattern: str) -> str:
    return f"""\
id: evil
phase: symbols
summary: A pattern that other engines cannot take.
why: For the tests.
cost: 1
lines: all
replace: {{pattern: '{pattern}', with: "{{thought}} "}}
examples: [{{before: ">> x", after: ">> x"}}]
unchanged: [">> x"]
"""


@pytest.mark.parametrize("pattern", EVIL)
def test_a_users_pattern_cannot_hang_the_program(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "evil.yaml").write_text(_rule(pattern))
    processor = symops_lark.SymOpsProcessor("v2", rules=[tmp_path])
    for line in ("a" * 1900, "x" * 1900, "a" * 1900 + "c", " a" * 900):
        with pytest.raises(ProtocolError):
            processor.process(line + "\n")


@pytest.mark.parametrize("pattern", ["(a", r"(?=a)", r"(a)\1", "{nonsense}", "a{1,100000}"])
def test_a_users_pattern_that_cannot_be_used_is_reported(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "evil.yaml").write_text(_rule(pattern))
    with pytest.raises(RuleError, match=r"evil\.yaml:\d+:\d+: error: "):
        symops_lark.SymOpsProcessor("v2", rules=[tmp_path])
