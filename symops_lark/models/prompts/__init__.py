"""Prompts that teach a model to write a dialect, generated from its grammar.

The folder has the texts of the prompts (`templates/`), their examples (`examples/`), the notations
of edits (`edits/`), and the linter of existing prompts (`linting/`). No module here spells a mark:
the renderer writes the examples of a prompt, so the strict parser accepts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .builder import PromptBuilder, few_shot_examples, system_prompt

__all__ = [
    "FEW_SHOT_EXAMPLES",
    "SYMOPS_SYSTEM_PROMPT",
    "SYMOPS_V2_SYSTEM_PROMPT",
    "PromptBuilder",
    "few_shot_examples",
    "system_prompt",
]

# The texts that are built on first use, from the grammars as they are then.
SYMOPS_SYSTEM_PROMPT: str
SYMOPS_V2_SYSTEM_PROMPT: str
FEW_SHOT_EXAMPLES: list[dict[str, str]]
_BUILT: dict[str, Callable[[], Any]] = {
    "SYMOPS_SYSTEM_PROMPT": system_prompt,
    "SYMOPS_V2_SYSTEM_PROMPT": lambda: system_prompt("v2"),
    "FEW_SHOT_EXAMPLES": few_shot_examples,
}


def __getattr__(name: str) -> Any:
    if name not in _BUILT:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = _BUILT[name]()
    return value
