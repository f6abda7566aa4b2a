"""The command `symops` without its start: a process that has everything loaded forks for each command.

    python -S -I warm_commands.py ADDRESS ARGUMENT...    is `symops ARGUMENT...`, of the process that serves at ADDRESS

A command gets the folder, the environment and the standard streams of whom it is for.
"""

from __future__ import annotations

import json
import os
import socket
import sys

STREAMS = (0, 1, 2)


def ask(address: str, arguments: list[str]) -> int:
    """Have a command run; return its exit code."""
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(address)
        socket.send_fds(there, [b"."], STREAMS)
        there.sendall(json.dumps([os.getcwd(), dict(os.environ), arguments]).encode())
        there.shutdown(socket.SHUT_WR)
        return int(there.recv(8))


def serve(address: str) -> None:
    """Answer until this process is ended."""
    import signal
    from contextlib import suppress

    import click

    from symops_lark import ProtocolError, dialects, process
    from symops_lark.cli import symops

    context = click.Context(symops)
    for name in symops.list_commands(context):
        symops.get_command(context, name)
    for dialect in (*dialects(), "auto"):
        with suppress(ProtocolError):
            process(">> a\nb", dialect)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who attend
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        print("ready", flush=True)
        while True:
            there, _ = door.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                attend(there)
            there.close()


def attend(there: socket.socket) -> None:
    """Run the command of one who asks, tell its exit code, and end this process."""
    _, streams, _, _ = socket.recv_fds(there, 1, len(STREAMS))
    folder, environment, arguments = json.load(there.makefile("rb"))
    if (child := os.fork()) == 0:
        there.close()
        for stream, number in zip(streams, STREAMS, strict=True):
            os.dup2(stream, number)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        run(arguments)
    _, status = os.waitpid(child, 0)
    there.sendall(b"%d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def run(arguments: list[str]) -> None:
    """Be the command, to its end."""
    import atexit

    from symops_lark.cli import main

    sys.argv[1:] = arguments
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    address, *arguments = sys.argv[1:]
    if arguments:
        sys.exit(ask(address, arguments))
    serve(address)
