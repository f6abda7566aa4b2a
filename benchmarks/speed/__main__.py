"""Print how fast replies are read, and which goals hold: `python -m benchmarks.speed`.

Everything is processor time of one run on one machine: compare what stands in one run. Each part has a process of its
own, so that none pays for what another left in memory. Two workers want idle cores.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.numbers import counted
from symops_lark.core.ground.python_processes import process_pool

from . import formats, hostile, plot, readers, real_files, replies, runs, starts, streams
from .clock import pace
from .table import Findings, Row, show

PARTS: dict[str, Callable[[bool], Findings]] = {
    "readers": readers.measure,
    "replies": replies.measure,
    "formats": formats.measure,
    "streams": streams.measure,
    "starts": starts.measure,
    "runs": runs.measure,
    "hostile": hostile.measure,
}


def main() -> int:
    """Run the parts that are asked for and print them as they come, then the table; 1 if a goal does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART", help=f"of {', '.join(PARTS)}, with commas")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds: to try, not to quote")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write speed.txt and speed.svg there as well")
    options = parser.parse_args()
    unknown = [name for name in options.only.split(",") if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    texts: list[str] = []
    rows: list[Row] = []

    def tell(line: str) -> None:
        texts.append(line)
        print(line, flush=True)

    tell(
        f"{platform.python_implementation()} {platform.python_version()}, "
        f"{counted(len(real_files.choose()), 'file')} of its library;"
        f" 10,000 empty steps take {pace():.3g} ms here{'; quick sizes' if options.quick else ''}"
    )
    for name in options.only.split(","):
        with process_pool(1, may_fork=False) as alone:
            result = alone.submit(PARTS[name], options.quick).result()
        for line in ("", *result.lines):
            tell(line)
        rows += result.rows
        if result.rates and options.out:
            _draw(result, options.out)
    for line in ("", *show(rows)):
        tell(line)
    if options.out:
        (options.out / "speed.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return 0 if all(row.holds for row in rows) else 1


def _draw(found: Findings, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        plot.draw(found.rates, "the same files read, × json.loads", folder / "speed.svg")
    except SymOpsError as error:
        print(f"no plot: {error}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
