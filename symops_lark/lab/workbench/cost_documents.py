"""A few documents as coding agents write them, on which the cost of dialects is measured.

They were written for this project, and are the same for all dialects. Do not edit a text of
`cost_documents.yaml`, not even to improve its wording: measured numbers are comparable only if the
documents are unchanged.
Add a document if a kind of section is missing, and then measure all dialects again, as `symops
grammar cost` and the tables of the benchmark use these documents.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ...core.document import Document
from ...core.text.yaml_file import YamlFile


@cache
def load_samples() -> dict[str, Document]:
    """Return the documents by their titles."""
    file = YamlFile(Path(__file__).with_suffix(".yaml"))
    samples = {}
    for title, sections in file.data.items():
        # The texts belong to no dialect: each is rendered in all of them.
        samples[title] = Document.from_dict({"dialect": "", "sections": sections})
    return samples
