"""Judge whether a use belongs to a requested definition: certainly, possibly, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from ..symbols import names_member
from .classes import Classes, chain_of
from .go_names import GoNames
from .java_names import JavaNames
from .meaning import Elsewhere, Meaning, fits
from .python.scopes import name_outside
from .python.things import EITHER, UNKNOWN, Lacking, Module, Things, is_property, only
from .python.values import PythonNames
from .rust_modules import RustModules
from .rust_names import RustNames
from .script_names import ScriptNames
from .sources import Sources
from .trees import Binding, Chain, Sought, Tree, innermost, place_of

_MEMBERS = frozenset(("method", "field", "function", "variable"))
_KEYWORDS = frozenset(("keyword_argument", "keyword_pattern"))
SCRIPTS = frozenset(("javascript", "typescript", "tsx"))


class Verdict(NamedTuple):
    """The definitions that a use belongs to.

    Attributes:
        owners: The definitions. Without certainty, those that it may belong to.
        certain: Whether it certainly belongs to them.
        instead: The owner of the use, if it belongs to no requested definition.
    """

    owners: tuple[Sought, ...]
    certain: bool
    instead: Elsewhere | None = None


class Owners:
    """Judges uses in all files.

    Args:
        sought: The requested definitions. They have one name.
        sources: The files.
    """

    def __init__(self, sought: Collection[Sought], sources: Sources) -> None:
        self._sought = tuple(sought)
        self._sources = sources
        definitions = sources.definitions
        load = sources.tree
        self._python = PythonNames(sources.modules, load)
        self._classes = Classes(load, definitions)
        script = ScriptNames(load, definitions, sources.npm, self._classes)
        crates = RustModules(load, sources.cargo, sources.modules.paths)
        self._readers: dict[str, Callable[[Tree, Chain], Meaning]] = {
            **dict.fromkeys(SCRIPTS, script.mean),
            "go": GoNames(definitions, sources.go_modules).mean,
            "java": JavaNames(definitions, sources.manifests, self._classes).mean,
            "rust": RustNames(definitions, crates).mean,
        }

    def judge(self, tree: Tree, start: int, name: str) -> Verdict:
        """Return the definitions that a use belongs to.

        Args:
            tree: The file of the use.
            start: The byte at which it begins.
            name: The name of the definitions.
        """
        end = start + len(name.encode())
        mention = tree.mention_at(start, end)
        if mention:
            return self._judge_mention(tree, mention, start, name)
        near = self._near(tree)
        chain = tree.chain_at(start, end)
        # Around a syntax error, only the language and the name are known.
        is_parsed = len(chain) > 1 and innermost(chain, ("ERROR",)) is None
        if is_parsed and tree.language == "python":
            things = self._python.meant(tree, chain)
            return self._judge_python(tree, chain, things)
        if not is_parsed or not near:
            return Verdict(near, False, Elsewhere("role", f"a name of {tree.language}"))
        return self._judge_meaning(tree, near, self._readers[tree.language](tree, chain))

    def _judge_meaning(self, tree: Tree, near: tuple[Sought, ...], meaning: Meaning) -> Verdict:
        certain = []
        perhaps = []
        for candidate in near:
            if candidate.place in meaning.places:
                certain.append(candidate)
            elif self._is_possible(candidate, meaning, tree):
                perhaps.append(candidate)
        if certain:
            return Verdict(tuple(certain), True)
        if perhaps:
            return Verdict(tuple(perhaps), False)
        return Verdict((), False, meaning.instead)

    def _judge_mention(self, tree: Tree, mention: Chain, start: int, name: str) -> Verdict:
        """Judge a name in a text."""
        if tree.language in SCRIPTS:
            near = self._near(tree)
            members = tuple(candidate for candidate in near if fits(candidate, "member"))
            owner = Elsewhere("role", "a key in quotes")
            return Verdict(members, False, owner)
        # `"module.Name"` and `getattr(module, "Name")` are not looked up: the name alone would
        # mean something else.
        if tree.data[start - 1 : start] == b"." or names_member(mention[-1]):
            things = only(UNKNOWN)
        else:
            things = self._python.mentioned(tree, mention, name)
        verdict = self._judge_python(tree, mention, things)
        return verdict._replace(certain=False)

    def _is_possible(self, candidate: Sought, meaning: Meaning, tree: Tree) -> bool:
        if candidate.place in meaning.perhaps or fits(candidate, meaning.open):
            return True
        if not meaning.around or candidate.kind not in _MEMBERS:
            return False
        if self._classes.descends(candidate, meaning.around):
            return True
        if not meaning.hidden:
            return False
        return candidate.around in self._classes.above(meaning.around, tree.path)

    def _near(self, tree: Tree) -> tuple[Sought, ...]:
        """Return the requested definitions that code of the language of a file can name."""
        return tuple(candidate for candidate in self._sought if self._may_meet(tree, candidate))

    def _may_meet(self, tree: Tree, candidate: Sought) -> bool:
        language = self._sources.language(candidate.path)
        if language in SCRIPTS:
            return tree.language in SCRIPTS
        # Without a parser the definition is a guess, and its language is unknown.
        return language in ("", tree.language)

    # ---- Python

    # Names of Python mean things, of which some are not definitions: modules, objects, members
    # that a class does not have.

    def _judge_python(self, tree: Tree, chain: Chain, things: Things) -> Verdict:
        bindings = _bindings(things)
        places = {place_of(binding.tree, binding.chain) for binding in bindings}
        owners = tuple(candidate for candidate in self._sought if candidate.place in places)
        if owners:
            is_certain = things.isdisjoint((UNKNOWN, EITHER))
            return Verdict(owners, is_certain)
        if UNKNOWN not in things:
            perhaps = tuple(self._overridden_by(bindings, things))
        elif chain[-2].type in _KEYWORDS:
            perhaps = tuple(filter(self._may_be_keyword, self._near(tree)))
        else:
            perhaps = self._near(tree)
        if perhaps:
            return Verdict(perhaps, False)
        owner = self._owner_of(things, tree, chain)
        return Verdict((), False, owner)

    def _may_be_keyword(self, candidate: Sought) -> bool:
        """Return whether a definition may be a parameter or the field of a class."""
        if candidate.kind in ("variable", "field"):
            return True
        # A property may override a field.
        tree, chain = self._python_chain(candidate)
        if tree is None or len(chain) < 3:
            return False
        definition = chain[-2]
        if definition.type != "function_definition":
            return False
        return is_property(Binding(tree, chain, "function", definition))

    def _overridden_by(self, bindings: list[Binding], things: Things) -> list[Sought]:
        """Return definitions of subclasses: an object may be of one of them."""
        candidates: list[Sought] = []
        for binding in bindings:
            candidates += self._overrides.get(binding.place, ())
        # A member that a class does not have may be of a subclass.
        classes = [thing.place for thing in things if isinstance(thing, Lacking)]
        for candidate in self._sought if classes else ():
            tree, chain = self._python_chain(candidate)
            if tree is not None and self._python.descends(tree, chain, classes):
                candidates.append(candidate)
        return candidates

    def _python_chain(self, candidate: Sought) -> tuple[Tree | None, Chain]:
        """Return the tree of a definition in another one, and the chain to its name."""
        tree = self._sources.tree(candidate.path) if candidate.within else None
        if tree is None or tree.language != "python":
            return None, ()
        return tree, chain_of(tree, candidate.place)

    @cached_property
    def _overrides(self) -> dict[tuple[str, int], list[Sought]]:
        """The requested methods by the methods that they override."""
        overrides: dict[tuple[str, int], list[Sought]] = {}
        for candidate in self._sought:
            tree, chain = self._python_chain(candidate)
            if tree is None or not chain:
                continue
            for binding in _bindings(self._python.overridden(tree, chain)):
                overrides.setdefault(binding.place, []).append(candidate)
        return overrides

    def _owner_of(self, things: Things, tree: Tree, chain: Chain) -> Elsewhere:
        """Return the owner of a name of Python that means none of the definitions."""
        *_, above, node = chain
        if above.type in _KEYWORDS and above.children[0].id == node.id:
            return Elsewhere("role", "the name of an argument")
        # The order of a set is not the same in each run: choose the first place.
        bindings = _bindings(things)
        if bindings:
            first = min(bindings, key=attrgetter("place"))
            path, line, _ = place_of(first.tree, first.chain)
            place = f"{path}:{line}"
            if first.kind in ("class", "function"):
                return Elsewhere("definition", place)
            return Elsewhere("binding", place)
        paths = [thing.path for thing in things if isinstance(thing, Module)]
        if paths:
            return Elsewhere("definition", min(paths))
        return Elsewhere("outside", name_outside(tree, chain, self._sources.modules))


def _bindings(things: Things) -> list[Binding]:
    return [thing for thing in things if isinstance(thing, Binding)]
