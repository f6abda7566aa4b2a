"""Streaming: memory and cost do not grow; the command prints events while its input is open."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc

import pytest
from command_line import environment, run
from streams import drain

from symops_lark import NEED_TEXT, StreamParser
from symops_lark.core.repairs.line_repairer import RuleRepairer
from symops_lark.core.streaming.line_classifier import LineClassifier

# ---- cost and memory


BLOCK = "::create @a.py\n<<<\n" + "    return value\n\n" * 50 + ">>>\n\n"
SECTION = ">> next\n" + BLOCK + "::run @pytest\n\nwords that are nothing\n"


def peak(text: str, times: int, dialect: str = "v2") -> int:
    """Return the most memory that a stream takes, in bytes."""
    parser = StreamParser(dialect, keep=False)
    tracemalloc.start()
    for _ in range(times):
        parser.receive(text)
        for _ in drain(parser):
            pass
    parser.close()
    _, maximum = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return maximum


@pytest.mark.slow
def test_memory_does_not_grow_with_the_stream() -> None:
    peak(SECTION, 1_200_000 // len(SECTION))  # what is loaded and kept at the first use is no memory of a stream
    short_stream, long_stream = (peak(SECTION, size // len(SECTION)) for size in (300_000, 1_200_000))
    # Python keeps up to 2,000 freed tuples of a length; whether they are counted depends on earlier tests.
    free_tuples = 200_000
    assert long_stream < short_stream * 1.3 + free_tuples


@pytest.mark.slow
def test_memory_does_not_grow_with_a_block() -> None:
    inside = "x = 1\n\n::run @ls\n" * 200

    def open_block(size: int) -> int:
        parser = StreamParser("v2", keep=False)
        parser.receive("::create @a\n<<<\n")
        tracemalloc.start()
        for _ in range(size // len(inside)):
            parser.receive(inside)
            for _ in drain(parser):
                pass
        _, maximum = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return maximum

    assert open_block(400_000) < open_block(100_000) * 1.3 + 50_000


class Counting(str):
    """A text that counts how many of its characters are searched."""

    searched = 0

    def rfind(self, *arguments: object) -> int:
        Counting.searched += len(self)
        return super().rfind(*arguments)  # type: ignore[arg-type]


def test_no_character_is_searched_twice() -> None:
    """One endless line in small pieces: each piece is searched for its end once."""
    parser = StreamParser("v2", keep=False)
    Counting.searched = 0
    for _ in range(10_000):
        parser.receive(Counting("xy"))
        assert parser.next_event() is NEED_TEXT
    assert Counting.searched == 20_000


def asked(lines: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many characters of a block, in small pieces, are handed to the rules and to the grammar."""
    counts = [0]

    def count(owner: type, name: str) -> None:
        plain = getattr(owner, name)

        def counting(self: object, text: str, *more: object) -> object:
            counts[0] += len(text)
            return plain(self, text, *more)

        monkeypatch.setattr(owner, name, counting)

    parser = StreamParser("v2", keep=False)
    with monkeypatch.context() as patched:
        monkeypatch = patched
        count(RuleRepairer, "candidate")
        count(LineClassifier, "exact_rule")
        text = "".join(f"    value_of_the_line_{number} = compute({number})\n\n" for number in range(lines))
        text = "::create @a.py\n<<<\n" + text
        for at in range(0, len(text), 7):
            parser.receive(text[at : at + 7])
            for _ in drain(parser):
                pass
    return counts[0]


def test_lines_of_words_in_a_block_are_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor are they told one by one: what a stream does for a long block grows with nothing but its runs of lines."""
    few, many = asked(20, monkeypatch), asked(2_000, monkeypatch)
    assert 0 < few == many


# ---- the command line


@pytest.mark.slow
def test_the_command_prints_events_before_the_input_ends() -> None:
    command = [sys.executable, "-m", "symops_lark", "stream", "--format", "v2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(">> g\u00f6".encode()[:-1])
        process.stdin.flush()
        process.stdin.write("\u00f6".encode()[1:] + b"\n::create @a.py\n<<<\nx\n")
        process.stdin.flush()
        first = [json.loads(process.stdout.readline()) for _ in range(3)]  # the input is still open
        assert [(event["event"], event.get("text")) for event in first] == [
            ("thought", "g\u00f6"),
            ("action-started", None),
            ("content", "x"),
        ]
        process.stdin.write(b">>>\n")
        process.stdin.close()
        *remainder, result = map(json.loads, process.stdout.read().splitlines())
        assert [event["event"] for event in remainder] == ["action-finished"]
        assert result["event"] == "result" and result["phase"] == "strict" and result["confidence"] == 1.0
        assert result["differences"] == [] and result["error"] is None and result["dialect"] == "v2"
        assert [section["kind"] for section in result["document"]["sections"]] == ["thought", "action"]
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("stdin", "code"),
    [(b">> go\n", 0), (b"Hello there.\n", 1), (b"::create @a.py\n", 1), (b"", 1), (b">> go\n\xff", 2), (b">> \xc3", 2)],
)
def test_exit_codes_are_those_of_process(stdin: bytes, code: int) -> None:
    done = run("stream", "--format", "v2", stdin=stdin)
    assert done.exit_code == code == run("process", "--format", "v2", stdin=stdin).exit_code
    if code == 2:
        assert f"not UTF-8: byte 0x{stdin[-1]:02x} at offset {len(stdin) - 1}" in done.stderr
    else:
        assert json.loads(done.stdout.splitlines()[-1])["event"] == "result"


def test_the_command_knows_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.core.processor.MAX_CHARACTERS", 3)
    done = run("stream", stdin=">> go\n")
    assert done.exit_code == 2 and "limit of 3 characters; --events-only" in done.stderr


def test_the_command_gives_events_alone_of_a_text_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symops_lark.core.processor.MAX_CHARACTERS", 3)
    done = run("stream", "--format", "v2", "--events-only", stdin=">> go\n::run @ls\n")
    assert done.exit_code == 0 and not done.stderr
    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    assert events == ["thought", "action-started", "action-finished"]
    assert run("stream", "--format", "v2", "--events-only", stdin="Hello there, my friend.\n").exit_code == 1
