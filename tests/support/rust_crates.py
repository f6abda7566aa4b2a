"""Exported crates of Rust at work, where a compiler is installed: it is never fetched here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.exports._crate import find_tool

RUSTC = find_tool("rustc")
CARGO = find_tool("cargo")
_WASM = "wasm32-unknown-unknown"
needs_rustc = pytest.mark.skipif(RUSTC is None, reason="rustc is not installed")
needs_cargo = pytest.mark.skipif(CARGO is None, reason="cargo is not installed")


def find_wasm_compiler() -> str | None:
    """Return the first compiler that has the standard library for WebAssembly."""
    # Beside the compiler of rustup, which comes first on the path, there may be that of Debian.
    for compiler in (RUSTC, shutil.which("rustc", path="/usr/bin")):
        if compiler is None:
            continue
        done = run([compiler, "--print", "target-libdir", "--target", _WASM], Path.cwd())
        if done.returncode == 0 and Path(done.stdout.strip()).is_dir():
            return compiler
    return None


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=600, check=False)


WASM_RUSTC = find_wasm_compiler()
needs_wasm = pytest.mark.skipif(
    WASM_RUSTC is None,
    reason=f"rustc has no standard library for {_WASM}: `apt-get install libstd-rust-dev-wasm32`"
    f" or `rustup target add {_WASM}`",
)


def write_crate(files: dict[str, str], folder: Path) -> None:
    """Write the files of a crate."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def compile_rust(folder: Path, *arguments: str) -> None:
    """Run rustc in a folder; a warning is an error."""
    assert RUSTC is not None
    _compile(RUSTC, folder, *arguments)


def compile_wasm(folder: Path) -> Path:
    """Compile the crate in a folder to WebAssembly."""
    assert WASM_RUSTC is not None
    library = ("--crate-type", "cdylib", "--target", _WASM, "--cfg", 'feature="c"')
    _compile(WASM_RUSTC, folder, *library, "-C", "strip=symbols", "-o", "parser.wasm", "src/lib.rs")
    return folder / "parser.wasm"


def _compile(compiler: str, folder: Path, *arguments: str) -> None:
    done = run([compiler, "--edition", "2021", "-D", "warnings", *arguments], folder)
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


def compile_runner(suite: dict[str, str], crate: dict[str, str], folder: Path) -> Path:
    """Compile a crate and the runner of a conformance suite for it."""
    compile_crate(crate, folder)
    return compile_program(suite["run.rs"], folder)


def pass_cases(program: Path, cases: str) -> subprocess.CompletedProcess[str]:
    """Return the run of a conformance suite's compiled runner on cases."""
    program.with_name("cases.jsonl").write_text(cases, encoding="utf-8")
    return run([str(program), "cases.jsonl"], program.parent)
