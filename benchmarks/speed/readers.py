"""Readers of the same payload: this package, `json.loads`, and whatever peers are installed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import symops_lark
from benchmarks.baselines.aider import parse_search_replace, parse_whole
from benchmarks.baselines.baml import make_parser
from benchmarks.baselines.naive import V1, V2, read_lines
from benchmarks.recovery.peers import load_search_replace, load_whole
from symops_lark.core.ground.numbers import counted
from symops_lark.lab.benchmark.faults.contents import Content

from . import real_files
from .clock import passed, quantile, take_turns
from .table import Findings, Row

BASE = "json.loads"
Files = Sequence[Content]
Reader = tuple[Callable[[Files], str], Callable[[str], Any]]  # how the payload is written, and how it is read

_SCHEMA = """
class Item {
  type string
  path string
  content string
}
"""


def _library(module: str, function: str) -> Reader:
    return real_files.write_json, getattr(importlib.import_module(module), function)


def _jiter() -> Reader:
    from_json = importlib.import_module("jiter").from_json
    return real_files.write_json, lambda text: from_json(text.encode())


def _baml() -> Reader:
    return real_files.write_json, make_parser(_SCHEMA, "Item[]")


def _aider(load: Callable[[], Any], parse: Callable[[str], Any]) -> Reader:
    form = load()
    return lambda files: form.write(list(files))[0], parse


_PEERS: dict[str, Callable[[], Reader]] = {
    "orjson": partial(_library, "orjson", "loads"),
    "jiter": _jiter,
    "json-repair": partial(_library, "json_repair", "loads"),
    "partial-json-parser": partial(_library, "partial_json_parser", "loads"),
    "BAML": _baml,
    "aider search-replace": partial(_aider, load_search_replace, parse_search_replace),
    "aider whole": partial(_aider, load_whole, parse_whole),
}


def _own() -> dict[str, Reader]:
    table: dict[str, Reader] = {}
    for dialect in ("v1", "v2"):
        output = partial(real_files.write, dialect=dialect)
        table[f"parse {dialect}"] = output, partial(symops_lark.parse, format=dialect)
        table[f"process {dialect}"] = output, partial(symops_lark.process, format=dialect)
        table[f"process auto, {dialect}"] = output, symops_lark.process
    for dialect, marks in (("v1", V1), ("v2", V2)):
        table[f"naive loop {dialect}"] = partial(real_files.write, dialect=dialect), partial(read_lines, marks=marks)
    return table


@cache
def load() -> tuple[Mapping[str, Reader], tuple[str, ...]]:
    """Return the readers by name, and the names of the peers that are not installed."""
    table: dict[str, Reader] = {BASE: (real_files.write_json, json.loads), **_own()}
    missing = []
    for name, make in _PEERS.items():
        try:
            write, loaded = table[name] = make()
            loaded(write(real_files.take(0, 1)))
        except Exception:  # noqa: BLE001  (not installed, or no longer as we know it)
            table.pop(name, None)
            missing.append(name)
    return table, tuple(missing)


def measure(quick: bool) -> Findings:
    """Return how fast each reads real files, × json.loads: the same text again, and each time another one."""
    readers, missing = load()
    findings = Findings()
    if missing:
        findings.lines.append(f"not installed, so left out: {', '.join(missing)}")
    sizes = {"11 KB": 3, "116 KB": 20} | ({} if quick else {"2.1 MB": 400})
    goals = {"11 KB": 0.45, "116 KB": 0.75, "2.1 MB": 0.75}
    for size, count in sizes.items():
        rounds = max(5, (60 if quick else 300) // count)
        warm = take_turns({name: _again(reader, count) for name, reader in readers.items()}, rounds, passed)
        cold = take_turns({name: _anew(reader, count) for name, reader in readers.items()}, min(rounds, 20), passed)
        findings.lines.append(
            f"{counted(count, 'file')}, {size}: × {BASE}, the same text again (p50), each time another (p50), ms"
        )
        rates, fresh = {}, {}
        for name in readers:
            repeated, anew = (quantile(times[BASE], 0.5) / quantile(times[name], 0.5) for times in (warm, cold))
            slow = " / ".join(f"{1000 * quantile(warm[name], share):.3g}" for share in (0.5, 0.95, 0.99))
            findings.lines.append(f"  {name:22}{repeated:8.3f}{anew:8.3f}   {slow}")
            rates[name], fresh[name] = repeated, anew
        findings.rates = rates  # those of the largest size
        for title, shares in (("the same text again", rates), ("each time another", fresh)):
            strict = tuple(shares[f"parse {dialect}"] for dialect in ("v1", "v2"))
            text = f"strict v1, v2 × {BASE}, {size}, {title}"
            findings.rows.append(Row(text, strict, (goals[size],) * 2, least=True))
            for way, form, goal in (("named", "process {}", 0.6), ("auto", "process auto, {}", 0.5)):
                part = tuple(shares[form.format(dialect)] / shares[f"parse {dialect}"] for dialect in ("v1", "v2"))
                text = f"`process` of valid v1, v2, {way}, × strict, {size}, {title}"
                findings.rows.append(Row(text, part, (goal,) * 2, least=True))
    return findings


def _again(reader: Reader, count: int) -> Callable[[int], Callable[[], Any]]:
    write, loaded = reader
    text = write(real_files.take(0, count))
    loaded(text)
    return lambda number: partial(loaded, text)


def _anew(reader: Reader, count: int) -> Callable[[int], Callable[[], Any]]:
    write, loaded = reader
    return lambda number: partial(loaded, write(real_files.take((number + 1) * count, count)))
