"""The system calls that a sandboxed command may not make: a program for the kernel's filter (seccomp, classic BPF).

A mount that is read-only does not keep anybody from connecting to a socket that lies in it, so no sockets of Unix are
made; pairs that are connected with each other are. What the kernel does not divide by namespaces is closed as well.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable
from errno import EAFNOSUPPORT, ENOSYS, EPERM

# For each machine: the kernel's number for it, and the system calls' numbers; None where it has no such call.
_NAMES = (
    *("socket", "socketpair", "ioctl", "add_key", "request_key", "keyctl", "io_uring_setup", "chmod", "fchmod"),
    *("fchmodat", "fchmodat2", "open", "creat", "openat", "openat2", "mknod", "mknodat"),
)
_GENERIC = (198, 199, 29, 217, 218, 219, 425, None, 52, 53, 452, None, None, 56, 437, None, 33)
_MACHINES: dict[str, tuple[int, tuple[int | None, ...]]] = {
    "x86_64": (0xC000003E, (41, 53, 16, 248, 249, 250, 425, 90, 91, 268, 452, 2, 85, 257, 437, 133, 259)),
    "aarch64": (0xC00000B7, _GENERIC),
    "riscv64": (0xC00000F3, _GENERIC),
}
_X32 = 0x40000000  # from this number on the same calls once more, for another layout of pointers
_FAMILIES = (2, 10, 16)  # IPv4, IPv6 and netlink, which belong to the network's namespace
_PAIRS = (1, 5)  # stream and seqpacket; a socket for datagrams can send to any address
_TO_TERMINALS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX put letters into somebody's terminal
_SPECIAL = 0o6000  # set-user-id and set-group-id: a program that the caller's rights would come with
_MAKING = 0o100 | 0o20000000  # O_CREAT, O_TMPFILE: only with these is there a mode

_LOAD, _AND, _EQUAL, _LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _MACHINE = 0, 4  # offsets in what the program looks at; the arguments follow
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000


class _Program:
    """Instructions, one after another; each check of a call ends with an answer."""

    def __init__(self, machine: int) -> None:
        self._rows: list[tuple[int, int, int, int]] = []
        self._add(_LOAD, _MACHINE)
        self._add(_EQUAL, machine, 1, 0)
        self._add(_RETURN, _KILL)
        self._add(_LOAD, _NUMBER)

    def _add(self, code: int, value: int, then: int = 0, otherwise: int = 0) -> None:
        self._rows.append((code, then, otherwise, value))

    def fail(self, error: int) -> None:
        self._add(_RETURN, _FAIL | error)

    def allow(self) -> None:
        self._add(_RETURN, _ALLOW)

    def load(self, argument: int, mask: int = 0xFFFFFFFF) -> None:
        """Look at the lower half of an argument from now on, which is the lower address on these machines."""
        self._add(_LOAD, 16 + 8 * argument)
        if mask != 0xFFFFFFFF:
            self._add(_AND, mask)

    def refuse_from(self, number: int, error: int) -> None:
        self._add(_LEAST, number, 0, 1)
        self.fail(error)

    def answer(self, values: tuple[int, ...], error: int) -> None:
        """Fail if what is looked at is one of these values."""
        for value in values:
            self._add(_EQUAL, value, 0, 1)
            self.fail(error)

    def allow_only(self, values: tuple[int, ...], error: int) -> None:
        for value in values:
            self._add(_EQUAL, value, 0, 1)
            self.allow()
        self.fail(error)

    def when(self, call: int | None, check: Callable[[], None]) -> None:
        """Check the arguments of a call, and then answer; nothing of this concerns other calls."""
        if call is None:
            return
        at = len(self._rows)
        self._add(_EQUAL, call)
        check()
        self.allow()
        length = len(self._rows) - at - 1
        self._rows[at] = (_EQUAL, 0, length, call)

    def to_bytes(self) -> bytes:
        return b"".join(struct.pack("=HBBI", *row) for row in self._rows)


def filter_calls(machine: str | None = None) -> bytes | None:
    """Return the filter as `bwrap --seccomp` reads it; None for a machine whose calls are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    calls = dict(zip(_NAMES, known[1], strict=True))
    program = _Program(known[0])
    program.refuse_from(_X32, ENOSYS)
    # Keys are the session's; a ring of io_uring makes sockets without these calls; a mode in memory cannot be seen.
    for name in ("add_key", "request_key", "keyctl", "io_uring_setup", "openat2"):
        program.when(calls[name], lambda: program.fail(ENOSYS))

    def families() -> None:
        program.load(0)
        program.allow_only(_FAMILIES, EAFNOSUPPORT)

    def pairs() -> None:
        program.load(1, 0xF)
        program.allow_only(_PAIRS, EAFNOSUPPORT)

    def terminals() -> None:
        program.load(1)
        program.answer(_TO_TERMINALS, EPERM)

    program.when(calls["socket"], families)
    program.when(calls["socketpair"], pairs)
    program.when(calls["ioctl"], terminals)
    modes = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
    for name, place in modes.items():
        program.when(calls[name], lambda place=place: _check_mode(program, place))
    for name, place in {"open": 1, "openat": 2}.items():
        program.when(calls[name], lambda place=place: _check_opening(program, place))
    program.allow()
    return program.to_bytes()


def _check_mode(program: _Program, place: int) -> None:
    program.load(place, _SPECIAL)
    program.answer((0o2000, 0o4000, 0o6000), EPERM)


def _check_opening(program: _Program, place: int) -> None:
    program.load(place, _MAKING)
    program._add(_EQUAL, 0, 0, 1)
    program.allow()
    _check_mode(program, place + 1)
