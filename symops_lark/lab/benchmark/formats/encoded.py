"""JSON, YAML and Markdown as a careful user reads them: exactly, else by a tolerant library."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from ....core.ground.errors import SymOpsError
from ...baselines import BASELINES
from .foreign import Foreign
from .layouts import lay_out

_TEACHING = Path(__file__).parent / "teaching"
_CLOSING_FENCE = re.compile(r"^ {0,3}`{3,}[ \t\r]*$", re.MULTILINE)


# By format: the module that reads it, the name of its library, and the function whose opinion on
# a text counts. Every text is Markdown.
_READERS = {
    "json": ("json_repair", "json-repair", "json.loads"),
    "yaml": ("yaml", "PyYAML", "yaml.safe_load"),
    "markdown": ("markdown_it", "markdown-it-py", ""),
}


def _make(name: str) -> Foreign:
    module, library, judge = _READERS[name]
    if find_spec(module) is None:
        raise SymOpsError(
            f"the format {name} needs the library {library}: pip install 'symops-lark[baselines]'"
        )
    # Imported with the first use of `BASELINES`, so not before the library is known to exist.
    baseline = BASELINES[name]
    return Foreign(
        name,
        (_TEACHING / f"{name}.md").read_text(encoding="utf-8"),
        baseline.encode,
        partial(lay_out, name),
        {"strict": baseline.parse, "repaired": baseline.decode},
        partial(_collides, name),
        (library,),
        judge=judge,
    )


def _collides(name: str, content: str) -> bool:
    # Contents of JSON and YAML are escaped or indented: none of their lines is a delimiter.
    return name == "markdown" and _CLOSING_FENCE.search(content) is not None


FORMATS: dict[str, Callable[[], Foreign]] = {name: partial(_make, name) for name in _READERS}
