"""Laws of the tree: what stands in the root, what a folder says of itself, and which wing works without which."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import mutants
import pytest

from symops_lark.core.former_names import FORMER

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "symops_lark"
MAX_MODULES = 18  # in one folder
# Each wing, and the wings that it may import; all may import the core.
MAY_IMPORT: dict[str, set[str]] = {
    "models": set(),
    "acting": set(),
    "answers": {"models"},
    "code_intelligence": {"models", "answers", "acting"},
    "error_correcting": set(),
    "exports": {"models"},
    "lab": {"models", "answers", "acting", "error_correcting", "exports"},
    "routing": {"models", "answers", "acting", "error_correcting", "exports", "lab"},
    "agent": {"models", "answers", "acting", "error_correcting", "exports", "lab", "code_intelligence", "routing"},
    "adapters": {
        *("models", "answers", "acting", "error_correcting", "exports", "lab", "code_intelligence", "routing", "agent")
    },
}
# A call, and the number of modules of this package that it may load.
CALLS = {
    "s.parse('::run @ls\\n', 'v2')": 62,
    "s.process('::run @ls\\n', format='v2')": 69,
    "s.process('::Create @a.py\\n<<<\\nx\\n>>>\\n', format='v2')": 145,  # 18 judge the discourse of a broken reply
    "list(s.StreamParser('v2').events(['::Create @a.py\\n<<<\\nx\\n>>>\\n']))": 164,  # and one of the stream
}
LOADED = """
import json, sys
import symops_lark as s
exec(sys.argv[1])
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "symops_lark")))
"""
# Imports all modules of a package, and prints which fail because a module of ours is missing. A library that is not
# installed is no fault.
IMPORT_ALL = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
faults = []
for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=lambda name: None):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("symops_lark"):
            faults.append(f"{module.name}: {error.name}")
    except ImportError:
        pass
print(json.dumps(faults))
"""


def run_python(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copy_package(folder: Path, wings: set[str]) -> Path:
    """Copy the package with the core and some wings alone."""
    for name in ("grammars", "repair_rules", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    left_out = MAY_IMPORT.keys() - wings

    def ignored(place: str, names: list[str]) -> list[str]:
        return [name for name in names if name == "__pycache__" or (Path(place) == PACKAGE and name in left_out)]

    shutil.copytree(PACKAGE, folder / "symops_lark", ignore=ignored)
    return folder


def import_all(folder: Path, package: str) -> list[str]:
    faults: list[str] = json.loads(run_python(folder, "-c", IMPORT_ALL, package).splitlines()[-1])
    return faults


def test_the_root_is_small() -> None:
    entries = {path.name for path in PACKAGE.iterdir()} - {"__pycache__", "_data"}
    assert entries == {"__init__.py", "__main__.py", "py.typed", "core", *MAY_IMPORT}


def test_every_folder_says_what_lives_there() -> None:
    texts = {path: path.read_text("utf-8").split('"""')[1] for path in PACKAGE.rglob("__init__.py")}
    assert len(texts) > 40
    assert [path for path, text in texts.items() if len(text.split()) < 4] == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_no_folder_is_a_crowd() -> None:
    counts = {folder: len(list(folder.glob("[!_]*.py"))) for folder in PACKAGE.rglob("*") if folder.is_dir()}
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}


@pytest.mark.slow
def test_the_core_works_alone(tmp_path: Path) -> None:
    copy_package(tmp_path, set())
    assert import_all(tmp_path, "symops_lark.core") == []
    for call in CALLS:
        run_python(tmp_path, "-c", f"import symops_lark as s; {call}")


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_call_loads_only_what_it_needs(call: str) -> None:
    """On a warm start: what compiles grammars is loaded only where tables are not kept yet."""
    run_python(ROOT, "-c", LOADED, call)
    modules = json.loads(run_python(ROOT, "-c", LOADED, call))
    assert len(modules) <= CALLS[call], "\n".join(modules)


@pytest.mark.slow
@pytest.mark.alike(3)
@pytest.mark.parametrize("wing", MAY_IMPORT)
def test_a_wing_works_without_those_that_it_must_not_know(wing: str, tmp_path: Path) -> None:
    copy_package(tmp_path, {wing, *MAY_IMPORT[wing]})
    assert import_all(tmp_path, f"symops_lark.{wing}") == []


def imported_modules(path: Path, modules: set[str]) -> set[str]:
    """Return the modules of the package that a module imports at its top, those for types included."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    package = parts[:-1]
    tree = ast.parse(path.read_text("utf-8"))
    imported: set[str] = set()
    statements = list(tree.body)
    while statements:
        node = statements.pop()
        if isinstance(node, ast.If | ast.Try):
            statements += [*node.body, *node.orelse]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*start, *([node.module] if node.module else [])])
            imported |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
    return imported & modules


def find_circle(imports: dict[str, set[str]]) -> list[str]:
    """Return modules of which each imports the one before it, and the first the last; empty if there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports that only type checkers run count, too: a reader follows them all the same."""
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
    modules = {name for name in paths if not name.endswith(("__init__", "__main__"))}
    imports = {name: imported_modules(paths[name], modules) - {name} for name in modules}
    assert len(imports) > 500
    assert find_circle(imports) == []


def test_a_circle_is_noticed() -> None:
    assert {*find_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}, "e": set()})} == {"b", "c"}
    assert find_circle({"a": {"b"}, "b": set()}) == []


@pytest.mark.slow
def test_a_missing_wing_is_noticed(tmp_path: Path) -> None:
    copy_package(tmp_path, {"lab"})
    assert import_all(tmp_path, "symops_lark.lab") != []


def test_paths_that_make_and_the_mutation_tester_name_exist() -> None:
    """They name folders of tests without `tests/`, which no other check of paths sees."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    sample = re.search(r"^SAMPLE := \$\(addprefix tests/,(.*)\)$", makefile, re.MULTILINE)
    assert sample
    tests = [*sample[1].split(), *mutants._TESTS]
    assert len(tests) > 12
    assert [name for name in tests if not (ROOT / "tests" / name).exists()] == []
    rooms = [PACKAGE / room for room in mutants._ROOMS]
    assert [room for room in rooms if not room.exists() and not room.with_suffix(".py").exists()] == []


# ---- the tests of a wing, without the other wings


def run_tests_alone(folder: Path, wing: str, wings: set[str], *, thorough: bool) -> None:
    """Collect the tests of a wing where the other wings are missing; with --thorough, run a sample of them.

    The contracts of imports hold inside of functions, too: to run the tests rarely finds more than to collect them. A
    test that needs another wing, such as one that runs the command line, is skipped there (`need_wing`).
    """
    copy_package(folder, wings)
    for name in ("docs", "examples", "pyproject.toml", "README.md", "ARCHITECTURE.md"):
        (folder / name).symlink_to(ROOT / name)
    tests = folder / "tests"
    shutil.copytree(ROOT / "tests" / wing, tests / wing, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    for name in ("support", "corpus", "transcripts"):
        (tests / name).symlink_to(ROOT / "tests" / name)
    # A module that is missing is missed by any case of a test, and mostly where a file is collected.
    options = ["--quick", "--once", "-p", "no:cacheprovider", "-p", "no:xdist"]
    if not thorough:
        options.append("--collect-only")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"tests/{wing}"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    count = re.search(r"(\d+) passed" if thorough else r"(\d+)(?:/\d+)? tests collected", done.stdout)
    assert count and int(count[1]) > 30, done.stdout[-3000:]


@pytest.mark.slow
def test_the_core_passes_its_tests_alone(tmp_path: Path, stride: int) -> None:
    run_tests_alone(tmp_path, "core", set(), thorough=stride == 1)


@pytest.mark.slow
@pytest.mark.alike(8)
@pytest.mark.parametrize("wing", [wing for wing in MAY_IMPORT if wing != "adapters"])
def test_a_wing_passes_its_tests_with_only_those_that_it_may_import(wing: str, tmp_path: Path, stride: int) -> None:
    run_tests_alone(tmp_path, wing, {wing, *MAY_IMPORT[wing]}, thorough=stride == 1)


# ---- former names


@pytest.mark.slow
def test_a_former_name_is_the_same_module() -> None:
    code = (
        "import symops_lark.structured.extraction as a, symops_lark.answers.structured.extraction as b\n"
        "import symops_lark.streaming as c, symops_lark.core.streaming as d\n"
        "assert a is b and c is d and a.__spec__.name == a.__name__\n"
    )
    done = subprocess.run([sys.executable, "-W", "always", "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "is now symops_lark.answers.structured" in done.stderr, done.stderr


@pytest.mark.slow
def test_every_former_name_finds_its_module() -> None:
    """In one process, and in the worst order: a module before the folder that took its place."""
    code = (
        "import importlib, sys, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "for former, now in [row.split('=') for row in sys.argv[1:]]:\n"
        "    one, other = importlib.import_module(f'symops_lark.{former}'), sys.modules[f'symops_lark.{now}']\n"
        "    assert one is other, (former, one, other)\n"
    )
    rows = sorted(FORMER.items(), key=lambda row: -len(row[0]))
    assert len(rows) > 100
    run_python(ROOT, "-c", code, *(f"{former}={now}" for former, now in rows))


def test_names_of_a_module_whose_place_a_folder_took() -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "from symops_lark.workspace.journal import undo\n"
        "from symops_lark.recovery.outline import Outline\n"
        "from symops_lark.routing.metrics import Metric\n"
        "import symops_lark, symops_lark.routing\n"
        "assert undo is symops_lark.undo and Metric is symops_lark.routing.Metric\n"
    )
    run_python(ROOT, "-c", code)


@pytest.mark.filterwarnings("ignore:symops_lark.structured is now:DeprecationWarning")
@pytest.mark.parametrize("name", ["nothing", "core.nothing", "structured.nothing"])
def test_a_name_that_never_was_is_missing(name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        import_module(f"symops_lark.{name}")
