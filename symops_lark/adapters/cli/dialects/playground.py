"""`symops playground`: a page to try a dialect on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from html import escape

import click

from ..options import format_option
from ..texts import complain, echo


@click.command("playground")
@format_option("v2", "The initial dialect: its name or a .lark file.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port. 0: any free port.")
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
def command(format: str, port: int, in_browser: bool) -> int:
    """Serve a web page for trying dialects.

    The address is printed; only this machine can open it. The page parses replies while you type,
    with the exported JavaScript, and compares the result with that of this package. It can damage
    replies as the benchmark does, stream them, and compile an edited grammar. It needs no network.
    Press Ctrl-C to stop.
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
