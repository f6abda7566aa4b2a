"""A few documents as coding agents write them, on which the cost of dialects is measured.

They were written for this project, and are the same for all dialects. Do not edit a text here, not
even to improve its wording: measured numbers are comparable only if the documents are unchanged.
Add a document if a kind of section is missing, and then measure all dialects again, as `symops
grammar cost` and the tables of the benchmark use these documents.
"""

from __future__ import annotations

from ...core.document import Action, Document, ErrorNote, Question, Thought, Vitals

_MODULE = '''\
"""Temperatures in three units."""

from __future__ import annotations


def to_celsius(value: float, unit: str) -> float:
    """Convert a temperature to degrees Celsius."""
    if unit == "F":
        return (value - 32) * 5 / 9
    if unit == "K":
        return value - 273.15
    return value'''
_TEST = """\
from temperature import to_celsius


def test_freezing_point():
    assert to_celsius(32, "F") == 0
    assert round(to_celsius(273.15, "K"), 6) == 0"""
_CONFIGURATION = """\
[server]
host = "127.0.0.1"
port = 8080

[log]
level = "info"
"""
_PAGE = """\
<!doctype html>
<html lang="ja">
  <body>
    <h1>設定</h1>
    <p>変更は再起動の後に有効になります。</p>
  </body>
</html>"""
_SHORT = "node_modules/\ndist/"

SAMPLES: dict[str, Document] = {
    "one file": Document(
        (
            Thought("The conversion belongs in a module of its own."),
            Vitals((("confidence", 0.9),)),
            Action("create", "src/temperature.py", _MODULE),
        )
    ),
    "a file with its test": Document(
        (
            Thought("First the function, then a test that fails without it."),
            Action("create", "src/temperature.py", _MODULE),
            Action("create", "tests/test_temperature.py", _TEST, ("src/temperature.py",)),
            Action("test", "pytest -q tests/test_temperature.py"),
        )
    ),
    "small changes": Document(
        (
            Thought("The build output should not be under version control."),
            Thought("The port was hard-coded in two places."),
            Vitals((("confidence", 0.8), ("focus", 0.7))),
            Action("create", ".gitignore", _SHORT),
            Action("update", "config/server.toml", _CONFIGURATION),
            Action("delete", "config/old.toml"),
            Action("edit", "notes/empty.txt", ""),
        )
    ),
    "commands": Document(
        (
            Thought("Look before changing anything."),
            Action("run", "git status --short"),
            Action("run", "grep -rn 'TODO' src | head -20"),
            Action("check", "ruff check ."),
            Action("remove", "build/cache.json"),
        )
    ),
    "in doubt": Document(
        (
            Thought("Two files could be meant."),
            Vitals((("confidence", 0.35), ("mood", 0.5), ("focus", 0.9), ("stamina", 0.6))),
            Question(
                "Which configuration should change?",
                ("config/server.toml", "config/client.toml", "both"),
            ),
            Question("Should the old port stay open for a week?"),
        )
    ),
    "a failure": Document(
        (
            ErrorNote(
                "FileNotFound",
                "src/tempreature.py",
                "the import names a module that does not exist",
            ),
            ErrorNote("Timeout", None, "the tests did not end within 60 seconds"),
            Thought("The name is misspelt; I correct the import."),
            Action("run", "pytest -x --timeout=120"),
        )
    ),
    "日本語": Document(
        (
            Thought("見出しと説明文を日本語にします。"),
            Vitals((("confidence", 0.95), ("mood", 0.8))),
            Action("create", "ページ/設定.html", _PAGE),
            Question("公開してもよいですか。", ("はい", "いいえ")),
        )
    ),
}
