"""Regular expressions: the one place where patterns are compiled, by `re` for ours and by RE2 for those of rules.

RE2 takes time linear in the text whatever the pattern, so a user's rule cannot hang the program. Where google-re2 is
not installed (it has no wheels for Alpine), `pattern_machine` does the same, more slowly. Patterns of ours are written
in classes that name their characters.
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
    """A pattern that is compiled when it is used for the first time: most of them are not, in most processes."""

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


_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "split", "groups", "groupindex", "flags")


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Pattern:
    """Return the compiled pattern."""
    return cast(Pattern, _Waiting(pattern))


class PatternError(ValueError):
    """A pattern is not one of RE2's; the message says why."""


def compile_linear(pattern: str) -> Any:
    """Return the pattern compiled by RE2, or what stands in for it; raise `PatternError` with the reason."""
    if not is_encodable(pattern):
        raise PatternError("it has half of a surrogate pair, which is no character")
    try:
        import re2
    except ImportError:
        return _compile_by_machine(pattern)
    try:
        return re2.compile(pattern, _quiet())
    except re2.error as error:
        said = error.args[0]
        raise PatternError(said.decode() if isinstance(said, bytes) else str(said)) from None


def program_size(compiled: Any) -> int:
    """Return how many instructions a pattern of `compile_linear` has: at most so many are done for a character."""
    size = getattr(compiled, "programsize", None)
    return int(size) if size is not None else _SLOWER * int(compiled.size)


_SLOWER = 10  # times, about, than RE2 is what stands in for it


class Sieve:
    """A pattern of RE2's that tells in one pass where it cannot occur; without RE2 it may occur everywhere."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def _find(self) -> Callable[[bytes, int], int]:
        """What gives the offset of the next occurrence in UTF-8, -1 if there is none."""
        try:
            import re2
        except ImportError:
            return lambda data, start: start if start < len(data) else -1
        return first_match(re2.compile(self.pattern, _quiet()))

    def may_occur(self, text: str) -> bool:
        """Return whether the pattern may occur in a text."""
        try:
            return self._find(text.encode(), 0) >= 0
        except UnicodeEncodeError:  # a lone surrogate, which RE2 cannot read
            return True

    def lines(self, text: str) -> Iterator[str]:
        """Yield the lines, without their endings, in which the pattern may occur."""
        data = text.encode(errors="surrogatepass")
        end = 0
        while (start := self._find(data, end)) >= 0:
            end = data.find(b"\n", start) + 1 or len(data)
            yield data[data.rfind(b"\n", 0, start) + 1 : end].decode(errors="surrogatepass").removesuffix("\n")


_FEW = 30  # patterns


class LinearSet:
    """Many patterns searched for in one pass, in the order in which they were given."""

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
        # Of many, those that look at the beginning of a line alone are a set of their own: together with the others
        # they have far more states, each of which RE2 makes when a text first leads to it.
        for begins in (True, False):
            places = [at for at, pattern in enumerate(patterns) if pattern.startswith("^") is begins]
            if len(patterns) <= _FEW:
                places = list(range(len(patterns))) if begins else []
            if places:
                one = re2.Set.SearchSet(_quiet())
                for at in places:
                    one.Add(patterns[at])
                one.Compile()
                self._finders.append((set_match(one), places))

    def find(self, text: str) -> tuple[int, ...]:
        """Return the places of the patterns that occur in a text, least first."""
        if self._machine is not None:
            return tuple(sorted(self._machine(text) or ()))
        data = text.encode()
        return tuple(sorted([places[at] for find, places in self._finders for at in find(data)]))


def substituter(pattern: Any, template: str, count: int) -> Callable[[str], str]:
    """Return what replaces a pattern of `compile_linear` in a line, at most `count` times, every time if that is 0.

    It is the pattern's `sub`; where RE2 reads an ASCII line, without the objects that its wrapper makes.
    """
    return substitute(pattern, template, count)


def is_encodable(text: str) -> bool:
    """Return whether RE2 can read a text: it takes UTF-8, which has no lone surrogates."""
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
