"""Print a part of what is measured of exports: `python -m benchmarks.exports masks`."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from importlib import import_module

import benchmarks.exports


def main() -> int:
    """Run the part that the command line names, with the arguments behind it."""
    parts = [module.name for module in pkgutil.iter_modules(benchmarks.exports.__path__) if module.name[0] != "_"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exports", description=__doc__)
    parser.add_argument("part", choices=parts)
    options, remainder = parser.parse_known_args()
    return int(import_module(f"benchmarks.exports.{options.part}").main(remainder))


if __name__ == "__main__":
    sys.exit(main())
