"""Write the types of the module of an npm package that also reads the formats of other agents.

The module exports everything that the main module exports. It is separate because the tables of
the formats are large, and programs that do not need them import only the main module.
"""

from __future__ import annotations

from ...core.formats.loading import formats

OFFERED = """\
export const readFormat = (text, name = null) =>
  $outward(() => $read_format($text_of(text), name).to_dict());"""
_TYPES = """import type { Options, Result, SymopsDocument } from "./index.js";
export * from "./index.js";

/** The name of a format. */
export type FormatName = {names};
/** The formats that can be read. */
export const formats: readonly FormatName[];
/**
 * As in the main module. A reply in a format of another agent has the name of that format as its
 * dialect.
 */
export function process(text: string, options?: Options): Result<string>;
/**
 * Returns the document of a reply in the formats of other agents: calls of tools, tags,
 * search/replace blocks, patches and named fences. All of them are tried unless one is named.
 */
export function readFormat(text: string, name?: FormatName): SymopsDocument<string>;
"""


def list_names() -> str:
    """Return the names of the formats as JavaScript."""
    return ", ".join(f'"{name}"' for name in sorted(formats()))


def write_format_types() -> str:
    """Return the types of the module."""
    return _TYPES.replace("{names}", list_names().replace(", ", " | "))
