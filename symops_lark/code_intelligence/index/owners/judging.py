"""Whether a use belongs to one of the definitions that are sought: surely, perhaps, or surely not."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cached_property
from typing import NamedTuple

from ..symbols import names_member
from .classes import Classes, chain_of
from .go_names import GoNames
from .java_names import JavaNames
from .meaning import Elsewhere, Meaning, fits
from .python_scopes import name_outside
from .python_things import EITHER, UNKNOWN, Lacking, Module, Things, is_property
from .python_values import PythonNames
from .rust_modules import RustModules
from .rust_names import RustNames
from .script_names import ScriptNames
from .sources import Sources
from .trees import Binding, Chain, Sought, Tree, place_of

_KEYWORDS = frozenset(("keyword_argument", "keyword_pattern"))
SCRIPTS = frozenset(("javascript", "typescript", "tsx"))


class Verdict(NamedTuple):
    """To which of the definitions a use belongs; if `certain` is false, to which it may, and who owns it if to none."""

    owners: tuple[Sought, ...]
    certain: bool
    instead: Elsewhere | None = None


class Owners:
    """Judges uses in all files.

    Args:
        sought: The definitions of one name that are asked about.
        sources: The files.
    """

    def __init__(self, sought: Collection[Sought], sources: Sources) -> None:
        self._sought = {(one.path, one.line, one.column): one for one in sought}
        self._sources, known, load = sources, sources.definitions, sources.tree
        self._python = PythonNames(sources.modules, load)
        self._classes = Classes(load, known)
        script = ScriptNames(load, known, sources.npm, self._classes).mean
        crates = RustModules(load, sources.cargo, sources.modules.paths)
        self._ways: dict[str, Callable[[Tree, Chain], Meaning]] = {
            **dict.fromkeys(SCRIPTS, script),
            "go": GoNames(known, sources.go_modules).mean,
            "java": JavaNames(known, sources.manifests, self._classes).mean,
            "rust": RustNames(known, crates).mean,
        }

    def judge(self, tree: Tree, start: int, name: str) -> Verdict:
        """Return to what the name that begins at a byte of a file belongs."""
        end = start + len(name.encode())
        mention = tree.mention_at(start, end)
        if mention and tree.language in SCRIPTS:
            near = [one for one in self._sought.values() if self._may_meet(tree, one) and fits(one, "member")]
            return Verdict(tuple(near), False, Elsewhere("role", "a key in quotes"))
        if mention:
            # `"module.Name"` and `getattr(module, "Name")` are not looked up: the name alone would
            # mean something else.
            is_member = tree.data[start - 1 : start] == b"." or names_member(mention[-1])
            meant = frozenset((UNKNOWN,)) if is_member else self._python.mentioned(tree, mention, name)
            return self._judge_python(tree, mention, meant)._replace(certain=False)
        chain = tree.chain_at(start, end)
        if len(chain) < 2 or any(node.type == "ERROR" for node in chain):
            near = [one for one in self._sought.values() if self._may_meet(tree, one)]
            return Verdict(tuple(near), False, Elsewhere("role", f"a name of {tree.language}"))
        if tree.language == "python":
            return self._judge_python(tree, chain, self._python.meant(tree, chain))
        near = [one for one in self._sought.values() if self._may_meet(tree, one)]
        if not near:
            return Verdict((), False, Elsewhere("role", f"a name of {tree.language}"))
        meaning = self._ways[tree.language](tree, chain)
        sure = tuple(one for one in near if one[:3] in meaning.places)
        if sure:
            return Verdict(sure, True)
        perhaps = tuple(one for one in near if self._is_possible(one, meaning, tree))
        return Verdict(perhaps, False, None if perhaps else meaning.instead)

    def _is_possible(self, one: Sought, meaning: Meaning, tree: Tree) -> bool:
        if one[:3] in meaning.perhaps or fits(one, meaning.open):
            return True
        if not meaning.around or one.kind not in ("method", "field", "function", "variable"):
            return False
        is_above = meaning.hidden and one.around in self._classes.above(meaning.around, tree.path)
        return is_above or self._classes.descends(one, meaning.around)

    def _may_meet(self, tree: Tree, one: Sought) -> bool:
        """Return whether code of one language can name what another defines; of a language that is guessed all can."""
        there = self._sources.language(one.path)
        return not there or there == tree.language or {there, tree.language} <= SCRIPTS

    def _judge_python(self, tree: Tree, chain: Chain, meant: Things) -> Verdict:
        owners = tuple(one for thing in meant if (one := self._known(thing)) is not None)
        if owners:
            return Verdict(owners, not {UNKNOWN, EITHER} & meant)
        perhaps = self._may_be(tree, meant, chain)
        return Verdict(perhaps, False, None if perhaps else self._owner_of(meant, tree, chain))

    def _descends(self, one: Sought, classes: list[tuple[str, int]]) -> bool:
        tree, chain = self._member_of_python(one)
        return tree is not None and any(self._python.descends(tree, chain, place) for place in classes)

    def _member_of_python(self, one: Sought) -> tuple[Tree | None, Chain]:
        tree = self._sources.tree(one.path) if one.within else None
        if tree is None or tree.language != "python":
            return None, ()
        return tree, chain_of(tree, one[:3])

    def _is_property(self, one: Sought) -> bool:
        tree, chain = self._member_of_python(one)
        is_function = len(chain) > 2 and chain[-2].type == "function_definition"
        return is_function and is_property(Binding(tree, chain, "function", chain[-2]))  # type: ignore[arg-type]

    def _owner_of(self, meant: Things, tree: Tree, chain: Chain) -> Elsewhere:
        """Return who owns a name of Python that means other things."""
        if chain[-2].type in _KEYWORDS and chain[-2].children[0].id == chain[-1].id:
            return Elsewhere("role", "the name of an argument")
        for thing in meant:
            if isinstance(thing, Binding):
                path, line, _ = place_of(thing.tree, thing.chain)
                return Elsewhere("definition" if thing.kind in ("class", "function") else "binding", f"{path}:{line}")
        for thing in meant:
            if isinstance(thing, Module):
                return Elsewhere("definition", thing.path)
        return Elsewhere("outside", name_outside(tree, chain, self._sources.modules))

    def _known(self, thing: object) -> Sought | None:
        return self._sought.get(place_of(thing.tree, thing.chain)) if isinstance(thing, Binding) else None

    def _may_be(self, tree: Tree, meant: Things, chain: Chain) -> tuple[Sought, ...]:
        if UNKNOWN in meant:
            near = [one for one in self._sought.values() if self._may_meet(tree, one)]
            if chain[-2].type in _KEYWORDS:  # a parameter, or a field
                near = [one for one in near if one.kind in ("variable", "field") or self._is_property(one)]
            return tuple(near)
        places = [thing.place for thing in meant if isinstance(thing, Binding)]
        overrides = [one for place in places for one in self._overrides.get(place, ())]
        classes = [thing.place for thing in meant if isinstance(thing, Lacking)]
        return (*overrides, *(one for one in self._sought.values() if self._descends(one, classes)))

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
        tree = self._sources.tree(one.path)
        if tree is None or tree.language != "python":
            return frozenset()
        line = tree.data.split(b"\n")[one.line - 1].decode("utf-8", "replace")
        for chain in tree.chains(re.split(r"\W", line[one.column - 1 :], maxsplit=1)[0]):
            if place_of(tree, chain) == one[:3]:
                return self._python.overridden(tree, chain)
        return frozenset()
