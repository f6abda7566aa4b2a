"""Bound the size of a grammar and the work of compiling it.

Invariant: a grammar may come from anyone, so its cost is bounded. Where the cost can be computed
from the text, it is checked before Lark compiles: files, definitions, alternatives. Everything else
is bounded by counting calls while it runs (`bounded_steps`). `tests/core/grammar/test_bounds.py`
holds this with the grammars of `tests/support/hostile_grammars.py`.

Alternatives have to be counted because Lark multiplies them out: `[a] [b] [c]` becomes eight rules,
and 22 optional parts become four million.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import currentframe
from pathlib import Path
from threading import local
from types import FrameType
from typing import Any

from ...ground import resources
from ...ground.errors import GrammarError
from ...ground.numbers import grouped

MOST_BYTES = 256_000  # of all files of a grammar; the largest installed file has 33,000
MOST_FILES = 40
MOST_DEFINITIONS = 1_000
LONGEST_MARK = 100  # characters
MOST_ALTERNATIVES = 4_000  # of all rules, after Lark has multiplied out optional parts
# Calls and returns of functions: six times the number that the largest installed grammar takes to
# compile, about 20 seconds.
MOST_STEPS = 25_000_000
# A short grammar gets fewer steps, so that a few lines that explode end within seconds.
_FEWEST_STEPS = 5_000_000
_STEPS_OF_A_CHARACTER = 4_000
# Lark writes out repetitions of fewer items, and divides longer ones into helper rules.
_REPEATED_IN_FULL = 50
# Counts are not computed beyond this number: it is more than any bound.
_TOO_MANY = 10**9
_MAX_DIGITS = 6  # of a number of repetitions; more digits are too many alternatives anyway
_MAX_TEMPLATE = 1_000  # characters of a template with its arguments written out

# Comments, strings and patterns as Lark reads them. A group names what has no end.
_QUOTED = re.compile(
    r"(?://|#)[^\n]*"
    r'|"(?:\\.|[^"\\\n])*+(?:"|(?P<string>))'
    # Only with the flag x a pattern may have several lines.
    r"|/(?:\\.|[^/\\\n])*+/"
    r"|/(?:\\[\s\S]|[^/\\])*+/[imslu]*x"
    r"|(?P<pattern>/)"
)

_active = local()


def read_grammar(path: Path) -> str:
    r"""Return the text of a grammar file, with `\n` as the only line ending.

    Raises:
        OSError: The file cannot be read, or has more than `MOST_BYTES`.
        UnicodeDecodeError: The file is not UTF-8.
    """
    data = resources.read_bounded(path, MOST_BYTES)
    text = data.decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def make_importer(beside: Path | None = None) -> Callable[[str | None, str], tuple[str, str]]:
    """Return a function that reads the files that Lark's own `%import` names.

    The function raises `FileNotFoundError` for a missing file, so that Lark looks in its own
    folder, and `GrammarError` for a file that cannot be read.

    Args:
        beside: The folder for names without a dot; None: such names are not found.
    """
    count = 0

    def read(base: str | None, name: str) -> tuple[str, str]:
        nonlocal count
        folder = base if base is not None else beside
        if folder is None:
            raise FileNotFoundError(name)
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            raise FileNotFoundError(name)
        count += 1
        if count > MOST_FILES:
            raise GrammarError(
                f"{path}: more than {MOST_FILES} files are imported: is there a circle?"
            )
        try:
            text = read_grammar(Path(path))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", error)
            raise GrammarError(f"{path}: the grammar cannot be read: {reason}") from None
        try:
            check_closed(text)
        except UnclosedError as error:
            raise GrammarError(f"{path}:{error.line}:{error.column}: {error}") from None
        return path, text

    return read


class UnclosedError(ValueError):
    """A string or a pattern of a grammar has no end.

    Attributes:
        line: Its line, 1-based.
        column: Its column, 1-based.
    """

    def __init__(self, kind: str, sign: str, line: int, column: int) -> None:
        super().__init__(f"the {kind} has no end: write {sign} after it; in it {sign} is \\{sign}")
        self.line = line
        self.column = column


def check_closed(text: str) -> None:
    """Refuse a grammar in which a string or a pattern has no end.

    Lark's own patterns for both try each division of the backslashes in them: with 40 that takes
    days.

    Args:
        text: The grammar.

    Raises:
        UnclosedError: One has no end.
    """
    for match in _QUOTED.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        start = match.start()
        line_start = text.rfind("\n", 0, start) + 1
        line = text.count("\n", 0, start) + 1
        raise UnclosedError(kind, match[0][0], line, start - line_start + 1)


class TooManyStepsError(GrammarError):
    """Work on a grammar takes more calls than it may."""


class _Exhausted(BaseException):
    """The steps are used up.

    It is not an `Exception`, because code in between would handle one as a failure of its part.
    """


def steps_for(text: str) -> int:
    """Return how many calls compiling or checking a grammar of this text may take."""
    steps = _FEWEST_STEPS + _STEPS_OF_A_CHARACTER * len(text)
    return min(MOST_STEPS, steps)


@contextmanager
def bounded_steps(path: Path, most: int | None = None, what: str = "compiled") -> Iterator[None]:
    """Bound the calls that work on a grammar may take; installed grammars are trusted.

    Within another such context, only the outer one counts.

    Args:
        path: The file of the grammar.
        most: The number of calls; None: `MOST_STEPS`.
        what: What happens to the grammar, as a participle for the message.

    Raises:
        TooManyStepsError: The work took too many calls.
        GrammarError: The work needed too much memory or too deep recursion.
    """
    is_active = getattr(_active, "on", False)
    if path.is_relative_to(resources.find_folder("grammars")):
        # A custom grammar does not pay for an installed one that is compiled on the way.
        count_calls = sys.getprofile()
        if is_active:
            sys.setprofile(None)
        try:
            yield
        finally:
            sys.setprofile(count_calls)
        return
    if is_active:
        yield
        return
    limit = most or MOST_STEPS
    remaining = limit
    # A profile function counts calls, also those of C functions, and can stop them by raising. A
    # caller may have set one before.
    former = sys.getprofile()
    # The frame of the `with` statement: this generator, `__enter__`, and the caller.
    frame = currentframe()
    outer = frame and frame.f_back and frame.f_back.f_back

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal remaining
        remaining -= 1
        # A later call stops the work then.
        if remaining < 0 and not _is_in_with(frame, event, argument, outer):
            raise _Exhausted

    _active.on = True
    try:
        sys.setprofile(count)
        try:
            yield
        finally:
            sys.setprofile(former)
    except _Exhausted:
        raise TooManyStepsError(
            f"{path}: the grammar cannot be {what}: it takes more than {grouped(limit)} steps: "
            "its rules or terminals multiply, one inside another; write repetitions with * and +"
        ) from None
    except (MemoryError, RecursionError) as error:
        lacking = "too many nested calls"
        if isinstance(error, MemoryError):
            lacking = "more memory than there is"
        raise GrammarError(
            f"{path}: the grammar cannot be {what}: it takes {lacking}: make its rules smaller"
        ) from None
    finally:
        _active.on = False


def _is_in_with(frame: FrameType, event: str, argument: Any, outer: FrameType | None) -> bool:
    """Return whether a call begins or ends a `with` statement, or is made there.

    An exception in its place would leave a lock locked for all other threads.

    Args:
        frame: The frame that calls, or is called.
        event: The event of the profile function.
        argument: Its argument: the function of C that is called.
        outer: The frame whose calls are counted; those around it do not matter.
    """
    if event == "c_call" and argument.__name__ in ("__exit__", "release"):
        return True
    above: FrameType | None = frame
    while above is not None and above is not outer:
        if above.f_code.co_name in ("__enter__", "__exit__"):
            return True
        above = above.f_back
    return False


@contextmanager
def uncounted_steps() -> Iterator[None]:
    """Do work of `bounded_steps` that is the same for each grammar: it is not counted."""
    counter = sys.getprofile()
    sys.setprofile(None)
    try:
        yield
    finally:
        sys.setprofile(counter)


# ---- alternatives


def check_alternatives(rules: Sequence[tuple[Any, ...]]) -> None:
    """Check how many alternatives rules become when Lark multiplies them out.

    Args:
        rules: The rules as Lark loads them: name, parameters, tree, options.

    Raises:
        ValueError: There are more than `MOST_ALTERNATIVES`, or a template is used too often.
    """
    uses = _count_uses(rules)
    total = 0
    for name, _parameters, tree, _options in rules:
        helpers: list[int] = []
        alternatives = _count(tree, helpers) + sum(helpers)
        total += uses.get(str(name), 1) * alternatives
        if total <= MOST_ALTERNATIVES:
            continue
        amount = grouped(total)
        if total >= _TOO_MANY:
            amount = f"more than {grouped(MOST_ALTERNATIVES)}"
        raise ValueError(
            f"the rule '{name}' makes {amount} alternatives of all that is optional in it: divide "
            "it into rules, each with less that is optional, or write a repetition with * or +"
        )


def _count(node: Any, helpers: list[int]) -> int:
    """Return how many alternatives a part of a rule is.

    The alternatives of the helper rules that Lark makes of repetitions are added to `helpers`.
    """
    children: Sequence[Any] = getattr(node, "children", ())
    kind = str(getattr(node, "data", ""))
    match kind:
        case "expansions":  # alternatives add up
            total = 0
            for child in children:
                total = min(_TOO_MANY, total + _count(child, helpers))
            return total
        case "maybe":
            return _count(children[0], helpers) + 1
        case "expr":
            inner = _count(children[0], helpers)
            return _count_repetition(inner, str(children[1]), children[2:], helpers)
        case "expansion" | "alias" | "value":  # parts in a row multiply
            total = 1
            parts = children[:1] if kind == "alias" else children
            for child in parts:
                total = min(_TOO_MANY, total * _count(child, helpers))
            return total
    return 1


def _count_repetition(inner: int, sign: str, numbers: Sequence[Any], helpers: list[int]) -> int:
    """Return how many alternatives a repetition of a part with `inner` alternatives is."""
    if sign in "*+":  # a helper rule: the part, or the rule itself and the part
        helpers.append(2 * inner)
        return 2 if sign == "*" else 1
    if not numbers:  # `?`
        return inner + 1
    if any(len(str(number)) > _MAX_DIGITS for number in numbers):
        return _TOO_MANY
    low = int(numbers[0])
    high = int(numbers[-1])
    if high < _REPEATED_IN_FULL:
        return _count_written_out(inner, low, high)
    # A generous estimate: ten helper rules of up to ten items for each digit of the number.
    levels = len(str(high))
    helpers.append(int(min(_TOO_MANY, 10 * inner**10 * levels)))
    return 1


def _count_written_out(inner: int, low: int, high: int) -> int:
    """Return how many alternatives `low` to `high` items are, if each number is written out."""
    total = 0.0
    for number in range(low, high + 1):
        # Powers above 30 are too many for any part that has two alternatives.
        ways = min(_TOO_MANY, inner ** min(number, 30))
        # Longer alternatives are more work: one of ten items counts twice.
        total += ways * (1 + number / 10)
    return int(min(_TOO_MANY, total))


def _count_uses(rules: Sequence[tuple[Any, ...]]) -> Mapping[str, int]:
    """Return for each template how many rules Lark makes of it: one for each list of arguments.

    Raises `ValueError` if that is too often.
    """
    templates: dict[str, tuple[list[str], Any]] = {}
    # The trees to look through, with the arguments for the parameters in them.
    waiting: list[tuple[Any, Mapping[str, str]]] = []
    for name, parameters, tree, _options in rules:
        if parameters:
            templates[str(name)] = ([str(parameter) for parameter in parameters], tree)
        else:
            waiting.append((tree, {}))
    uses = dict.fromkeys(templates, 0)
    if not templates:
        return uses
    visited = set()
    for tree, arguments in waiting:  # grows while it is read
        for usage in tree.find_data("template_usage"):
            text = _write(usage, arguments)
            name, *values = [_write(child, arguments) for child in usage.children]
            if text in visited or name not in templates:
                continue
            visited.add(text)
            uses[name] += 1
            if len(visited) > MOST_FILES or len(text) > _MAX_TEMPLATE:
                raise ValueError(
                    f"the template '{name}' leads to more than {MOST_FILES} rules: "
                    "does it use itself?"
                )
            parameters, body = templates[name]
            inner = dict(zip(parameters, values, strict=False))
            waiting.append((body, inner))
    return uses


def _write(node: Any, arguments: Mapping[str, str]) -> str:
    """Return a part of a rule as a text, with arguments in place of parameters."""
    if not hasattr(node, "data"):
        name = str(getattr(node, "name", node))
        return arguments.get(name, name)
    inner = [_write(child, arguments) for child in node.children]
    kind = str(node.data)
    if kind == "value" and len(inner) == 1:
        return inner[0]
    joined = " ".join(inner)
    return f"{kind}{{{joined}}}"
