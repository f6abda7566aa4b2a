"""Put the MCP server under instruments of others, and under load: `python -m benchmarks.mcp inspect|conformance|load`.

The exit code is 1 if anything was not as it must be, and 3 if an instrument could not be had, which says why.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from ._node_tools import Unavailable
from .conformance import conform
from .inspection import inspect
from .load import Load


def main() -> int:
    """Run what the command line asks for and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mcp", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("inspect", help="the official inspector, strictly")
    commands.add_parser("conformance", help="the generic scenarios of the conformance suite")
    load = commands.add_parser("load", help="many clients at once, and a kill in the middle")
    load.add_argument("--clients", type=int, default=50)
    load.add_argument("--calls", type=int, default=10_000)
    options = parser.parse_args()
    runs: dict[str, Callable[[], Iterator[tuple[str, bool]]]] = {
        "inspect": inspect,
        "conformance": conform,
        "load": lambda: Load(options.clients, options.calls).run(),
    }
    code = 0
    try:
        for line, well in runs[options.command]():
            print(line if line.startswith("#") else f"{'ok' if well else 'WRONG':6}{line}", flush=True)
            code = code if well else 1
    except Unavailable as error:
        print(f"skipped: {error}")
        return 3
    return code


if __name__ == "__main__":
    raise SystemExit(main())
