"""`symops lsp`: a language server for editors."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import click

from ....core.ground.errors import SymOpsError
from ..interrupts import INTERRUPTED
from ..options import processor_options, rules_option

if TYPE_CHECKING:
    from ....core.processor import SymOpsProcessor


@click.command("lsp")
@processor_options(
    rules_option,
    help="The dialect of replies: its name, a .lark file, or auto to detect it; "
    "auto:FILE,… also considers these files of dialects.",
)
def command(processor: SymOpsProcessor) -> int:
    """Serve editors: diagnostics, completion and more.

    An editor starts the server and uses the Language Server Protocol over standard input and
    output. Replies (*.symops), grammars (*.lark), repair rules and the table of tools (*.yaml) have
    diagnostics, hover, completion and go to definition; replies and grammars are formatted. The
    diagnostics are those of `symops check`, `symops grammar check` and the loader of rules.

    Exit code 0: the editor ended the server; 1: it ended without a shutdown request; 2: bad
    arguments, or the library is missing.

    Needs the library pygls: pip install 'symops-lark[lsp]'.
    \f

    Raises:
        SymOpsError: The library is missing.
    """
    from ....core.other_formats import refuse_other

    refuse_other(processor.agent_format)
    try:
        from ....lab.editor.server import serve
    except ModuleNotFoundError:
        # The module that is missing may be one that pygls needs: people install pygls.
        install = "pip install 'symops-lark[lsp]'"
        raise SymOpsError(f"this needs the library pygls: {install}") from None
    # The library logs a traceback of each message that it cannot read, and sends the editor its
    # last line as well.
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    try:
        return serve(processor)
    except KeyboardInterrupt:
        # Python would wait for the thread that reads standard input. The server has no files to
        # close.
        os._exit(INTERRUPTED)
