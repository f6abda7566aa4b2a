"""Exports judge the discourse of a reply as this package does: by every row and every token of its data files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.exports._parsers import answers, ask_all, differences
from symops_lark import export
from symops_lark.core.discourse import tables
from symops_lark.exports.bundle.data_files import DATA_FILES, write_data

STANCES = Path(tables.__file__).with_name("stances.yaml")
ACTION = "::create @a.py\n<<<\nx = 1\n>>>\n"
# Of the replies, the exported module in Python, which is made of the same source, reads every third.
RUNTIMES = {"javascript": 1, "python": 3}
# Letters that some engines take for others in any case, and signs of two units in JavaScript.
ODD_LETTERS = (("s", "ſ"), ("k", "\u212a"), ("i", "ı"), ("i", "İ"), (" ", "\u00a0"), ("o", "😀"))
RESPELT = len(ODD_LETTERS) + 2
STEP = 11  # without --thorough: it has no divisor with the number of replies of a sentence, a token or a label
COUNTED = ("start", "end", "column", "trace")
# Parts that are measured: what may be inline code before a token, and a thought that is blanked.
MEASURED = (
    f"{ACTION}`{'😀' * 150}<|im_end|>` ends it.\nMore.\n::run @ls\n",
    f"<think>😀 A plan 😀\n😀</think>{ACTION}",
    f"<|channel|>analysis<|message|>😀<|end|><|channel|>final<|message|>{ACTION}",
)


def respell(sentence: str, number: int) -> str:
    """Return a sentence with odd letters, of which there are `RESPELT` variants."""
    if number < len(ODD_LETTERS):
        return sentence.replace(*ODD_LETTERS[number])
    return sentence.upper() if number == len(ODD_LETTERS) else f"😀。😀{sentence}"


def sentences() -> Iterator[str]:
    """Yield the sentences that the rows must find or must not find."""
    for group, rows in yaml.safe_load(STANCES.read_text(encoding="utf-8")).items():
        if group == "lists":
            continue
        for row in rows:
            yield from row["yes"]
            yield from row.get("no", ())


def replies_with(sentence: str) -> Iterator[str]:
    """Yield a reply with a sentence before its action, as it is and as an introduction, and one with it after it."""
    yield f"{sentence}\n\n{ACTION}"
    yield f"{sentence}:\n{ACTION}\n::run @ls\n"
    yield f"Here is the file:\n\n{ACTION}\n{sentence}\n"


def replies_by_token() -> Iterator[str]:
    """Yield replies that use each token as a mark of all that it can be."""
    for token, (_, value) in tables.our_tables().tokens.items():
        yield f"{ACTION}{token}\nMore.\n::run @ls\n"
        yield f"{token}A plan.\n{ACTION}{value}{ACTION}"
        yield f"user\n{token}{ACTION}"
        yield f"`{token}` is a token, {token.upper()} too.\n{ACTION}"


def replies_by_label() -> Iterator[str]:
    """Yield replies with each label, heading and section."""
    data = tables.our_data()
    for label in (*data["labels"], *data["headings"]):
        yield f"{ACTION}\n{label}: ok\n\n::run @ls\n"
        yield f"{ACTION}\n### {label.title()}\n::run @ls\n\n[{label}]\n{ACTION}"
    for name in (*data["sections"], *data["stripped"]):
        yield f"## {name.title()}\n{ACTION}\n## Answer\n::run @ls\n"
        yield f"{name}We need it.{ACTION}assistantfinal\n::run @ls\n"
    for step in data["steps"]:
        for label in ("Observation", "User"):
            yield f"{ACTION}\n{label}: ok\n{step.title()}: more\n::run @ls\n"
            yield f"{ACTION}\n{label}: ok\nErrors: 0\n{step.title()}：more\n::run @ls\n"
    for name in data["elements"]:
        yield f"<{name}_x>\n{ACTION}</{name}_x>\n::run @ls\n"


def codes(said: list[Any]) -> set[str]:
    """Return the codes of all diagnostics of what was said of texts."""
    return {diagnostic["code"] for item in said if isinstance(item, dict) for diagnostic in item["diagnostics"]}


@pytest.mark.slow
def test_every_sentence_means_the_same(stride: int) -> None:
    replies = [reply for sentence in sentences() for reply in replies_with(sentence)]
    assert len(replies) > 1000
    replies = replies[:: STEP if stride > 1 else 1]
    expected = answers("v2", replies)
    assert "not-asked" in codes(expected)
    assert_alike(replies, expected)


@pytest.mark.slow
def test_every_token_and_label_means_the_same(stride: int) -> None:
    replies = [*replies_by_token(), *replies_by_label()]
    assert len(replies) > 1000
    replies = replies[:: STEP if stride > 1 else 1]
    expected = answers("v2", replies)
    assert {"thought", "invented-turn", "behind-the-end", "other-speaker"} <= codes(expected)
    assert_alike(replies, expected)


def assert_alike(replies: list[str], wanted: list[Any]) -> None:
    """Check that each runtime says of each reply what is wanted, with all places."""
    for runtime, step in RUNTIMES.items():
        assert [*differences(runtime, "v2", replies[::step], wanted[::step])] == []


@pytest.mark.slow
def test_odd_letters_mean_the_same(stride: int) -> None:
    """Offsets differ where signs have two units: what is said is compared, and not where."""
    replies: list[str] = [*MEASURED]
    for number, sentence in [*enumerate(sentences())][:: STEP if stride > 1 else 1]:
        replies += replies_with(respell(sentence, number % RESPELT))
    expected = answers("v2", replies)
    for runtime, step in RUNTIMES.items():
        text = ask_all(runtime, "v2", replies[::step])
        assert [*map(spoken, text)] == [*map(spoken, expected[::step])]


def spoken(said: Any) -> Any:
    """Return what was said of a text without what counts its units: places, and the blanks of a view."""
    if isinstance(said, list):
        return [*map(spoken, said)]
    if isinstance(said, dict):
        return {name: spoken(value) for name, value in said.items() if name not in COUNTED}
    return said


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUNTIMES)
def test_data_files_are_the_same_for_every_dialect(kind: str) -> None:
    for dialect in ("v1", "v2_1"):
        package = export(kind, dialect, tolerant=True)
        # A program loads the module of formats or the main one.
        package = {name: text for name, text in package.items() if "formats" not in name}
        files = "\n".join(package.values())
        strict = "\n".join(export(kind, dialect).values())
        for name in DATA_FILES:
            data = write_data(name)
            output = data if kind == "javascript" else repr(data)
            assert files.count(output) == 1 and name not in strict
