"""Replies in formats of other agents: by name, and where no section of a dialect is found.

`formats` reads them. This module decides when it is asked, and loads it only then.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .grammar.dialect import Dialect
from .grammar.loading import dialects
from .ground.errors import GrammarError
from .ground.numbers import counted
from .result import Phase, Result, TraceStep

if TYPE_CHECKING:
    from .formats.loading import Format


def find_other(format: str | Path | Dialect, **settings: object) -> Format | None:
    """Return the format of another agent that a caller named; None for a dialect and "auto".

    Args:
        format: What the caller gave.
        **settings: Settings that only a dialect can have, by name.

    Raises:
        GrammarError: It is the file of a format, and wrong; or one of the settings is used.
    """
    # Names of dialects are the usual case, and must not load anything.
    if isinstance(format, Dialect) or format == "auto" or format in dialects():
        return None
    from .formats.loading import find_format

    agent_format = find_format(format)
    if agent_format is None:
        return None
    for name, value in settings.items():
        # Without an effect, a setting would mislead.
        if value:
            message = f"{name}: only dialects have this setting, and {agent_format.name} is none"
            raise GrammarError(f"{message}: leave it out")
    return agent_format


def refuse_other(agent_format: Format | None) -> None:
    """Refuse a format of another agent where a dialect is needed.

    Args:
        agent_format: The format; None for a dialect.

    Raises:
        GrammarError: It is a format of another agent.
    """
    if agent_format is not None:
        message = f"{agent_format.name} is a format of another agent, not a dialect"
        raise GrammarError(f"{message}: process, parse, recover and convert take it")


def read_other(result: Result, *, extract: bool, every_format: bool) -> Result:
    """Read a reply in which no section of a dialect was found.

    Args:
        result: The result of the phases before.
        extract: Whether fenced code becomes files with invented names.
        every_format: Whether the formats of other agents are tried before that.

    Returns:
        The actions that were found. If there are none, the result before, with one step more.
    """
    if every_format:
        # Imported here: a reply in a dialect needs none of it.
        from .formats.results import read_result

        from_agent = read_result(result.text, None, result.trace)
        if from_agent is not None:
            return from_agent
    if not extract:
        step = TraceStep("extracted", "skipped: it was not asked for", result.text)
        return replace(result, trace=(*result.trace, step))
    from .recovery.foreign.fenced_files import CONFIDENCE, extract_fences

    # The last resort: the names of these files are invented.
    document = extract_fences(result.text, result.document.dialect)
    if not document.actions:
        step = TraceStep("extracted", "there is no fenced block", result.text)
        return replace(result, trace=(*result.trace, step))
    outcome = counted(len(document.actions), "fenced block")
    step = TraceStep("extracted", outcome, result.text, True)
    return replace(
        result,
        phase=Phase.EXTRACTED,
        document=document,
        confidence=CONFIDENCE,
        diagnostics=document.diagnostics,
        repairs=(),
        trace=(*result.trace, step),
    )
