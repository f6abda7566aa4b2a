"""Exported JavaScript and hostile texts: steps and time a line in node, at several sizes of each shape.

Steps are the parts of the module's code that V8 says it has run (its coverage counts them): they do not depend on the
machine. What happens inside a regular expression is none: for that there is the time, and the test of patterns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.speed.shapes import BEGINNINGS, LONG, REPEATED
from symops_lark import export

from ._parsers import node

_MEASURE = """
import inspector from "node:inspector";
import fs from "node:fs";
const [path, wanted] = process.argv.slice(2);
const session = new inspector.Session();
session.connect();
const ask = (method, options) => {
  let said;
  session.post(method, options, (error, result) => { if (error) throw new Error(error.message); said = result; });
  return said;
};
const { shapes, sizes, counted } = JSON.parse(fs.readFileSync(wanted, "utf8"));
if (counted) {
  ask("Profiler.enable");
  ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
}
const parser = await import(path);
const ran = () => ask("Profiler.takePreciseCoverage").result.filter((each) => each.url === path)
  .flatMap((each) => each.functions).flatMap((each) => each.ranges).reduce((sum, range) => sum + range.count, 0);
const read = (text) => {
  if (counted) ran();
  const began = performance.now();
  try { parser.process(text); } catch (error) { if (!(error instanceof parser.ProtocolError)) throw error; }
  return counted ? ran() : 1000 * (performance.now() - began);
};
for (const [before, piece, behind] of shapes) {
  read(before + piece + behind);
  console.log(JSON.stringify(sizes.map((size) => read(before + piece.repeat(size) + behind))));
}
"""
Shape = tuple[str, str, str]  # what stands before, what is repeated, what stands behind
LINES: Mapping[str, Shape] = {name: ("", piece, "") for name, piece in REPEATED.items()}
LONG_LINES: Mapping[str, Shape] = {
    f"{beginning}{name}": (beginning, piece, "\n>> x\n") for beginning in BEGINNINGS for name, piece in LONG.items()
}


def measure(dialect: str, shapes: Sequence[Shape], sizes: Sequence[int], *, counted: bool) -> list[list[float]]:
    """Return for each shape what texts of so many pieces take: steps if they are counted, else microseconds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in export("javascript", dialect, tolerant=True).items():
            (folder / file).write_text(text, encoding="utf-8")
        expected = {"shapes": shapes, "sizes": sizes, "counted": counted}
        (folder / "wanted.json").write_text(json.dumps(expected), encoding="utf-8")
        (folder / "measure.mjs").write_text(_MEASURE, encoding="utf-8")
        module = (folder / "index.js").resolve().as_uri()
        command = [node(), str(folder / "measure.mjs"), module, str(folder / "wanted.json")]
        output = subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    return [json.loads(line) for line in output.splitlines()]


def main(arguments: Sequence[str]) -> int:
    """Print what each shape takes a piece at each size, and how much more at the largest than at the one before."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports hostile", description=__doc__)
    options.add_argument("--dialect", default="v2", help="names, with commas between")
    options.add_argument("--sizes", default="250,1000,4000", help="pieces, with commas between")
    options.add_argument("--long", action="store_true", help="long lines instead of many")
    options.add_argument("--above", type=float, default=0.0, help="only shapes whose ratio is above this")
    inputs = options.parse_args(arguments)
    sizes = [int(size) for size in inputs.sizes.split(",")]
    shapes = LONG_LINES if inputs.long else LINES
    print("Exported JavaScript in node: steps and microseconds a piece; ratio: of the two largest sizes, 1.0 is linear")
    print(f"{'dialect':8} {'shape':32} {'pieces':>18} {'steps':>24} {'ratio':>6} {'µs':>24} {'ratio':>6}")
    for dialect in inputs.dialect.split(","):
        steps = measure(dialect, [*shapes.values()], sizes, counted=True)
        times = measure(dialect, [*shapes.values()], sizes, counted=False)
        for name, *rows in zip(shapes, steps, times, strict=True):
            outputs = []
            ratios = []
            for row in rows:
                items = [value / size for value, size in zip(row, sizes, strict=True)]
                ratios.append(items[-1] / items[-2])
                outputs.append(f"{' '.join(f'{value:.1f}' for value in items):>24} {ratios[-1]:6.2f}")
            if max(ratios) > inputs.above:
                print(f"{dialect:8} {name!r:32} {inputs.sizes:>18} {' '.join(outputs)}", flush=True)
    return 0
