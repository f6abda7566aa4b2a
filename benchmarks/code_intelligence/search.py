"""How well and how fast code is found: `python -m benchmarks.code_intelligence search`.

`definitions` and `references` compare with oracles, `speed` measures indexing and answers; without one all are run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from symops_lark.code_intelligence.index import Index
from symops_lark.code_intelligence.index.languages import load_language
from symops_lark.code_intelligence.index.storage import place_of
from symops_lark.code_intelligence.index.symbols import find_uses
from symops_lark.core.ground.numbers import counted
from symops_lark.core.ground.python_processes import PythonStart, python_start
from symops_lark.models.prompts.tokens import load_counter

from . import oracles
from .oracles import Place

ROOT = Path(__file__).resolve().parent.parent.parent
_DEFINITIONS = ("code", "definitions", "SymOpsProcessor")
_PARTS = ("definitions", "references", "speed")
_SOME = 10_000  # files whose first index is measured


def run(arguments: list[str]) -> int:
    """Run what the command line asks for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence search", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(_PARTS))
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder with Python files to compare on")
    parser.add_argument(
        "--large", type=Path, help="the folder to measure on; the site-packages of this Python if not given"
    )
    parser.add_argument(
        "--n", type=int, default=40, help="names whose references are compared, of each kind (default 40)"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(f"# {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the beginning: other work may share them")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # for the command too, which is to find the same indexes
        index = Index.open(options.root, Path(folder) / "small.sqlite")
        for part in options.parts or _PARTS:
            if part == "speed":
                large = options.large or Path(import_module("pathspec").__file__ or "").parent.parent
                lines = _measure(options.root.resolve(), large.resolve(), Path(folder))
            elif part == "definitions":
                lines = compare_definitions(index, 15 * options.n, options.seed)
            else:
                lines = compare_references(index, options.n, options.seed)
            print()
            for line in lines:
                print(line, flush=True)
    return 0


def ask(index: Index, tool: str, **params: Any) -> dict[str, Any]:
    """Return what a tool answers."""
    answer: dict[str, Any] = import_module(f"symops_lark.code_intelligence.tools.{tool}").run(index, **params)
    return answer


def compare_definitions(index: Index, count: int, seed: int) -> Iterator[str]:
    """Yield precision and recall of find_definitions for drawn names that `ast` sees defined."""
    index.refresh()
    paths = [path for path in index.files if path.endswith(".py")]
    definitions = oracles.definitions(Path(index.root), paths)
    drawn = random.Random(seed).sample(sorted(definitions), min(count, len(definitions)))
    expected = {name: definitions[name] for name in drawn}
    right = found_all = wanted_all = 0
    mistakes = []
    for name, places in sorted(expected.items()):
        items = ask(index, "find_definitions", symbol=name, limit=1000)["items"]
        result = {Place(item["path"], item["line"]) for item in items if item["path"].endswith(".py")}
        right, found_all, wanted_all = right + len(result & places), found_all + len(result), wanted_all + len(places)
        mistakes += [f"{name} {place.path}:{place.line}" for place in sorted(result ^ places)]
    yield f"find_definitions, oracle ast, {counted(len(paths), 'file')}"
    yield f"{len(expected):,} of {counted(len(definitions), 'name')} with {counted(wanted_all, 'definition')}"
    yield f"precision {right / max(1, found_all):.4f}, recall {right / max(1, wanted_all):.4f}"
    yield from (f"  differs: {element}" for element in mistakes[:5])


def compare_references(index: Index, count: int, seed: int) -> Iterator[str]:
    """Yield precision and recall of find_references for drawn definitions, by how often their name is defined.

    `certain` are the items that say so, `all` those that may be uses too; `by name` is what the name alone would give.
    """
    index.refresh()
    python = [path for path in index.files if path.endswith(".py")]
    paths = [path for path in python if path.startswith("symops_lark/")] or python
    names = oracles.definitions(Path(index.root), python)
    items = [item for path in paths for item in ask(index, "get_symbols", path=path, limit=1000)["items"]]
    items = [item for item in items if not item["name"].startswith("__")]
    yield "find_references, oracle jedi (lines; the definition is none; only Python files)"
    heads = ("by name", "recall", "certain", "recall", "all", "recall")
    yield f"{'definitions':42}{'n':>5}{'lines':>7}" + "".join(f"{head:>9}" for head in heads)
    draw = random.Random(seed)
    for kinds in (("class", "function"), ("method",)):
        for title, is_kind in (("defined once", True), ("defined several times", False)):
            rows = [item for item in items if (len(names.get(item["name"], ())) == 1) is is_kind]
            rows = [item for item in rows if item["kind"] in kinds]
            yield _compare(index, f"{' '.join(kinds)}, {title}", draw.sample(rows, min(count, len(rows))))


def _compare(index: Index, title: str, items: list[dict[str, Any]]) -> str:
    compared = wanted_all = 0
    right, result = Counter[str](), Counter[str]()
    for item in items:
        expected = oracles.references(Path(index.root), item["path"], item["line"], item["column"] - 1)
        if expected is None:
            continue
        here = Place(item["path"], item["line"])
        expected -= {here}
        compared, wanted_all = compared + 1, wanted_all + len(expected)
        for way, places in _uses(index, item).items():
            result[way] += len(places - {here})
            right[way] += len(places & expected)
    figures = "".join(
        f"{right[way] / max(1, result[way]):>9.3f}{right[way] / max(1, wanted_all):>9.3f}"
        for way in ("by name", "certain", "all")
    )
    return f"{title:42}{compared:>5}{wanted_all:>7}{figures}"


def _uses(index: Index, item: dict[str, Any]) -> dict[str, set[Place]]:
    at = f"{item['path']}:{item['line']}"
    answer = ask(index, "find_references", symbol=item["name"], limit=1000, definition=at)["items"]
    uses = [
        (Place(element["path"], element["line"]), element["certain"])
        for element in answer
        if element["path"].endswith(".py")
    ]
    by_name = _uses_by_name(index, item["name"])
    return {
        "by name": by_name,
        "certain": {place for place, certain in uses if certain},
        "all": {place for place, _ in uses},
    }


def _uses_by_name(index: Index, name: str) -> set[Place]:
    """Return where a name is an identifier of Python, whatever it means."""
    parser = getattr(load_language("python"), "parser")  # noqa: B009  (it is installed, or nothing would be compared)
    results = set()
    for path in index.files:
        data = (index.data(path) or b"") if path.endswith(".py") else b""
        if name.encode() in data:
            results |= {Place(path, use.line) for use in find_uses(data, name, parser.parse(data).root_node)}
    return results


def _measure(root: Path, large: Path, folder: Path) -> Iterator[str]:
    some = _copy(large, folder / "some", _SOME)
    for title, place in (("this repository", root), (f"{_SOME:,} of site-packages", some), ("site-packages", large)):
        index = Index.open(place)
        [(took, busy)] = _repeat(index.refresh, 1)
        total = sum(not file.left_out for file in index.files.values())
        yield f"{title}: first index of {counted(len(index.files), 'file')} ({total:,} read) in {took / 1000:.1f} s"
        yield f"  {busy / 1000:.1f} s of processors"
        size = sum(path.stat().st_size for path in folder.rglob(f"{Path(place_of(index.root) or '').name}*"))
        yield f"  database {size / 1e6:.0f} MB; nothing changed: {_tell(_repeat(index.refresh, 20))}"
        if place == some:
            changes = [_change(index, some, number) for number in range(10)]
            times = [row for rows in changes for row in rows]
            yield f"  a file that was changed is seen at the next call: {_tell(times)}"
        yield from _answers(index, 100 if place == root else 10)
        index.close()
        start = python_start("-m", "symops_lark", *_DEFINITIONS, "--root", os.path.abspath(place))
        run_command = partial(_run, start, folder / "bytecode")
        run_command()
        message = _tell(_repeat(run_command, 10))
        yield f"  whole command, warm: symops code definitions SymOpsProcessor: {message}"


def _answers(index: Index, count: int) -> Iterator[str]:
    """Yield for each tool how long its answers take, and how large they are, in bytes and tokens."""
    counter = load_counter()
    heads = ("CPU p50", "p50 ms", "p95 ms", "bytes p50", "max", "tokens p50", "max")
    yield f"  {'tool':32}{'answers':>8}" + "".join(f"{head:>11}" for head in heads) + f"  ({counter.name})"
    for name, calls in _calls(index, count).items():
        times, used, sizes, tokens = [], [], [], []
        for tool, params in calls * (3 if len(calls) < 4 else 1):
            begun, busy = time.perf_counter(), time.process_time()
            answer = ask(index, tool, **params)
            used.append((time.process_time() - busy) * 1000)
            times.append((time.perf_counter() - begun) * 1000)
            text = json.dumps(answer, ensure_ascii=False)
            sizes.append(len(text.encode("utf-8", "replace")))
            tokens.append(counter.count(text))
        row = f"{statistics.median(used):>11.1f}{statistics.median(times):>11.1f}"
        row += f"{sorted(times)[int(len(times) * 0.95)]:>11.1f}"
        row += "".join(f"{statistics.median(item):>11.0f}{max(item):>11}" for item in (sizes, tokens))
        yield f"  {name:32}{len(times):>8}{row}"


def _copy(large: Path, folder: Path, count: int) -> Path:
    """Return a folder with so many files of another one, drawn, which may be changed."""
    paths = [path for path in sorted(large.rglob("*")) if path.is_file() and not path.is_symlink()]
    paths = [path for path in paths if "__pycache__" not in path.parts]
    for path in random.Random(1).sample(paths, min(count, len(paths))):
        target = folder / path.relative_to(large)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return folder


def _change(index: Index, root: Path, number: int) -> list[tuple[float, float]]:
    """Return how long the answer takes that must name what was written just before; end the program if it does not."""
    paths = [path for path, file in index.files.items() if file.language == "python"]
    path, name = paths[number * len(paths) // 10], f"name_of_change_{number}"
    with open(root / path, "a", encoding="utf-8") as file:
        file.write(f"\n\ndef {name}(): pass\n")
    definitions: list[Any] = []
    took = _repeat(lambda: definitions.extend(ask(index, "find_definitions", symbol=name)["items"]), 1)
    if [item["path"] for item in definitions] != [path]:
        raise SystemExit(f"{path} was changed, and {name} is not found there: {definitions}")
    return took


def _run(start: PythonStart, bytecode: Path) -> None:
    """Run a command as one that is installed, whose modules are compiled before."""
    table = {name: value for name, value in start.environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    table |= {"PYTHONPYCACHEPREFIX": str(bytecode)}
    done = subprocess.run(start.command, capture_output=True, check=False, cwd=start.folder, text=True, env=table)
    if done.returncode > 1:  # 1: it is not defined there
        raise SystemExit(done.stderr)


def _repeat(act: Callable[[], object], times: int) -> list[tuple[float, float]]:
    """Return the milliseconds that each time took, and those of processors, of programs that it ran too."""
    took = []
    for _ in range(times):
        start, used = time.perf_counter(), sum(os.times()[:4])
        act()
        took.append(((time.perf_counter() - start) * 1000, (sum(os.times()[:4]) - used) * 1000))
    return took


def _tell(took: list[tuple[float, float]]) -> str:
    wall = sorted(item for item, _ in took)
    busy = sum(element for _, element in took) / len(took)
    return f"p50 {statistics.median(wall):.1f} ms, p95 {wall[int(len(wall) * 0.95)]:.1f} ms; CPU, mean {busy:.0f} ms"


def _calls(index: Index, count: int) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return what each tool is asked: names and paths drawn from the index itself."""
    draw = random.Random(1)
    with index.reading() as database:
        names = [row[0] for row in database.execute("SELECT DISTINCT name FROM symbols ORDER BY name")]
    names = draw.sample(names, min(count, len(names)))
    paths = draw.sample([path for path, file in index.files.items() if file.language], count)
    words = [" ".join(draw.sample(names, 2)) for _ in range(count)]
    return {
        "find_definitions SymOpsProcessor": [("find_definitions", {"symbol": "SymOpsProcessor"})],
        "find_definitions": [("find_definitions", {"symbol": name}) for name in names],
        "find_references": [("find_references", {"symbol": name}) for name in names],
        "query": [("query", {"text": text}) for text in words],
        "semantic_search": [("semantic_search", {"query": text}) for text in words],
        "get_symbols": [("get_symbols", {"path": path}) for path in paths],
        "get_function_at_line": [("get_function_at_line", {"path": path, "line": 1}) for path in paths],
        "search_files": [("search_files", {"pattern": "*.py"}), ("search_files", {"pattern": "test"})],
        "analyze_structure": [("analyze_structure", {})],
        "search_text, one word": [("search_text", {"patterns": [name]}) for name in names[: count // 5]],
        "search_text, three patterns": [
            ("search_text", {"patterns": [rf"\b{a}\b", rf"{b}\(", rf"class \w+{c}"], "regex": True})
            for a, b, c in (draw.sample([name for name in names if name.isidentifier()], 3) for _ in range(count // 5))
        ],
        "search_text without ripgrep": [("search_text", {"patterns": [name], "engine": "re2"}) for name in names[:3]],
    }
