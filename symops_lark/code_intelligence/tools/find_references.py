"""Find the uses of a symbol.

Definitions of the same name are distinguished by scopes, imports and classes, as far as the texts
of the files allow. In languages that are parsed, strings and comments have no uses.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from typing import Any, NamedTuple

from ...core.ground.numbers import counted
from ..index import Index
from ..index.owners import Elsewhere, Owners, Sought, Verdict
from ..index.symbols import Use, find_uses
from .answers import SECONDS, Answer, Item, choose_files, fail, give_items, is_asked, tell_broken
from .find_definitions import holders_of, is_within, split_symbol

_ENOUGH = 10_000
_SHORTHAND = "shorthand_property_identifier_pattern"
_MAX_OWNERS = 10  # of uses that are left out, in the answer
_MAX_NOTED_OWNERS = 5  # of those, in its note
_NO_USE = Elsewhere("role", "no name that is used")
_UNCERTAIN = "uncertain uses are found by name: some may be of other things with this name"


def run(
    index: Index,
    symbol: str,
    path: str | None = None,
    limit: int | None = None,
    definitions: bool = False,
    definition: str | None = None,
) -> Answer:
    """Return the uses of a symbol: certain ones, possible ones, then mentions in other texts.

    Args:
        index: The index.
        symbol: The name, alone or qualified: `Class.method`.
        path: The folder or file. None: the whole folder of the index.
        limit: The most items.
        definitions: Whether definitions are items, too.
        definition: The file (`a/b.py`) or the line (`a/b.py:12`) of one of several definitions.

    Returns:
        The uses, in the order of paths. Certain ones have their `definitions`. `left_out` names the
        owners of the other uses of this name.
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
        return fail("bad_arguments", f"symbol: {symbol!r} is not a name")
    sources = index.sources
    rows = sources.definitions(name)
    # Some definitions have another container than the texts name: then all of them are sought.
    sought = [row for row in rows if is_within(row.within, within)] or rows
    if definition:
        place = definition.removeprefix("./")
        sought = [row for row in sought if place in (row.path, _place(row))]
        if not sought:
            message = (
                f"definition: {definition} is not the file or line of a definition of {name}: "
                "write a/b.py or a/b.py:12"
            )
            return fail("no_such_definition", message)
    holding = [file for file in files if file.id in holders]
    paths = [file.path for file in holding]
    # The same question is answered from memory until a file changes.
    search = sources.answer(
        (name, tuple(sought), tuple(paths)),
        lambda: _Search(index, name, sought, paths),
        _Search.is_complete,
    )
    broken = tell_broken(holding)
    members: dict[str, Any] = {"incomplete": bool(broken)}
    left_out = search.left_out()
    if left_out:
        members["left_out"] = left_out
    return give_items(
        index,
        search.items(hidden=() if definitions else rows),
        limit=limit,
        notes=[*broken, *search.notes()],
        failures=search.failures(),
        **members,
    )


class _Match(NamedTuple):
    """A use with its file, and how certain it is."""

    path: str
    use: Use
    verdict: Verdict
    by: str
    is_member: bool = False  # `const { run } = module` defines a name, and uses the module's

    def rank(self) -> int:
        """Return the place among other uses: certain ones first, mentions in texts last."""
        if self.verdict.certain:
            return 0
        return 2 if self.by == "text" else 1


class _Search:
    """Searches files for the uses of a name, until there is no more time."""

    def __init__(
        self, index: Index, name: str, sought: Collection[Sought], paths: list[str]
    ) -> None:
        self._name = name
        self._sought = sought
        self._uses: list[_Match] = []
        self._owners: Counter[Elsewhere] = Counter()
        self._late_count = 0
        self._unread_count = 0
        end = time.monotonic() + SECONDS
        owners = Owners(sought, index.sources)
        for path in paths:
            # The other files are counted, so that the answer names the gap.
            if time.monotonic() > end or len(self._uses) >= _ENOUGH:
                self._late_count += 1
                continue
            data = index.data(path)
            if data is None:
                self._unread_count += 1
                continue
            self._search_file(path, data, index, owners)

    def _search_file(self, path: str, data: bytes, index: Index, owners: Owners) -> None:
        tree = index.sources.tree(path, data)
        if tree is None:
            verdict = Verdict((), False)
            uses = find_uses(data, self._name, None)
            self._uses += [_Match(path, use, verdict, "text") for use in uses]
            return
        for use in find_uses(data, self._name, tree.root):
            verdict = owners.judge(tree, use.start, self._name)
            # Without a definition, nothing is known of the owner: all uses count.
            if self._sought and not verdict.owners:
                owner = verdict.instead or _NO_USE
                self._owners[owner] += 1
            else:
                node = tree.root.descendant_for_byte_range(use.start, use.start + 1)
                is_member = node.type == _SHORTHAND
                self._uses.append(_Match(path, use, verdict, "syntax", is_member))

    def is_complete(self) -> bool:
        """Return whether every file was searched; otherwise the next call may have the time."""
        return not self.failures()

    def items(self, hidden: Collection[Sought]) -> list[Item]:
        """Return the uses as items, without those that are hidden definitions."""
        places = {(row.path, row.line, row.column) for row in hidden}
        items = []
        for path, use, verdict, by, is_member in sorted(self._uses, key=_Match.rank):
            here = (path, use.line, use.column)
            is_own = not is_member or any(owner.place == here for owner in verdict.owners)
            if here in places and is_own:
                continue
            item = {
                "path": path,
                "line": use.line,
                "column": use.column,
                "text": use.text,
                "by": by,
                "certain": verdict.certain,
            }
            if verdict.certain:
                item["definitions"] = list(map(_place, sorted(verdict.owners)))
            items.append(item)
        return items

    def notes(self) -> list[str]:
        """Return notes on uncertain uses, and on uses that are left out."""
        notes = []
        if not self._sought:
            notes.append(f"no definition of {self._name} was found: uses are found by name")
        elif any(match.rank() == 1 for match in self._uses):
            notes.append(_UNCERTAIN)
        if self._owners:
            uses = counted(self._owners.total(), "use")
            owners = [f"{count} of {owner.owner}" for owner, count in self._ranked_owners()]
            if len(owners) > _MAX_NOTED_OWNERS:
                owners[_MAX_NOTED_OWNERS:] = ["…"]
            listed = ", ".join(owners)
            notes.append(f"{uses} of other things of this name left out: {listed}")
        return notes

    def left_out(self) -> list[Item]:
        """Return the owners of the uses that are left out, those with most uses first."""
        items = []
        for owner, count in self._ranked_owners()[:_MAX_OWNERS]:
            items.append({"kind": owner.kind, "owner": owner.owner, "uses": count})
        return items

    def failures(self) -> list[str]:
        """Return the reasons why files were not searched."""
        failures = []
        if self._late_count:
            files_were = counted(self._late_count, "file was", "files were")
            failures.append(f"{files_were} not searched: there was no time")
        if self._unread_count:
            files = counted(self._unread_count, "file")
            failures.append(f"{files} could not be read")
        return failures

    def _ranked_owners(self) -> list[tuple[Elsewhere, int]]:
        # Both sorts are stable: equal numbers are in the order of the owners.
        owners = sorted(self._owners.items())
        return sorted(owners, key=lambda row: row[1], reverse=True)


def _place(definition: Sought) -> str:
    return f"{definition.path}:{definition.line}"
