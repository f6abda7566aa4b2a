"""Every member of every registry is proved, and a member that does nothing is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs_of_checks import CHECKS
from proofs_of_commands import COMMANDS
from proofs_of_core import LINE_PASSES, READING_PASSES, RULES
from proofs_of_exports import EXPORTS
from proofs_of_grammar_checks import GRAMMAR_CHECKS
from proofs_of_lab import FORMATS, MEASURES, MISTAKES, SOURCES
from proofs_of_mistakes import RECOVERED, REFUSED
from proofs_of_models import PROVIDERS, VERIFIERS
from registries import NOT_PROVED, NotProvedError, Registry

REGISTRIES: tuple[Registry, ...] = (
    CHECKS,
    COMMANDS,
    EXPORTS,
    FORMATS,
    GRAMMAR_CHECKS,
    LINE_PASSES,
    MEASURES,
    MISTAKES,
    PROVIDERS,
    READING_PASSES,
    RECOVERED,
    REFUSED,
    RULES,
    SOURCES,
    VERIFIERS,
)


EACH = [
    pytest.param(
        registry, name, id=f"{registry.name}-{name}", marks=[pytest.mark.slow] if name in registry.slow else []
    )
    for registry in REGISTRIES
    for name in registry.members
]


@pytest.mark.parametrize(("registry", "name"), EACH)
def test_a_member_is_proved(registry: Registry, name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    try:
        registry.prove_member(name, tmp_path)
    except NotProvedError as error:
        request.node.user_properties.append((NOT_PROVED, f"{registry.name}: {name}: {error}"))
        pytest.skip(f"not proved: {error}")


@pytest.mark.parametrize(("registry", "name"), EACH)
def test_a_member_that_does_nothing_is_noticed(registry: Registry, name: str, tmp_path: Path) -> None:
    try:
        with pytest.raises(AssertionError):
            registry.prove(name, registry.noop(registry.members[name]), tmp_path)
    except NotProvedError as error:
        pytest.skip(f"not proved: {error}")


def test_every_registry_has_members() -> None:
    assert all(registry.members for registry in REGISTRIES)
    assert len({registry.name for registry in REGISTRIES}) == len(REGISTRIES)
