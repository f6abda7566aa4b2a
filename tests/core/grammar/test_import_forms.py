"""Statements that name other grammars, in every odd form: a dialect or an error, in all that reads grammars."""

from __future__ import annotations

from pathlib import Path

import pytest
from wings import need_wing

from symops_lark import SymOpsError, parse

FORMS = [
    "%import .v2 (PATH)",
    "%import .v2.PATH",
    "%import v2 (PATH)",
    "%import .none",
    "%import .none (A)",
    "%import ..v2",
    "%import .mine",
    "%import .mine (A)",
    "%import .other",
    "%import common.NONE",
    "%import",
    "%import .",
    "%import .v2 ()",
    "%import .v2 (PATH, PATH)",
    "%import .v2 -> x",
    "%import .v2\n%import .v2",
    '%import .v2\n%extend none: "a"',
    '%import .v2\n%override none: "a"',
    "%import .v2\n%override action:",
    "%import .v2\n%extend PATH: PATH",
    '%extend action: "a"',
    "%override",
    "%ignore",
    "%declare X",
    "%import .\u00fc\u0000",
    "%import ./etc/passwd",
    "%import .v2_recovery",
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_or_refused(form: str, tmp_path: Path) -> None:
    need_wing("lab")
    from symops_lark.lab.playground.answers import Answers
    from symops_lark.lab.workbench.check import check_grammar

    path = tmp_path / "mine.lark"
    (tmp_path / "other.lark").write_text("%import .mine\n", encoding="utf-8")
    for item in ("", 'document: "a" PATH\n'):
        path.write_text(f"{form}\n{item}", encoding="utf-8")
        for element in (lambda: parse("a\n", path), lambda: check_grammar(path)):
            try:
                element()
            except SymOpsError as error:
                assert str(error)
        answer = Answers().answer("open", {"dialect": "v2", "grammar": path.read_text(encoding="utf-8")})
        assert answer
