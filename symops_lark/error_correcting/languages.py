"""The example languages: a grammar, a broken text, and for some the named mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..core.ground.errors import GrammarError

_FOLDER = Path(__file__).parent / "example_grammars"
_MISTAKES = "_recovery"


class Language(NamedTuple):
    """An example language.

    Attributes:
        name: Its name.
        grammar: The file of its grammar.
        mistakes: The file of its named mistakes; None: it has no such file.
        text: A broken text.
    """

    name: str
    grammar: Path
    mistakes: Path | None
    text: str


def list_languages() -> list[str]:
    """Return the names of the example languages."""
    # Recovery grammars are beside the grammars that they belong to.
    names = [path.stem for path in _FOLDER.glob("*.lark")]
    grammars = [name for name in names if not name.endswith(_MISTAKES)]
    return sorted(grammars)


def load_language(name: str) -> Language:
    """Return an example language.

    Args:
        name: Its name.

    Raises:
        GrammarError: No example language has this name.
    """
    names = list_languages()
    if name not in names:
        raise GrammarError(f"no language is called {name!r}: there are {', '.join(names)}")
    grammar = _FOLDER / f"{name}.lark"
    text = grammar.with_suffix(".txt").read_text("utf-8")
    return Language(name, grammar, find_mistakes(grammar), text)


def find_mistakes(grammar: Path) -> Path | None:
    """Return the recovery grammar beside a grammar: `NAME_recovery.lark`; None if there is none.

    Args:
        grammar: The file of the grammar.
    """
    name = f"{grammar.stem}{_MISTAKES}.lark"
    beside = grammar.with_name(name)
    if beside.is_file():
        return beside
    return None
