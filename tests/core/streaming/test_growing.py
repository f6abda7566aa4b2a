"""Closing a stream: what was read while it came is not read again, and says what the whole text says."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from new_dialects import NEW, write_dialects
from streams import drain
from wings import need_wing

import symops_lark
from symops_lark import StreamParser, StreamResult, SymOpsProcessor
from symops_lark.core.grammar.lalr import LalrParser
from symops_lark.core.grammar.section_patterns import SectionPatterns
from symops_lark.core.streaming import ActionStarted
from symops_lark.core.streaming.growing import GrowingText

FILE = "::create @{}.py\n<<<\n" + "value = {}\n" * 40 + ">>>\n\n"


def files(count: int, gap: str = "") -> str:
    return "".join(f">> step {n}\n{gap}" + FILE.format(f"file{n}", *[n] * 40) for n in range(count))


@contextmanager
def counted() -> Iterator[list[int]]:
    """Give the sizes of the texts that the strict parser reads."""
    sizes: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ((SectionPatterns, "read_sections"), (LalrParser, "parse")):
            patch.setattr(kind, name, noting(getattr(kind, name), sizes))
        yield sizes


def noting(work: Callable[..., Any], sizes: list[int]) -> Callable[..., Any]:
    def read(self: Any, text: str, *rest: Any) -> Any:
        sizes.append(len(text))
        return work(self, text, *rest)

    return read


def close(text: str, format: str | Path | SymOpsProcessor = "v2", piece: int = 50) -> tuple[int, int]:
    """Return how many characters are read for a stream, and for its end, which says what the whole text says."""
    parser = StreamParser(format)
    with counted() as before:
        for at in range(0, len(text), piece):
            parser.receive(text[at : at + piece])
            list(drain(parser))
    with counted() as following:
        closed = parser.close()
    processor = format if isinstance(format, SymOpsProcessor) else SymOpsProcessor(format)
    assert closed.result is not None and closed.result.to_dict() == processor.process(text).to_dict()
    return sum(before), sum(following)


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("format", ["v2", "v2_1", "auto"])
@pytest.mark.parametrize("piece", [50, 3000])
def test_the_end_alone_is_read_at_the_end(format: str, gap: str, piece: int) -> None:
    text = files(60, gap)
    before, following = close(text, format, piece)
    assert following <= 2 * len(files(1)) + piece and before + following <= 1.3 * len(text)


def test_what_was_found_is_told_with_the_rest() -> None:
    text = files(20).replace("value = 7\n", "# ... rest of the code unchanged\n", 1)
    assert symops_lark.process(text, "v2").diagnostics
    assert close(text)[1] <= 2 * len(files(1))


@pytest.mark.parametrize(
    "end",
    [
        FILE.format("file3", *[0] * 40),  # a file that was written before
        "::run @pytest\n<<<\n-q\n>>>\n",
        "::run @pytest\n\n::test @pytest\n",
        "::create @b.py\n<<<\n```python\nx = 1\n```\n>>>\n",
        "! Truncated @ file3.py : more\n",
        "::create @c.py\n<<<\n::create @d.py\n>>\n::create @e.py\n>>>\n",
        "::create @c.py > file3.py\n<<<\nx\n>>>\n",
        "::c0.9 ::s1.7\n",
        "::create @path/to/file.py\n<<<\nyour code here\n>>>\n",
        "::create @c.py\n",
        "::create @c.py\n<<<\nx\n",
        "::Create c.py\n<<<\nx\n>>>\n",
        "words that are nothing\n",
        ">> no ending",
    ],
)
@pytest.mark.parametrize("format", ["v2", "auto"])
def test_sections_that_depend_on_others(end: str, format: str) -> None:
    for text in (files(6) + end, end + files(6) + end, files(3) + end + "\n" + files(6)[len(files(3)) :]):
        close(text, format)
        close(text.replace("\n", "\r\n"), format)
        close("\ufeff" + text, format)


def test_a_large_piece_is_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    work, calls = GrowingText._unread, list[str]()

    def unread(self: GrowingText) -> str:
        calls.append(work(self))
        return calls[-1]

    monkeypatch.setattr(GrowingText, "_unread", unread)
    parser = StreamParser("v2")
    for piece in (files(30), FILE.format("more", *[0] * 40) * 2):
        parser.receive(piece)
        list(drain(parser))
    assert len(calls) == 2


def test_a_piece_that_threads_lose_between_them_is_read_at_the_end() -> None:
    text = files(6)
    parser = StreamParser("v2")
    for at in range(0, len(text), 300):
        parser.receive(text[at : at + 300])
        list(drain(parser))
    assert parser._growing is not None
    parser._growing._pieces.pop()
    closed = parser.close()
    assert closed.result is not None and closed.result.to_dict() == symops_lark.process(text, "v2").to_dict()


def test_what_is_left_when_a_stream_is_closed_is_read_by_nobody() -> None:
    parser = StreamParser("v2")
    parser.receive(files(6))
    assert parser.close().document == symops_lark.parse(files(6), "v2")
    with counted() as sizes:
        assert sum(isinstance(event, ActionStarted) for event in drain(parser)) == 6
    assert sizes == []


def end_of(text: str, parser: StreamParser) -> StreamResult:
    """Return the end of a stream that gets a text in two pieces, and is copied in between."""
    parser.receive(text[: len(text) // 2])
    list(drain(parser))
    repeated_data = pickle.loads(pickle.dumps(parser))
    for item in (parser, repeated_data):
        item.receive(text[len(text) // 2 :])
        list(drain(item))
    closed = parser.close()
    assert repeated_data.close().to_dict() == closed.to_dict()
    return closed


def test_the_limit_and_the_corrector_are_asked() -> None:
    need_wing("models")
    from symops_lark import SelfCorrector
    from symops_lark.models.scripted import ScriptedModel

    assert end_of(files(6), StreamParser(SymOpsProcessor("v2", max_characters=100))).error is not None
    text, request = files(6).replace("value = 2\n", "# ... rest of the code unchanged\n", 1), []
    for work in (
        lambda processor: list(StreamParser(processor).events([text[:1500], text[1500:]])),
        lambda processor: processor.process(text),
    ):
        model = ScriptedModel([files(1)] * 9)
        work(SymOpsProcessor("v2", corrector=SelfCorrector(model, least_confidence=0.9)))
        request.append(len(model.requests))
    assert request[0] == request[1] > 0


@pytest.mark.parametrize("text", ["::run @ls\\n::run @pwd\\n>> done\n\n", ">> a\n::run @ls\n", files(3)])
def test_short_texts(text: str) -> None:
    end_of(text, StreamParser("v2"))
    for format in ("v2", "auto"):
        for piece in (1, 7, len(text)):
            close(text, format, piece)


@pytest.mark.slow
def test_another_dialect_that_fits_is_told(tmp_path: Path) -> None:
    """What is announced in the richest dialect of a family, and what is valid in two dialects of one's own."""
    text = files(3) + "::create @guide.md\n<<<\n>>>END\n>>>\n"
    closed = end_of(text, StreamParser())
    assert closed.differences and closed.result is not None
    assert closed.result.to_dict() == symops_lark.process(text).to_dict()
    other_path = tmp_path / "shout.lark"
    other_path.write_text("%import .v2\n%override TEXT: /[^ \\t\\r\\n]+/\n", encoding="utf-8")
    close(text, SymOpsProcessor(dialects=[other_path]))


@pytest.mark.parametrize("name", NEW)
def test_dialects_with_sections_of_their_own(tmp_path: Path, name: str) -> None:
    text, dialect = NEW[name].text + files(3), write_dialects(tmp_path)[name]
    for piece in (1, 9, len(text)):
        close(text, dialect, piece)


def test_a_broken_text_is_not_read_again_and_again() -> None:
    text = "Sure:\n" + files(60)
    parser = StreamParser("v2")
    with counted() as sizes:
        for at in range(0, len(text), 50):
            parser.receive(text[at : at + 50])
            list(drain(parser))
    assert sum(sizes) <= 2 * len(text)
