"""Requests about a text that is not open: the server has no answer, and reports no error."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_client import Editor, span


@pytest.mark.slow
def test_texts_that_are_not_open_are_passed_over(tmp_path: Path) -> None:
    uri = (tmp_path / "never.symops").as_uri()
    with Editor() as editor:
        editor.change(uri, 2, (span((0, 0), (0, 0)), "a"))
        editor.save(uri)
        assert editor.hover(uri, 0, 0) is None
        assert editor.complete(uri, 0, 0) == []
        assert editor.define(uri, 0, 0) == []
        assert editor.format(uri) == []
        editor.close(uri)
        assert editor.diagnostics(uri, None) == []
        assert editor.messages == []
    assert editor.exit_code == 0
