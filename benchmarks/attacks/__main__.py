"""Attack plan, apply and undo, and print what was tried and what was won: `python -m benchmarks.attacks`.

Exit code 0: nothing was won; 1: something was.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from . import Figures, find_attacks


def main() -> int:
    """Run the attacks that the command line names."""
    attacks = find_attacks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(attacks)} (default: all)")
    parser.add_argument("--n", type=int, help="how large each is (default: as large as by hand, some minutes each)")
    parser.add_argument("--seed", type=int, default=1, help="other draws (default 1)")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in attacks]:
        parser.error(f"there is no attack {unknown[0]!r}; there are {', '.join(attacks)}")
    won = 0
    for name in options.names or attacks:
        with tempfile.TemporaryDirectory(prefix="symops-attack-") as place:
            os.environ["XDG_STATE_HOME"] = os.path.join(place, "state")
            (Path(place) / "work").mkdir()
            begun = time.monotonic()
            figures = attacks[name].attack(options.n or attacks[name].LARGE, options.seed, Path(place) / "work")
            won += tell(name, figures, time.monotonic() - begun)
    return 1 if won else 0


def tell(name: str, figures: Figures, seconds: float) -> int:
    """Print the figures of an attack; return how often it succeeded."""
    text = "".join(f", {number:,} {key}" for key, number in figures.seen.items())
    harms = ", ".join(f"{number:,} {harm}" for harm, number in figures.harms.items())
    print(f"{name}: {figures.tried:,} tried{text} ({seconds:.0f} s)\n    {harms}")
    for example in figures.examples:
        print("    " + ascii(example))
    return sum(figures.harms.values())


if __name__ == "__main__":
    raise SystemExit(main())
