"""What one generation of an index knows besides its database: syntax trees, packages, definitions, answers.

A generation ends when a file changes. Trees of files that did not change are taken over, because
parsing takes most of the time of a question: 0.5 of 0.6 seconds for 1,300 uses in 430 files.
Answers, and what imports lead to, may depend on any file and are made again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import Any, TypeVar

from ..languages import load_language
from .modules import Modules
from .packages.cargo import Cargo
from .packages.go_modules import GoModules
from .packages.manifests import Manifests
from .packages.npm import Npm
from .trees import Sought, Tree

_MOST_BYTES = 10_000_000  # of files whose trees are kept: each is some ten times as large
_MOST_ANSWERS = 32
Answer = TypeVar("Answer")


class Sources:
    """The files of one generation.

    Args:
        files: The language and the hash of each path.
        read: Gives the bytes of a path.
        known: Gives the definitions of a name in all files.
        before: The generation before, whose trees are taken over.
    """

    def __init__(
        self,
        files: dict[str, tuple[str, bytes]],
        read: Callable[[str], bytes | None],
        known: Callable[[str], list[Sought]],
        before: Sources | None = None,
    ) -> None:
        self.lock = RLock()  # trees note what is found in them: one question at a time
        self.modules = Modules(files)
        self.manifests = Manifests(self.modules, read)
        self.npm, self.cargo = Npm(self.manifests), Cargo(self.manifests)
        self.go_modules = GoModules(self.manifests)
        self._files, self.read, self._find_definitions = files, read, known
        self._definitions: dict[str, list[Sought]] = {}
        self._answers: dict[Hashable, Any] = {}
        self._trees: dict[str, Tree | None] = {}
        for path, tree in before._trees.items() if before else ():
            if files.get(path) == before._files[path]:  # type: ignore[union-attr]
                self._trees[path] = tree
        self._bytes = sum(len(tree.data) for tree in self._trees.values() if tree)

    def language(self, path: str) -> str:
        """Return what a path is read as; empty if it is not parsed."""
        return self._files[path][0]

    def definitions(self, name: str) -> list[Sought]:
        """Return the definitions of a name, in the order of their paths."""
        if name not in self._definitions:
            self._definitions[name] = self._find_definitions(name)
        return self._definitions[name]

    def tree(self, path: str, data: bytes | None = None) -> Tree | None:
        """Return a file as it was parsed; None if it is not parsed, or if very many were and it is not given."""
        if path not in self._trees:
            language = load_language(self.language(path)) if self.language(path) else None
            if language is None or (self._bytes > _MOST_BYTES and data is None):
                return None
            text = self.read(path) if data is None else data
            self._bytes += len(text or b"")
            tree = None if text is None else Tree(path, text, language)
            if self._bytes > _MOST_BYTES:
                return tree
            self._trees[path] = tree
        return self._trees[path]

    def answer(self, key: Hashable, make: Callable[[], Answer], is_whole: Callable[[Answer], bool]) -> Answer:
        """Return what was answered to a question in this generation, or make it; only whole answers are kept."""
        with self.lock:
            answer: Answer = self._answers.pop(key, None) or make()
            if is_whole(answer):
                self._answers[key] = answer  # the last that was asked for is the last to go
            while len(self._answers) > _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            return answer
