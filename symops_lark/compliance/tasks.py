"""Tasks: what is asked of a model, and the document that would be right."""

from __future__ import annotations

from dataclasses import dataclass

from ..document import Document


@dataclass(frozen=True, slots=True)
class Task:
    """One task. `dictated`: the request names every file's exact text, so that a model's reply can be compared.

    `languages` are those of its files, `tags` what is special about it (such as `collides`), `fingerprint` a hash of
    its file.
    """

    name: str
    request: str
    document: Document
    dictated: bool
    languages: tuple[str, ...]
    tags: tuple[str, ...]
    fingerprint: str
