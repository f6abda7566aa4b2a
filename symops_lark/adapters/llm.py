"""A plugin for `llm`, the command line of Simon Willison: `pip install 'symops-lark[llm]'`.

    llm -t symops:v2 "Write hello.py, which greets." | llm symops process

The template teaches a dialect: `symops:` alone teaches v2, and `symops:mine.lark` a custom one.
The commands are those of `symops`.
"""

from __future__ import annotations

from collections.abc import Callable
from string import Template
from typing import Any

import llm

from ..core.ground.errors import SymOpsError
from ..models.prompts import system_prompt


@llm.hookimpl
def register_template_loaders(
    register: Callable[[str, Callable[[str], llm.Template]], None],
) -> None:
    """Add the templates `symops:DIALECT`."""
    register("symops", load_template)


def load_template(format: str) -> llm.Template:
    """Return the template that teaches a dialect.

    Args:
        format: The name of a dialect, or the path of a `.lark` file; empty: v2.

    Raises:
        ValueError: There is no such dialect.
    """
    try:
        prompt = system_prompt(format or "v2")
    except SymOpsError as error:
        # The error that `llm` expects of a loader.
        raise ValueError(str(error)) from None
    # A template replaces `$name`; the doubled sign is one sign.
    sign = Template.delimiter
    return llm.Template(name=f"symops:{format}", system=prompt.replace(sign, sign + sign))


@llm.hookimpl
def register_commands(cli: Any) -> None:
    """Add `llm symops`, which is `symops`."""
    # The command line is imported only by those who use it.
    from .cli import symops_below

    cli.add_command(symops_below("llm symops"), "symops")
