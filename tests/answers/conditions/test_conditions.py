"""Conditions over facts: what they mean, what is refused and where, and that nothing of them is run as a program."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import SymOpsError
from symops_lark.answers.conditions import ConditionError, evaluate_condition, read_condition

FACTS: dict[str, Any] = {
    "errors": 2,
    "ratio": 0.5,
    "valid": True,
    "kind": "fix",
    "nothing": None,
    "tests": {"failed": 0, "all": {"passed": True}},
    "a.b": 7,
    "android": True,
    "listed": [1],
    "infinite": float("inf"),
}
HOLDS = [
    "valid",
    "not not valid",
    "errors == 2",
    "errors == 2.0",
    "errors != 3 and errors < 3 and errors <= 2 and errors > 1 and errors >= 2",
    "ratio < 0.6",
    "ratio == 5e-1",
    "kind == 'fix'",
    'kind == "fix" and kind < "fixed"',
    "nothing == null",
    "kind != null",
    "tests.failed == 0 and tests.all.passed",
    "a.b == 7",
    "not (kind == 'x' or errors > 5)",
    "errors == 2 or missing_parts and valid".replace("missing_parts", "android"),
    "android",
    "valid == true and not (valid == false)",
    "errors > -1",
    "3 > errors",
    "\n valid\t and\r\n valid ",
    "not kind == 'x'",
]
FAILS = ["not valid", "errors == 3", "kind == 'FIX'", "errors > 5 and valid", "nothing != null", "valid == false"]


@pytest.mark.parametrize("text", HOLDS)
def test_holds(text: str) -> None:
    assert evaluate_condition(text, FACTS) is True


@pytest.mark.parametrize("text", FAILS)
def test_does_not_hold(text: str) -> None:
    assert evaluate_condition(text, FACTS) is False


REFUSED = {
    "": "the condition is empty",
    " \n": "the condition is empty",
    "errors": "a number is not true or false",
    "kind": "a text is not true or false",
    "nothing": "null is not true or false",
    "eror < 3": "did you mean errors?",
    "tests.fail == 0": "no fact is called tests.fail",
    "errors.more": "no fact is called errors.more",
    "errors <": "ends too early",
    "(valid": "ends too early",
    "valid)": "'.' is not expected here",
    "valid and": "ends too early",
    "valid valid": "'valid' is not expected here",
    "valid && valid": "write `and`",
    "valid || valid": "write `or`",
    "!valid": "write `not`",
    "errors = 2": "write `==`",
    "valid == 1": "true or false and a number cannot be compared",
    "kind == 2": "a text and a number cannot be compared",
    "valid < true": "cannot be compared by <",
    "nothing < 3": "null and a number cannot be compared",
    "listed == 1": "the fact listed is a list",
    "infinite > 1": "which is not a number",
    "1e999 > errors": "the number is too large",
    "9" * 5000 + " > errors": "the number is too large",
    "'a\nb' == kind": "write a text in quotes, on one line",
    "kind == 'open": "write a text in quotes",
    "__import__('os')": "no fact|not expected",
    "kind.upper() == 'FIX'": "not expected",
    "errors + 1 > 2": "nothing that a condition has",
    "1 < errors < 3": "not expected",
    "valid" + " and valid" * 2000: "longer than 10,000 characters",
    "(" * 101 + "valid" + ")" * 101: "more than 100 parentheses",
    "not " * 101 + "valid": "more than 100 parentheses and negations",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20])
def test_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(ConditionError, match=REFUSED[text]) as caught:
        evaluate_condition(text, FACTS)
    assert isinstance(caught.value, SymOpsError)
    diagnostic = caught.value.diagnostic
    if diagnostic is not None:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text) + 1
        assert str(caught.value).startswith(f"condition:{diagnostic.span.line}:{diagnostic.span.column}: ")


def test_unknown_names_are_refused_when_it_is_read() -> None:
    with pytest.raises(ConditionError, match="no fact is called eror"):
        read_condition("eror < 3", known=["errors"])
    with pytest.raises(ConditionError, match="there are no facts"):
        read_condition("eror < 3", known=[])
    condition = read_condition("errors < 3 and tests.failed == 0 or errors > 9", known=["errors", "tests.failed"])
    assert condition.names == ("errors", "tests.failed")
    assert pickle.loads(pickle.dumps(condition)) == condition


def test_an_unknown_name_is_refused_although_it_would_not_be_looked_at() -> None:
    with pytest.raises(ConditionError, match="no fact is called unknown"):
        evaluate_condition("valid or unknown", FACTS)


def test_what_decides_already_is_not_compared_any_more() -> None:
    assert evaluate_condition("nothing == null or nothing > 3", FACTS)
    assert not evaluate_condition("nothing != null and nothing > 3", FACTS)


def test_the_deepest_and_the_longest_are_read() -> None:
    deep = "(" * 50 + "not " * 50 + "valid" + ")" * 50
    assert evaluate_condition(deep, FACTS)
    assert evaluate_condition(" and ".join(["valid"] * 1000), FACTS)


VALUES = st.one_of(st.integers(-9, 9), st.sampled_from(["x", "y", ""]))
NAMES = {f"f{index}": value for index, value in enumerate((0, 1, -3, 2.5, "x", "", True, False))}
SIGNS = ("==", "!=", "<", "<=", ">", ">=")


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[str, bool]:
    kind = draw(st.sampled_from((int, str)))
    able = [name for name, value in NAMES.items() if isinstance(value, str) is (kind is str)]
    name = draw(st.sampled_from([name for name in able if not isinstance(NAMES[name], bool)]))
    other_drawn = draw(st.integers(-4, 4) if kind is int else st.sampled_from(["x", "", "xy"]))
    sign = draw(st.sampled_from(SIGNS))
    text = f'"{other_drawn}"' if kind is str else str(other_drawn)
    return f"{name} {sign} {text}", bool(eval(f"{NAMES[name]!r} {sign} {other_drawn!r}"))


TRUTHS = st.sampled_from([("f6", True), ("f7", False), ("f6 == true", True), ("(f7)", False)])


def combine(parts: st.SearchStrategy[tuple[str, bool]]) -> st.SearchStrategy[tuple[str, bool]]:
    pairs = st.lists(parts, min_size=2, max_size=3)
    return st.one_of(
        pairs.map(lambda found: ("(" + " and ".join(t for t, _ in found) + ")", all(v for _, v in found))),
        pairs.map(lambda found: ("(" + " or ".join(t for t, _ in found) + ")", any(v for _, v in found))),
        parts.map(lambda found: (f"not ({found[0]})", not found[1])),
    )


@given(st.recursive(st.one_of(comparisons(), TRUTHS), combine, max_leaves=8))
def test_means_what_it_says(condition: tuple[str, bool]) -> None:
    text, expected = condition
    assert evaluate_condition(text, NAMES) is expected


@given(
    st.one_of(
        st.text(max_size=40), st.lists(st.sampled_from(["f0", "f6", "and", "or", "not", "(", ")", "<", "1", "'"]))
    )
)
def test_any_text_holds_or_not_or_is_refused(text: str | list[str]) -> None:
    try:
        assert evaluate_condition(text if isinstance(text, str) else " ".join(text), NAMES) in (True, False)
    except ConditionError as error:
        assert str(error)
