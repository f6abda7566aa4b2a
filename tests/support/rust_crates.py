"""Exported crates of Rust at work, where a compiler is installed: it is never fetched here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.exports._crate import find_tool

RUSTC = find_tool("rustc")
CARGO = find_tool("cargo")
WASM = "wasm32-unknown-unknown"
needs_rustc = pytest.mark.skipif(RUSTC is None, reason="rustc is not installed")
needs_cargo = pytest.mark.skipif(CARGO is None, reason="cargo is not installed")


def write_crate(files: dict[str, str], folder: Path) -> None:
    """Write the files of a crate."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def compile_rust(folder: Path, *arguments: str) -> None:
    """Run rustc in a folder; a warning is an error."""
    assert RUSTC is not None
    done = run([RUSTC, "--edition", "2021", "-D", "warnings", *arguments], folder)
    assert done.returncode == 0, done.stderr


def compile_crate(files: dict[str, str], folder: Path) -> None:
    """Write and compile a crate as the library `parser`."""
    write_crate(files, folder)
    compile_rust(folder, "--crate-type", "rlib", "--crate-name", "parser", "src/lib.rs")


def compile_program(program: str, folder: Path) -> Path:
    """Compile a program beside the library `parser`."""
    (folder / "program.rs").write_text(program, encoding="utf-8")
    compile_rust(folder, "program.rs", "--extern", "parser=libparser.rlib", "-o", "program")
    return folder / "program"


def pass_cases(suite: dict[str, str], crate: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Return the run of a conformance suite's runner for a crate."""
    compile_crate(crate, folder)
    (folder / "cases.jsonl").write_text(suite["cases.jsonl"], encoding="utf-8")
    program = compile_program(suite["run.rs"], folder)
    return run([str(program), "cases.jsonl"], folder)


def has_wasm() -> bool:
    """Return whether the compiler has the standard library for WebAssembly."""
    if RUSTC is None:
        return False
    done = run([RUSTC, "--print", "target-libdir", "--target", WASM], Path.cwd())
    return done.returncode == 0 and Path(done.stdout.strip()).is_dir()


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=600, check=False)
