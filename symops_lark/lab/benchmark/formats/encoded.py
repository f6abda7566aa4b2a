"""JSON, YAML and Markdown as a careful user would use them: read exactly, else by a tolerant library."""

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

FOLDER = Path(__file__).parent / "teaching"
_READERS = {  # the module that reads a format, how it is installed, and what judges a text: every text is Markdown
    "json": ("json_repair", "json-repair", "json.loads"),
    "yaml": ("yaml", "PyYAML", "yaml.safe_load"),
    "markdown": ("markdown_it", "markdown-it-py", ""),
}
_CLOSING_FENCE = re.compile(r"^ {0,3}`{3,}[ \t\r]*$", re.MULTILINE)


def _make(name: str) -> Foreign:
    module, library, judge = _READERS[name]
    if find_spec(module) is None:
        raise SymOpsError(f"the format {name} needs the library {library}: pip install 'symops-lark[baselines]'")
    baseline = BASELINES[name]
    return Foreign(
        name,
        (FOLDER / f"{name}.md").read_text(encoding="utf-8"),
        baseline.encode,
        partial(lay_out, name),
        {"strict": baseline.parse, "repaired": baseline.decode},
        # Contents of the others are escaped or indented: none of their lines is a delimiter.
        lambda content: name == "markdown" and _CLOSING_FENCE.search(content) is not None,
        (library,),
        judge=judge,
    )


FORMATS: dict[str, Callable[[], Foreign]] = {name: partial(_make, name) for name in _READERS}
