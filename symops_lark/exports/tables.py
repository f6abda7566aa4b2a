"""Write the tables of the strict parser, for a runtime in any language."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.ground.schemas import schema
from ..core.repairs.rule import Rule
from .portable.frozen import freeze as freeze  # callers import it from here
from .portable.tables import portable_tables

SUMMARY = "the strict parser as JSON tables, for a runtime of any language"
KIND = "data"
ENGINE = "node"
TOLERANT = False


def write(
    dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None
) -> dict[str, str]:
    """Return the tables and their schema, by their names.

    Args:
        dialect: The dialect.
        tolerant: Not used: there is no tolerant form.
        rules: Not used.
    """
    tables = json.dumps(portable_tables(dialect), separators=(",", ":"))
    described = json.dumps(schema("tables"), indent=2)
    return {"tables.json": f"{tables}\n", "tables.schema.json": f"{described}\n"}
