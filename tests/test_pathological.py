"""Hostile texts: whatever the input, an answer comes, and the work grows with the length and no faster.

Work is counted, not timed: by `counted_package`. What happens inside one call of a regular expression cannot be
counted; for that there are very long lines and an alarm that is far beyond what they need.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from counted_package import count_steps, import_counted
from counting import count_calls
from hypothesis import example, given
from hypothesis import strategies as st
from texts import DIALECTS, WRAPS

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


def answer(text: str, dialect: str, symops: Any = symops_lark) -> None:
    """Ask for all that can be asked for; any answer will do that has something of a text that is not blank."""
    with contextlib.suppress(symops.ProtocolError):
        sections = symops.process(text, dialect).document.sections
        assert sections and all(section.span.line for section in sections)  # lines are counted when they are asked for
    assert symops.recover(text, dialect).sections or not text.strip()


def grows_evenly(work: Callable[[int], None], times: int) -> bool:
    """Return whether eight times as much is no more than eight times the work."""
    few, many = (count_steps(lambda n=n: work(n)) for n in (times, 8 * times))  # type: ignore[misc]
    return 0 < many <= 8 * few


@pytest.mark.slow
@pytest.mark.alike(6)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("piece", REPEATED.values(), ids=REPEATED)
def test_the_work_grows_with_the_length(piece: str, dialect: str) -> None:
    counts = import_counted()
    answer(piece, dialect, counts)  # whatever is compiled on first use

    def work(times: int) -> None:
        answer(piece * times, dialect, counts)

    assert grows_evenly(work, 20) or grows_evenly(work, 200)  # a longer text may be read in another way


LINES = sorted(
    {line for piece in REPEATED.values() for line in piece.splitlines()} | {"<<<<", "    ", "$ create", "@b"}
)
HEADS = ("", "::create @z.py\n<<<\n", "$ create @z.py\n--\n", "```\n", "<plan>\n")
TAILS = ("", ">>>\n", "--\n", "```\n", "</plan>\n")


def _stream(symops: Any, text: str, dialect: str) -> None:
    parser = symops.StreamParser(dialect)
    for at in range(0, len(text), 50):
        parser.receive(text[at : at + 50])
        while parser.next_event() is not symops.NEED_TEXT:
            pass
    parser.close()


DOORS: dict[str, Callable[[Any, str, str], Any]] = {
    "process": lambda symops, text, dialect: symops.process(text, dialect),
    "cut off": lambda symops, text, dialect: symops.process(text, dialect, cut_off=True).to_dict(),
    "auto": lambda symops, text, dialect: symops.process(text),
    "recover": lambda symops, text, dialect: symops.recover(text, dialect),
    "repair": lambda symops, text, dialect: symops.repair(text, dialect),
    "stream": _stream,
    "convert": lambda symops, text, dialect: symops.convert(symops.process(text, dialect).document),
}


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@given(
    st.lists(
        st.builds(lambda line, wrap: wrap(line), st.sampled_from(LINES), st.sampled_from((str, *WRAPS))), max_size=5
    ),
    st.sampled_from(("\n", "\n", "\r\n", "\n\n")),
    st.sampled_from(HEADS),
    st.sampled_from(TAILS),
    st.sampled_from(DIALECTS),
)
@example(["::create @'a.py'"] * 2, "\n", "", "", "v2_end_marked")  # each with an error section that names its path
def test_the_work_grows_with_the_length_of_any_repetition(
    door: Callable[[Any, str, str], Any], lines: list[str], ending: str, head: str, tail: str, dialect: str
) -> None:
    counts = import_counted()

    def work(times: int) -> None:
        with contextlib.suppress(counts.SymOpsError):
            door(counts, head + "".join(line + ending for line in lines) * times + tail, dialect)

    work(2)  # whatever is compiled on first use
    assert grows_evenly(work, 40) or grows_evenly(work, 160)  # a longer text may be read in another way


@pytest.mark.alike(8)
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


@pytest.mark.alike(8)
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


@pytest.mark.alike(6)
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
