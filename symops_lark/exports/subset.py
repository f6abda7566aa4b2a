"""List the features of grammars that other programs lose, with a source for each claim.

A loss is that of a program that reads the same `.lark` file, or a literal translation of it. The
features are in `features.yaml`. A claim without a source is `UNVERIFIED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..core.ground.json_objects import read_object
from ..core.text.yaml_file import YamlFile

UNVERIFIED = "not verified"


@dataclass(frozen=True, slots=True)
class Loss:
    """The effect of a feature in a program.

    Attributes:
        export: The program.
        effect: The effect, as a verb with an object.
        source: The page or file with the claim.
    """

    export: str
    effect: str
    source: str = UNVERIFIED


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature outside of the portable subset.

    `symops grammar check` reports a note if no program loses it, else a warning. The grammars that
    `symops export` writes for constrained decoding come from the compiled dialect, so they keep
    most features.

    Attributes:
        code: The code of the finding.
        name: The name, as a noun with an article.
        hint: What to write in its place.
        losses: The programs that lose it.
        refused: Why an exported grammar cannot keep it; empty: it can.
    """

    code: str
    name: str
    hint: str
    losses: tuple[Loss, ...] = ()
    refused: str = ""


@cache
def load_features() -> dict[str, Feature]:
    """Return the features by their codes."""
    # Loaded on first use: reading YAML takes longer than importing the exports.
    file = YamlFile(Path(__file__).with_name("features.yaml"))
    features = {}
    for code, members in file.data.items():
        features[code] = read_object(Feature, {"code": code, **members}, code)
    return features
