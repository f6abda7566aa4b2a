"""Words that callers give for members of enums are these members, or are refused with the list: the whole public API.

Enums are compared by identity, so a word that stayed one would be none of them: `Policy(deleting="refuse")` deleted.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import MemoryTree, create, delete, document, run

import symops_lark
from symops_lark import Action, Change, Decision, Plan, Policy, SelfCorrector, UnsafeActionError, apply, plan
from symops_lark.acting.changes import Operation
from symops_lark.acting.plan.policy_file import PolicyError, load_policy
from symops_lark.agent import Kind, Run
from symops_lark.code_intelligence import Workspace, get_exploration_requirements, route
from symops_lark.code_intelligence.requests.decomposer import Decomposer
from symops_lark.code_intelligence.requests.frame import IntentType, QueryFrame
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.members import as_member
from symops_lark.core.result import Reason
from symops_lark.models import Finish, ScriptedModel, load_model
from symops_lark.models.correction import find_failure
from symops_lark.routing import Registry

NONSENSE = ("nonsense", "", "AUTO ", True, False, 1, 1.5, ["auto"], b"auto", object())


def modules() -> Iterator[Any]:
    yield symops_lark
    for item in pkgutil.walk_packages(symops_lark.__path__, "symops_lark."):
        if not {"standalone", "__main__"} & set(item.name.split(".")):
            yield importlib.import_module(item.name)


def enums_of(hint: Any) -> list[type[Enum]]:
    if isinstance(hint, type):
        return [hint] if issubclass(hint, Enum) else []
    return [item for part in get_args(hint) for item in enums_of(part)]


# Steps of a computation, which only this package makes and no caller sees.
INTERNAL = {"Step", "Doubt", "Stretch"}


def fields_with_enums() -> Iterator[tuple[type, str, type[Enum]]]:
    """Yield the fields of all public dataclasses of the package whose annotations name an enum."""
    visited: set[type] = set()
    for module in modules():
        for name, kind in vars(module).items():
            if name.startswith("_") or not inspect.isclass(kind) or not is_dataclass(kind) or kind in visited:
                continue
            if kind.__qualname__ in INTERNAL:
                continue
            visited.add(kind)
            hints = get_type_hints(kind) if kind.__module__.startswith("symops_lark") else {}
            for field in fields(kind) if hints else ():
                yield from ((kind, field.name, enum) for enum in enums_of(hints[field.name]))


def functions_with_enums() -> Iterator[tuple[str, str]]:
    """Yield the parameters of what modules offer by `__all__` whose annotations name an enum."""
    numbers: set[int] = set()
    for module in modules():
        for name in getattr(module, "__all__", ()):
            offered = getattr(module, name)
            if id(offered) in numbers or (is_dataclass(offered) and not hasattr(offered, "__dict__")):
                continue
            numbers.add(id(offered))
            members = vars(offered).items() if inspect.isclass(offered) else ()
            own = {f"{name}.{key}": value for key, value in members if key == "__init__" or key[0] != "_"}
            for label, function in (own or {name: offered}).items():
                if not inspect.isfunction(function) or (label.endswith("__init__") and is_dataclass(offered)):
                    continue
                try:
                    hints = get_type_hints(function)
                except NameError:  # of what only type checkers import: then the words tell
                    hints = {}
                yield from ((label, key) for key, hint in hints.items() if key != "return" and enums_of(hint))


CLASSES = list(fields_with_enums())


_LOOKED_AT = {"contestants": (), "level": "auto"}


def make(kind: type, /, **given: object) -> Any:
    """Make a dataclass; what it must have besides is nothing, or a value that is looked at."""
    signature = inspect.signature(kind)
    expected = [name for name, entry in signature.parameters.items() if entry.default is inspect.Parameter.empty]
    table: dict[str, object] = {name: _LOOKED_AT.get(name) for name in expected if name not in given}
    for second, field, enum in CLASSES:
        if second is kind and field in table:
            table[field] = next(iter(enum))
    return kind(**table, **given)


@pytest.mark.parametrize(("kind", "field", "enum"), CLASSES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_dataclass_takes_words_and_refuses_nonsense(kind: type, field: str, enum: type[Enum]) -> None:
    for member in enum:
        for given_value in (member, member.value):
            assert getattr(make(kind, **{field: given_value}), field) is member
    for item in NONSENSE:
        with pytest.raises(ValueError, match=rf"{kind.__name__}\.{field} is one of ") as caught:
            make(kind, **{field: item})
        assert all(str(member.value) in str(caught.value) for member in enum)


def test_there_are_such_dataclasses() -> None:
    kinds = {kind for kind, _, _ in CLASSES}
    assert {Policy, Change, Action, SelfCorrector, symops_lark.Diagnostic, symops_lark.Result} <= kinds
    assert len(kinds) >= 22


# What is offered by name and takes a member: how each is called, so that the value alone decides.
FRAME = QueryFrame(raw_query="change it")
CALLS: dict[tuple[str, str], tuple[type[StrEnum], Callable[[Any, Path], object]]] = {
    ("SelfCorrector.correct", "finish"): (
        Finish,
        lambda value, _: SelfCorrector(ScriptedModel([])).correct(
            symops_lark.process("::run @ls"),
            load_dialect("v2"),
            "p",
            value,
            None,  # type: ignore[arg-type]
        ),
    ),
    ("Finish.then", "later"): (Finish, lambda value, _: Finish.UNKNOWN.then(value)),
    ("ProtocolError.__init__", "reason"): (
        Reason,
        lambda value, _: symops_lark.ProtocolError("no", symops_lark.Document(), reason=value).reason,
    ),
    ("find_failure", "finish"): (Finish, lambda value, _: find_failure(symops_lark.process("::run @ls"), value)),
    ("ScriptedModel.__init__", "way"): (symops_lark.models.Way, lambda value, _: ScriptedModel([], way=value).way),
    ("load_model", "way"): (symops_lark.models.Way, lambda value, _: load_model("ollama", "m", way=value) and None),
    ("Registry.models", "state"): (
        importlib.import_module("symops_lark.routing.registry.registry_events").State,
        lambda value, place: Registry(place / "r.db").models(value),
    ),
    ("route", "intent"): (IntentType, lambda value, _: route(FRAME, value)),
    ("get_exploration_requirements", "intent"): (
        IntentType,
        lambda value, _: get_exploration_requirements("HIGH", value),
    ),
    ("Decomposer.decompose", "intent"): (
        IntentType,
        lambda value, _: Decomposer(ScriptedModel(["{}"] * 9)).decompose("change it", value),
    ),
    ("Run.all", "kind"): (Kind, lambda value, _: list(Run(()).all(value))),
    ("Run.last", "kind"): (Kind, lambda value, _: Run(()).last(value)),
    ("Workspace.start_session", "intent"): (
        IntentType,
        lambda value, place: Workspace(place).start_session("change it", value).state.intent,
    ),
}


def test_every_function_that_takes_a_member_is_in_the_table() -> None:
    assert set(functions_with_enums()) == set(CALLS)


@pytest.mark.parametrize("name", CALLS, ids=".".join)
def test_function_takes_words_and_refuses_nonsense(name: tuple[str, str], tmp_path: Path) -> None:
    enum, call = CALLS[name]
    for member in enum:
        try:
            expected = call(member, tmp_path)
        except SymOpsError as error:  # what there is to do fails alike: no model answers here
            with pytest.raises(type(error)) as caught:
                call(member.value, tmp_path)
            assert str(caught.value) == str(error)
        else:
            message = call(member.value, tmp_path)
            assert message == expected or inspect.isgenerator(message)
    for item in ("nonsense", 1.5, ["auto"]):
        with pytest.raises((ValueError, SymOpsError)) as refused:
            call(item, tmp_path)
        assert all(member.value in str(refused.value) for member in enum), refused.value


class Other(StrEnum):
    REFUSE = "refuse"


def test_a_member_of_another_enum_counts_by_its_word() -> None:
    assert as_member(Decision, Other.REFUSE, "x") is Decision.REFUSE
    with pytest.raises(ValueError, match="x is one of auto, ask, refuse, not 'nonsense'"):
        as_member(Decision, "nonsense", "x")
    with pytest.raises(ValueError, match="not 'aaaa") as caught:
        as_member(Decision, "a" * 100_000, "x")
    assert len(str(caught.value)) < 200


# ---- what it is for


def test_what_is_to_be_refused_is_not_done(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\n")
    planned_changes = plan(document(delete("a.py")), tmp_path, Policy(deleting="refuse"))  # type: ignore[arg-type]
    assert planned_changes.changes[0].decision is Decision.REFUSE and not planned_changes.possible
    change = replace(planned_changes.changes[0], decision="refuse")  # type: ignore[arg-type]
    for item in (planned_changes, Plan((change,))):
        with pytest.raises(UnsafeActionError):
            apply(item, tmp_path, confirm=lambda _: True)
    half = create("b.py", completeness="truncated")
    assert plan(document(half), MemoryTree()).changes[0].decision is Decision.REFUSE
    (outcome,) = apply(Plan((Change(1, run("ls"), "run", "ls"),)), tmp_path).steps  # type: ignore[arg-type]
    assert outcome.change.operation is Operation.RUN
    assert outcome.reason == "commands are not run: give apply(…, run=Runner())"


WRONG: tuple[tuple[str, object, type[Exception], str], ...] = (
    ("deleting", "nonsense", ValueError, "is one of auto, ask, refuse, not 'nonsense'"),
    ("deleting", "REFUSE", ValueError, "is one of"),
    ("deleting", None, ValueError, "is one of"),
    ("deleting", True, ValueError, "is one of"),
    ("warned", 1, ValueError, "is one of"),
    ("max_actions", "5", TypeError, "is a whole number, 0 or above, not '5'"),
    ("max_actions", True, TypeError, "is a whole number"),
    ("max_actions", 1.0, TypeError, "is a whole number"),
    ("max_actions", None, TypeError, "is a whole number"),
    ("shrink_least", -1, ValueError, "is a whole number, 0 or above, not -1"),
    ("auto_from", True, TypeError, "is a number"),
    ("auto_from", "0.9", TypeError, "is a number"),
    ("auto_from", float("nan"), ValueError, "is a number, 0 or above, not nan"),
    ("auto_from", float("inf"), ValueError, "is a number"),
    ("shrink_share", -0.5, ValueError, "is a number"),
    ("allow", "*.env", TypeError, r"is a tuple of globs, not '\*.env'"),
    ("allow", None, TypeError, "is a tuple of globs"),
    ("allow", ("*.env", 3), TypeError, "is a tuple of globs, which are texts, not 3"),
    ("allow", ("",), TypeError, "is a tuple of globs"),
    ("environment", b"PATH", TypeError, "is a tuple of globs"),
)


@pytest.mark.parametrize(("name", "value", "error", "message"), WRONG, ids=lambda value: str(value)[:20])
def test_policy_refuses(name: str, value: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=rf"Policy\.{name} {message}"):
        Policy(**{name: value})  # type: ignore[arg-type]
    with pytest.raises(error, match=rf"Policy\.{name} {message}"):
        replace(Policy(), **{name: value})  # type: ignore[arg-type]


_VALUES = (
    st.sampled_from(("auto", "ask", "refuse", "Ask", "", "*.env"))
    | st.booleans()
    | st.none()
    | st.integers(-2, 10**20)
    | st.floats(-1, 10)
    | st.lists(st.sampled_from(("*.a", "", "b/**")) | st.integers(0, 3), max_size=3)
)


@given(st.sampled_from([field.name for field in fields(Policy)]), _VALUES)
def test_files_and_python_take_the_same(tmp_path_factory: pytest.TempPathFactory, name: str, value: object) -> None:
    import yaml

    path = tmp_path_factory.mktemp("policy") / "policy.yaml"
    path.write_text(yaml.safe_dump({name: value}), encoding="utf-8")
    try:
        expected = Policy(**{name: value})  # type: ignore[arg-type]
    except (TypeError, ValueError):
        with pytest.raises(PolicyError):
            load_policy(path)
    else:
        assert load_policy(path) == expected
        assert all(type(getattr(expected, f.name)) is type(getattr(Policy(), f.name)) for f in fields(Policy))
