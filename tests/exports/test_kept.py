"""What exports make of this package's modules is kept, and made anew where one of them has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark.exports.bundle import kept


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package whose module is `room/module.py`, and a cache with nothing in it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    inside = tmp_path / "package/exporters/bundle"
    (tmp_path / "package/room").mkdir(parents=True)
    (tmp_path / "package/room/module.py").write_text("one = 1\n")
    monkeypatch.setattr(kept, "__file__", str(inside / "kept.py"))
    return tmp_path / "package"


def test_it_is_made_again_where_a_module_or_a_setting_changes(package: Path) -> None:
    created: list[tuple[str, bool]] = []

    def make(name: str, tolerant: bool) -> list[str]:
        created.append((name, tolerant))
        return [name, (package / "room/module.py").read_text()]

    def ask(name: str, tolerant: bool = False) -> list[str]:
        kept.remember.cache_clear()  # as another process
        kept._digest_package.cache_clear()
        texts: list[str] = kept.remember(make, name, tolerant)
        return texts

    assert ask("a") == ask("a") == ["a", "one = 1\n"] and created == [("a", False)]
    assert ask("b") == ["b", "one = 1\n"] and ask("a", True) == ["a", "one = 1\n"] and len(created) == 3
    (package / "room/module.py").write_text("one = 2\n")
    assert ask("a") == ["a", "one = 2\n"] and len(created) == 4
    (package / "room/other.py").write_text("")
    assert ask("a") == ["a", "one = 2\n"] and len(created) == 5
    kept.remember.cache_clear()
    kept._digest_package.cache_clear()
