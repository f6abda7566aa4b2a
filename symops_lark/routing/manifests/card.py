"""Model cards: a manifest as Markdown for people, with the front matter that model hubs read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from ...core.ground.numbers import counted
from .manifest import UNSURE, Manifest
from .supply_chain import SupplyChain


def write_card(manifest: Manifest, chain: SupplyChain | None = None) -> str:
    """Return the model card of a manifest; `chain` adds what was found of its files."""
    return "\n".join(_lines(manifest, chain)) + "\n"


def _lines(manifest: Manifest, chain: SupplyChain | None) -> Iterator[str]:
    base, routing, contract = manifest.base_model, manifest.routing, manifest.io_contract
    front = {"license": manifest.license, "base_model": base.model_id, "tags": list(routing.tags)}
    yield from ("---", *(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items()), "---", "")
    yield from (f"# {manifest.model_id}", "")
    yield f"Version {_code(manifest.version)}, made of {_code(base.model_id)} {_code(base.version)}."
    yield from ("", "## What it is for", "", *_items(manifest.scope.tasks), "")
    yield from ("## What it is not for", "", *_items(manifest.scope.non_scope or ("nothing is named",)), "")
    yield from ("## Contract", "", "| | |", "|---|---|")
    yield from _table(
        ("input", f"{_code(contract.input.required_format)}, {counted(contract.input.max_tokens, 'token')} at most"),
        ("output", f"{_code(contract.output.format)}, by {_code(contract.output.schema_ref)}"),
        ("verifier", f"{_code(manifest.verifier.type)}: {_code(manifest.verifier.pass_condition)}"),
        ("tags", ", ".join(map(_code, routing.tags)) or "none"),
        ("least share of a request's tags", f"{routing.recommended_min_confidence:g}"),
        ("fallback", "none" if routing.fallback == UNSURE else _code(routing.fallback)),
    )
    yield from ("", "## Files", "", "| | | |", "|---|---|---|")
    weights = manifest.artifacts.weights
    yield from _table(
        ("weights", _code(weights.filename), _code(weights.sha256)),
        ("base", _code(base.path or base.model_id), _code(base.base_hash)),
    )
    if chain is not None:
        yield from ("", f"Supply chain: {'OK' if chain.ok else 'not OK'}.", "")
        yield from _items([f"{link.name}: {link.status}" for link in chain.links])


def _items(texts: Sequence[str]) -> list[str]:
    return [f"- {_plain(text)}" for text in texts]


def _table(*rows: tuple[str, ...]) -> list[str]:
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]


def _plain(text: str) -> str:
    """Return a text in which nothing is Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """Return a text as code, whatever backticks it has."""
    text = " ".join(text.split())
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * next(n for n in range(1, len(runs) + 2) if n not in runs)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
