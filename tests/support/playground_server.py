"""The server of the playground, in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from symops_lark.lab.playground.answers import Answers
from symops_lark.lab.playground.server import Server


@contextmanager
def serving(answers: Answers) -> Iterator[Server]:
    """Run a server; it ends also where the test fails, since its thread would keep the process alive."""
    with Server(answers) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
