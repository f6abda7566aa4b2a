"""Find formats by name or path. The compiled installed formats are kept between programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..ground import resources
from ..ground.errors import GrammarError
from ..ground.kept_tables import KeptTables
from .sections import Section, read_section

_VERBS = {"write": "create", "edit": "edit", "delete": "delete", "command": "run"}


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """A notation of files, edits and commands.

    Attributes:
        name: The name.
        description: One sentence: whose notation it is.
        sections: Its sections, in the order of its grammar.
    """

    name: str
    description: str
    sections: tuple[Section, ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of its sections."""
        return tuple([section.rule for section in self.sections])

    @property
    def can(self) -> frozenset[str]:
        """The verbs that it can say; a call can say all of them."""
        if "call" in self.rules:
            return frozenset(_VERBS.values())
        # A sample has no verb.
        verbs = map(_VERBS.get, self.rules)
        return frozenset(filter(None, verbs))


@cache
def formats() -> dict[str, Format]:
    """Return the installed formats by name."""
    return make_formats(format_tables())


def make_formats(tables: Any) -> dict[str, Format]:
    """Return formats by name.

    Args:
        tables: The tables (`format_tables`).
    """
    return {data["name"]: _read(data) for data in tables}


def format_tables() -> Any:
    """Return the tables of the installed formats, as JSON values (`grammar.WrittenFormat`)."""
    folder = resources.find_folder("grammars") / "formats"
    texts = {}
    for path in sorted(folder.glob("*.lark")):
        texts[path] = path.read_text("utf-8")

    def compile_all() -> list[Any]:
        from .grammar import compile_format

        return [
            compile_format(path, text, is_installed=True).to_data() for path, text in texts.items()
        ]

    # Names count as well: they are in the tables.
    names = [path.stem for path in texts]
    rooms = ("core/formats", "core/grammar/compiling")
    tables = KeptTables("formats", rooms, [*names, *texts.values()])
    return tables.remember(compile_all)


def load_format(name: str | Path | Format) -> Format:
    """Return a format.

    Args:
        name: The name of an installed format, the path of a `.lark` file, or a format.

    Raises:
        GrammarError: There is no such format, or its file is wrong.
    """
    if isinstance(name, Format):
        return name
    if isinstance(name, str) and name in formats():
        return formats()[name]
    path = Path(name)
    if path.suffix != ".lark":
        installed = ", ".join(formats())
        raise GrammarError(
            f"no format is called {str(name)!r}; installed: {installed}; "
            "or give a path to a .lark file"
        )
    from .grammar import compile_format

    return _read(compile_format(path).to_data())


def find_format(name: Any) -> Format | None:
    """Return the format that a name or path means; None if it means a dialect, or nothing.

    Args:
        name: What a caller gave as `format`.

    Raises:
        GrammarError: It is the file of a format, and wrong.
    """
    if isinstance(name, Format):
        return name
    if isinstance(name, str) and name in formats():
        return formats()[name]
    # A dialect has a file, too; its rules decide.
    if not isinstance(name, str | Path):
        return None
    path = Path(name)
    if path.suffix != ".lark":
        return None
    from ..grammar.agent_formats import is_format
    from ..grammar.compiling.bounds import read_grammar
    from .grammar import compile_format

    try:
        text = read_grammar(path)
    except (OSError, UnicodeDecodeError):
        return None  # the loader of dialects says what is wrong
    if not is_format(text):
        return None
    return _read(compile_format(path, text).to_data())


def find_rule(format: Format, verb: str) -> str:
    """Return the rule with which a format says a verb; a call if it has no rule of its own.

    Args:
        format: The format.
        verb: One of `format.can`.
    """
    for rule, rule_verb in _VERBS.items():
        if rule_verb == verb and rule in format.rules:
            return rule
    return "call"


def all_sections() -> Iterator[Section]:
    """Yield the sections of all installed formats."""
    for format in formats().values():
        yield from format.sections


def _read(data: Any) -> Format:
    name = data["name"]
    sections = []
    for row in data["sections"]:
        section = read_section(name, row, data["shortest"])
        sections.append(section)
    return Format(name, data["description"], tuple(sections))
