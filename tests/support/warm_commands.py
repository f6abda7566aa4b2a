"""Run the command line and Python programs in forks of one process that has imported the package and read a reply.

To start Python, to import and to compile what is used first takes half a second for each command of a document. Where
the process itself is not what is tested, `make_command` writes a command that asks such a process for a fork: it takes
over arguments, folder, environment and the three standard streams, and ends with the code of its program.

Run as a file, this module is that process: `python warm_commands.py SOCKET`.
"""

from __future__ import annotations

import atexit
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

# What a command does: it hands its streams over, passes signals on, and waits for the code.
_CLIENT = """
import os, signal, socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
socket.send_fds(client, [b"."], [0, 1, 2])
variables = [f"{name}={value}" for name, value in os.environ.items()]
parts = [os.getcwd(), str(len(variables)), *variables, *sys.argv[2:]]
client.sendall("\\0".join(parts).encode("utf-8", "surrogateescape"))
client.shutdown(socket.SHUT_WR)
fork = int.from_bytes(client.recv(4), "big")
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: os.kill(fork, number))
code = client.recv(1)
sys.exit(code[0] if code else 1)
"""


@contextmanager
def warm_process(folder: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Start the process, and give the socket on which it is asked; its forks end with it.

    Args:
        folder: A folder for the socket; the path must be short.
        environment: The environment that the package is imported in.
    """
    path = folder / "warm"
    process = subprocess.Popen([sys.executable, __file__, str(path)], env=environment, start_new_session=True)
    try:
        end = time.monotonic() + 120
        while not path.exists():
            assert process.poll() is None and time.monotonic() < end, "the process does not start"
            time.sleep(0.02)
        yield path
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def make_command(path: Path, address: Path, *arguments: str) -> None:
    """Write a command that runs in a fork.

    Args:
        path: The file of the command.
        address: The socket of the process.
        arguments: What comes before the arguments of the command: `symops`, or `python`.
    """
    words = [sys.executable, "-I", "-S", "-c", _CLIENT, str(address), *arguments]
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


# ---- the process


def _run_symops(arguments: list[str]) -> None:
    from symops_lark.adapters.cli import main

    sys.argv = ["symops", *arguments]
    main()


def _run_python(arguments: list[str]) -> None:
    """Run `python -c CODE`."""
    _, code, *remainder = arguments
    sys.argv = ["-c", *remainder]
    sys.path.insert(0, "")
    module = sys.modules["__main__"] = ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(module))


_PROGRAMS: dict[str, Callable[[list[str]], None]] = {"symops": _run_symops, "python": _run_python}


def _become(connection: socket.socket) -> list[str]:
    """Take over what a command hands over, and return its arguments."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rb") as file:
        parts = os.fsdecode(file.read()).split("\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(parts[0])
    first = 2 + int(parts[1])
    os.environ.clear()
    for part in parts[2:first]:
        name, _, value = part.partition("=")
        os.environ[name] = value
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    connection.sendall(os.getpid().to_bytes(4, "big"))
    return parts[first:]


def _answer(connection: socket.socket) -> int:
    """Run a program as Python does, and return its code."""
    program, *arguments = _become(connection)
    # The streams of the process have read and written nothing: what they are is the command's now.
    code = 0
    try:
        _PROGRAMS[program](arguments)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001  (as Python itself does)
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    return code


def _serve(path: str) -> None:
    """Import what commands import, and fork for each that asks."""
    import symops_lark
    from symops_lark.adapters import cli

    del sys.path[0]  # the folder of this file, which no command has
    assert cli.symops
    symops_lark.process("::Create @a.py\n<<<\nx\n")
    atexit._clear()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            code = _answer(connection)
            connection.sendall(bytes([code & 255]))
            os._exit(code & 255)
        connection.close()


if __name__ == "__main__":
    _serve(sys.argv[1])
