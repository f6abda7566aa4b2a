"""Whether a use belongs to one of the definitions that are sought: surely, perhaps, or surely not."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cached_property
from typing import NamedTuple

from ..languages import load_language
from .block_names import SCRIPTS, BlockNames
from .modules import Modules
from .python_things import UNKNOWN, Things
from .python_values import PythonNames
from .trees import Binding, Chain, Sought, Tree, place_of

_MOST_BYTES = 10_000_000  # of files whose trees one question keeps: each is some ten times as large


class Verdict(NamedTuple):
    """To which of the definitions a use belongs; if `certain` is false, to which it may."""

    owners: tuple[Sought, ...]
    certain: bool


class Owners:
    """Judges the uses of one name, in all files; `read` gives the bytes of a path, `language` what it is read as."""

    def __init__(
        self,
        sought: Collection[Sought],
        modules: Modules,
        read: Callable[[str], bytes | None],
        language: Callable[[str], str],
    ) -> None:
        self._sought = {(one.path, one.line, one.column): one for one in sought}
        self._read, self._language = read, language
        self._trees: dict[str, Tree | None] = {}
        self._bytes = 0
        self._python = PythonNames(modules, self.tree)
        self._blocks = BlockNames(modules, self.tree)

    def tree(self, path: str, data: bytes | None = None) -> Tree | None:
        """Return a file as it was parsed; None if it is not parsed, or if very many were and it is not given."""
        if path not in self._trees:
            language = load_language(self._language(path)) if self._language(path) else None
            if language is None or (self._bytes > _MOST_BYTES and data is None):
                return None
            found = self._read(path) if data is None else data
            self._bytes += len(found or b"")
            tree = None if found is None else Tree(path, found, language)
            if self._bytes > _MOST_BYTES:
                return tree
            self._trees[path] = tree
        return self._trees[path]

    def judge(self, tree: Tree, start: int, name: str) -> Verdict:
        """Return to what the name that begins at a byte of a file belongs."""
        chain = tree.chain_at(start, start + len(name.encode()))
        if len(chain) < 2:
            return Verdict(tuple(self._sought.values()), False)
        if tree.language == "python":
            return self._judge_python(tree, chain)
        near = [one for one in self._sought.values() if self._may_meet(tree, one)]
        found = [(one, self._blocks.judge(tree, chain, one)) for one in near]
        sure = tuple(one for one, verdict in found if verdict)
        return Verdict(sure, True) if sure else Verdict(tuple(one for one, verdict in found if verdict is None), False)

    def _may_meet(self, tree: Tree, one: Sought) -> bool:
        """Return whether code of one language can name what another defines; of a language that is guessed all can."""
        there = self._language(one.path)
        return not there or there == tree.language or {there, tree.language} <= SCRIPTS

    def _judge_python(self, tree: Tree, chain: Chain) -> Verdict:
        meant = self._python.meant(tree, chain)
        owners = tuple(one for thing in meant if (one := self._known(thing)) is not None)
        if owners:
            return Verdict(owners, UNKNOWN not in meant)
        return Verdict(self._may_be(tree, meant, chain), False)

    def _known(self, thing: object) -> Sought | None:
        return self._sought.get(place_of(thing.tree, thing.chain)) if isinstance(thing, Binding) else None

    def _may_be(self, tree: Tree, meant: Things, chain: Chain) -> tuple[Sought, ...]:
        if UNKNOWN in meant:
            is_keyword = chain[-2].type in ("keyword_argument", "keyword_pattern")  # a parameter, or a field
            near = [one for one in self._sought.values() if self._may_meet(tree, one)]
            return tuple(one for one in near if not is_keyword or one.kind in ("variable", "field"))
        places = [thing.place for thing in meant if isinstance(thing, Binding)]
        return tuple(one for place in places for one in self._overrides.get(place, ()))

    @cached_property
    def _overrides(self) -> dict[tuple[str, int], list[Sought]]:
        """The methods that are sought by what they override: a call of that may be one of them."""
        found: dict[tuple[str, int], list[Sought]] = {}
        for one in self._sought.values():
            for thing in self._bases(one) if one.within else ():
                if isinstance(thing, Binding):
                    found.setdefault(thing.place, []).append(one)
        return found

    def _bases(self, one: Sought) -> Things:
        tree = self.tree(one.path)
        if tree is None or tree.language != "python":
            return frozenset()
        line = tree.data.split(b"\n")[one.line - 1].decode("utf-8", "replace")
        for chain in tree.chains(re.split(r"\W", line[one.column - 1 :], maxsplit=1)[0]):
            if place_of(tree, chain) == one[:3]:
                return self._python.overridden(tree, chain)
        return frozenset()
