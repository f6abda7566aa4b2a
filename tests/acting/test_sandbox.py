"""The sandbox, attacked from inside: no rights, no network, no sockets, nothing written but the folder's own files."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sandboxes import PYTHON, make_root, needs_bwrap, python, sandboxed

from symops_lark.acting.commands import sandbox as sandboxes
from symops_lark.acting.commands.commands import Runner
from symops_lark.acting.commands.sandbox import find_rights, sandbox_arguments
from symops_lark.core.ground.errors import WorkspaceError

__all__ = ["make_root"]  # the fixture `root`
FAIL_ALL = struct.pack("=HBBI", 6, 0, 0, 0x00050001)  # a filter that lets no system call through


# ---- what it is made of


def test_arguments_of_the_sandbox() -> None:
    arguments = sandbox_arguments("bwrap", "/r", ["/r/.git", "/r/a/.git"], 5, 6)
    assert arguments[0] == "bwrap" and arguments[-3:] == ("--chdir", "/r", "--")
    text = " ".join(arguments)
    for part in ("--unshare-user", "--unshare-net", "--unshare-pid", "--cap-drop ALL", "--new-session", "--seccomp 5"):
        assert part in text
    order = ["--ro-bind / /", "--remount-ro /proc", "--tmpfs /tmp", "--bind /r /r", "--ro-bind /r/.git /r/.git"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert arguments.count("--bind") == 1, "nothing else is writable"
    shared = " ".join(sandbox_arguments("bwrap", "/tmp/r", [], 5, None, ["/tmp"]))
    assert shared.index("--tmpfs /tmp") < shared.index("--ro-bind /tmp /tmp") < shared.index("--bind /tmp/r /tmp/r")
    assert f"--uid {os.getuid() or 65534}" in text


STATUS = "\n".join(
    [
        "Uid:\t65534\t65534",
        *(f"Cap{name}:\t0" for name in ("Inh", "Prm", "Eff", "Bnd", "Amb")),
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
    ]
)
MOUNTS = (
    "1 2 8:1 / / ro,nosuid - ext4 x rw\n3 1 8:1 /r\\040oot /r\\040oot rw - ext4 x rw\n4 1 0:1 / /dev/shm rw - t t rw"
)


def test_rights_that_are_left_are_found() -> None:
    assert find_rights(STATUS, MOUNTS, "/r oot") == ""
    assert "as root" in find_rights(STATUS.replace("\t65534", "\t0", 1), MOUNTS, "/r oot")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert name in find_rights(STATUS.replace(f"{name}:\t0", f"{name}:\t80"), MOUNTS, "/r oot")
    assert "NoNewPrivs" in find_rights(STATUS.replace("NoNewPrivs:\t1", "NoNewPrivs:\t0"), MOUNTS, "/r oot")
    assert "seccomp" in find_rights(STATUS.replace("Seccomp:\t2", "Seccomp:\t0"), MOUNTS, "/r oot")
    assert "/r oot" not in find_rights(STATUS, MOUNTS, "/r") != "", "another folder is writable"
    for place in ("/", "/proc", "/proc/sys", "/sys", "/etc", "/development", "/tmp2"):
        assert find_rights(STATUS, f"{MOUNTS}\n5 1 8:1 / {place} rw - x x rw", "/r oot") == f"{place} would be writable"
    for separator in "\u2028\x0b\x85\x1c":
        root = f"/r{separator}oot"
        assert find_rights(STATUS, MOUNTS.replace("/r\\040oot", root), root) == ""
    for nothing in ("", "Uid:\t1\t1\t1\t1"):
        assert find_rights(nothing, MOUNTS, "/r oot"), "what is not told is not taken for granted"


# ---- where it cannot be had


def test_without_bwrap_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(program: str | None, message: str) -> None:
        monkeypatch.setattr(shutil, "which", lambda name, path: program)
        with pytest.raises(WorkspaceError, match=message):
            Runner(sandbox=True).run("touch ran", tmp_path)

    refused(None, "which is not installed")
    refused("/bin/false", "the sandbox does not work here: exit code 1")
    refused("/bin/true", "the sandbox does not work here: the command would run as root")  # it has answered nothing
    old = tmp_path.parent / "old-bwrap"
    old.write_text("#!/bin/sh\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1\n")
    old.chmod(0o755)
    refused(str(old), "Unknown option --disable-userns; bubblewrap 0.8 or newer is needed")
    own = tmp_path / "bwrap"
    own.write_bytes(old.read_bytes())
    own.chmod(0o755)
    refused(str(own), "a sandbox program inside the folder is not trusted")
    assert not (tmp_path / "ran").exists()


@needs_bwrap
def test_a_sandbox_that_lets_too_much_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the probe answers is believed, not what was asked for."""
    whole_sandbox_arguments = sandboxes.sandbox_arguments

    def without(*words: str) -> None:
        def fewer(*given: object) -> tuple[str, ...]:
            row = list(whole_sandbox_arguments(*given))  # type: ignore[arg-type]
            at = next(i for i in range(len(row)) if tuple(row[i : i + len(words)]) == words)
            return (*row[:at], *row[at + len(words) :])

        monkeypatch.setattr(sandboxes, "sandbox_arguments", fewer)
        with pytest.raises(WorkspaceError, match="the sandbox does not work here"):
            Runner(sandbox=True).run("touch ran", root)

    without("--remount-ro", "/proc")
    without("--ro-bind", "/", "/")
    monkeypatch.setattr(sandboxes, "filter_calls", lambda: FAIL_ALL)
    monkeypatch.setattr(sandboxes, "sandbox_arguments", whole_sandbox_arguments)
    with pytest.raises(WorkspaceError, match="the sandbox does not work here"):
        Runner(sandbox=True).run("touch ran", root)
    assert not (root / "ran").exists()


# ---- what a command can still do


@needs_bwrap
def test_a_command_works_in_the_folder_and_its_files_are_the_callers(root: Path) -> None:
    (root / "mine").write_text("a")
    passing = Path("/tmp", f"symops-{os.getpid()}-{time.monotonic_ns()}")  # of a /tmp of the command's own
    result = sandboxed(f"echo x > inside && mkdir sub && echo y >> mine && ls /run /tmp && echo z > {passing}", root)
    assert result.ok and result.made == () and result.arguments[0] == "/bin/sh", result
    assert (root / "inside").read_text() == "x\n" and (root / "mine").read_text() == "ay\n"
    for name in ("inside", "sub", "mine"):
        state = (root / name).stat()
        assert (state.st_uid, state.st_gid) == (os.getuid(), os.getgid())
    assert sorted(os.listdir(root)) == ["inside", "mine", "sub"], "nothing of ours is left"
    assert not passing.exists()


@needs_bwrap
def test_programs_that_need_no_more_work(root: Path) -> None:
    """Pairs of sockets, several processes, temporary files, sockets of its own network."""
    text = python(
        "import multiprocessing, socket, tempfile\n"
        "a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9))\n"
        "server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname())\n"
        "print(multiprocessing.get_context('fork').Pool(2).map(abs, [-1, -2]))\n"
        "print(tempfile.mkdtemp()[:5])\n",
        root,
    )
    assert text == "b'pair'\n[1, 2]\n/tmp/\n"


@pytest.mark.slow
@needs_bwrap
def test_time_out_and_end(root: Path) -> None:
    result = sandboxed("sleep 60", root, timeout=0.5)
    assert result.timed_out and result.seconds < 10
    late = "setsid sh -c 'sleep 1; touch late' >/dev/null 2>&1 & echo on"
    assert sandboxed(late, root).output == "on\n"
    time.sleep(1.5)
    assert os.listdir(root) == [], "what leaves the group ends as well"


# ---- attacks


@needs_bwrap
def test_no_rights(root: Path) -> None:
    status = sandboxed("id -u; cat /proc/self/status; ulimit -c", root).output
    assert not status.startswith("0\n") and "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert f"{name}:\t0000000000000000" in status


ESCAPES = {
    "mount": "mount -o remount,bind,rw / ",
    "mount of a new tree": "mount -t tmpfs none /mnt",
    "unmount": "umount /proc",
    "namespace of users": "unshare --user --map-root-user true",
    "namespace of mounts": "unshare --mount true",
    "other namespaces": "nsenter --target 1 --mount true",
    "device": "mknod device b 8 0",
    "host name": "hostname other",
    "root folder": "chroot / true",
    "set-user-id": "cp /bin/true program && chmod u+s program",
    "set-group-id": "cp /bin/true program && chmod 2755 program",
    "owner": "touch file && chown 1234 file",
    "clock": "date --set 2000-01-01",
}


@needs_bwrap
@pytest.mark.parametrize("kind", ESCAPES)
def test_a_way_to_more_rights_is_closed(root: Path, kind: str) -> None:
    result = sandboxed(ESCAPES[kind], root)
    assert result.code not in (0, 127, None), result.output


PLACES = (
    *("/etc", "/usr", "/var/tmp", "/", "/sys", "/dev/..", "/proc/sys/kernel", "/sys/fs/cgroup", "/sys/kernel"),
    *("/proc", "/proc/1", "/lib", "/opt", "/mnt"),
)
SWITCHES = (
    *("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger"),
    *("/proc/sys/kernel/hostname", "/proc/irq/default_smp_affinity", "/proc/mtrr", "/proc/acpi/wakeup", "/proc/kcore"),
    *("/proc/1/oom_score_adj", "/proc/self/uid_map", "/sys/power/state", "/sys/kernel/uevent_helper", "/dev/kmsg"),
    *("/sys/kernel/mm/transparent_hugepage/enabled", "/etc/passwd", "/dev/mem", "/dev/sda", "/dev/vda"),
)


@needs_bwrap
def test_nothing_outside_is_written(root: Path) -> None:
    outside = root.parent / f"{root.name}-outside"
    outside.mkdir()
    try:
        (outside / "file").write_text("as it was")
        (root / "link").symlink_to(outside)
        (root / "home").symlink_to(Path.home())
        places = [*PLACES, str(outside), "link", "home", str(Path.home())]
        text = python(
            "import os\n"
            f"for place in {places!r}:\n"
            "    try: os.close(os.open(place + '/symops-was-here', 0o101)); print('WRITTEN', place)\n"
            "    except OSError: pass\n"
            f"for place in {[*SWITCHES, str(outside / 'file'), 'link/file']!r}:\n"
            "    try: os.close(os.open(place, os.O_WRONLY)); print('OPEN', place)\n"
            "    except OSError: pass\n"
            "for act in (os.link, os.rename):\n"
            "    try: act('link/file', 'taken'); print('TAKEN')\n"
            "    except OSError: pass\n"
            "print('end')\n",
            root,
        )
        assert text == "end\n"
        assert os.listdir(outside) == ["file"] and (outside / "file").read_text() == "as it was"
    finally:
        shutil.rmtree(outside)


@needs_bwrap
def test_no_process_outside_is_seen_or_signalled(root: Path) -> None:
    text = python(
        "import os\n"
        f"try: os.kill({os.getpid()}, 0); print('SIGNALLED')\n"
        "except ProcessLookupError: print('gone')\n"
        "print(max(int(name) for name in os.listdir('/proc') if name.isdigit()) < 100)\n"
        "print(sorted(os.listdir('/proc/self/fd')))\n"
        "try: open('/dev/tty')\n"
        "except OSError: print('no terminal')\n",
        root,
    )
    assert text.splitlines() == ["gone", "True", "['0', '1', '2', '3']", "no terminal"]


@contextmanager
def servers(root: Path) -> Iterator[list[str]]:
    """Listen wherever a command could connect to; give the addresses as Python writes them."""
    names = (f"{root}/s", f"{root}.s", f"\0symops-{os.getpid()}")
    unix = [("AF_UNIX", kind, f"{name}{kind[5]}") for name in names for kind in ("SOCK_STREAM", "SOCK_DGRAM")]
    places: list[tuple[str, str, str | tuple[str, int]]] = [("AF_INET", "SOCK_STREAM", ("127.0.0.1", 0)), *unix]
    with ExitStack() as stack:
        outputs = []
        for family, kind, address in places:
            first = stack.enter_context(socket.socket(getattr(socket, family), getattr(socket, kind)))
            first.bind(address)
            if kind == "SOCK_STREAM":
                first.listen()
            if isinstance(address, str) and address[0] == "/":
                stack.callback(os.unlink, address)
            outputs.append(f"(socket.{family}, socket.{kind}, {first.getsockname()!r})")
        yield outputs


CONNECT = """
import socket
for family, kind, address in ({}):
    try:
        socket.socket(family, kind).connect(address); print("CONNECTED", address)
    except OSError: pass
    try:
        a, b = socket.socketpair(socket.AF_UNIX, kind); a.sendto(b"x", address); print("SENT", address)
    except (OSError, TypeError): pass
for family in range(50):
    for kind in (1, 2, 3, 5):
        try: socket.socket(family, kind).close(); made = True
        except OSError: made = False
        if made and family not in (socket.AF_INET, socket.AF_INET6, 16): print("MADE", family, kind)
print("end")
"""


@pytest.mark.slow
@needs_bwrap
def test_no_socket_outside_is_reached(root: Path) -> None:
    with servers(root) as addresses:
        code = CONNECT.format(", ".join(addresses))
        (root / "code.py").write_text(code)
        free = Runner(shell=True).run(f"{PYTHON} code.py", root).output
        assert free.count("CONNECTED") == len(addresses) == 7, "they can be reached without a sandbox"
        assert python(code, root) == "end\n"


@needs_bwrap
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the calls' numbers are those of x86_64")
def test_calls_that_reach_out_of_every_namespace_fail(root: Path) -> None:
    text = python(
        "import ctypes\n"
        "call = ctypes.CDLL(None, use_errno=True).syscall\n"
        "for number in (248, 249, 250, 425, 0x40000000 + 41):\n"
        "    print(call(number, 0, 0, 0, 0, 0), ctypes.get_errno())\n",
        root,
    )
    assert text == "-1 38\n" * 5


@needs_bwrap
def test_the_environment_of_a_sandboxed_command(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "DISPLAY", "XDG_RUNTIME_DIR", "MY_TOKEN"):
        monkeypatch.setenv(name, "unix:path=/run/user/0/x")
    output = sandboxed("cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'; env", root).output
    assert "unix:path" not in output and "TMPDIR=/tmp" in output
