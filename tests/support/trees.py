"""Trees for the tests of planning: in memory, immutable, and they remember what was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from symops_lark import Action, Document
from symops_lark.acting.files.entries import Entry, Kind
from symops_lark.acting.files.filesystem import Folder, beside, expect


@dataclass
class MemoryTree:
    """Files by path; folders are those on the way to them, and what is named besides."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    links: Iterable[str] = ()
    folders: Iterable[str] = ()
    others: Iterable[str] = ()
    ignores_case: bool = False
    looked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        for path, data in self.files.items():
            self.entries[path] = Entry(Kind.FILE, data, 0o644)
        for kind, paths in ((Kind.LINK, self.links), (Kind.FOLDER, self.folders), (Kind.OTHER, self.others)):
            self.entries |= {path: Entry(kind) for path in paths}
        for path in list(self.entries):
            parts = path.split("/")
            for end in range(1, len(parts)):
                self.entries.setdefault("/".join(parts[:end]), Entry(Kind.FOLDER))

    def look(self, path: str) -> Entry:
        assert_below(path)
        self.looked.append(path)
        parts = path.split("/")
        for end in range(1, len(parts)):
            on_the_way = self._at("/".join(parts[:end]))
            if on_the_way is None or on_the_way.kind is not Kind.FOLDER:
                return Entry(Kind.LINK if on_the_way and on_the_way.kind is Kind.LINK else Kind.MISSING)
        return self._at(path) or Entry(Kind.MISSING)

    def _at(self, path: str) -> Entry | None:
        if self.ignores_case and path not in self.entries:
            return next((entry for name, entry in self.entries.items() if name.lower() == path.lower()), None)
        return self.entries.get(path)

    def names(self, path: str) -> tuple[str, ...]:
        text = path + "/" if path else ""
        return tuple(sorted({name[len(text) :].split("/")[0] for name in self.entries if name.startswith(text)}))


# What the facet `plan` of the corpus is planned for; tests/corpus/plans.md says the same.
CORPUS_FILES = {"there.py": b"one\ntwo\n", "docs/guide.md": b"# Guide\r\n", ".env": b"KEY=1\n"}


def assert_below(path: str) -> None:
    """Fail unless a path is plain: relative, of parts that lead down, for any system."""
    assert path and not path.startswith("/") and "\\" not in path and ":" not in path and "\0" not in path, path
    assert not any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")), path


def document(*actions: Action) -> Document:
    return Document(actions, "v2")


def create(path: str, content: str = "x\n", **more: object) -> Action:
    return Action("create", path, content, **more)  # type: ignore[arg-type]


def edit(path: str, content: str, **more: object) -> Action:
    return Action("edit", path, content, **more)  # type: ignore[arg-type]


def delete(path: str) -> Action:
    return Action("delete", path)


def run(command: str, **more: object) -> Action:
    return Action("run", command, **more)  # type: ignore[arg-type]


CORPUS_TREE = MemoryTree(CORPUS_FILES, links=["link"])


def write_file(folder: Folder, path: str, data: bytes, *, before: bytes | None, mode: int | None = None) -> None:
    """Make a file's bytes `data` as applies do, at once or not at all; it keeps its mode, unless one is given."""
    entry = folder.look(path, len(before or b""))
    expect(entry, before, path)
    temporary, aside = beside(path, ".symops-0.new"), beside(path, ".symops-0.old")
    try:
        folder.stage(temporary, data, entry.mode if mode is None else mode, like=path)
        folder.put(path, temporary, aside, before)
    finally:
        folder.unlink(temporary)


def delete_file(folder: Folder, path: str, *, before: bytes) -> None:
    """Delete a file as applies do, if it has the bytes `before`."""
    temporary = beside(path, ".symops-0.new")
    folder.take(path, temporary, before)
    folder.unlink(temporary)
