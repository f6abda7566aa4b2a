"""Where a symbol is used: its definitions are told apart by scopes, imports and classes, as far as texts tell.

Uses in strings and comments of languages that are parsed are none.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from typing import Any

from ...core.ground.numbers import counted
from ..index import Index
from ..index.owners import Elsewhere, Owners, Sought, Verdict
from ..index.symbols import Use, find_uses
from .answers import SECONDS, choose_files, fail, give_items, is_asked, tell_broken
from .find_definitions import holders_of, is_within, split_symbol

_ENOUGH = 10_000
_OWNERS_SHOWN, _OWNERS_TOLD = 10, 5  # who own what is left out: in the answer, and in its note


def run(
    index: Index,
    symbol: str,
    path: str | None = None,
    limit: int | None = None,
    definitions: bool = False,
    definition: str | None = None,
) -> dict[str, Any]:
    """Return the uses of a symbol: those that surely are, those that may be, mentions in other texts; by paths.

    Of several definitions of a name `definition` chooses one by its file (`a/b.py`) and line (`a/b.py:12`), as a
    qualified symbol does. `certain` items name their `definitions`. Definitions are items only if asked for.
    `left_out` names who own the uses of this name that are no items.
    """
    if not is_asked(symbol):
        return fail("bad_arguments", "symbol: the name of a symbol is expected")
    name, within = split_symbol(symbol)
    with index.reading() as database:
        files = choose_files(index, path)
        if isinstance(files, dict):
            return files
        holders = holders_of(database, name)
    if holders is None:
        return fail("bad_arguments", f"symbol: {symbol!r} is no name")
    sources = index.sources
    rows = sources.definitions(name)
    sought = [one for one in rows if is_within(one.within, within)] or rows
    if definition:
        sought = [one for one in sought if definition.removeprefix("./") in (one.path, f"{one.path}:{one.line}")]
        if not sought:
            return fail("no_such_definition", f"definition: {definition} does not define {name}: see find_definitions")
    paths = [file.path for file in files if file.id in holders]
    key = (name, tuple(sought), tuple(paths))
    search = sources.answer(key, lambda: _Search(index, name, sought, paths), _Search.is_whole)
    items = search.found(() if definitions else rows)
    left_out = search.left_out()
    more: dict[str, Any] = {"left_out": left_out} if left_out else {}
    broken = tell_broken(file for file in files if file.id in holders)
    notes = [*broken, *search.notes()]
    more["incomplete"] = bool(broken)
    return give_items(index, items, limit=limit, notes=notes, failures=search.failures(), **more)


class _Search:
    """Looks for the uses of a name in files, until there is no more time."""

    def __init__(self, index: Index, name: str, sought: Collection[Sought], paths: list[str]) -> None:
        self._index, self._name, self._sought = index, name, sought
        self._uses: list[tuple[str, Use, Verdict, str]] = []
        self._others: Counter[Elsewhere] = Counter()
        self.late = self.unread = 0
        self._run(paths)

    def is_whole(self) -> bool:
        """Return whether every file was looked into; where there was no time, the next question may have it."""
        return not self.failures()

    def _run(self, paths: list[str]) -> None:
        end, sources = time.monotonic() + SECONDS, self._index.sources
        owners = Owners(self._sought, sources)
        for path in paths:
            if time.monotonic() > end or len(self._uses) >= _ENOUGH:
                self.late += 1
                continue
            data = self._index.data(path)
            if data is None:
                self.unread += 1
                continue
            tree = sources.tree(path, data)
            for use in find_uses(data, self._name, tree.root if tree else None):
                verdict = Verdict((), False) if tree is None else owners.judge(tree, use.start, self._name)
                if self._sought and tree and not verdict.owners:
                    self._others[verdict.instead or Elsewhere("role", "no name that is used")] += 1
                    continue
                self._uses.append((path, use, verdict, "syntax" if tree else "text"))

    def found(self, hidden: Collection[Sought]) -> list[dict[str, Any]]:
        """Return the uses as items, without those that are definitions to be hidden."""
        places = {(one.path, one.line, one.column) for one in hidden}
        ranked: list[tuple[int, dict[str, Any]]] = []
        for path, use, verdict, by in self._uses:
            if (path, use.line, use.column) in places:
                continue
            item = {"path": path, "line": use.line, "column": use.column, "text": use.text, "by": by}
            item["certain"] = verdict.certain
            if verdict.certain:
                item["definitions"] = [f"{one.path}:{one.line}" for one in sorted(verdict.owners)]
            ranked.append((0 if verdict.certain else 2 if by == "text" else 1, item))
        ranked.sort(key=lambda row: row[0])
        return [item for _, item in ranked]

    def notes(self) -> list[str]:
        notes = []
        if not self._sought:
            notes.append(f"{self._name} is not defined here: uses are found by name")
        elif any(not verdict.certain for _, _, verdict, by in self._uses if by == "syntax"):
            notes.append("what is not certain is found by name: other things of the same name may be among it")
        if self._others:
            named = [f"{count} of {owner.owner}" for owner, count in self._most(_OWNERS_TOLD)]
            more = ["…"] if len(self._others) > _OWNERS_TOLD else []
            uses = counted(self._others.total(), "use")
            notes.append(f"{uses} of other things of this name left out: {', '.join(named + more)}")
        return notes

    def left_out(self) -> list[dict[str, Any]]:
        """Return who own the uses that are left out, those with most uses first."""
        most = self._most(_OWNERS_SHOWN)
        return [{"kind": owner.kind, "owner": owner.owner, "uses": count} for owner, count in most]

    def _most(self, count: int) -> list[tuple[Elsewhere, int]]:
        return sorted(self._others.items(), key=lambda row: (-row[1], row[0]))[:count]

    def failures(self) -> list[str]:
        late = counted(self.late, "file was", "files were")
        failures = [f"{late} not looked into: there was no time"] if self.late else []
        return failures + ([f"{counted(self.unread, 'file')} could not be read"] if self.unread else [])
