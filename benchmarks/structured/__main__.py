"""Print a part of what is measured of JSON out of models: `python -m benchmarks.structured local`."""

from __future__ import annotations

import argparse
import pkgutil
import sys
from importlib import import_module

import benchmarks.structured


def main() -> int:
    """Run the part that the command line names, with the arguments behind it."""
    parts = [module.name for module in pkgutil.iter_modules(benchmarks.structured.__path__) if module.name[0] != "_"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structured", description=__doc__)
    parser.add_argument("part", choices=parts)
    options, rest = parser.parse_known_args()
    return int(import_module(f"benchmarks.structured.{options.part}").main(rest))


if __name__ == "__main__":
    sys.exit(main())
