"""The filter of system calls, run as the kernel runs it."""

from __future__ import annotations

import platform
import shutil
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.acting.commands.sandbox import check_sandbox
from symops_lark.acting.commands.system_calls import filter_calls
from symops_lark.core.ground.errors import WorkspaceError


def run_filter(program: bytes, machine: int, call: int, arguments: tuple[int, ...]) -> int:
    """Run a filter of system calls as the kernel does; give its answer."""
    data = struct.pack("=IIQ", call, machine, 0) + struct.pack("=6Q", *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    value, at = 0, 0
    for _ in range(len(program)):
        code, then, otherwise, number = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("=I", data, number)[0]
            case 0x54:
                value &= number
            case 0x15:
                at += then if value == number else otherwise
            case 0x35:
                at += then if value >= number else otherwise
            case 0x06:
                return int(number)
    raise AssertionError("the filter has no end")


X86, ARM = 0xC000003E, 0xC00000B7
ALLOWED, FAILED, KILLED = 0x7FFF0000, 0x00050000, 0x80000000


@pytest.mark.parametrize(
    ("machine", "number", "call", "arguments", "answer"),
    [
        ("x86_64", X86, 0, (), ALLOWED),  # read
        ("x86_64", X86, 41, (2, 1), ALLOWED),  # socket: IPv4, Unix, vsock, packets
        ("x86_64", X86, 41, (1, 1), FAILED + 97),
        ("x86_64", X86, 41, (1 + (1 << 32), 1), FAILED + 97),
        ("x86_64", X86, 41, (40, 1), FAILED + 97),
        ("x86_64", X86, 41, (17, 3), FAILED + 97),
        ("x86_64", X86, 53, (1, 1 | 0o2000000), ALLOWED),  # socketpair: a stream, datagrams, raw
        ("x86_64", X86, 53, (1, 2), FAILED + 97),
        ("x86_64", X86, 53, (1, 3 | 0o4000), FAILED + 97),
        ("x86_64", X86, 16, (0, 0x5412), FAILED + 1),  # ioctl: TIOCSTI, with rubbish above, TCGETS
        ("x86_64", X86, 16, (0, 0x5412 | 7 << 32), FAILED + 1),
        ("x86_64", X86, 16, (0, 0x5401), ALLOWED),
        ("x86_64", X86, 250, (), FAILED + 38),  # keyctl, io_uring_setup, openat2
        ("x86_64", X86, 425, (), FAILED + 38),
        ("x86_64", X86, 437, (), FAILED + 38),
        ("x86_64", X86, 90, (0, 0o755), ALLOWED),  # chmod
        ("x86_64", X86, 90, (0, 0o4755), FAILED + 1),
        ("x86_64", X86, 268, (0, 0, 0o2755), FAILED + 1),
        ("x86_64", X86, 257, (0, 0, 0, 0o4755), ALLOWED),  # openat without O_CREAT has no mode, only rubbish there
        ("x86_64", X86, 257, (0, 0, 0o100, 0o644), ALLOWED),
        ("x86_64", X86, 257, (0, 0, 0o100, 0o6644), FAILED + 1),
        ("x86_64", X86, 257, (0, 0, 0o20200000, 0o4644), FAILED + 1),
        ("x86_64", X86, 0x40000000 + 41, (1,), FAILED + 38),  # the same call with other pointers
        ("x86_64", 0x40000003, 359, (1,), KILLED),  # a program of 32 bits
        ("aarch64", ARM, 198, (1,), FAILED + 97),
        ("aarch64", ARM, 198, (10,), ALLOWED),
        ("aarch64", ARM, 41, (1,), ALLOWED),
        ("aarch64", ARM, 56, (0, 0, 0o100, 0o4644), FAILED + 1),
        ("aarch64", X86, 198, (1,), KILLED),
    ],
)
def test_filter_of_system_calls(machine: str, number: int, call: int, arguments: tuple[int, ...], answer: int) -> None:
    program = filter_calls(machine)
    assert program is not None and run_filter(program, number, call, arguments) == answer


@given(st.integers(0, 500), st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_filter_always_answers(call: int, arguments: list[int]) -> None:
    program = filter_calls("x86_64")
    assert program is not None
    assert run_filter(program, X86, call, tuple(arguments)) & 0xFFFF0000 in (ALLOWED, FAILED)


def test_a_machine_whose_calls_are_not_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert filter_calls("s390x") is None
    monkeypatch.setattr(platform, "machine", lambda: "s390x")
    monkeypatch.setattr(shutil, "which", lambda name, path=None: "/usr/bin/bwrap")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(WorkspaceError, match="sandbox is not supported on this machine"):
        check_sandbox(str(tmp_path))
