"""The exported crate of Rust at work: built with optimizations, where cargo is installed, and timed."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from symops_lark import export
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.rust import crate_name

# `clock` of C counts microseconds of the processor, as node does; Rust itself only has wall clocks.
# Before each text there is a line with its size in bytes.
_PROGRAM = """
use std::os::raw::c_long;
extern "C" {
    fn clock() -> c_long;
}

fn main() {
    let rows = std::fs::read_to_string("rows.txt").unwrap();
    let mut at = 0;
    while at < rows.len() {
        let start = at + rows[at..].find('\\n').unwrap() + 1;
        let size: usize = rows[at..start - 1].parse().unwrap();
        at = start + size;
        let text = &rows[start..at];
        let began = unsafe { clock() };
        let sections = LIBRARY::parse(text);
        let ended = unsafe { clock() };
        drop(sections);
        println!("{} {}", ended - began, LIBRARY::to_json(text));
    }
}
"""
# Where rustup installs them, which not every shell has on its path.
_TOOLS = Path.home() / ".cargo" / "bin"


def find_tool(name: str) -> str | None:
    """Return the path of `cargo` or `rustc`, if it is installed: it is never fetched here."""
    return shutil.which(name) or shutil.which(name, path=str(_TOOLS))


class Crate:
    """The crate of a dialect, built in a folder."""

    def __init__(self, cargo: str, dialect: str, folder: Path) -> None:
        """Write and build the crate.

        Args:
            cargo: The path of cargo.
            dialect: The name of the dialect.
            folder: An empty folder.
        """
        self._folder = folder
        program = _PROGRAM.replace("LIBRARY", crate_name(load_grammar(dialect)))
        for name, text in {**export("rust", dialect), "examples/times.rs": program}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [cargo, "build", "--release", "--offline", "--quiet", "--example", "times"]
        subprocess.run(command, cwd=folder, check=True)

    def time(self, texts: Sequence[str], documents: Sequence[str]) -> list[float]:
        """Parse texts one after another, in a new process.

        Args:
            texts: The texts.
            documents: Their documents, in JSON.

        Returns:
            Milliseconds of the processor for each text.

        Raises:
            ValueError: The crate gives another document.
        """
        with (self._folder / "rows.txt").open("wb") as file:
            for text in texts:
                encoded = text.encode()
                file.write(b"%d\n" % len(encoded) + encoded)
        command = [str(self._folder / "target" / "release" / "examples" / "times")]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, check=True, encoding="utf-8")
        times = []
        for line, document in zip(done.stdout.splitlines(), documents, strict=True):
            ticks, answer = line.split(" ", 1)
            if json.loads(answer).get("document") != json.loads(document):
                raise ValueError(f"the crate of Rust gives another document: expected {document[:80]}")
            times.append(int(ticks) / 1000)
        return times
