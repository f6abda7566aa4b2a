"""Write a dialect for other runtimes: parsers, grammars for decoders, highlighters.

Each module of this package that has a function `write` is an export with the name of the module.
Help texts, messages and tests read the constants of `Export`, so a new module needs no other entry.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
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

__all__ = [
    "Export",
    "ExportError",
    "export",
    "list_exports",
    "list_tolerant_exports",
    "load_exports",
]
_FORMER = ("find_losses",)
# A constraint is a grammar for a decoder. Data is for runtimes of other programs.
Kind = Literal["parser", "grammar", "constraint", "highlighter", "data"]


class Export(Protocol):
    """The module of an export.

    Attributes:
        SUMMARY: A description of one line, for help texts.
        KIND: The purpose of the export.
        ENGINE: The library or program that runs the exported files. The tests run them there.
        TOLERANT: Whether the export has a form that also reads broken replies.
    """

    SUMMARY: str
    KIND: Kind
    ENGINE: str
    TOLERANT: bool

    def write(
        self, dialect: WrittenDialect, *, tolerant: bool, rules: Sequence[Rule] | None = None
    ) -> dict[str, str]:
        """Return the texts of the files, by their names.

        Args:
            dialect: The dialect.
            tolerant: Whether to write the form that also reads broken replies.
            rules: Repair rules for that form. None: the installed ones.

        Raises:
            ExportError: The export cannot express the dialect.
        """


@cache
def load_exports() -> dict[str, Export]:
    """Return the exports by name."""
    exports: dict[str, Any] = {}
    # Modules without `write` are parts of exports.
    for entry in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{entry.name}")
        if hasattr(module, "write"):
            exports[entry.name] = module
    return exports


def list_exports(kind: Kind) -> tuple[str, ...]:
    """Return the names of the exports of a kind, sorted."""
    return tuple(name for name, module in load_exports().items() if kind == module.KIND)


def list_tolerant_exports() -> tuple[str, ...]:
    """Return the names of the exports that have a form which repairs and recovers, sorted."""
    return tuple(name for name, module in load_exports().items() if module.TOLERANT)


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
    """Return the files of an export: a dialect for another runtime.

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
    module = _find_export(name)
    if tolerant and not module.TOLERANT:
        raise ExportError(_describe_form(name, "tolerant", list_tolerant_exports()))
    if str(format).partition(":")[0] == "auto":
        raise ExportError(
            "an export has the tables of one dialect, so 'auto' has nothing to choose from;"
            f" name one: {', '.join(dialects())}, or a .lark file"
        )
    dialect = load_grammar(format)
    # A file for a dialect that no parser can load is of no use. The resolved grammar is written as
    # it is, for Lark.
    if module.KIND != "grammar":
        dialect.to_data()
    # Each kind of export takes other options.
    options: dict[str, Any] = {}
    if package_name or version:
        if "package_name" not in signature(module.write).parameters:
            message = "is not an npm package: --name and --version are for javascript"
            raise ExportError(f"the export {name} {message}")
        options = {"package_name": package_name, "version": version}
    if tolerant:
        if rules:
            # The checks of patterns are slow to import.
            from .own_rules import require_rules

            options["rules"] = require_rules(dialect, rules, allow_re)
        # Most of a tolerant parser is the code of this package, so it needs no bound.
        return module.write(dialect, tolerant=True, **options)
    if rules:
        forms = ", ".join(list_tolerant_exports())
        message = f"--tolerant (tolerant=True) of {forms}"
        raise ExportError(f"repair rules are for tolerant forms alone: {message}")
    if (paths or lead_in) and not well_formed:
        option = "paths are" if paths else "a lead-in is"
        message = "for well-formed grammars alone: --well-formed (well_formed=True)"
        raise ExportError(f"{option} {message}")
    if well_formed:
        if module.KIND != "constraint":
            raise ExportError(_describe_form(name, "well-formed", list_exports("constraint")))
        options |= {"well_formed": True, "paths": tuple(paths), "lead_in": lead_in}
    # A grammar of a few lines can have an automaton of millions of states.
    with bounded_steps(dialect.path, what="exported"):
        return module.write(dialect, tolerant=False, **options)


def _find_export(name: str) -> Export:
    exports = load_exports()
    if name not in exports:
        raise ExportError(f"there is no export {name!r}; there are {', '.join(exports)}")
    return exports[name]


def _describe_form(name: str, form: str, names: Sequence[str]) -> str:
    """Return the message for an export without a form; `names` are the exports with it."""
    return f"the export {name} has no {form} form; the ones that have are {', '.join(names)}"


def __getattr__(name: str) -> Any:
    """Return a function that was in this folder: no export has a narrower meaning any more."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ..core.former_names import give_former

    return give_former(f"{__name__}.own_rules", name, former=__name__)
