"""The module of an npm package that reads the formats of other agents.

It is the reader of this package, translated, and the tables of the installed formats. It is a
module of its own, so whoever does not import it does not load it; and it is the same for every
dialect.
"""

from __future__ import annotations

from ...core.formats.loading import formats
from ..bundle.data_files import write_data
from ..bundle.format_tables import write_formats
from ..bundle.javascript import Translator
from ..bundle.kept import remember
from ..bundle.modules import Bundle
from ..bundle.shortening import shorten, shorten_helpers, shorter_names, squeeze

_ENTRY = f"{__package__.rpartition('.')[0]}.standalone.formats_entry"
_RUNTIME_FILES = ("runtime.js", "methods.js", "regex.js")
_SAME_DATA = ("discourse", "transport")
_OFFERED = (
    "export const readFormat = (text, name = null) =>\n  $outward(() => $read_format($text_of(text), name).to_dict());"
)
_TYPES = """import type { Document } from "./index.js";

/** The name of a format. */
export type FormatName = {names};
/** The formats that can be read. */
export const formats: readonly FormatName[];
/**
 * Returns the document of a reply in the formats of other agents: calls of tools, tags,
 * search/replace blocks, patches and named fences. All of them are tried unless one is named.
 */
export function readFormat(text: string, name?: FormatName): Document;
"""


def write_formats_module(head: str) -> dict[str, str]:
    """Return the module and its types.

    Args:
        head: The comment at the beginning of each file.
    """
    from . import _tidy

    code = remember(_translate)
    names = sorted(formats())
    parts = (
        *map(_tidy, _RUNTIME_FILES),
        "const $DATA = {DATA}, $read_data = (name) => $thaw($DATA[name]());",
        code,
        _tidy("footer.js"),
        _OFFERED,
        f"export const formats = Object.freeze({names});\n".replace("'", '"'),
    )
    module = shorten_helpers("\n".join(parts))
    rows = [f"{name}: () => ({write_data(name)})" for name in _SAME_DATA]
    rows.append(f"formats: () => ({write_formats()})")
    data = ", ".join(rows)
    union = " | ".join(f'"{name}"' for name in names)
    return {
        "formats.js": f"{head}\n{module.replace('{DATA}', f'{{{data}}}', 1)}",
        "formats.d.ts": f"{head}{_TYPES.replace('{names}', union)}",
    }


def _translate() -> str:
    """Return the reader as JavaScript."""
    from . import _CALLED, _RUNTIME

    statements = Bundle([(_ENTRY, "read_format")], _RUNTIME, _CALLED).statements()
    names = {**shorter_names(statements, ()), "read_format": "$read_format"}
    return shorten(squeeze(Translator(statements, names).module(statements)))
