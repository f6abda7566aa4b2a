"""References are those of language servers, in repositories with the constructs of each language."""

from __future__ import annotations

import pytest

from benchmarks.code_intelligence import owners
from benchmarks.code_intelligence.language_servers import COMMANDS, find_command

pytestmark = pytest.mark.slow
REPOSITORIES = {name: language for name, language in owners.LANGUAGES.items() if name != "symops-lark"}


@pytest.mark.parametrize("name", sorted(REPOSITORIES))
def test_references_are_those_of_a_language_server(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_command(REPOSITORIES[name]) is None:
        pytest.skip(f"{COMMANDS[REPOSITORIES[name]][0]} is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", "")  # the benchmark sets a cache of its own
    assert owners.run([name, "--differences"]) == 0, capsys.readouterr().out
