"""Mutation testing: change one thing of a module at a time, and see whether any test fails; `make mutants` runs it.

Nothing on disk changes. The tests are collected once, and run once to learn which of them enters which function, and
how long each takes. They are those of the rooms, and of recovery. For each mutant a fork puts the changed code into
the loaded module and runs the tests that can notice, until one fails: those that noticed an earlier mutant first, then
the module's own, then the quick ones. A test that fails even where the unchanged code is put in notices nothing. Of a
module with many mutants a sample is tried, always the same one; `SEED` in the environment draws another, `SLOW` gives
a test more seconds.

What survives and is right to survive is told in `explained_mutants.yaml`, with the reason.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from enum import Enum, EnumType
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import pytest
from mutations import Explanation, Mutant, find_mutants, read_explanations
from repository import ROOT

_MOST = 40  # mutants of one module, if `MOST` in the environment says nothing else
_ROOMS = ("core/recovery", "core/repairs", "core/strict", "core/pipeline", "core/validator")  # what decides
_TESTS = (
    "test_corpus.py",
    "test_oracle.py",
    "test_new_dialects.py",
    "test_line_endings.py",
    "test_pipeline.py",
    "test_unfinished.py",
    "lab/workbench/test_check_recovery.py",
    "core/recovery",
    "core/strict",
    "core/repairs",
    "core/validator",
    "models/correction",
)
# Seconds: a test that takes longer is broken off and left out, so that a score takes minutes.
_SLOW = float(os.environ.get("SLOW", "0.3"))
_ENOUGH = 10.0  # seconds of tests that do not notice a mutant
_MEMORY = 4 << 30  # bytes: a mutant that needs more hangs; the tests need a fourth
_WEAK = 0.85  # of a module whose score is told by itself
_VALUES = (bool, int, float, str, tuple, dict, frozenset)  # of attributes of classes
_FEW = 2  # a function that so few tests enter may be one whose results are kept: then all tests can notice


class Course(NamedTuple):
    """How a test went without any mutant: its seconds, and the first lines of the functions it entered, by file."""

    seconds: float
    entered: dict[str, list[int]]


def put_in(module: ModuleType, code: CodeType) -> None:
    """Put changed code into a loaded module: into its functions, and its values where they were imported by name."""
    fresh = ModuleType(module.__name__)
    fresh.__dict__.update({key: module.__dict__[key] for key in ("__file__", "__package__", "__spec__")})
    sys.modules[module.__name__] = fresh  # dataclasses look for it
    exec(code, fresh.__dict__)
    sys.modules[module.__name__] = module
    enums = [var for var in vars(fresh).values() if isinstance(var, EnumType) and var.__module__ == module.__name__]
    for members in enums:
        for member in cast("type[Enum]", members):
            columns = {key: _translate(value, module) for key, value in vars(member).items() if key[0] != "_"}
            vars(_translate(member, module)).update(columns)
    for name, value in vars(fresh).items():
        old, new = vars(module).get(name), _translate(value, module)
        if name.startswith("__") or _renew(old, new, module.__name__) or _is_same(old, new):
            continue
        lone = name.startswith("_") and isinstance(old, _VALUES)  # equal ones elsewhere may be one object
        for single_module in list(sys.modules.values()):
            takes = (
                getattr(single_module, "__name__", "").startswith("symops_lark")
                and vars(single_module).get(name, single_module) is old
            )
            if single_module is module or (takes and not lone):
                setattr(single_module, name, new)


def _renew(old: Any, new: Any, module: str) -> bool:
    """Give a function, or the methods of a class, the code of the new one; return whether it is one."""
    for part in ("__wrapped__", "func", "fget", "__func__"):
        old, new = getattr(old, part, None) or old, getattr(new, part, None) or new
    if isinstance(old, FunctionType) and isinstance(new, FunctionType):
        own = old.__module__ == module or old.__module__.startswith("namedtuple_")
        if own and old.__code__.co_freevars == new.__code__.co_freevars:
            old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
        return True
    if isinstance(old, type) and isinstance(new, type):
        for name, value in vars(new).items() if old.__module__ == module else ():
            entry = vars(old).get(name)
            renew = _renew(entry, value, module) or name.startswith("__") or isinstance(old, EnumType)
            if not renew and isinstance(value, _VALUES) and not _is_same(entry, value):
                setattr(old, name, value)
        return True
    return False


def _translate(value: Any, module: ModuleType) -> Any:
    """Return a value with the members that the enums of a module had before: they are told apart by their identity."""
    if isinstance(value, Enum) and type(value).__module__ == module.__name__:
        return getattr(vars(module).get(type(value).__name__), value.name, value)
    if type(value) is dict:
        return {_translate(key, module): _translate(entry, module) for key, entry in value.items()}
    if type(value) in (tuple, list, set, frozenset):
        return type(value)(_translate(item, module) for item in value)
    return value


def _is_same(old: Any, new: Any) -> bool:
    return old is new or (type(old) is type(new) and (old == new or repr(old) == repr(new)))


class Trial:
    """A plugin of pytest that runs the collected tests once for each mutant of some modules."""

    def __init__(self, paths: Sequence[Path], explained: Sequence[Explanation]) -> None:
        self.paths, self.explained = paths, explained
        self.scores: dict[str, tuple[int, int, int]] = {}  # by module: killed, explained, tried
        self.wrong = 0
        self.first: list[pytest.Item] = []  # what noticed mutants, the last one first
        self.trusted: dict[pytest.Item, bool] = {}  # whether tests pass with a module's unchanged code put in

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        start = time.monotonic()
        if session.testsfailed or not (answer := _ask(lambda say: say(json.dumps(_watch(session))))):
            raise pytest.UsageError("the tests fail without any mutant")
        self.courses = {item: Course(*row) for item, row in zip(session.items, json.loads(answer), strict=True)}
        self.courses = {item: course for item, course in self.courses.items() if course.seconds <= _SLOW}
        _say(f"{len(self.courses)} quick tests of {len(session.items)}, watched in {time.monotonic() - start:.0f} s")
        for path in self.paths:
            self._try_module(session, path)
        self._tell_score()
        return True

    def _tell_score(self) -> None:
        """Print what the modules score, all and each of the weak ones."""
        rooms = sorted({str(path.parent.relative_to(ROOT / "symops_lark")) for path in self.paths})
        for name, (killed, spared, tried) in self.scores.items():
            if killed + spared < _WEAK * tried:
                _say(f"weak: {name} {100 * (killed + spared) / tried:.0f} % ({killed} + {spared} of {tried})")
        killed, spared, tried = (sum(row[at] for row in self.scores.values()) for at in range(3))
        drawn = ", ".join(f"{key}={os.environ[key]}" for key in ("MOST", "SEED") if os.environ.get(key))
        _say(
            f"score of {', '.join(rooms)}: {100 * (killed + spared) / max(1, tried):.1f} % "
            f"({killed} of {tried} mutants killed, {spared} more explained{'; ' + drawn if drawn else ''})"
        )

    def _try_module(self, session: pytest.Session, path: Path) -> None:
        start = time.monotonic()
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        mutants, maximum = list(find_mutants(tree)), int(os.environ.get("MOST", _MOST))
        draw = random.Random(path.stem + os.environ.get("SEED", ""))
        chosen = draw.sample(range(len(mutants)), min(maximum, len(mutants)))
        name, killed, spared, self.trusted = path.relative_to(ROOT), 0, 0, {}
        unchanged = compile(tree, str(path), "exec")
        if _ask(lambda say: say(str(_find_failure(session, [], module, unchanged, 20)))) != "-1":
            raise pytest.UsageError(f"{name} cannot be put in anew")
        for index in sorted(chosen, key=lambda at: mutants[at].line):
            mutant = mutants[index]
            reason = next((item for item in self.explained if item.speaks_of(name, mutant)), None)
            code, items = mutant.compile(tree, path), self._choose(path, mutant)
            survives = self._survives(session, module, code, unchanged, items)
            killed += not survives
            spared += survives and reason is not None
            if survives and reason is None:
                _say(f"{name}:{mutant}")
            elif not survives and reason is not None:
                self.wrong += 1
                _say(f"{name}:{mutant}\n    is explained wrongly, see {self.first[0].nodeid if self.first else '?'}")
        self.scores[str(name)] = (killed, spared, len(chosen))
        text = f", {spared} explained" if spared else ""
        _say(
            f"{name}: {killed} of {len(chosen)} killed{text} ({len(mutants)} in all, {time.monotonic() - start:.0f} s)"
        )

    def _choose(self, path: Path, mutant: Mutant) -> list[pytest.Item]:
        """Return the tests that can notice a mutant, those first that are likely to and cost little."""
        entering = [
            item for item, course in self.courses.items() if mutant.is_entered(course.entered.get(str(path), ()))
        ]
        place = {item: at for at, item in enumerate(self.first)}

        def order(item: pytest.Item) -> tuple[int, bool, bool, float]:
            course = self.courses[item]
            by_name = path.stem in item.path.stem
            return place.get(item, len(place)), not by_name, str(path) not in course.entered, course.seconds

        items = sorted(entering if len(entering) > _FEW else self.courses, key=order)
        seconds = accumulate(self.courses[item].seconds for item in items)
        return [item for item, used in zip(items, seconds, strict=True) if used <= _ENOUGH]

    def _survives(
        self, session: pytest.Session, module: ModuleType, code: CodeType, unchanged: CodeType, items: list[pytest.Item]
    ) -> bool:
        """Return whether no test notices the changed code that passes with the unchanged code put in."""
        while True:
            items = [item for item in items if self.trusted.get(item, True)]
            count = 10 + 4 * sum(self.courses[item].seconds for item in items)
            answer = _ask(lambda say, i=items, m=count: say(str(_find_failure(session, i, module, code, int(m)))))
            if not answer or int(answer) < 0:  # the mutant does not start; nothing is said if it crashes or hangs
                return answer == "-1"
            item = items[int(answer)]
            if item not in self.trusted:
                answer = _ask(lambda say, i=item: say(str(_find_failure(session, [i], module, unchanged, 20))))
                self.trusted[item] = answer == "-1"
            if self.trusted[item]:
                self.first = [item, *(element for element in self.first if element is not item)][:30]
                return False
            _say(f"{item.nodeid} fails with {module.__name__} unchanged; it is left out there")


def _ask(answer: Any) -> str:
    """Return what a fork says."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer(lambda said: os.write(writing, said.encode()))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        result = said.read()
    os.waitpid(child, 0)
    return result


def _silence(session: pytest.Session) -> None:
    void = os.open(os.devnull, os.O_WRONLY)
    os.dup2(void, 1)
    os.dup2(void, 2)
    session.config.pluginmanager.unregister(name="terminalreporter")


def _run(session: pytest.Session, items: Sequence[pytest.Item]) -> Iterator[tuple[int, pytest.Item]]:
    """Run tests, and yield each before the next begins."""
    for at, item in enumerate(items):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=(*items[at + 1 :], None)[0])
        yield at, item


def _watch(session: pytest.Session) -> list[Course]:
    """Return how each test goes; exit if one fails."""
    _silence(session)
    entered: set[CodeType] = set()
    courses: list[Course] = []
    package = str(ROOT / "symops_lark")

    def note(frame: Any, event: str, value: Any) -> None:
        entered.add(frame.f_code)

    signal.signal(signal.SIGVTALRM, lambda *_: pytest.skip("slow"))
    session.config.pluginmanager.register(_Limit())
    begun = _begin(note)
    for _, item in _run(session, session.items):
        sys.settrace(None)
        seconds = time.process_time() - begun
        if seconds > _SLOW:
            session.testsfailed = 0  # one that is broken off may fail
        if session.testsfailed:
            _say(f"{item.nodeid} fails without any mutant")
            os._exit(1)
        by_file: dict[str, list[int]] = {}
        for code in entered:
            if code.co_filename.startswith(package):
                by_file.setdefault(code.co_filename, []).append(code.co_firstlineno)
        courses.append(Course(seconds, by_file))
        entered.clear()
        begun = _begin(note)
    sys.settrace(None)
    return courses


class _Limit:
    """Breaks a test off that takes long: the test, not what pytest does around it."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_VIRTUAL, _SLOW)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _begin(note: Any) -> float:
    """Watch what is entered from now on; return the time."""
    sys.settrace(note)
    return time.process_time()


def _find_failure(
    session: pytest.Session, items: Sequence[pytest.Item], module: ModuleType, code: CodeType, seconds: int
) -> int:
    """Return the place of the first test that fails; -1 if none does, -2 if the code does not even start."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _silence(session)
    try:
        put_in(module, code)
        return next((at for at, _ in _run(session, items) if session.testsfailed), -1)
    except BaseException:  # noqa: BLE001  # whatever it is
        return -2


def _say(line: str) -> None:
    os.write(_OUT, f"{line}\n".encode())


_OUT = os.dup(1)  # pytest catches what is printed


def _tests_of(room: Path) -> Path:
    """Return the tests of a room: those in the folder of its name, or of the nearest room around it."""
    place = ROOT / "tests" / room.relative_to(ROOT / "symops_lark")
    return next(path for path in (place, *place.parents) if path.is_dir())


def main(arguments: list[str]) -> int:
    """Mutate the modules of some rooms and print what survives, and the scores; 0 if nothing survives unexplained."""
    items = [ROOT / "symops_lark" / room for room in arguments or _ROOMS]
    files = [sorted(room.glob("*.py")) if room.is_dir() else [room.with_suffix(".py")] for room in items]
    paths = [path for room in files for path in room]
    trial = Trial([path for path in paths if path.stem != "__init__"], read_explanations())
    tests = [str(path) for path in dict.fromkeys([*map(_tests_of, items), *(ROOT / "tests" / name for name in _TESTS)])]
    os.environ["HYPOTHESIS_PROFILE"] = "quick"
    os.environ["XDG_CACHE_HOME"] = "/dev/null/none"  # what a mutant compiles is not kept for anybody
    options = ["-n", "0", "-x", "-p", "no:cacheprovider", "-m", "not slow", "--rootdir", str(ROOT)]
    code = pytest.main([*options, *tests], plugins=[trial])
    return int(code) or int(
        any(killed + spared < tried for killed, spared, tried in trial.scores.values()) or trial.wrong > 0
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
