"""Whether a text may say what only a richer dialect can: never told of one that could."""

from __future__ import annotations

from pathlib import Path

import pytest
from new_dialects import NEW

from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.recovery.lines.further_forms import may_have_further_forms

PLAIN = "Sure, here it is.\n\n>> go\n::create @a.py\n<<<\nx\n>>>\n"


@pytest.mark.parametrize("name", ["v2", "v2_numbered", "v2_attributes", "v2_end_marked", "v2_long_fence", "v2_1"])
def test_a_text_without_their_signs_says_nothing_more(name: str) -> None:
    assert not may_have_further_forms(PLAIN, load_dialect(name))


def test_of_other_forms_and_sections_nothing_is_known(tmp_path: Path) -> None:
    """Every text may have what no sign is known of: tags on lines of their own, sections of a dialect's own."""
    own = tmp_path / "own.lark"
    own.write_text(NEW["lines"].grammar)
    assert may_have_further_forms(PLAIN, load_dialect("plain"))
    assert may_have_further_forms(PLAIN, load_dialect(str(own)))
