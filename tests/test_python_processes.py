"""Processes that the package starts import nothing from the working folder, and find the package itself."""

from __future__ import annotations

import ast
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from poisoned import PACKAGE, PoisonedFolder

from benchmarks.routing.scale import write_log
from symops_lark.code_intelligence.index.workers import FEW
from symops_lark.core.ground.program_search import find_program
from symops_lark.core.ground.python_processes import process_pool, python_start, safe_environment

ROOT = Path(__file__).resolve().parent.parent
WORKERS = "symops_lark.code_intelligence.index.workers"


@pytest.fixture
def poisoned(tmp_path: Path) -> PoisonedFolder:
    return PoisonedFolder(tmp_path, files=FEW + 1)


def write_script(folder: PoisonedFolder, text: str) -> list[str]:
    """Write a program that lies elsewhere than in the folder, as installed programs do."""
    path = folder.marks.parent / "bin" / "program.py"
    path.write_text(text, encoding="utf-8")
    return [str(path)]


# ---- commands


def test_the_marks_are_left_where_the_folder_is_searched(poisoned: PoisonedFolder) -> None:
    """The check of this file can fail: Python itself is started in the folder in the old way."""
    done = poisoned.run(["-c", "import pickle, json, symops_lark"])
    assert done.returncode == 0, done.stderr
    assert {"pickle", "json", PACKAGE} <= set(poisoned.imported())


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("code", "definitions", "feature_007"),
        ("code", "query", "feature_007"),
        ("code", "text", "feature_007"),
        ("code", "references", "feature_007"),
        ("code", "symbols", "feature_007.py"),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_looking_into_a_repository_runs_none_of_its_code(poisoned: PoisonedFolder, arguments: tuple[str, ...]) -> None:
    done = poisoned.symops(*arguments)
    assert poisoned.imported() == []
    assert "feature_007" in done.stdout, done.stderr
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.slow
def test_a_server_of_tools_runs_none_of_it(poisoned: PoisonedFolder) -> None:
    """The server answers a search, for which the index is made."""
    client = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    with poisoned.start([str(poisoned.script), "serve"]) as server:

        def ask(method: str, **parameters: object) -> dict[str, Any]:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}) + "\n")
            server.stdin.flush()
            result: dict[str, Any] = json.loads(server.stdout.readline())["result"]
            return result

        ask("initialize", **client)
        begun = ask("tools/call", name="start_session", arguments={"query": "Where is feature_007?", "format": "json"})
        session = begun["structuredContent"]["session_id"]
        answer = ask("tools/call", name="query", arguments={"session_id": session, "text": "feature_007"})
        assert server.stdin is not None
        server.stdin.close()
    assert poisoned.imported() == []
    assert "feature_007.py" in json.dumps(answer)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_a_benchmark_runs_none_of_it(poisoned: PoisonedFolder, engine: str) -> None:
    log = poisoned.marks.parent / "run.jsonl"
    options = ("-f", "v2", "-n", "2", "-j", "2", "--engine", engine, "--out", str(log), "--quiet")
    done = poisoned.symops("bench", "run", *options)
    assert poisoned.imported() == []
    assert done.returncode == 0, done.stderr
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1 + 2 * 45


@pytest.mark.slow
def test_a_log_that_is_read_by_processes_runs_none_of_it(poisoned: PoisonedFolder) -> None:
    log = poisoned.marks.parent / "log.jsonl"
    write_log(log, 40_000)
    assert log.stat().st_size > 2 * (8 << 20), "large enough for two processes"
    done = poisoned.symops("route", "log", "verify", str(log), "--jobs", "2", "--json")
    assert poisoned.imported() == []
    assert json.loads(done.stdout)["rows"] == 40_000, done.stderr


@pytest.mark.slow
def test_the_server_of_a_local_model_runs_none_of_it(poisoned: PoisonedFolder) -> None:
    script = write_script(
        poisoned,
        "from symops_lark.lab.benchmark.sources.local_model import LocalServer\nprint(LocalServer(0).address)\n",
    )
    done = poisoned.run(script)
    assert poisoned.imported() == []
    assert done.stdout.startswith("http://127.0.0.1:"), done.stderr


@pytest.mark.slow
def test_a_pool_that_does_not_fork_runs_none_of_it(poisoned: PoisonedFolder) -> None:
    """Also in a program with threads, and one by one: as on systems that cannot fork."""
    script = write_script(
        poisoned,
        "import math, threading\n"
        "from symops_lark.core.ground.python_processes import process_pool\n"
        "if __name__ == '__main__':\n"
        "    waiting = threading.Event()\n"
        "    threading.Thread(target=waiting.wait, daemon=True).start()\n"
        "    with process_pool(2) as pool:\n"
        "        print(list(pool.map(math.sqrt, [1, 4, 9, 16])))\n",
    )
    done = poisoned.run(script)
    assert poisoned.imported() == []
    assert done.stdout == "[1.0, 2.0, 3.0, 4.0]\n", done.stderr


@pytest.mark.slow
def test_the_module_leaves_the_working_folder(poisoned: PoisonedFolder) -> None:
    """`python -m` looks into the working folder first: no more than what Python needs to begin comes from there."""
    poisoned.keep("pickle", "json", "sitecustomize", "click", "subprocess", "struct")
    done = poisoned.run(["-m", "symops_lark", "code", "definitions", "feature_007"])
    assert "feature_007.py" in done.stdout, done.stderr
    assert poisoned.imported() == []


# ---- the start


def test_a_started_process_reads_what_it_is_asked(poisoned: PoisonedFolder) -> None:
    """Without this a worker that ends at once would be noticed by nobody: its files are read by the caller."""
    start = python_start("-m", WORKERS, str(poisoned.folder))
    done = subprocess.run(
        start.command,
        input=pickle.dumps(["feature_001.py"]),
        env=start.environment,
        cwd=start.folder,
        capture_output=True,
        check=False,
    )
    [reading] = pickle.loads(done.stdout)
    assert reading.path == "feature_001.py", done.stderr


@pytest.mark.parametrize("entry", [".", "", "lib", f"lib{os.pathsep}."])
def test_relative_entries_of_the_path_are_dropped(entry: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((entry, str(tmp_path))))
    start = python_start("-c", "pass")
    assert start.environment["PYTHONPATH"].split(os.pathsep) == [str(ROOT), str(tmp_path)]
    assert start.command[:2] == [sys.executable, "-P"]
    assert start.folder == str(ROOT)


def test_a_package_that_was_found_by_a_relative_path_is_found_again(tmp_path: Path) -> None:
    """In a bare checkout `PYTHONPATH=.` is how the package is found."""
    code = (
        "import subprocess\nfrom symops_lark.core.ground.python_processes import python_start\n"
        "start = python_start('-c', 'import symops_lark; print(symops_lark.__file__)')\n"
        f"subprocess.run(start.command, env=start.environment, cwd={str(tmp_path)!r}, check=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONPATH": "."}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == str(ROOT / "symops_lark" / "__init__.py"), done.stderr


@pytest.mark.parametrize("flags", [["-E"], ["-E", "-s"], ["-I"]])
def test_what_python_was_told_to_ignore_does_not_reach_its_processes(flags: list[str], tmp_path: Path) -> None:
    code = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from symops_lark.core.ground.python_processes import python_start\n"
        "start = python_start('-c', '')\nprint(*start.command[2:-2], start.environment.get('PYTHONSTARTUP'))\n"
        "print(start.environment['PYTHONPATH'])\n"
    )
    polluted = {**os.environ, "PYTHONSTARTUP": "x.py", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, *flags, "-c", code], env=polluted, capture_output=True, text=True, check=False
    )
    user_site = "-s " if "-s" in flags or "-I" in flags else ""
    assert done.stdout == f"{user_site}None\n{ROOT}\n", done.stderr


def test_the_environment_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}/elsewhere")
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    before = dict(os.environ)
    with safe_environment():
        with safe_environment():
            assert os.environ["PYTHONSAFEPATH"] == "1"
        assert os.environ["PYTHONPATH"] == f"{ROOT}{os.pathsep}/elsewhere", "one of two has ended"
    assert dict(os.environ) == before
    with pytest.raises(ZeroDivisionError), safe_environment():
        raise ZeroDivisionError
    assert dict(os.environ) == before


def test_threads_that_start_pools_put_the_environment_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ".")
    before = dict(os.environ)
    together = threading.Barrier(8)

    def hold() -> None:
        together.wait(20)
        for _ in range(200):
            with safe_environment():
                assert os.environ["PYTHONSAFEPATH"] == "1"

    threads = [threading.Thread(target=hold) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(os.environ) == before


@pytest.mark.slow
def test_a_python_that_ignores_the_environment_starts_no_pool() -> None:
    code = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from symops_lark import SymOpsError\nfrom symops_lark.core.ground.python_processes import process_pool\n"
        "try:\n    process_pool(1, may_fork=False)\nexcept SymOpsError as error:\n    print(error)\n"
    )
    stdouts = [
        subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False).stdout
        for flags in (["-E"], ["-E", "-P"], ["-I"])
    ]
    assert "--jobs 1" in stdouts[0] and stdouts[1:] == ["", ""]


@pytest.mark.slow
def test_a_pool_raises_what_its_work_raises() -> None:
    with process_pool(1, may_fork=False) as pool, pytest.raises(ValueError, match="invalid literal"):
        pool.submit(int, "x").result()


# ---- programs


def test_a_program_of_the_working_folder_is_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    for folder in ("here", "there"):
        (tmp_path / folder / "rg").write_text("#!/bin/sh\n")
        (tmp_path / folder / "rg").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    for relative in (".", "", f".{os.pathsep}"):
        monkeypatch.setenv("PATH", relative)
        assert find_program("rg") is None
        monkeypatch.setenv("PATH", os.pathsep.join((relative, str(tmp_path / "there"))))
        assert find_program("rg") == str(tmp_path / "there" / "rg")


# ---- the architecture

_STARTS = {"executable", "get_context", "set_start_method", "ProcessPoolExecutor", "LocalCluster", "Process", "Pool"}
_EXEMPT = {
    "symops_lark/core/ground/python_processes.py": "the one module that starts Python",
    "symops_lark/routing/programs.py": "a command of a person, in the sandbox, in a folder of its own",
}


def _calls(tree: ast.AST, *, safe: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the uses of what starts an interpreter, but for those within `safe_environment`."""
    if isinstance(tree, ast.With):
        safe = safe or any("safe_environment" in ast.unparse(item) for item in tree.items)
    if isinstance(tree, ast.Attribute) and ast.unparse(tree) == "sys.executable":
        yield tree.lineno, "sys.executable"
    if isinstance(tree, ast.Call):
        name = ast.unparse(tree.func).rpartition(".")[2]
        if name in _STARTS and not safe:
            yield tree.lineno, name
    body = list(ast.iter_child_nodes(tree))
    for child in body:
        # `stack.enter_context(safe_environment())` holds for the statements after it.
        if isinstance(child, ast.Expr) and "enter_context(safe_environment())" in ast.unparse(child):
            safe = True
        yield from _calls(child, safe=safe)


def test_the_check_of_the_architecture_finds_each_way() -> None:
    unsafe = (
        "subprocess.run([sys.executable, '-m', 'x'])",
        "ProcessPoolExecutor(2)",
        "concurrent.futures.ProcessPoolExecutor(2)",
        "multiprocessing.get_context('spawn')",
        "distributed.LocalCluster(n_workers=2)",
        "multiprocessing.Process(target=f)",
        "with other():\n    LocalCluster()",
    )
    assert all(list(_calls(ast.parse(code))) for code in unsafe)
    assert not list(_calls(ast.parse("with safe_environment():\n    LocalCluster()")))
    assert not list(_calls(ast.parse("stack.enter_context(safe_environment())\nLocalCluster()")))
    assert list(_calls(ast.parse("def f():\n    stack.enter_context(safe_environment())\nLocalCluster()")))


@pytest.mark.slow
def test_every_start_of_python_goes_through_the_one_module() -> None:
    paths = [path for room in ("symops_lark", "benchmarks") for path in sorted((ROOT / room).rglob("*.py"))]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    assert len(texts) > 300
    table = {name: text for name, text in texts.items() if any(start in text for start in _STARTS)}
    by_key = {name: list(_calls(ast.parse(text))) for name, text in table.items()}
    assert {name: calls for name, calls in by_key.items() if calls and name not in _EXEMPT} == {}
    assert set(_EXEMPT) == {name for name, calls in by_key.items() if calls and name in _EXEMPT}
