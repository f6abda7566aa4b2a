"""The system calls that a sandboxed command may not make: a program for the kernel's filter (seccomp, classic BPF).

A mount that is read-only does not keep anybody from connecting to a socket that lies in it, so no sockets of Unix are
made; pairs that are connected with each other are. What the kernel does not divide by namespaces is closed as well.
"""

from __future__ import annotations

import platform
import struct
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
_SPECIAL = (0o2000, 0o4000, 0o6000)  # set-user-id, set-group-id: the caller's rights would come with such a program
_MAKING = 0o100 | 0o20000000  # O_CREAT, O_TMPFILE: only with these is there a mode

_LOAD, _AND, _EQUAL, _LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _MACHINE = 0, 4  # offsets in what the program looks at; the arguments follow
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_Row = tuple[int, int, int, int]  # an instruction: its code, how many to pass over if it holds, and if not, a value


def filter_calls(machine: str | None = None) -> bytes | None:
    """Return the filter as `bwrap --seccomp` reads it; None for a machine whose calls are not known here."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    absent, no_family = _answer(_FAIL | ENOSYS), _answer(_FAIL | EAFNOSUPPORT)
    # Keys are the session's; a ring of io_uring makes sockets without these calls; a mode in memory cannot be seen.
    checks = {name: [absent] for name in ("add_key", "request_key", "keyctl", "io_uring_setup", "openat2")}
    checks["socket"] = [*_load(0), *_answer_at(_FAMILIES, _ALLOW), no_family]
    checks["socketpair"] = [*_load(1, 0xF), *_answer_at(_PAIRS, _ALLOW), no_family]
    checks["ioctl"] = [*_load(1), *_answer_at(_TO_TERMINALS, _FAIL | EPERM)]
    modes = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
    checks |= {name: _refuse_special(place) for name, place in modes.items()}
    for name, place in {"open": 1, "openat": 2}.items():
        checks[name] = [*_load(place, _MAKING), *_answer_at((0,), _ALLOW), *_refuse_special(place + 1)]
    rows = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, known[0]), _answer(_KILL)]
    rows += [(_LOAD, 0, 0, _NUMBER), (_LEAST, 0, 1, _X32), absent]
    calls = dict(zip(_NAMES, known[1], strict=True))
    for name, check in checks.items():
        if (call := calls[name]) is not None:
            rows += [(_EQUAL, 0, len(check) + 1, call), *check, _answer(_ALLOW)]
    rows.append(_answer(_ALLOW))
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _answer(value: int) -> _Row:
    return _RETURN, 0, 0, value


def _answer_at(values: tuple[int, ...], answer: int) -> list[_Row]:
    """Return the rows that answer if what is looked at is one of these values."""
    return [row for value in values for row in ((_EQUAL, 0, 1, value), _answer(answer))]


def _load(argument: int, *mask: int) -> list[_Row]:
    """Return the rows that look at the lower half of an argument, which is the lower address on these machines."""
    return [(_LOAD, 0, 0, 16 + 8 * argument), *((_AND, 0, 0, bits) for bits in mask)]


def _refuse_special(argument: int) -> list[_Row]:
    return [*_load(argument, max(_SPECIAL)), *_answer_at(_SPECIAL, _FAIL | EPERM)]
