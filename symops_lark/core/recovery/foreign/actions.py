"""An action that another format says: its parts, where they stand, and which of our verbs it means."""

from __future__ import annotations

from typing import NamedTuple

from ...grammar.dialect import Dialect


class ForeignAction(NamedTuple):
    """An action of another format: `start` to `end` is all of it, `content_start` to `content_end` its content.

    `literal` is a content that is not spelt as it is; it is `doubtful` if its verb is only a guess.
    """

    verb: str
    path: str
    start: int
    end: int
    content_start: int = -1
    content_end: int = -1
    literal: str | None = None
    doubtful: bool = False


_WORDS = {
    "create": "create_file|write_file|write_to_file|createfile|writefile|new_file|add|save|save_file|add_file",
    "edit": "edit_file|update_file|modify|modify_file|replace_file|patch",
    "delete": "delete_file|remove_file|rm|deletefile|unlink",
    "run": "execute_shell|run_command|execute_command|shell|bash|cmd|command|exec|run_shell|terminal|run_shell_command",
    "test": "run_tests|run_test",
}
_MEANT = {word: verb for verb, words in _WORDS.items() for word in words.split("|")}


def find_verb(word: object, dialect: Dialect) -> str:
    """Return the verb of the dialect that a word of another format stands for; nothing if there is none."""
    if not isinstance(word, str):
        return ""
    name = word.strip().lower().replace("-", "_")
    return next((verb for verb in (name, _MEANT.get(name, "")) if group_of(verb, dialect)), "")


def group_of(verb: str, dialect: Dialect) -> str:
    """Return the group of a verb: `writing`, `running`, `removing`; nothing if it is not known."""
    return next((group for group, verbs in dialect.verbs.items() if verb in verbs), "")
