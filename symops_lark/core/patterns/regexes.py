"""Compile regular expressions: our own with `re`, those of repair rules with RE2.

RE2 takes time linear in the text for every pattern, so a custom rule cannot hang the program. On a
system without google-re2 (it has no wheels for Alpine) `pattern_machine` finds the same matches,
more slowly. All modules compile their patterns here, which is why other runtimes need one module
in its place. Our own patterns name their characters (`[0-9]`, not the class of digits), because
the short classes mean different characters in different engines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Any, cast

from .re2_fast import first_match, set_match, substitute

Pattern = re.Pattern[str]
Match = re.Match[str]
escape = re.escape


class _Waiting:
    """A pattern that is compiled on first use: most processes use few of the patterns."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return compile_pattern, (self.pattern,)


_METHODS = (
    "match",
    "search",
    "fullmatch",
    "finditer",
    "findall",
    "sub",
    "split",
    "groups",
    "groupindex",
    "flags",
)


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Pattern:
    """Return a pattern of `re`; it is compiled on first use, and equal patterns are one object."""
    return cast(Pattern, _Waiting(pattern))


class PatternError(ValueError):
    """RE2 rejects a pattern; the message gives the reason."""


def compile_linear(pattern: str) -> Any:
    """Compile a pattern with RE2, or with `pattern_machine` where RE2 is not installed.

    Args:
        pattern: A pattern in the syntax of RE2: without look-around and backreferences.

    Returns:
        An object with the methods of `re.Pattern` that this project uses.

    Raises:
        PatternError: RE2 rejects the pattern.
    """
    if not is_encodable(pattern):
        raise PatternError("it contains half of a surrogate pair, which is not a character")
    try:
        import re2
    except ImportError:
        return _compile_by_machine(pattern)
    try:
        return re2.compile(pattern, _quiet())
    except re2.error as error:
        reason = error.args[0]
        # Some versions of the wrapper pass on the bytes of RE2's message.
        message = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise PatternError(message) from None


def program_size(compiled: Any) -> int:
    """Return the size of a pattern of `compile_linear`, a bound on the steps for one character.

    Returns:
        The number of instructions in RE2. Without RE2, the number of nodes of the automaton times
        its slowness, so that a limit on the size bounds the time in both.
    """
    size = getattr(compiled, "programsize", None)
    if size is None:
        return _SLOWNESS * int(compiled.size)
    return int(size)


_SLOWNESS = 10  # how many times slower than RE2 the automaton is, about


class Sieve:
    """A pattern that finds in one pass of RE2 where it cannot occur.

    Without RE2 it may occur everywhere.

    Attributes:
        pattern: The pattern, in the syntax of RE2.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _find(self) -> Callable[[bytes, int], int]:
        """A function from UTF-8 and an offset in bytes to the next occurrence; -1 without one."""
        try:
            import re2
        except ImportError:
            return lambda data, start: start if start < len(data) else -1
        return first_match(re2.compile(self.pattern, _quiet()))

    def may_occur(self, text: str) -> bool:
        """Return whether the pattern may occur in a text; False is certain."""
        try:
            data = text.encode()
        except UnicodeEncodeError:  # a lone surrogate, which RE2 cannot read
            return True
        return self._find(data, 0) >= 0

    def lines(self, text: str) -> Iterator[str]:
        """Yield the lines in which the pattern may occur, without their line feeds."""
        data = text.encode(errors="surrogatepass")
        end = 0
        match_start = self._find(data, end)
        # A pattern that matches the empty text would match at the end of the text for ever.
        while 0 <= match_start < len(data):
            start = data.rfind(b"\n", 0, match_start) + 1
            end = data.find(b"\n", match_start) + 1 or len(data)
            line = data[start:end].decode(errors="surrogatepass")
            yield line.removesuffix("\n")
            # One match is enough for a line: continue after it.
            match_start = self._find(data, end)


# With at most this many patterns one set is enough.
_MAX_IN_ONE_SET = 30


class LinearSet:
    """Many patterns that are searched for in one pass.

    A pattern is named by its index in the list.
    """

    def __init__(self, patterns: list[str]) -> None:
        self._finders: list[tuple[Callable[[bytes], Iterable[int]], list[int]]] = []
        self._machine: Callable[[str], Iterable[int]] | None = None
        if not patterns:
            return
        try:
            import re2
        except ImportError:
            from .pattern_machine import Machine

            self._machine = Machine(patterns).find
            return
        for indexes in _group(patterns):
            searched = re2.Set.SearchSet(_quiet())
            for index in indexes:
                searched.Add(patterns[index])
            searched.Compile()
            self._finders.append((set_match(searched), indexes))

    def find(self, text: str) -> tuple[int, ...]:
        """Return the indexes of the patterns that occur in a text, in ascending order."""
        if self._machine is not None:
            return tuple(sorted(self._machine(text) or ()))
        data = text.encode()
        # One expression: this runs for each new line of a reply.
        return tuple(sorted([indexes[at] for find, indexes in self._finders for at in find(data)]))


def _group(patterns: list[str]) -> list[list[int]]:
    """Return the indexes of the patterns that make one set of RE2 each."""
    if len(patterns) <= _MAX_IN_ONE_SET:
        return [list(range(len(patterns)))]
    # Patterns that look only at the beginning of a line are a separate set. Together with the
    # others they have far more states, and RE2 builds a state when a text first leads to it.
    at_line_start: list[int] = []
    anywhere: list[int] = []
    for index, pattern in enumerate(patterns):
        indexes = at_line_start if pattern.startswith("^") else anywhere
        indexes.append(index)
    return [indexes for indexes in (at_line_start, anywhere) if indexes]


def substituter(pattern: Any, template: str, count: int) -> Callable[[str], str]:
    """Return a function that replaces a pattern of `compile_linear` in a line.

    It has the result of the pattern's `sub`, without the match objects of RE2's wrapper if the line
    is ASCII.

    Args:
        pattern: The compiled pattern.
        template: The replacement, in ASCII (see `fill_template` of `core/repairs/rule`).
        count: The maximum number of replacements; 0: all matches.
    """
    return substitute(pattern, template, count)


def is_encodable(text: str) -> bool:
    """Return whether RE2 can read a text: it reads UTF-8, which has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _compile_by_machine(pattern: str) -> Any:
    from .pattern_machine import MachinePattern
    from .pattern_syntax import SyntaxProblem

    try:
        return MachinePattern(pattern)
    except SyntaxProblem as error:
        raise PatternError(f"{error} (google-re2 is not installed: it may know more)") from None


def _quiet() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return options
