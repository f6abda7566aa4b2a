"""Write model cards: a manifest as Markdown, with the front matter that model hubs read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ...core.ground.numbers import counted
from ...lab.benchmark.report.words import plain
from ...models.prompts.template import quote
from .manifest import UNSURE, Manifest
from .supply_chain import SupplyChain


def write_card(manifest: Manifest, chain: SupplyChain | None = None) -> str:
    """Return the model card of a manifest.

    Args:
        manifest: The manifest.
        chain: The check of its files; None: it is left out.
    """
    base = manifest.base_model
    made_of = f"{_code(base.model_id)} {_code(base.version)}"
    lines = [
        *_front_matter(manifest),
        "",
        f"# {manifest.model_id}",
        "",
        f"Version {_code(manifest.version)}, made of {made_of}.",
        "",
        "## What it is for",
        "",
        *_items(manifest.scope.tasks),
        "",
        "## What it is not for",
        "",
        *_items(manifest.scope.non_scope or ["nothing is named"]),
        "",
        "## Contract",
        "",
        "| | |",
        "|---|---|",
        *_contract(manifest),
        "",
        "## Files",
        "",
        "| | | |",
        "|---|---|---|",
        *_files(manifest),
    ]
    if chain is not None:
        verdict = "OK" if chain.ok else "not OK"
        links = [f"{link.name}: {link.status}" for link in chain.links]
        lines += ["", f"Supply chain: {verdict}.", "", *_items(links)]
    return "\n".join(lines) + "\n"


def _front_matter(manifest: Manifest) -> Iterator[str]:
    values = {
        "license": manifest.license,
        "base_model": manifest.base_model.model_id,
        "tags": manifest.routing.tags,
    }
    yield "---"
    for key, value in values.items():
        # JSON is also YAML, and quotes any text.
        text = json.dumps(value, ensure_ascii=False)
        yield f"{key}: {text}"
    yield "---"


def _contract(manifest: Manifest) -> Iterator[str]:
    contract = manifest.io_contract.input
    limit = counted(contract.max_tokens, "token")
    yield _row("input", f"{_code(contract.required_format)}, {limit} at most")
    output = manifest.io_contract.output
    yield _row("output", f"{_code(output.format)}, by {_code(output.schema_ref)}")
    verifier = manifest.verifier
    yield _row("verifier", f"{_code(verifier.type)}: {_code(verifier.pass_condition)}")
    routing = manifest.routing
    tags = map(_code, routing.tags)
    yield _row("tags", ", ".join(tags) or "none")
    share = f"{routing.recommended_min_confidence:g}"
    yield _row("least share of a request's tags", share)
    fallback = "none"
    if routing.fallback != UNSURE:
        fallback = _code(routing.fallback)
    yield _row("fallback", fallback)


def _files(manifest: Manifest) -> Iterator[str]:
    weights = manifest.artifacts.weights
    yield _row("weights", _code(weights.filename), _code(weights.sha256))
    base = manifest.base_model
    # Without a file, the hub has the base model under its id.
    name = base.path or base.model_id
    yield _row("base", _code(name), _code(base.base_hash))


def _items(texts: Sequence[str]) -> list[str]:
    return [f"- {plain(text)}" for text in texts]


def _row(*cells: str) -> str:
    # A bar ends a cell even inside of code.
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _code(text: str) -> str:
    """Return a text as code on one line."""
    # A line break would end the row of a table.
    return quote(" ".join(text.split()))
