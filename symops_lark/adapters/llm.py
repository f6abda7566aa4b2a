"""A plugin for `llm`, the command line of Simon Willison: `pip install 'symops-lark[llm]'`.

    llm -t symops:v2 "Write hello.py, which greets." | llm symops process

The template teaches a dialect (`symops:` alone: v2; a path to a `.lark` file: one of your own). The commands are those
of `symops`.
"""

from __future__ import annotations

from collections.abc import Callable
from string import Template
from typing import Any

import llm

from ..core.ground.errors import SymOpsError
from ..models.prompts import system_prompt


@llm.hookimpl
def register_template_loaders(register: Callable[[str, Callable[[str], llm.Template]], None]) -> None:
    """Add the templates `symops:DIALECT`."""
    register("symops", load_template)


def load_template(format: str) -> llm.Template:
    """Return the template that teaches a dialect, by its name or file; raise `ValueError` if there is none."""
    try:
        taught = system_prompt(format or "v2")
    except SymOpsError as error:
        raise ValueError(str(error)) from None
    sign = Template.delimiter  # of variables in templates: doubled it stands for itself
    return llm.Template(name=f"symops:{format}", system=taught.replace(sign, sign + sign))


@llm.hookimpl
def register_commands(cli: Any) -> None:
    """Add `llm symops`, which is `symops`."""
    from .cli import symops_below

    cli.add_command(symops_below("llm symops"), "symops")
