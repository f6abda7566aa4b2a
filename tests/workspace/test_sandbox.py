"""The sandbox, attacked from inside: no rights, no network, no sockets, nothing written but the folder's own files."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.errors import WorkspaceError
from symops_lark.workspace import sandbox as sandboxes
from symops_lark.workspace.commands import CommandResult, Runner
from symops_lark.workspace.guarded import Guarded
from symops_lark.workspace.sandbox import check_sandbox, find_rights, sandbox_arguments
from symops_lark.workspace.system_calls import filter_calls

PYTHON = os.path.realpath(sys.executable)  # an environment below `/tmp` is not seen in a sandbox
PLAIN = "bwrap --unshare-all --unshare-user --disable-userns --ro-bind / / --dev /dev --proc /proc true"


def works_here() -> str:
    """Give why a sandbox cannot be tried here; our own code is not asked."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    tried = subprocess.run(PLAIN.split(), capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


needs_bwrap = pytest.mark.skipif(bool(works_here()), reason=works_here() or "-")


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that is neither below `/tmp`, which is another one in a sandbox, nor in a repository."""
    root = Path("/var/tmp") / f"symops-sandbox-{os.getpid()}-{time.monotonic_ns()}"
    root.mkdir()
    yield root
    shutil.rmtree(root)


def sandboxed(line: str, root: Path, timeout: float = 60) -> CommandResult:
    return Runner(sandbox=True, shell=True, timeout=timeout).run(line, root)


def python(code: str, root: Path) -> str:
    """Run some Python in the sandbox and give what it prints."""
    (root / "code.py").write_text(code)
    return sandboxed(f"{PYTHON} code.py", root).output


# ---- what it is made of


def test_arguments_of_the_sandbox() -> None:
    arguments = sandbox_arguments("bwrap", "/r", ["/r/.git", "/r/a/.git"], 5, 6)
    assert arguments[0] == "bwrap" and arguments[-3:] == ("--chdir", "/r", "--")
    shown = " ".join(arguments)
    for part in ("--unshare-user", "--unshare-net", "--unshare-pid", "--cap-drop ALL", "--new-session", "--seccomp 5"):
        assert part in shown
    order = ["--ro-bind / /", "--remount-ro /proc", "--tmpfs /tmp", "--bind /r /r", "--ro-bind /r/.git /r/.git"]
    places = [shown.index(part) for part in order]
    assert places == sorted(places)
    assert arguments.count("--bind") == 1, "nothing else is writable"
    assert f"--uid {os.getuid() or 65534}" in shown


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
    for nothing in ("", "Uid:\t1\t1\t1\t1"):
        assert find_rights(nothing, MOUNTS, "/r oot"), "what is not told is not taken for granted"


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
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/bwrap")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(WorkspaceError, match="knows no system calls of this machine"):
        check_sandbox(str(tmp_path))


# ---- where it cannot be had


def test_without_bwrap_there_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(program: str | None, message: str) -> None:
        monkeypatch.setattr(shutil, "which", lambda name: program)
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
    refused(str(own), "a sandbox that lies in the folder is not trusted")
    assert not (tmp_path / "ran").exists()


@needs_bwrap
def test_a_sandbox_that_lets_too_much_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the probe answers is believed, not what was asked for."""
    whole = sandboxes.sandbox_arguments

    def without(*words: str) -> None:
        def fewer(*given: object) -> tuple[str, ...]:
            row = list(whole(*given))  # type: ignore[arg-type]
            at = next(i for i in range(len(row)) if tuple(row[i : i + len(words)]) == words)
            return (*row[:at], *row[at + len(words) :])

        monkeypatch.setattr(sandboxes, "sandbox_arguments", fewer)
        with pytest.raises(WorkspaceError, match="the sandbox does not work here"):
            Runner(sandbox=True).run("touch ran", root)

    without("--remount-ro", "/proc")
    without("--ro-bind", "/", "/")
    monkeypatch.setattr(sandboxes, "filter_calls", lambda: struct.pack("=HBBI", 6, 0, 0, FAILED + 1))
    monkeypatch.setattr(sandboxes, "sandbox_arguments", whole)
    with pytest.raises(WorkspaceError, match="the sandbox does not work here"):
        Runner(sandbox=True).run("touch ran", root)
    assert not (root / "ran").exists()


# ---- what a command can still do


@needs_bwrap
def test_a_command_works_in_the_folder_and_its_files_are_the_callers(root: Path) -> None:
    (root / "mine").write_text("a")
    result = sandboxed("echo x > inside && mkdir sub && echo y >> mine && ls /run /tmp && echo z > /tmp/t", root)
    assert result.ok and result.made == () and result.arguments[0] == "/bin/sh", result
    assert (root / "inside").read_text() == "x\n" and (root / "mine").read_text() == "ay\n"
    for name in ("inside", "sub", "mine"):
        state = (root / name).stat()
        assert (state.st_uid, state.st_gid) == (os.getuid(), os.getgid())
    assert sorted(os.listdir(root)) == ["inside", "mine", "sub"], "nothing of ours is left"
    assert not Path("/tmp/t").exists()


@needs_bwrap
def test_programs_that_need_no_more_work(root: Path) -> None:
    """Pairs of sockets, several processes, temporary files, sockets of its own network."""
    said = python(
        "import multiprocessing, socket, tempfile\n"
        "a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9))\n"
        "server = socket.create_server(('127.0.0.1', 0)); socket.create_connection(server.getsockname())\n"
        "print(multiprocessing.get_context('fork').Pool(2).map(abs, [-1, -2]))\n"
        "print(tempfile.mkdtemp()[:5])\n",
        root,
    )
    assert said == "b'pair'\n[1, 2]\n/tmp/\n"


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
        said = python(
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
        assert said == "end\n"
        assert os.listdir(outside) == ["file"] and (outside / "file").read_text() == "as it was"
    finally:
        shutil.rmtree(outside)


@needs_bwrap
def test_no_process_outside_is_seen_or_signalled(root: Path) -> None:
    said = python(
        "import os\n"
        f"try: os.kill({os.getpid()}, 0); print('SIGNALLED')\n"
        "except ProcessLookupError: print('gone')\n"
        "print(max(int(name) for name in os.listdir('/proc') if name.isdigit()) < 100)\n"
        "print(sorted(os.listdir('/proc/self/fd')))\n"
        "try: open('/dev/tty')\n"
        "except OSError: print('no terminal')\n",
        root,
    )
    assert said.splitlines() == ["gone", "True", "['0', '1', '2', '3']", "no terminal"]


@contextmanager
def servers(root: Path) -> Iterator[list[str]]:
    """Listen wherever a command could connect to; give the addresses as Python writes them."""
    names = (f"{root}/s", f"{root}.s", f"\0symops-{os.getpid()}")
    unix = [("AF_UNIX", kind, f"{name}{kind[5]}") for name in names for kind in ("SOCK_STREAM", "SOCK_DGRAM")]
    places: list[tuple[str, str, str | tuple[str, int]]] = [("AF_INET", "SOCK_STREAM", ("127.0.0.1", 0)), *unix]
    with ExitStack() as stack:
        shown = []
        for family, kind, address in places:
            one = stack.enter_context(socket.socket(getattr(socket, family), getattr(socket, kind)))
            one.bind(address)
            if kind == "SOCK_STREAM":
                one.listen()
            if isinstance(address, str) and address[0] == "/":
                stack.callback(os.unlink, address)
            shown.append(f"(socket.{family}, socket.{kind}, {one.getsockname()!r})")
        yield shown


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
    said = python(
        "import ctypes\n"
        "call = ctypes.CDLL(None, use_errno=True).syscall\n"
        "for number in (248, 249, 250, 425, 0x40000000 + 41):\n"
        "    print(call(number, 0, 0, 0, 0, 0), ctypes.get_errno())\n",
        root,
    )
    assert said == "-1 38\n" * 5


# ---- what is guarded in the folder


def git(*words: str, cwd: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words], cwd=cwd, check=True, capture_output=True
    )


def prints(folder: Path) -> dict[str, bytes]:
    """Give the files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@needs_bwrap
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_repositories_are_not_written(root: Path) -> None:
    """The folder's own, a nested one, one without a working tree, a work tree's file, and the journal."""
    for folder in (root, root / "nested/deep"):
        folder.mkdir(exist_ok=True, parents=True)
        git("init", "-q", cwd=folder)
        git("commit", "-q", "--allow-empty", "-m", "x", cwd=folder)
    git("init", "-q", "--bare", "store", cwd=root)
    git("worktree", "add", "-q", "other", cwd=root)
    (root / ".symops").mkdir()
    (root / ".symops/x").write_text("journal")
    (root / ".hg").mkdir()
    guarded = (".git", "nested/deep/.git", "store", "other/.git", ".symops", ".hg")
    before = prints(root)
    targets = [
        *(
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/x",
            "nested/deep/.git/config",
            "nested/deep/.git/hooks/post-checkout",
        ),
        *(
            "store/config",
            "store/hooks/x",
            "store/x",
            "other/.git",
            ".git/worktrees/other/gitdir",
            ".symops/x",
            ".symops/1",
        ),
        ".hg/hgrc",
    ]
    said = python(
        "import os, shutil\n"
        f"for path in {targets!r}:\n"
        "    try: open(path, 'a').write('x'); print('WRITTEN', path)\n"
        "    except OSError: pass\n"
        f"for path in {guarded!r}:\n"
        "    for act in (lambda: os.rename(path, 'moved'), lambda: os.unlink(path), lambda: shutil.rmtree(path),\n"
        "                lambda: os.symlink('x', path), lambda: os.link('code.py', path + '/y'),\n"
        "                lambda: os.chmod(path, 0o777)):\n"
        "        try: act(); print('DONE', path)\n"
        "        except OSError: pass\n"
        "print('end')\n",
        root,
    )
    assert said == "end\n"
    (root / "code.py").unlink()
    assert prints(root) == before


NEW = {
    "at the top": "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
    "a file": "echo 'gitdir: elsewhere' > .git",
    "a link": "mkdir store && ln -s store .git",
    "the journal": "mkdir -p .symops/1 && echo x > .symops/1/open.json",
}
MADE = {
    "below": ("mkdir -p sub/.git/hooks", ["sub/.git"]),
    "in other letters": ("mkdir -p sub/.GIT", ["sub/.GIT"]),
    "a file below": ("mkdir sub && echo 'gitdir: ../x' > sub/.git", ["sub/.git"]),
    "a link below": ("mkdir sub && ln -s /x sub/.git", ["sub/.git"]),
    "a journal below": ("mkdir -p sub/.symops/1", ["sub/.symops"]),
    "of another system": ("mkdir .hg && echo x > .hg/hgrc", [".hg"]),
    "without a working tree": ("mkdir -p a/objects a/refs && echo x > a/HEAD", ["a/HEAD"]),
    "in one without a working tree": ("mkdir -p a/objects a/refs a/b/.git && echo x > a/HEAD", ["a/HEAD", "a/b/.git"]),
    "the folder itself": ("mkdir -p objects refs && echo x > HEAD", ["HEAD"]),
    "where another one was": ("mv old sub && mkdir -p old/.git", ["old/.git"]),
}


@needs_bwrap
@pytest.mark.parametrize("kind", NEW)
def test_a_repository_at_the_top_cannot_be_made(root: Path, kind: str) -> None:
    result = sandboxed(NEW[kind], root)
    assert not result.ok and result.code and result.made == ()
    assert not {".git", ".symops"} & set(os.listdir(root))


@needs_bwrap
@pytest.mark.parametrize("kind", MADE)
def test_a_repository_that_is_made_is_put_aside(root: Path, kind: str) -> None:
    line, paths = MADE[kind]
    (root / "old/.git").mkdir(parents=True)
    result = sandboxed(line, root)
    assert result.code == 0 and not result.ok and "which is not allowed" in result.reason
    assert len(result.made) == len(paths)
    for path in paths:
        at = root / path
        assert not os.path.lexists(at) and len(list(at.parent.glob(f"{at.name}.kept-*"))) == 1
    kept = root / ("sub" if line.startswith("mv") else "old") / ".git"
    assert kept.is_dir(), "what was there before stays"


@needs_bwrap
def test_many_repositories_that_are_made(root: Path) -> None:
    result = sandboxed("for n in $(seq 50); do mkdir -p $n/.git; done", root)
    assert len(result.made) == 21 and result.made[-1] == "and 30 more"
    assert not list(root.glob("*/.git"))


def test_places_that_cannot_be_guarded(tmp_path: Path) -> None:
    def refused(root: Path, message: str) -> None:
        with pytest.raises(WorkspaceError, match=message):
            Guarded(str(root)).look()

    refused(Path("/"), "no sandbox can guard this folder")
    (tmp_path / ".git/hooks").mkdir(parents=True)
    refused(tmp_path / ".git/hooks", "no sandbox can guard this folder")
    bare = tmp_path / "bare"
    for name in ("objects", "refs", "HEAD"):
        (bare / name).mkdir(parents=True)
    refused(bare, "what Git keeps for itself")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.git").symlink_to(tmp_path)
    refused(tmp_path, "sub/.git is a link, which no sandbox can guard")


def test_deep_folders_are_looked_at(tmp_path: Path) -> None:
    deep = [f"{tmp_path}{'/d' * depth}" for depth in range(1, 1_501)] + [f"{tmp_path}{'/d' * 1_500}/.git"]
    for folder in deep:
        os.mkdir(folder)
    guarded = Guarded(str(tmp_path))
    guarded.look()
    assert guarded.places == (deep[-1],)
    for folder in reversed(deep):
        os.rmdir(folder)


@needs_bwrap
def test_the_environment_of_a_sandboxed_command(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "DISPLAY", "XDG_RUNTIME_DIR", "MY_TOKEN"):
        monkeypatch.setenv(name, "unix:path=/run/user/0/x")
    shown = sandboxed("cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'; env", root).output
    assert "unix:path" not in shown and "TMPDIR=/tmp" in shown
