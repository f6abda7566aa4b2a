"""From a dialect to other runtimes: each module here that has a `write` is an export, named after its file.

To add one is to add a file: `SUMMARY` says what it is in a line, `KIND` and `ENGINE` what it is for and what runs it,
`TOLERANT` whether it can read broken replies, `write` returns its files. Help texts, messages and tests list the
exports by these constants, so nothing else names a new one.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Literal, Protocol

from ..core.grammar.compiling.bounds import bounded_steps
from ..core.grammar.compiling.compiler import WrittenDialect
from ..core.grammar.loading import dialects, load_grammar
from ..core.ground.errors import ExportError
from ..core.repairs.rule import Rule

__all__ = ["Export", "ExportError", "export", "find_losses", "list_exports", "list_tolerant_exports", "load_exports"]
# A constraint is a grammar that a decoder obeys; data is for runtimes that others write.
Kind = Literal["parser", "grammar", "constraint", "highlighter", "data"]


class Export(Protocol):
    """What the module of an export has."""

    SUMMARY: str
    KIND: Kind
    ENGINE: str  # the library or program that runs what is written: the tests run it there
    TOLERANT: bool  # whether there is a form of it that reads broken replies as well

    def write(self, dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None) -> dict[str, str]:
        """Return the files, by their names in the folder; raise `ExportError` for what cannot be kept.

        Tolerant forms alone are given `rules`, where they are not the installed ones.
        """


@cache
def load_exports() -> dict[str, Export]:
    """Return the exports by name."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(__path__):
        loaded = import_module(f"{__name__}.{module.name}")
        if hasattr(loaded, "write"):
            found[module.name] = loaded
    return found


def list_exports(kind: Kind) -> tuple[str, ...]:
    """Return the names of the exports of a kind, sorted."""
    return tuple(name for name, each in load_exports().items() if kind == each.KIND)


def list_tolerant_exports() -> tuple[str, ...]:
    """Return the names of the exports that have a form which repairs and recovers, sorted."""
    return tuple(name for name, each in load_exports().items() if each.TOLERANT)


def export(
    name: str,
    format: str | Path | WrittenDialect = "v2",
    *,
    tolerant: bool = False,
    rules: Sequence[str | Path] = (),
    allow_re: bool = False,
    well_formed: bool = False,
    paths: Sequence[str] = (),
    lead_in: bool = False,
    package_name: str = "",
    version: str = "",
) -> dict[str, str]:
    """Return the files of an export: a parser, grammar or highlighter of a dialect for another runtime.

    Args:
        name: The export, such as `python`; `symops export --help` lists all of them.
        format: The dialect: its name, the path of a .lark file, or a loaded grammar.
        tolerant: Whether the parser also repairs and recovers. Only some exports have this form.
        rules: Folders with custom repair rules, for a tolerant form.
        allow_re: Whether to accept custom rules although their patterns lose RE2's guarantee of
            linear time.
        well_formed: Whether a grammar for decoders allows only texts with a section, known verbs, a
            block after each verb that writes, and vitals from 0 to 1.
        paths: The only paths that actions may name, for a well-formed grammar; empty: any path.
        lead_in: Whether lines that begin with no mark may come before a well-formed text.
        package_name: The name of an npm package; empty: one that is made of the dialect's name.
        version: Its version; empty: that of symops-lark.

    Returns:
        The texts of the files, by their names.

    Raises:
        ExportError: There is no such export or form, or it cannot express the dialect or a rule.
        GrammarError: There is no such dialect, or its grammar is invalid.
        RuleError: A repair rule is invalid.
    """
    known = load_exports()
    if name not in known:
        raise ExportError(f"there is no export {name!r}; there are {', '.join(known)}")
    forms = ", ".join(list_tolerant_exports())
    if tolerant and not known[name].TOLERANT:
        raise ExportError(f"the export {name} has no tolerant form; the ones that have are {forms}")
    if str(format).partition(":")[0] == "auto":
        told = f"name one: {', '.join(dialects())}, or a .lark file"
        raise ExportError(f"an export has the tables of one dialect, so 'auto' has nothing to choose from; {told}")
    dialect = load_grammar(format)
    package: dict[str, Any] = {}
    if package_name or version:
        if "package_name" not in signature(known[name].write).parameters:
            raise ExportError(f"the export {name} is not an npm package: --name and --version are for javascript")
        package = {"package_name": package_name, "version": version}
    if tolerant:  # most of it is the translation of this package, whatever the grammar
        return known[name].write(dialect, tolerant=True, **package, **_own_rules(dialect, rules, allow_re))
    if rules:
        raise ExportError(f"repair rules are for tolerant forms alone: --tolerant (tolerant=True) of {forms}")
    narrow: dict[str, Any] = {}
    if (paths or lead_in) and not well_formed:
        what = "paths are" if paths else "a lead-in is"
        raise ExportError(f"{what} for well-formed grammars alone: --well-formed (well_formed=True)")
    if well_formed:
        forms = ", ".join(list_exports("constraint"))
        if known[name].KIND != "constraint":
            raise ExportError(f"the export {name} has no well-formed form; the ones that have are {forms}")
        narrow = {"well_formed": True, "paths": tuple(paths), "lead_in": lead_in}
    with bounded_steps(dialect.path, what="exported"):
        return known[name].write(dialect, tolerant=False, **package, **narrow)


def _own_rules(dialect: WrittenDialect, rules: Sequence[str | Path], allow_re: bool) -> dict[str, Any]:
    """Return what `write` is given beside the dialect where there are repair rules of one's own."""
    if not rules:
        return {}
    from .own_rules import require_rules

    return {"rules": require_rules(dialect, rules, allow_re)}


def find_losses(
    name: str, format: str | Path | WrittenDialect = "v2", *, rules: Sequence[str | Path] = ()
) -> tuple[str, ...]:
    """Return what means less in an export than in the dialect, a sentence each, with its place; most lose nothing.

    Of `rules` of users, it says which texts keep their patterns busy.
    """
    from .own_rules import find_traps

    dialect = load_grammar(format)
    finder: Callable[[WrittenDialect], tuple[str, ...]] | None = getattr(load_exports().get(name), "find_losses", None)
    return (*(finder(dialect) if finder else ()), *(find_traps(dialect, rules) if rules else ()))
