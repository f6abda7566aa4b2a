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
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-n"):
        arguments = ["damaged", *arguments]
    if arguments[0] not in _COMMANDS:
        sys.exit(__doc__)
    _COMMANDS[arguments[0]](arguments[1:])


if __name__ == "__main__":
    main()
