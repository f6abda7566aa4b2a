"""The plan of the house holds: walls between the modules, style, types, sizes, a light front door."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from dataclasses import is_dataclass
from importlib.resources import files
from pathlib import Path

import pytest
from documents import write_examples

import symops_lark
from benchmarks.exports import _parsers
from symops_lark.core.repairs.loader import all_rules

ROOT = Path(__file__).resolve().parent.parent
FRONT_DOOR = {
    # functions
    "parse",
    "portable_tables",
    "recover",
    "repair",
    "render",
    "convert",
    "formats",
    "read_format",
    "write_format",
    "validate",
    "is_acceptable",
    "process",
    "dialects",
    "derive",
    "export",
    "ExportError",
    "rulesets",
    "schema",
    "system_prompt",
    "plan",
    "apply",
    "undo",
    "edit_text",
    # texts
    "FEW_SHOT_EXAMPLES",
    "SYMOPS_SYSTEM_PROMPT",
    "SYMOPS_V2_SYSTEM_PROMPT",
    # classes
    "Format",
    "Document",
    "Thought",
    "Vitals",
    "Action",
    "Completeness",
    "Question",
    "Replacement",
    "ErrorNote",
    "Skipped",
    "CustomSection",
    "Part",
    "Source",
    "Span",
    "Diagnostic",
    "Severity",
    "Result",
    "Phase",
    "SymOpsProcessor",
    "RenderOptions",
    "PromptBuilder",
    "SelfCorrector",
    "StreamParser",
    "StreamResult",
    "NEED_TEXT",
    "ActionFinished",
    "ActionStarted",
    "ContentDelta",
    "Noticed",
    "SectionContent",
    "SectionFinished",
    "SectionParsed",
    "SectionStarted",
    "Plan",
    "Outcome",
    "Policy",
    "load_policy",
    "Change",
    "Edited",
    "Refusal",
    "Decision",
    "Runner",
    # errors
    "SymOpsError",
    "GrammarError",
    "ParseError",
    "RenderError",
    "RuleError",
    "ProtocolError",
    "ModelError",
    "WorkspaceError",
    "UnsafeActionError",
}
HEAVY = {"lark", "yaml", "click", "re2", "openai", "anthropic", "httpx2", "rich", "mcp"}


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def python_files(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


# ---- tools


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["ruff check .", "ruff format --check .", "lint-imports --no-cache"])
def test_tool_has_no_complaints(tool: str) -> None:
    name, *arguments = tool.split()
    done = run(str(Path(sys.executable).with_name(name)), *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_has_no_complaints_of_the_code_and_of_the_documented_examples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = write_examples(tmp_path)
    monkeypatch.setenv("MYPYPATH", str(tmp_path))
    done = run(sys.executable, "-m", "mypy", "symops_lark", "benchmarks", "tests", *map(str, examples))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_pyright_has_no_complaints_of_the_documented_examples(tmp_path: Path) -> None:
    examples = write_examples(tmp_path)
    settings = {"include": [str(tmp_path)], "extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    checker = files("pyright") / "dist" / "index.js"  # its own command may look for a newer one in the network
    done = run(
        _parsers.node(), str(checker), "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"
    )
    report = json.loads(done.stdout)
    items = [
        f"{finding['file']}:{finding['range']['start']['line'] + 1}: {finding['message']}"
        for finding in report["generalDiagnostics"]
    ]
    assert items == [] and report["summary"]["filesAnalyzed"] >= len(examples) > 30


# ---- files


def test_no_file_is_over_400_lines() -> None:
    files = [path for folder in ("symops_lark", "tests", "benchmarks") for path in python_files(folder)]
    assert len(files) > 20
    sizes = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {name: size for name, size in sizes.items() if size > 400} == {}


def test_no_vague_module_names() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "handler", "misc"}
    assert [path for path in python_files("symops_lark") if path.stem in vague] == []


@pytest.mark.slow
def test_no_module_has_a_function_of_its_own_name() -> None:
    """Modules are nouns, functions verbs; and `from .plan import plan` would hide the module behind the function."""
    same = []
    for path in python_files("symops_lark"):
        name = path.parent.name if path.name == "__init__.py" else path.stem
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        same += [str(path.relative_to(ROOT))] if name in functions else []
    assert same == []


# ---- the front door


def test_front_door_is_what_was_promised() -> None:
    assert set(symops_lark.__all__) == FRONT_DOOR
    assert len(symops_lark.__all__) == len(FRONT_DOOR), "a name is listed twice"
    for name in symops_lark.__all__:
        assert getattr(symops_lark, name) is not None
    assert set(dir(symops_lark)) >= FRONT_DOOR
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = symops_lark.no_such_name


@pytest.mark.parametrize("name", sorted(FRONT_DOOR))
def test_help_is_readable(name: str) -> None:
    """Functions and methods fit on a few lines; a dataclass has a line for each field, and none is long."""
    value = getattr(symops_lark, name)
    members = (
        [value, *(member for key, member in vars(value).items() if key[0] != "_")]
        if inspect.isclass(value)
        else [value]
    )
    for member in filter(callable, members):
        try:
            signature = inspect.signature(member)
        except (TypeError, ValueError):  # of an enum, or written in C
            continue
        assert is_dataclass(member) or len(str(signature)) <= 300, (member, len(str(signature)))
        for parameter in signature.parameters.values():
            assert len(str(parameter)) <= 90, parameter


def test_front_door_for_type_checkers_agrees() -> None:
    tree = ast.parse(Path(symops_lark.__file__).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    names = {alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert names == {*FRONT_DOOR, "__version__"}


def test_import_is_light() -> None:
    code = "import sys, json; import symops_lark; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(run(sys.executable, "-c", code).stdout)
    assert "symops_lark" in loaded
    assert {name.partition(".")[0] for name in loaded} & HEAVY == set()


def test_import_loads_nothing_else_of_the_package() -> None:
    code = "import sys, symops_lark; print(*(name for name in sys.modules if name.startswith('symops_lark')))"
    assert run(sys.executable, "-c", code).stdout.split() == ["symops_lark"]


@pytest.mark.slow
def test_import_of_every_module_is_light() -> None:
    """Heavy packages are loaded when they are used; only those whose classes need them at once may do it earlier."""
    server = "symops_lark.code_intelligence.server"
    early = {"symops_lark.core.strict.builder": {"lark"}, f"{server}.http": {"mcp"}, f"{server}.protocol": {"mcp"}}
    for path in python_files("symops_lark"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        if "cli" in parts or path.name == "__main__.py":
            continue
        if name.startswith("symops_lark.error_correcting"):
            continue  # this room extends Lark: who imports it has it
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_top: set[str] = set()
        for node in tree.body:
            if isinstance(node, ast.Import):
                at_top |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                at_top.add(str(node.module).partition(".")[0])
        assert at_top & HEAVY <= early.get(name, set()), path


# ---- documentation in the code


def public_definitions() -> list[tuple[str, ast.AST]]:
    result: list[tuple[str, ast.AST]] = []
    for path in python_files("symops_lark"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        where = str(path.relative_to(ROOT))
        result.append((where, tree))
        body = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        result += [(f"{where}:{node.name}", node) for node in body if not node.name.startswith("_")]
    return result


@pytest.mark.slow
def test_everything_public_has_a_docstring() -> None:
    missing, no_sentence = [], []
    for where, node in public_definitions():
        text = ast.get_docstring(node)  # type: ignore[arg-type]
        if not text:
            missing.append(where)
        elif not re.fullmatch(r"[^a-z\s].*[.:]", text.split("\n")[0]):
            no_sentence.append((where, text.split("\n")[0]))
    assert missing == []
    assert no_sentence == []


def test_public_methods_have_docstrings() -> None:
    for name in symops_lark.__all__:
        value = getattr(symops_lark, name)
        if not inspect.isclass(value):
            continue
        for method, member in vars(value).items():
            isfunction = inspect.isfunction(member) or isinstance(member, property | classmethod)
            if isfunction and not method.startswith("_"):
                assert inspect.getdoc(getattr(value, method)), f"{name}.{method}"


def test_parser_hints_name_installed_rules() -> None:
    """A hint that names a repair names one that exists."""
    files = (ROOT / "symops_lark" / "core" / "strict" / "explain.py", ROOT / "grammars" / "v2_recovery.lark")
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    matches = set(re.findall(r"the repair `([a-z-]+)`", text))
    assert matches, "the hints have changed their wording"
    assert matches <= {rule.id for rule in all_rules()}


# ---- the tests


def asserting_functions(trees: list[ast.Module]) -> set[str]:
    """Return the names of the functions of the tests that assert, by themselves or by what they call."""
    calls: dict[str, set[str]] = {}
    texts: set[str] = set()
    for function in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        called = {node.func for node in ast.walk(function) if isinstance(node, ast.Call)}
        names = {node.id for node in called if isinstance(node, ast.Name)}
        names |= {node.attr for node in called if isinstance(node, ast.Attribute)}
        calls.setdefault(function.name, set()).update(names)
        if "raises" in names or any(isinstance(node, ast.Assert | ast.Raise) for node in ast.walk(function)):
            texts.add(function.name)
    while extra := {name for name, called in calls.items() if name not in texts and called & texts}:
        texts |= extra
    return texts


@pytest.mark.slow
def test_every_test_asserts_and_none_returns_before_it_does() -> None:
    paths = python_files("tests")
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    asserting = asserting_functions(trees)
    silent, early = [], []
    for path, tree in zip(paths, trees, strict=True):
        for test in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            if not test.name.startswith("test_"):
                continue
            where = f"{path.relative_to(ROOT)}:{test.name}"
            silent += [where] if test.name not in asserting else []
            first = min((node.lineno for node in ast.walk(test) if isinstance(node, ast.Assert)), default=0)
            bare = [node for node in ast.walk(test) if isinstance(node, ast.Return) and node.value is None]
            early += [where for node in bare if node.lineno < first]
    assert silent == []
    assert early == []
