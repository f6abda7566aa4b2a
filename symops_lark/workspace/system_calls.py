"""The system calls that a sandboxed command may not make: a program for the kernel's filter (seccomp, classic BPF).

A mount that is read-only does not keep anybody from connecting to a socket that lies in it, so no sockets of Unix are
made; pairs that are connected with each other are. What the kernel does not divide by namespaces is closed as well.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Callable
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from functools import partial

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
_SPECIAL = (0o2000, 0o4000, 0o6000)  # set-user-id, set-group-id: the caller's rights would come with such a program
_MAKING = 0o100 | 0o20000000  # O_CREAT, O_TMPFILE: only with these is there a mode

_LOAD, _AND, _EQUAL, _LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _MACHINE = 0, 4  # offsets in what the program looks at; the arguments follow
_WHOLE = 0xFFFFFFFF
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

    def load(self, argument: int, mask: int = _WHOLE) -> None:
        """Look at the lower half of an argument from now on, which is the lower address on these machines."""
        self._add(_LOAD, 16 + 8 * argument)
        if mask != _WHOLE:
            self._add(_AND, mask)

    def refuse_from(self, number: int, error: int) -> None:
        self._add(_LEAST, number, 0, 1)
        self.fail(error)

    def fail_at(self, values: tuple[int, ...], error: int) -> None:
        """Fail if what is looked at is one of these values."""
        for value in values:
            self._add(_EQUAL, value, 0, 1)
            self.fail(error)

    def allow_at(self, values: tuple[int, ...]) -> None:
        for value in values:
            self._add(_EQUAL, value, 0, 1)
            self.allow()

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
        program.when(calls[name], partial(program.fail, ENOSYS))
    program.when(calls["socket"], partial(_allow_only, program, 0, _FAMILIES))
    program.when(calls["socketpair"], partial(_allow_only, program, 1, _PAIRS, 0xF))
    program.when(calls["ioctl"], partial(_refuse, program, 1, _TO_TERMINALS))
    modes = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
    for name, place in modes.items():
        program.when(calls[name], partial(_refuse, program, place, _SPECIAL, max(_SPECIAL)))
    for name, place in {"open": 1, "openat": 2}.items():
        program.when(calls[name], partial(_check_opening, program, place))
    program.allow()
    return program.to_bytes()


def _allow_only(program: _Program, place: int, values: tuple[int, ...], mask: int = _WHOLE) -> None:
    program.load(place, mask)
    program.allow_at(values)
    program.fail(EAFNOSUPPORT)


def _refuse(program: _Program, place: int, values: tuple[int, ...], mask: int = _WHOLE) -> None:
    program.load(place, mask)
    program.fail_at(values, EPERM)


def _check_opening(program: _Program, place: int) -> None:
    program.load(place, _MAKING)
    program.allow_at((0,))
    _refuse(program, place + 1, _SPECIAL, max(_SPECIAL))
