"""Check that a tag may be released: `python tools/check_release.py v0.9.0`.

The tag names the version of the package, and the changelog has a dated heading for it and nothing
unreleased above.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_VERSION = re.compile(r'__version__ = "([^"]+)"')


def find_problems(tag: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what is wrong with a release, one sentence each.

    Args:
        tag: The tag, such as "v0.9.0".
        root: The checkout.
    """
    file = root / "symops_lark" / "core" / "ground" / "version.py"
    version = _VERSION.search(file.read_text(encoding="utf-8"))
    number = version[1] if version else ""
    if tag != f"v{number}":
        yield f"{file.relative_to(root)}: the version is {number}, and the tag is {tag}"
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## \[{re.escape(tag.removeprefix('v'))}\] - \d{{4}}-\d\d-\d\d$"
    if not re.search(heading, changelog, re.MULTILINE):
        yield f"CHANGELOG.md: expected a heading `## [{tag.removeprefix('v')}] - YYYY-MM-DD`"
    # Entries that were added after the release was cut would be announced by nobody.
    unreleased = re.search(
        r"^## \[Unreleased\]\n(.*?)(?=^## )", changelog, re.MULTILINE | re.DOTALL
    )
    if unreleased and unreleased[1].strip():
        yield "CHANGELOG.md: move the entries below `## [Unreleased]` to the release"


def main(arguments: list[str]) -> int:
    """Print the problems; return the exit code."""
    if len(arguments) != 1:
        print("usage: python tools/check_release.py TAG", file=sys.stderr)
        return 2
    problems = list(find_problems(arguments[0]))
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
