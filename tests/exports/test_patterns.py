"""No pattern that an export carries can be kept busy: exports read by trial and error what RE2 reads in one pass."""

from __future__ import annotations

import gc
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from format_samples import SAMPLES
from pattern_traps import as_re, find_traps, to_its_end
from texts import DIALECTS, texts_on_file

from symops_lark import export
from symops_lark.exports.bundle.data_files import DATA_FILES, write_data
from symops_lark.exports.bundle.patterns import spell_out

BEGINNINGS = ("", "::c0.5", ":: c", "::create a", "::create @a >")
TIMES = """
import json, sys, time
import {module} as parser

def read(beginning, count):
    began = time.process_time()
    try:
        parser.process(beginning + " " * count + "x\\n")
    except parser.ProtocolError:
        pass
    return time.process_time() - began

def times(beginning):
    read(beginning, 1)
    return [min(read(beginning, 2000 + number) for number in range(3)), read(beginning, 8000)]

print(json.dumps([*map(times, sys.argv[1:])]))
"""


def patterns_of(module: ModuleType, text: str) -> set[str]:
    """Return the patterns that a module has made, and those that its code matches to the end of a text."""
    made = {str(value.pattern) for value in gc.get_objects() if type(value) is module.Pattern}
    used = re.findall(r"(\w+)\.fullmatch\(", text)
    return made | {to_its_end(vars(module)[name].pattern) for name in used if name in vars(module)}


@cache
def emitted(dialect: str) -> set[str]:
    """Return the patterns that the exported module of a dialect has made after it has read the texts on file.

    Of a pattern that must take a text to its end, it is followed by a character that no text has: there the trials
    can fail. The JavaScript is a translation of that module: its patterns are the same.
    """
    name, text = next(iter(export("python", dialect, tolerant=True).items()))
    module: Any = ModuleType(name.removesuffix(".py"))
    exec(compile(text, name, "exec"), module.__dict__)
    texts: set[str] = set()

    def compiled(pattern: Any, name: str) -> Any:
        if name == "fullmatch":
            texts.add(pattern.pattern)
        return getattr(re.compile(as_re(pattern.pattern)), name)

    module.Pattern.__getattr__ = compiled
    for _, own, reply in texts_on_file():
        if own == dialect:
            try:
                module.process(reply)
            except module.ProtocolError:
                continue
    return patterns_of(module, text) | {to_its_end(pattern) for pattern in texts}


@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_emitted_pattern_is_a_trap(dialect: str) -> None:
    patterns = emitted(dialect)
    assert len(patterns) > 100
    assert find_traps(patterns) == {}


@pytest.mark.slow
def test_no_pattern_of_the_formats_is_a_trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`<file` with thirty attributes `mode="a"` kept an exported parser busy for minutes."""
    for file, text in export("python", "v2", tolerant=True).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module: Any = importlib.import_module("symops_v2_formats")
    for sample in SAMPLES:
        # Other patterns read what is damaged.
        for reply in (sample.text, sample.text[: len(sample.text) // 2], f"Well.\n\n{sample.text}\nDone.\n"):
            with suppress(module.ProtocolError):
                module.process(reply)
    patterns = patterns_of(module, (tmp_path / "symops_v2_formats.py").read_text(encoding="utf-8"))
    assert len(patterns) > 300
    # Lines of diffs repeat up to forty times, which is too much to examine.
    patterns = {pattern for pattern in patterns if "diff --git " not in as_re(pattern).replace("\\", "")}
    assert find_traps(patterns) == {}


def strings(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


@pytest.mark.slow
def test_no_pattern_of_a_data_file_is_a_trap() -> None:
    """Those that the texts on file never reach are read as well; texts that are no patterns do no harm."""
    texts = [text for name in DATA_FILES for text in strings(json.loads(write_data(name)))]
    patterns = {text for text in texts if "(?" in text}
    assert patterns and find_traps(patterns) == {}


@pytest.mark.parametrize(
    "evil", ["(a+)+b", "(?:a|a)*b", "(?:[a-z]+[.]?)+!", "[A-Z]{4,}[A-Z_]*!", r"[ \t]*[ \t]*x\x{3e}"]
)
def test_a_trap_is_noticed(evil: str) -> None:
    assert [*find_traps({spell_out(evil)})] == [evil]


def test_a_trap_at_the_end_of_a_text_is_noticed() -> None:
    """What matches a beginning in one way may match a whole text in many."""
    pattern = spell_out(r"(?i)`{3,}[ \t]*[^`\n]*?[ \t\r]*")
    assert find_traps({pattern}) == {}
    assert [*find_traps({to_its_end(pattern)})] == [to_its_end(pattern)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["::create @a\n<<<" + " " * 500 + "x\n", "<|a|>" * 40 + "b\n", "0.00" * 100 + "\n"],
    ids=["blanks", "tokens", "numbers"],
)
def test_one_line_does_not_keep_an_export_busy(text: str, tmp_path: Path) -> None:
    """These took 15 seconds and more: the end of a pattern hid from the search how often its beginning is tried."""
    name, code = next(iter(export("python", "v2", tolerant=True).items()))
    (tmp_path / name).write_text(code, encoding="utf-8")
    call = f"import sys, {name.removesuffix('.py')} as parser; parser.repair(sys.stdin.read())"
    subprocess.run([sys.executable, "-c", call], input=text, cwd=tmp_path, timeout=8, check=True, encoding="utf-8")


@pytest.mark.slow
def test_a_line_of_blanks_takes_linear_time(tmp_path: Path) -> None:
    """A pattern that begins with blanks was tried at each of them: 4,000 took a second."""
    name, code = next(iter(export("python", "v2", tolerant=True).items()))
    (tmp_path / name).write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", TIMES.format(module=name.removesuffix(".py")), *BEGINNINGS],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    for beginning, (few, many) in zip(BEGINNINGS, json.loads(done.stdout), strict=True):
        assert many < 5 * few + 0.1, beginning  # seconds of the processor; four times the blanks
