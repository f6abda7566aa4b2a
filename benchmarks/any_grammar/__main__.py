"""Error correction of any grammar: three measurements.

python -m benchmarks.any_grammar damaged        # texts that are drawn and damaged at random
python -m benchmarks.any_grammar people         # texts that people broke; --out FILE writes the results
python -m benchmarks.any_grammar speed          # valid texts, against Lark alone
"""

from __future__ import annotations

import sys

from . import damaged, people, speed

_COMMANDS = {"damaged": damaged.main, "people": people.main, "speed": speed.main}


def main() -> None:
    """Run the measurement that is named first."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in _COMMANDS:
        sys.exit(__doc__)
    _COMMANDS[name](sys.argv[2:])


if __name__ == "__main__":
    main()
