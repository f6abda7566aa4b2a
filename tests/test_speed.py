"""The suite of speed: it reads the same everywhere, and its table says of no goal that it holds which does not."""

from __future__ import annotations

import pytest

from benchmarks.speed import readers, real_files
from benchmarks.speed.clock import quantile, take_turns
from benchmarks.speed.table import Row
from symops_lark import ParseError, parse


@pytest.mark.slow
def test_each_file_is_there_once_and_both_dialects_carry_it() -> None:
    files = real_files.choose()
    assert len({file.path for file in files}) == len(files) > 100
    assert all(real_files.SMALLEST <= len(file.text.encode()) <= real_files.LARGEST for file in files)
    some = real_files.take(len(files) - 2, 4)
    assert list(some) == [*files[-2:], *files[:2]]
    for dialect in ("v1", "v2"):
        actions = parse(real_files.write(some, dialect), dialect).actions
        assert [(action.path, action.content) for action in actions] == [(file.path, file.text) for file in some]


@pytest.mark.slow
def test_broken_replies_are_broken_and_share_no_file() -> None:
    texts: set[str] = set()
    for text in real_files.damaged("v2", 3):
        with pytest.raises(ParseError):
            parse(text, "v2")
        paths = {file.path for file in real_files.take(0, 40) if f" {file.path}" in text or f"@{file.path}" in text}
        assert texts.isdisjoint(paths)
        texts |= paths
    assert len(texts) >= 3


def test_a_row_holds_if_each_part_does() -> None:
    assert Row("x", (1.0, 2.0), (1.0, 2.0), "ms").holds and Row("x", (1.0,), (1.0,), least=True).holds
    assert not Row("x", (0.0, 2.1), (1.0, 2.0), "ms").holds and not Row("x", (0.9,), (1.0,), least=True).holds
    assert Row("x", (1.25,), (2.0,), "ms").line() == "| x | 1.25 ms | ≤ 2 ms | holds |"
    assert Row("x", (1.0, 3.0), (2.0, 2.0), least=True).line() == "| x | 1 / 3 | ≥ 2 / 2 | **does not hold** |"


def test_what_is_compared_takes_turns() -> None:
    texts: list[str] = []
    works = {name: lambda number, name=name: lambda: texts.append(f"{name}{number}") for name in "ab"}
    times = take_turns(works, 5)
    assert [len(some) for some in times.values()] == [5, 5]
    assert [{*texts[at : at + 2]} for at in range(0, 10, 2)] == [{f"a{at}", f"b{at}"} for at in range(5)]
    assert quantile(range(1, 101), 0.5) == 50 and quantile([1.0], 0.99) == 1.0


def test_peers_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PEERS", {"nobody": lambda: readers._library("no_such_module", "loads")})
    readers.load.cache_clear()
    try:
        result, missing = readers.load()
    finally:
        readers.load.cache_clear()
    assert missing == ("nobody",) and readers.BASE in result and "nobody" not in result
