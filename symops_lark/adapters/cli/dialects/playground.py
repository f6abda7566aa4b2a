"""`symops playground`: a page to try a dialect on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from html import escape

import click

from ..options import format_option
from ..texts import complain, echo


@click.command("playground", short_help="Serve a page to try dialects on.")
@format_option("v2", "The dialect to begin with: a name or a .lark file.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port; 0 takes one that is free.")
@click.option("--open", "in_browser", is_flag=True, help="Show it in the browser.")
def command(format: str, port: int, in_browser: bool) -> int:
    """Serve a page to this machine alone, and print its address: replies are read while they are typed.

    The page reads with the exported JavaScript, compares that with what this package reads, damages replies as the
    benchmark does, streams them, and compiles the grammar as it is edited. It needs no network. Ctrl-C ends it.
    """
    from ....lab.playground.answers import Answers
    from ....lab.playground.server import Server

    with ExitStack() as held:
        try:
            server = held.enter_context(Server(Answers(format), port))
        except OSError as error:
            raise click.UsageError(f"port {port}: {error.strerror or error}") from None
        echo([server.address, "This address is for you alone: it holds a key. Ctrl-C ends the page."])
        if in_browser:
            import webbrowser

            if not webbrowser.open(held.enter_context(_hidden(server.address))):
                complain("no browser could be started: open the address yourself")
        held.enter_context(suppress(KeyboardInterrupt))
        server.serve_forever()
    return 0


@contextmanager
def _hidden(address: str) -> Iterator[str]:
    """Give the address of a file that leads to an address: others may see what a browser is started with."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="symops-playground-") as folder:  # nobody else can look into it
        path = os.path.join(folder, "open.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html>\n<meta http-equiv="refresh" content="0; url={escape(address)}">\n')
        yield f"file://{path}"
