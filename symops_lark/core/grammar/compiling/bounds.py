"""How large a grammar may be, and how long it may take to compile: Lark multiplies out what a grammar says in short.

Law: what a grammar of a stranger costs is bounded before it is compiled where that can be told (files, definitions,
alternatives), and while it is compiled everywhere else: by counting the calls that are made.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import local
from typing import Any

from ...ground import resources
from ...ground.errors import GrammarError
from ...ground.numbers import grouped

MOST_BYTES, MOST_FILES, MOST_DEFINITIONS, LONGEST_MARK = 256_000, 40, 1_000, 100
MOST_ALTERNATIVES = 4_000  # of all rules, once Lark has multiplied out what is optional
MOST_STEPS = 25_000_000  # calls, six times what the largest installed grammar takes to compile; about 20 s
_FEWEST_STEPS, _STEPS_OF_A_CHARACTER = 5_000_000, 4_000  # short grammars that explode end within some seconds
_REPEATED_IN_FULL = 50  # Lark writes shorter repetitions out, and divides longer ones
_MANY = 10**9

_active = local()


def read_grammar(path: Path) -> str:
    """Return the text of a grammar file; raise `OSError` or `UnicodeDecodeError` if it cannot be one."""
    return resources.read_bounded(path, MOST_BYTES).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def make_importer(beside: Path | None = None) -> Callable[[str | None, str], tuple[str, str]]:
    """Return what reads the files that Lark's own `%import` names; `beside` is where names without a dot are found.

    It raises `OSError` for what is not there, so that Lark looks among its own, and `GrammarError` for what it may not
    read.
    """
    count = 0

    def read(base: str | None, name: str) -> tuple[str, str]:
        nonlocal count
        folder = base if base is not None else beside
        path = None if folder is None else os.path.join(folder, name)
        if path is None or not os.path.exists(path):
            raise FileNotFoundError(name)
        count += 1
        if count > MOST_FILES:
            raise GrammarError(f"{path}: more than {MOST_FILES} files are imported: is there a circle?")
        try:
            return path, read_grammar(Path(path))
        except (OSError, UnicodeDecodeError) as error:
            raise GrammarError(f"{path}: the grammar cannot be read: {getattr(error, 'strerror', error)}") from None

    return read


class TooManyStepsError(GrammarError):
    """What is done for a grammar takes more calls than it may."""


class _Exhausted(BaseException):
    """The steps are used up; no `Exception`, so that nobody on the way takes it for a failure of a part."""


def steps_for(text: str) -> int:
    """Return how many calls may be made to compile or examine a grammar of this text."""
    return min(MOST_STEPS, _FEWEST_STEPS + _STEPS_OF_A_CHARACTER * len(text))


@contextmanager
def bounded_steps(path: Path, most: int | None = None, what: str = "compiled") -> Iterator[None]:
    """Bound what is done for a grammar; installed grammars are trusted.

    Within another such context the steps of the outer one count.

    Args:
        path: The file of the grammar.
        most: How many calls may be made; `MOST_STEPS` if it is None.
        what: What is done with the grammar, for the message.

    Raises:
        TooManyStepsError: Too many calls were made.
        GrammarError: The grammar needs more memory, or nests deeper, than this process can do.
    """
    if getattr(_active, "on", False) or path.parent == resources.find_folder("grammars"):
        yield
        return
    left, before = most or MOST_STEPS, sys.getprofile()

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Exhausted

    _active.on = True
    try:
        sys.setprofile(count)
        try:
            yield
        finally:
            sys.setprofile(before)
    except _Exhausted:
        why = "its rules or terminals multiply, one inside another; write repetitions with * and +"
        message = f"{path}: the grammar cannot be {what}: it takes more than {grouped(most or MOST_STEPS)} steps: {why}"
        raise TooManyStepsError(message) from None
    except (MemoryError, RecursionError) as error:
        lacking = "more memory than there is" if isinstance(error, MemoryError) else "too many nested calls"
        raise GrammarError(
            f"{path}: the grammar cannot be {what}: it takes {lacking}: make its rules smaller"
        ) from None
    finally:
        _active.on = False


# ---- alternatives


def check_alternatives(rules: Sequence[tuple[Any, ...]]) -> None:
    """Raise `ValueError` for rules, as Lark loads them, that are too many alternatives once they are multiplied out."""
    uses = _count_uses(rules)
    total = 0
    for name, _params, tree, _options in rules:
        further: list[int] = []
        total += uses.get(str(name), 1) * (_count(tree, further) + sum(further))
        if total > MOST_ALTERNATIVES:
            many = f"more than {grouped(MOST_ALTERNATIVES)}" if total >= _MANY else f"{grouped(total)}"
            raise ValueError(
                f"the rule '{name}' makes {many} alternatives of all that is optional in it: divide it into rules, "
                "each with less that is optional, or write a repetition with * or +"
            )


def _count(node: Any, further: list[int]) -> int:
    """Return how many alternatives a part of a rule is; what Lark makes rules of is added to `further`."""
    children: Sequence[Any] = getattr(node, "children", ())
    kind = str(getattr(node, "data", ""))
    match kind:
        case "expansions":
            return min(_MANY, sum(_count(child, further) for child in children))
        case "maybe":
            return _count(children[0], further) + 1
        case "expr":
            return _count_repetition(_count(children[0], further), str(children[1]), children[2:], further)
        case "expansion" | "alias" | "value":
            total = 1
            for child in children[:1] if kind == "alias" else children:
                total = min(_MANY, total * _count(child, further))
            return total
    return 1


def _count_repetition(inner: int, sign: str, numbers: Sequence[Any], further: list[int]) -> int:
    if sign in "*+":
        further.append(2 * inner)
        return 2 if sign == "*" else 1
    if not numbers:  # once or not at all
        return inner + 1
    if any(len(str(number)) > 6 for number in numbers):
        return _MANY
    low, high = int(numbers[0]), int(numbers[-1])
    if high < _REPEATED_IN_FULL:
        return int(min(_MANY, sum(min(_MANY, inner ** min(n, 30)) * (1 + n / 10) for n in range(low, high + 1))))
    further.append(int(min(_MANY, 10 * inner**10 * len(str(high)))))
    return 1


def _count_uses(rules: Sequence[tuple[Any, ...]]) -> Mapping[str, int]:
    """Return how often each template is used, with different arguments; raise `ValueError` if that is too often."""
    templates = {str(name): (list(map(str, params)), tree) for name, params, tree, _ in rules if params}
    uses = dict.fromkeys(templates, 0)
    if not templates:
        return uses
    waiting: list[tuple[Any, Mapping[str, str]]] = [(tree, {}) for _, params, tree, _ in rules if not params]
    seen: set[str] = set()
    for tree, given in waiting:
        for used in tree.find_data("template_usage"):
            text = _spell(used, given)
            name, *arguments = [_spell(child, given) for child in used.children]
            if text in seen or name not in templates:
                continue
            seen.add(text)
            uses[name] += 1
            if len(seen) > MOST_FILES or len(text) > 1_000:
                raise ValueError(f"the template '{name}' leads to more than {MOST_FILES} rules: does it use itself?")
            waiting.append((templates[name][1], dict(zip(templates[name][0], arguments, strict=False))))
    return uses


def _spell(node: Any, given: Mapping[str, str]) -> str:
    """Return a part of a rule as one text, with the arguments of a template in the places of its parameters."""
    if not hasattr(node, "data"):
        name = str(getattr(node, "name", node))
        return given.get(name, name)
    inner = [_spell(child, given) for child in node.children]
    return inner[0] if str(node.data) == "value" and len(inner) == 1 else f"{node.data}{{{' '.join(inner)}}}"
