"""Mutation testing: change one thing of a module at a time, and see whether any test fails; `make mutants` runs it.

Nothing on disk changes. The tests are collected once; for each mutant a fork puts the changed code into the loaded
module, and runs them until one fails: those that noticed an earlier mutant first. Of a module with many mutants a
sample is tried, always the same one.
"""

from __future__ import annotations

import ast
import copy
import importlib
import os
import random
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from repository import ROOT

_MOST = 40  # mutants of one module, if `MOST` in the environment says nothing else
_ROOMS = ("recovery", "repairs", "strict", "pipeline")  # what decides
_CLOSE = ("test_corpus.py", "recovery/test_[acdfnp]*.py", "strict/*.py", "repairs/*.py")
_SECONDS, _MEMORY = 60, 4 << 30  # of computing, and bytes: a mutant that needs more hangs; the tests need a fourth

_EXCHANGED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Break: (ast.Continue,),
    ast.Continue: (ast.Break,),
    ast.AugAssign: (ast.Pass,),
}
_CALLED = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Mutant:
    """One change of a module: the field of a node, what stands in it, what is put there, and in which line."""

    def __init__(self, node: ast.AST, field: str, new: object, line: int) -> None:
        self.node, self.field, self.old, self.new, self.line = node, field, getattr(node, field), new, line

    def __str__(self) -> str:
        changed = copy.copy(self.node)
        setattr(changed, self.field, self.new)
        return f"{self.line}: {_show(self.node)}\n    -> {_show(changed)}"

    def compile(self, tree: ast.Module, path: Path) -> CodeType:
        """Return the code of the module with the change in it."""
        setattr(self.node, self.field, self.new)
        try:
            return compile(ast.fix_missing_locations(tree), str(path), "exec")
        finally:
            setattr(self.node, self.field, self.old)


def _show(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    return text.partition("\n")[0][:160]


def find_mutants(tree: ast.Module) -> Iterator[Mutant]:
    """Return every change that is worth a test: of conditions, numbers, tables, and statements that are left out."""
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, line = todo.pop()
        line = getattr(node, "lineno", line)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_ignores"):
                continue
            yield from (Mutant(node, name, new, line) for new in _changes(node, name, value))
            todo += [(child, line) for child in (value if isinstance(value, list) else [value]) if _is_code(child)]


def _is_code(node: object) -> bool:
    """Return whether a node is not only for type checkers, nor a text for people."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return False
    return isinstance(node, ast.AST) and not isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom)


def _changes(node: ast.AST, name: str, value: Any) -> Iterator[object]:
    """Return what else may stand in a field of a node."""
    if isinstance(value, list):
        for at, child in enumerate(value):
            before, behind = value[:at], value[at + 1 :]
            if isinstance(node, ast.Set) or name == "ifs" or (isinstance(node, ast.Tuple) and _is_name(child)):
                yield [*before, *behind]
            yield from ([*before, new, *behind] for new in _replacements(child))
    elif isinstance(value, ast.AST):
        yield from _replacements(value)
    if isinstance(node, ast.If | ast.IfExp) and name == "test":
        yield from (ast.Constant(True), ast.Constant(False))
    if isinstance(node, ast.Call) and isinstance(value, ast.Name) and value.id in _CALLED:
        yield ast.Name(_CALLED[value.id], ast.Load())


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Return what may stand in place of a node."""
    if type(node) in _EXCHANGED:
        yield from (new() for new in _EXCHANGED[type(node)])
    elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
        yield ast.Pass()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield from (ast.Constant(node.value + step) for step in (1, -1))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            others = [*node.values[:at], *node.values[at + 1 :]]
            yield others[0] if len(others) == 1 else ast.BoolOp(node.op, others)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.Sub | ast.BitAnd):
        yield from (node.left, node.right)


def _is_name(node: ast.AST) -> bool:
    """Return whether an element of a tuple looks like one of a table: a text, or a member of an enum."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def put_in(module: ModuleType, code: CodeType) -> None:
    """Put changed code into a loaded module: into its functions, and its values wherever they were imported."""
    fresh = ModuleType(module.__name__)
    fresh.__dict__.update({key: module.__dict__[key] for key in ("__file__", "__package__", "__spec__")})
    sys.modules[module.__name__] = fresh  # dataclasses look for it
    exec(code, fresh.__dict__)
    sys.modules[module.__name__] = module
    for name, new in vars(fresh).items():
        old = vars(module).get(name)
        if name.startswith("__") or _renew(old, new, module.__name__) or _is_same(old, new):
            continue
        for other in list(sys.modules.values()):
            for alias, value in list(getattr(other, "__dict__", {}).items()):
                if value is old and (other is module or getattr(other, "__name__", "").startswith("symops_lark")):
                    setattr(other, alias, new)


def _renew(old: Any, new: Any, module: str) -> bool:
    """Give a function, or the methods of a class, the code of the new one; return whether it is one."""
    for part in ("__wrapped__", "func", "fget", "__func__"):
        old, new = getattr(old, part, None) or old, getattr(new, part, None) or new
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        if old.__module__ == module and old.__code__.co_freevars == new.__code__.co_freevars:
            old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
        return True
    if isinstance(old, type) and isinstance(new, type):
        for name, value in vars(new).items() if old.__module__ == module else ():
            _renew(vars(old).get(name), value, module)
        return True
    return False


def _is_same(old: Any, new: Any) -> bool:
    return old is new or (type(old) is type(new) and (old == new or repr(old) == repr(new)))


class Trial:
    """A plugin of pytest that runs the collected tests once for each mutant of some modules."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.killed = self.tried = 0
        self.first: list[pytest.Item] = []  # what noticed mutants, the last one first

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed or not self._survives(session, None, None):
            raise pytest.UsageError("the tests fail without any mutant")
        for path in self.paths:
            self._try_module(session, path)
        _say(f"{self.killed} of {self.tried} mutants killed")
        return True

    def _try_module(self, session: pytest.Session, path: Path) -> None:
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        mutants, most = list(find_mutants(tree)), int(os.environ.get("MOST", _MOST))
        chosen = random.Random(path.stem).sample(range(len(mutants)), min(most, len(mutants)))
        before = self.killed
        for index in sorted(chosen, key=lambda at: mutants[at].line):
            if self._survives(session, module, mutants[index].compile(tree, path)):
                _say(f"{path.relative_to(ROOT)}:{mutants[index]}")
            else:
                self.killed += 1
        self.tried += len(chosen)
        _say(f"{path.relative_to(ROOT)}: {self.killed - before} of {len(chosen)} killed ({len(mutants)} in all)")

    def _survives(self, session: pytest.Session, module: ModuleType | None, code: CodeType | None) -> bool:
        items = [*self.first, *(item for item in session.items if item not in set(self.first))]
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, str(_find_failure(session, items, module, code)).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as answer:
            said = answer.read()  # nothing, if the mutant crashed or hung
        os.waitpid(child, 0)
        if said and int(said) >= 0:
            item = items[int(said)]
            self.first = [item, *(other for other in self.first if other is not item)][:30]
        return said == "-1"


def _find_failure(
    session: pytest.Session, items: list[pytest.Item], module: ModuleType | None, code: CodeType | None
) -> int:
    """Return the place of the first test that fails, or -1."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, 1)
    os.dup2(void, 2)
    session.config.pluginmanager.unregister(name="terminalreporter")
    try:
        if module is not None and code is not None:
            put_in(module, code)
        for at, item in enumerate(items):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=(*items[at + 1 :], None)[0])
            if session.testsfailed:
                return at
    except BaseException:  # noqa: BLE001  # whatever it is: the mutant does not even start
        return 0
    return -1


def _say(line: str) -> None:
    os.write(_OUT, f"{line}\n".encode())


_OUT = os.dup(1)  # pytest catches what is printed


def main(arguments: list[str]) -> int:
    """Mutate the modules of some rooms and print what survives, and the scores; 0 if nothing survives."""
    found = [ROOT / "symops_lark" / room for room in arguments or _ROOMS]
    files = [sorted(room.glob("*.py")) if room.is_dir() else [room.with_suffix(".py")] for room in found]
    paths = [path for room in files for path in room]
    trial = Trial([path for path in paths if path.stem != "__init__"])
    tests = [str(path) for pattern in _CLOSE for path in sorted((ROOT / "tests").glob(pattern))]
    os.environ["HYPOTHESIS_PROFILE"] = "quick"
    options = ["-n", "0", "-x", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir", str(ROOT)]
    code = pytest.main([*options, *tests], plugins=[trial])
    return int(code) or int(trial.killed < trial.tried)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
