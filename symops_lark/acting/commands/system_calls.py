"""Build the filter of system calls for sandboxed commands (seccomp, classic BPF).

Namespaces and read-only mounts leave three ways out of a sandbox, which this filter closes:

1. A read-only mount does not prevent a connection to a Unix socket in it (the session bus, Docker).
   So no Unix sockets can be created, except pairs that are connected with each other.
2. The kernel does not divide key rings by namespaces, and commands could put characters into the
   user's terminal. These calls fail.
3. A command could leave a program with a set-user-id bit, which runs with the caller's rights
   later. So modes with these bits are refused.

Theory of operation
    The filter is a list of 8-byte instructions. It sees the number of a call, the machine and the
    first 32 bits of each argument, never memory::

        load MACHINE;  not ours: kill
        load NUMBER;   another layout of pointers (x32): fail, "not implemented"
        for each call: number differs: skip the next rows
                       its own rows (load an argument, compare, answer)
                       allow
        allow

    All jumps go forward, so each filter ends. The error codes are those that programs expect where
    the feature is missing: ENOSYS for calls, EAFNOSUPPORT for sockets, EPERM for modes.

References
    seccomp(2); Linux, `include/uapi/linux/filter.h` and `arch/*/include/**/unistd*.h`.
"""

from __future__ import annotations

import platform
import struct
from errno import EAFNOSUPPORT, ENOSYS, EPERM

# The calls that the filter looks at, by name: the number on x86_64, and the number in the generic
# table of Linux, which newer machines share. None: there is no such call.
_CALLS: dict[str, tuple[int, int | None]] = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "open": (2, None),
    "creat": (85, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "mknod": (133, None),
    "mknodat": (259, 33),
}
_X86_64 = 0  # columns of this table
_GENERIC = 1
# By machine: the kernel's number for it (AUDIT_ARCH_…) and its column.
_MACHINES = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _GENERIC),
    "riscv64": (0xC00000F3, _GENERIC),
}
# From this number on, x86_64 has all calls a second time, for programs with pointers of 32 bits.
_X32 = 0x40000000
_FAMILIES = (2, 10, 16)  # IPv4, IPv6 and netlink, which belong to the namespace of the network
_PAIRS = (1, 5)  # stream and seqpacket; a datagram socket can send to any address
_TO_TERMINALS = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX: type characters into a terminal
_SPECIAL = (0o2000, 0o4000, 0o6000)  # set-group-id, set-user-id, both
_CREATING = 0o100 | 0o20000000  # O_CREAT, O_TMPFILE: only with these the mode is meaningful

_MODE_ARGUMENTS = {  # the 0-based position of the mode
    **{"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2},
    **{"creat": 1, "mknod": 1, "mknodat": 2},
}
_FLAG_ARGUMENTS = {"open": 1, "openat": 2}  # the 0-based position of the flags; the mode follows

# Operations: BPF_LD+W+ABS, BPF_ALU+AND+K, BPF_JMP+JEQ+K, BPF_JMP+JGE+K, BPF_RET+K.
_LOAD = 0x20
_AND = 0x54
_EQUAL = 0x15
_LEAST = 0x35
_RETURN = 0x06
# Byte offsets in `struct seccomp_data`; the arguments follow, 8 bytes each.
_NUMBER = 0
_MACHINE = 4
_ARGUMENTS = 16
# Answers: SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ERRNO.
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_FAIL = 0x00050000
# An instruction: operation, rows to skip if the comparison holds, rows to skip if not, value.
_Row = tuple[int, int, int, int]


def filter_calls(machine: str | None = None) -> bytes | None:
    """Return the filter as `bwrap --seccomp` reads it.

    Args:
        machine: The machine's name as in `platform.machine()`. None: this machine.

    Returns:
        The instructions, or None for a machine whose call numbers are not known here.
    """
    entry = _MACHINES.get(machine or platform.machine())
    if entry is None:
        return None
    machine_number, column = entry
    absent = _answer(_FAIL | ENOSYS)
    rows = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine_number), _answer(_KILL)]
    rows += [(_LOAD, 0, 0, _NUMBER), (_LEAST, 0, 1, _X32), absent]
    for name, check in _checks().items():
        number = _CALLS[name][column]
        if number is not None:
            # One more row to skip than the check has: the answer at its end.
            rows += [(_EQUAL, 0, len(check) + 1, number), *check, _answer(_ALLOW)]
    rows.append(_answer(_ALLOW))
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _checks() -> dict[str, list[_Row]]:
    """Return the rows for each call; where none of them answers, the call is allowed."""
    absent = _answer(_FAIL | ENOSYS)
    no_family = _answer(_FAIL | EAFNOSUPPORT)
    checks = {}
    # Key rings belong to the whole session. A ring of io_uring creates sockets without the calls
    # that are filtered here. openat2 has its mode in memory, where a filter cannot look.
    for name in ("add_key", "request_key", "keyctl", "io_uring_setup", "openat2"):
        checks[name] = [absent]
    checks["socket"] = [*_load(0), *_answer_at(_FAMILIES, _ALLOW), no_family]
    # The upper bits of a socket's type are flags (SOCK_CLOEXEC, SOCK_NONBLOCK).
    checks["socketpair"] = [*_load(1, 0xF), *_answer_at(_PAIRS, _ALLOW), no_family]
    checks["ioctl"] = [*_load(1), *_answer_at(_TO_TERMINALS, _FAIL | EPERM)]
    for name, position in _MODE_ARGUMENTS.items():
        checks[name] = _refuse_special(position)
    for name, position in _FLAG_ARGUMENTS.items():
        allow_existing = [*_load(position, _CREATING), *_answer_at((0,), _ALLOW)]
        checks[name] = [*allow_existing, *_refuse_special(position + 1)]
    return checks


def _answer(value: int) -> _Row:
    return _RETURN, 0, 0, value


def _answer_at(values: tuple[int, ...], answer: int) -> list[_Row]:
    """Return the rows that answer if the loaded value is one of these."""
    rows = []
    for value in values:
        rows += [(_EQUAL, 0, 1, value), _answer(answer)]
    return rows


def _load(argument: int, *masks: int) -> list[_Row]:
    """Return the rows that load the lower half of an argument, and mask it.

    All machines here are little-endian, so the lower half has the lower address.
    """
    row = (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)
    return [row, *((_AND, 0, 0, mask) for mask in masks)]


def _refuse_special(argument: int) -> list[_Row]:
    return [*_load(argument, max(_SPECIAL)), *_answer_at(_SPECIAL, _FAIL | EPERM)]
