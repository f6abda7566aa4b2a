"""The package works from a wheel outside of the checkout, from the source distribution, and from a bare checkout."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import symops_lark
from symops_lark.core.ground.resources import cache_folder, state_folder

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
RUN = "from symops_lark.adapters.cli import main; main()"

pytestmark = pytest.mark.slow


def run(command: list[str], *, cwd: Path, code: int = 0, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=cwd, env=clean | environment, capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, so that this must hold all that the wheel needs."""
    folder = tmp_path_factory.mktemp("built")
    run([sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)], cwd=ROOT)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    source = folder / archive.name.removesuffix(".tar.gz")
    run([*PIP, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", ".", str(source)], cwd=folder)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed; its dependencies come from the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("installed")
    run([*PIP, "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel)], cwd=folder)
    return folder


def data_files() -> set[str]:
    folders = ["grammars", "repair_rules"]
    folders += [f"benchmarks/{name}" for name in ("tasks", "profiles", "contents", "baselines")]
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    kinds = (".lark", ".yaml", ".json", ".jsonl", ".md", ".txt", ".py")
    items = {path.relative_to(ROOT).as_posix() for path in files if path.suffix in kinds}
    assert len(items) > 50
    return items


def test_wheel_has_everything(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"symops_lark/_data/{name}" for name in data_files()} <= names
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "symops_lark").rglob("*.py")}
    package |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "symops_lark").rglob("*.md")}
    package |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "symops_lark").rglob("*.txt")}
    page = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "symops_lark" / "lab" / "playground" / "page").iterdir()
    }
    assert len(page) > 8
    package |= page | {path.relative_to(ROOT).as_posix() for path in (ROOT / "symops_lark").rglob("*.js")}
    assert package <= names
    schemas = {
        f"symops_lark/{name}.schema.json" for name in ("core/document", "core/result", "acting/plan", "acting/outcome")
    }
    assert {"symops_lark/py.typed", *schemas} <= names
    allowed = {"symops_lark", f"symops_lark-{symops_lark.__version__}.dist-info"}
    assert {name.partition("/")[0] for name in names} == allowed
    licences = [name for name in names if name.endswith("licenses/LICENSE")]
    assert licences


def test_source_distribution_has_everything(wheel: Path) -> None:
    source = wheel.parent / f"symops_lark-{symops_lark.__version__}"
    for name in (
        "README.md",
        "README.ja.md",
        "ARCHITECTURE.md",
        "Makefile",
        "tests",
        "benchmarks",
        "examples",
        *data_files(),
    ):
        assert (source / name).exists(), name


def test_archives_are_reproducible(wheel: Path, tmp_path: Path) -> None:
    """From another folder, on another day and in another time zone, the same commit gives the same bytes."""
    source = wheel.parent / f"symops_lark-{symops_lark.__version__}"
    moved = tmp_path / "moved"
    shutil.copytree(source, moved)
    for number, path in enumerate(sorted(moved.rglob("*"))):
        os.utime(path, (10**9 + number, 10**9 + number))
    digests = []
    for name, folder, zone in (("one", source, "UTC"), ("two", moved, "Asia/Tokyo")):
        built = tmp_path / name
        command = [sys.executable, "-m", "hatchling", "build", "--directory", str(built)]
        run(command, cwd=folder, TZ=zone, PYTHONHASHSEED=str(len(zone)), SOURCE_DATE_EPOCH="1700000000")
        digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built.iterdir()})
    assert len(digests[0]) == 2 and digests[0] == digests[1]


def test_wheel_works_outside_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    where = run(
        [sys.executable, "-c", "import symops_lark; print(symops_lark.__file__)"],
        cwd=tmp_path,
        PYTHONPATH=str(installed),
    )
    assert Path(where.strip()).is_relative_to(installed)
    reply = str(ROOT / "examples" / "broken_reply.txt")
    output = run([sys.executable, "-c", RUN, "process", reply], cwd=tmp_path, PYTHONPATH=str(installed))
    assert "main.py" in output and "requirements.txt" in output and "repairs" in output
    listed = run([sys.executable, "-c", RUN, "grammar", "list"], cwd=tmp_path, PYTHONPATH=str(installed))
    assert str(installed) in listed and str(ROOT) not in listed
    measured = run(
        [
            sys.executable,
            "-c",
            RUN,
            "bench",
            "run",
            "-f",
            "v2,json,v2-naive",
            "-t",
            "three*",
            "--quiet",
            "--out",
            "run.jsonl",
        ],
        cwd=tmp_path,
        PYTHONPATH=str(installed),
    )
    assert "v2-naive" in measured
    files = "from symops_lark.lab.playground.server import page; print(*page())"
    served = run([sys.executable, "-c", files], cwd=tmp_path, PYTHONPATH=str(installed)).split()
    assert {"index.html", "page.js", "style.css"} <= {*served}
    prompt = run([sys.executable, "-c", RUN, "prompt", "--system"], cwd=tmp_path, PYTHONPATH=str(installed))
    assert "<reply>" in prompt


def test_wheel_installs_the_command(installed: Path, tmp_path: Path) -> None:
    command = installed / "bin" / "symops"
    output = run([sys.executable, str(command), "--version"], cwd=tmp_path, PYTHONPATH=str(installed))
    assert symops_lark.__version__ in output


def test_bare_checkout_works(tmp_path: Path) -> None:
    reply = str(ROOT / "examples" / "broken_reply.txt")
    output = run([sys.executable, "-m", "symops_lark", "process", reply], cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert "main.py" in output


def test_nothing_is_kept_where_there_is_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder called `~` would be made in whatever folder is worked in, and read where strangers have made one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    for item in (None, "", "cache", "./x"):
        for variable, folder in (("XDG_CACHE_HOME", cache_folder), ("XDG_STATE_HOME", state_folder)):
            monkeypatch.delenv(variable, raising=False)
            if item is not None:
                monkeypatch.setenv(variable, item)
            assert folder() is None
    text = (ROOT / "grammars/v2.lark").read_text() + "\n// of our own\n"
    (tmp_path / "mine.lark").write_text(text)
    assert symops_lark.parse(">> go\n", str(tmp_path / "mine.lark")).thoughts
    assert os.listdir(tmp_path) == ["mine.lark"]


def test_works_without_a_cache_folder(tmp_path: Path) -> None:
    """A home that cannot be written to costs time, not the result."""
    (tmp_path / "file").write_text("not a folder")
    reply = str(ROOT / "examples" / "broken_reply.txt")
    output = run(
        [sys.executable, "-m", "symops_lark", "process", reply],
        cwd=tmp_path,
        PYTHONPATH=str(ROOT),
        XDG_CACHE_HOME=str(tmp_path / "file"),
    )
    assert "main.py" in output


def test_systems_that_are_promised() -> None:
    """Windows cannot change files safely here, so neither it nor all systems are named."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    systems = {line.split(" :: ", 1)[1] for line in classifiers if line.startswith("Operating System")}
    assert systems == {"MacOS", "POSIX", "POSIX :: Linux"}
