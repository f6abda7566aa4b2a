"""Which lines of a prompt are lines of a dialect, of the one that is taught or of another one.

A *certain* line is hardly anything else (an action, vitals, a tag); a *weak* one, such as a thought, could be prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from ....core.grammar.dialect import Dialect
from ....core.grammar.loading import load_dialect

_CERTAIN = frozenset(("head", "vitals", "verb_line", "run_line", "path_line", "command_line", "_reason_line"))
_LEADING = ("thought", "action", "vital", "open", "close")
_TOPICS = {
    "thought": r"thought|reason|think",
    "action": r"action|verb|command|declar|step|instruction",
    "open": r"block|content|delimit|fence|open|wrap",
    "close": r"block|content|delimit|fence|clos|wrap",
    "end_close": r"",
}
_NUMBERED = re.compile(r"(open|close)_[4-8]")


class LineKinds:
    """Tells the lines of a dialect, and those of other dialects (v2.1 has all the options) that are none of its own."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        installed = [load_dialect(name) for name in ("v2", "v1", "plain", "v2_1")]
        self.others = [other for other in dict.fromkeys(installed) if other.fingerprint != dialect.fingerprint]
        marks = dialect.marks
        self.delimiters = {*dialect.fences, *dialect.closers}
        leading = {marks[name] for name in _LEADING if name in marks}
        signs = [re.escape(mark) for mark in sorted(leading) if len(mark) > 1 and not mark[-1].isalnum()]
        self._leading = tuple(leading)
        target = re.escape(marks["target"])
        self._near = re.compile(rf"[ \t]{{0,3}}(?:{'|'.join(signs) or '(?!)'})(?:[ \t]*[\w\[({{\"'`]|[ \t]*$)")
        verbs = [re.escape(verb) for group in dialect.verbs.values() for verb in group] or ["(?!)"]
        self._bare = re.compile(rf"(?i:{'|'.join(verbs)})[ \t]*{target}[ \t]*\S.*")

    @cached_property
    def foreign_delimiters(self) -> dict[str, tuple[str, ...]]:
        """The closers of each opener of other dialects that is no delimiter of this one."""
        found: dict[str, tuple[str, ...]] = {}
        for other in self.others:
            found |= {o: c for o, c in other.fences.items() if o not in self.delimiters and o not in found}
        return found

    @cached_property
    def foreign_marks(self) -> dict[str, list[tuple[str, Dialect]]]:
        """What the marks of other dialects are for; not those that this one has as well."""
        own = set(self.dialect.marks.values())
        found: dict[str, list[tuple[str, Dialect]]] = {}
        for other in self.others:
            for name, mark in other.marks.items():
                numbered = _NUMBERED.fullmatch(name)
                topic = numbered[1] if numbered else name
                told = topic in _TOPICS or (_is_word(mark) and not name.endswith("_key"))
                if mark not in own and told:
                    found.setdefault(mark, []).append((topic, other))
        return found

    def own(self, line: str) -> str | None:
        """Return the kind of a line in the dialect, None if it is none of its lines."""
        return _kind(line, self.dialect)

    def is_certain(self, line: str) -> bool:
        """Return whether a line is certainly one of the dialect."""
        return self.own(line) in _CERTAIN

    def foreign(self, line: str) -> Dialect | None:
        """Return the other dialect whose line it certainly is; None for one that this dialect has too."""
        if not line.strip() or self.own(line) is not None:
            return None
        return next((other for other in self.others if _kind(line, other) in _CERTAIN), None)

    def is_near(self, line: str) -> bool:
        """Return whether a line seems to be meant as one of the dialect."""
        return bool(self._near.match(line) or self._bare.fullmatch(line))

    def begins_with_a_mark(self, line: str) -> bool:
        """Return whether a line begins with a mark of the dialect, whatever follows."""
        return line.startswith(self._leading)

    def find_stale_mark(self, shown: str, line: str) -> Dialect | None:
        """Return the dialect of a mark, or line, that a sentence (`line`) shows and that this dialect does not have."""
        other = self.foreign(shown)
        if other is not None:
            return other
        for topic, dialect in self.foreign_marks.get(shown.strip(), ()):
            if _is_word(shown) or re.search(_TOPICS[topic], line.replace(shown, ""), re.IGNORECASE):
                return dialect
        return None

    def closers_of(self, opener: str) -> Sequence[str]:
        """Return the closers of an opener, of this dialect or another one."""
        return self.dialect.fences.get(opener) or self.foreign_delimiters.get(opener) or ()

    def is_closer(self, line: str) -> bool:
        """Return whether a line closes a block, in this dialect or another one."""
        return line in self.dialect.closers or any(line in closers for closers in self.foreign_delimiters.values())


def _is_word(mark: str) -> bool:
    """Return whether a mark has letters: a sign alone may stand for something else, a word such as a tag hardly."""
    return any(character.isalpha() for character in mark)


def _kind(line: str, dialect: Dialect) -> str | None:
    match = dialect.line_pattern.fullmatch(line.rstrip("\r\n") + "\n")
    return match.lastgroup if match else None
