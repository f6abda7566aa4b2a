"""List the files that are run or trusted without anyone asking for it.

A reply that changes one of them could run its text later: at the next build, when an editor
opens the folder, or when a shell starts. So a person is asked. Files that run only by a command
that a person gives (`Makefile`, `conftest.py`, `package.json`) are code like any other, and are
not listed.
"""

from __future__ import annotations

from pathlib import Path

from ...core.ground.resources import read_words

# Globs of paths, as text: a new program needs no change of the code.
SENSITIVE = read_words(Path(__file__).with_name("sensitive.txt"))
