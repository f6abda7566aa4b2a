"""How many bytes a browser loads of an npm package: `python -m benchmarks.exports sizes`.

A strict parser is the modules that `parse` needs (or `./strict`, with streams), as a bundler joins them: without
comments, indentation and blanks around operators. Bundlers also shorten names, so theirs are smaller.
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections.abc import Mapping, Sequence

from symops_lark import dialects, export
from symops_lark.exports.javascript import tidy

# Compressed bytes that a browser may load of a package. The formats come on top of the tolerant parser.
_KB = 1024
LIMITS = {"parse": 20 * _KB, "./strict": 20 * _KB, "tolerant": 160 * _KB, "formats": 40 * _KB}
_STRICT = {"parse": "parser.js", "./strict": "strict.js"}
_IMPORTED = re.compile(r'from "\./([^"]+)"')
_LINKS = re.compile(r"^import [^;]*;\n|^export \{[^;]*;\n|/\*\*.*?\*/", re.MULTILINE | re.DOTALL)


def measure(dialect: str) -> dict[str, int]:
    """Return the compressed bytes of each part of a dialect's packages, by the names of `LIMITS`."""
    strict = export("javascript", dialect)
    sizes = {}
    for part, module in _STRICT.items():
        sizes[part] = _compress(_bundle(strict, module))
    tolerant = export("javascript", dialect, tolerant=True)
    sizes["tolerant"] = _compress(tolerant["index.js"])
    sizes["formats"] = _compress(tolerant["formats.js"]) - sizes["tolerant"]
    return sizes


def _bundle(modules: Mapping[str, str], entry: str) -> str:
    """Return a module and those that it imports, as one text."""
    needed = [entry]
    for name in needed:
        imported = _IMPORTED.findall(modules[name])
        needed += [fromkey for fromkey in dict.fromkeys(imported) if fromkey not in needed]
    return "".join(tidy(_LINKS.sub("", modules[name])) for name in reversed(needed))


def _compress(text: str) -> int:
    return len(gzip.compress(text.encode(), 9))


def main(arguments: Sequence[str]) -> int:
    """Print the sizes of each dialect; the exit code is 1 if one is above its limit."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exports sizes", description=__doc__)
    options.add_argument("--dialect", default=",".join(dialects()), help="names, with commas between")
    inputs = options.parse_args(arguments)
    print("Compressed bytes of npm packages (gzip)")
    print(f"{'dialect':16}" + "".join(f"{part:>10}" for part in LIMITS))
    code = 0
    for dialect in inputs.dialect.split(","):
        sizes = measure(dialect)
        code |= any(sizes[part] > LIMITS[part] for part in LIMITS)
        print(f"{dialect:16}" + "".join(f"{sizes[part]:10,}" for part in LIMITS), flush=True)
    print(f"{'limit':16}" + "".join(f"{limit:10,}" for limit in LIMITS.values()))
    return code
