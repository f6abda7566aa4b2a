"""`symops playground`: a page to try a dialect on."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ..options import format_option
from ..texts import complain, echo


@click.command("playground")
@format_option("v2", "The initial dialect: its name or a .lark file.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port. 0: any free port."
)
@click.option("--open", "in_browser", is_flag=True, help="Open the page in the browser.")
def command(format: str, port: int, in_browser: bool) -> int:
    """Serve a web page for trying dialects.

    The address is printed; only this machine can open it. The page parses replies while you type,
    with the exported JavaScript, and compares the result with that of this package. It can damage
    replies as the benchmark does, stream them, and compile an edited grammar. It needs no network.
    Press Ctrl-C to stop.
    \f

    Args:
        format: The initial dialect.
        port: The port, or 0 for any free port.
        in_browser: Whether a browser is started.

    Raises:
        UsageError: The port cannot be used.
    """
    from ....lab.playground.answers import Answers
    from ....lab.playground.server import Server

    with ExitStack() as stack:
        try:
            server = stack.enter_context(Server(Answers(format), port))
        except OSError as error:
            raise click.UsageError(f"port {port}: {error.strerror or error}") from None
        notice = "This address is for you alone: it holds a key. Ctrl-C ends the page."
        echo([server.address, notice])
        if in_browser:
            # Only this user can read the folder. It is kept until the page ends, since the browser
            # may read the file late.
            folder = stack.enter_context(TemporaryDirectory(prefix="symops-playground-"))
            _open_browser(server.address, Path(folder))
        # Ctrl-C is the usual end, not an error.
        stack.enter_context(suppress(KeyboardInterrupt))
        server.serve_forever()
    return 0


def _open_browser(address: str, folder: Path) -> None:
    """Open an address in the browser, through a file: other users see a browser's command line."""
    import webbrowser

    page = folder / "open.html"
    refresh = f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
    page.write_text(f"<!doctype html>\n{refresh}\n", encoding="utf-8")
    if not webbrowser.open(f"file://{page}"):
        complain("no browser could be started: open the address yourself")
