"""Which lines of a prompt are lines of a dialect: the one that is taught, or another one.

Some kinds of lines are *certain*, such as an action, vitals or a tag: prose rarely has them by
chance. Other lines, such as thoughts, could also be prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from ....core.grammar.dialect import Dialect
from ....core.grammar.loading import load_dialect

# Kinds of lines that are certain.
_CERTAIN = frozenset(
    ("head", "vitals", "verb_line", "run_line", "path_line", "command_line", "_reason_line")
)
# Marks that begin a line.
_LEADING = ("thought", "action", "vital", "open", "close")
# Words about the use of a mark. A sign alone may mean something else in a sentence.
_TOPICS = {
    "thought": r"thought|reason|think",
    "action": r"action|verb|command|declar|step|instruction",
    "open": r"block|content|delimit|fence|open|wrap",
    "close": r"block|content|delimit|fence|clos|wrap",
    "end_close": r"",
}
_NUMBERED = re.compile(r"^(open|close)_[4-8]$")
_NEVER = "(?!)"  # a pattern that matches nothing


class LineKinds:
    """Distinguishes lines of a dialect, lines of other installed dialects, and prose.

    Attributes:
        dialect: The dialect that is taught.
        others: The installed dialects that differ from it. v2.1 stands for all options of v2.
        delimiters: The openers and closers of the dialect.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.others = []
        for name in ("v2", "v1", "plain", "v2_1"):
            installed = load_dialect(name)
            if installed.fingerprint != dialect.fingerprint:
                self.others.append(installed)
        self.delimiters = {*dialect.fences, *dialect.closers}
        marks = dialect.marks
        self._leading = tuple({marks[name] for name in _LEADING if name in marks})
        # A sign of one character, or one that ends with a letter, is too frequent in prose.
        signs = [mark for mark in self._leading if len(mark) > 1 and not mark[-1].isalnum()]
        near = _any_of(sorted(signs))
        self._near = re.compile(rf"[ \t]{{0,3}}{near}(?:[ \t]*[\w\[({{\"'`]|[ \t]*$)")
        verb = dialect.any_verb
        target = re.escape(marks["target"])
        # An action without its mark.
        self._bare = re.compile(rf"(?i:{verb})[ \t]*{target}[ \t]*\S.*")

    @cached_property
    def foreign_delimiters(self) -> dict[str, tuple[str, ...]]:
        """The closers of each opener that only other dialects have."""
        closers: dict[str, tuple[str, ...]] = {}
        for dialect in reversed(self.others):
            closers |= dialect.fences
        return {opener: closers[opener] for opener in closers.keys() - self.delimiters}

    @cached_property
    def foreign_marks(self) -> dict[str, list[tuple[str, Dialect]]]:
        """The topics of each mark that only other dialects have, with the dialect."""
        own = set(self.dialect.marks.values())
        marks: dict[str, list[tuple[str, Dialect]]] = {}
        for dialect in self.others:
            for name, mark in dialect.marks.items():
                topic = _NUMBERED.sub(r"\1", name)
                # Keys are words such as "path", which prose has as well.
                is_telling = topic in _TOPICS or (_is_word(mark) and not name.endswith("_key"))
                if mark not in own and is_telling:
                    marks.setdefault(mark, []).append((topic, dialect))
        return marks

    def own(self, line: str) -> str | None:
        """Return the kind of a line in the dialect; None if it is not a line of it."""
        return _kind(line, self.dialect)

    def is_certain(self, line: str) -> bool:
        """Return whether a line is certainly one of the dialect."""
        return self.own(line) in _CERTAIN

    def foreign(self, line: str) -> Dialect | None:
        """Return the other dialect that a line certainly is of; None if it may be of this one."""
        if line.strip() and self.own(line) is None:
            for dialect in self.others:
                if _kind(line, dialect) in _CERTAIN:
                    return dialect
        return None

    def is_near(self, line: str) -> bool:
        """Return whether a line seems to be meant as one of the dialect."""
        return bool(self._near.match(line) or self._bare.fullmatch(line))

    def begins_with_a_mark(self, line: str) -> bool:
        """Return whether a line begins with a mark of the dialect."""
        return line.startswith(self._leading)

    def find_stale_mark(self, shown: str, line: str) -> Dialect | None:
        """Return the dialect of a mark or line that a sentence shows, if it is not this dialect.

        Args:
            shown: The mark or line, which the sentence quotes.
            line: The sentence.
        """
        dialect = self.foreign(shown)
        if dialect is not None:
            return dialect
        # The topic is searched for beside the mark, which may be a word of it.
        sentence = line.replace(shown, "")
        for topic, dialect in self.foreign_marks.get(shown.strip(), ()):
            if _is_word(shown) or re.search(_TOPICS[topic], sentence, re.IGNORECASE):
                return dialect
        return None

    def closers_of(self, opener: str) -> Sequence[str]:
        """Return the closers of an opener, of this dialect or another one."""
        return self.dialect.fences.get(opener) or self.foreign_delimiters.get(opener) or ()

    def is_closer(self, line: str) -> bool:
        """Return whether a line closes a block, in this dialect or another one."""
        foreign = self.foreign_delimiters.values()
        return line in self.dialect.closers or any(line in closers for closers in foreign)


def _any_of(texts: Sequence[str]) -> str:
    """Return a pattern that matches one of some texts."""
    return f"(?:{'|'.join(map(re.escape, texts)) or _NEVER})"


def _is_word(mark: str) -> bool:
    """Return whether a mark has letters: a tag, unlike a sign, rarely means something else."""
    return any(character.isalpha() for character in mark)


def _kind(line: str, dialect: Dialect) -> str | None:
    match = dialect.line_pattern.fullmatch(line.rstrip("\r\n") + "\n")
    return match.lastgroup if match else None
