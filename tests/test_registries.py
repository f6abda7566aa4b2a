"""Every member of every registry is proved, and a member that does nothing is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from all_registries import REGISTRIES
from registries import NOT_PROVED, NotProvedError, Registry

EACH = [
    pytest.param(
        registry, name, id=f"{registry.name}-{name}", marks=[pytest.mark.slow] if name in registry.slow else []
    )
    for registry in REGISTRIES
    for name in registry.members
]


@pytest.mark.slow
@pytest.mark.parametrize(("registry", "name"), EACH)
def test_a_member_is_proved(registry: Registry, name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    try:
        registry.prove_member(name, tmp_path)
    except NotProvedError as error:
        request.node.user_properties.append((NOT_PROVED, f"{registry.name}: {name}: {error}"))
        pytest.skip(f"not proved: {error}")


@pytest.mark.slow
@pytest.mark.alike(4)
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
