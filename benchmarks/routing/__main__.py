"""Print how long large run logs take: `python -m benchmarks.routing scale`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from .scale import measure_scale


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and print it as it comes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.routing", description=__doc__)
    parser.add_argument("what", choices=["scale"])
    parser.add_argument("--rows", default="100000,1000000", help="rows of the logs (default 100000,1000000)")
    parser.add_argument("--jobs", default="1,2", help="processes that read (default 1,2)")
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        counts, jobs = ([int(number) for number in text.split(",")] for text in (options.rows, options.jobs))
        for line in measure_scale(Path(folder), counts, jobs):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
