"""The reference names what the room offers, and every code of its findings."""

from __future__ import annotations

import re
from pathlib import Path

from documents import tables

from symops_lark.answers import structured
from symops_lark.core.grammar.codes import BEHIND_THE_END, INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT

ROOT = Path(__file__).resolve().parent.parent.parent.parent
NAMES, CODES = (re.findall(r"`([^`]+)`", "\n".join(row[0] for row in rows)) for rows in tables("structured-output"))


def test_names_are_those_of_the_room() -> None:
    assert sorted(NAMES) == sorted(structured.__all__)
    assert all(getattr(structured, name).__doc__ for name in NAMES)


def test_codes_are_those_of_the_code() -> None:
    sources = [
        ROOT / "symops_lark" / "answers" / "structured" / f"{name}.py" for name in ("values", "extraction", "arriving")
    ]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    matches = set(
        re.findall(
            r'(?:Refused|Diagnostic|_refuse|_add)\(\s*(?:candidate, |chosen, |self._span\(\), )?"([a-z-]+)"', text
        )
    )
    matches |= set(re.findall(r'\("([a-z-]+)", f?"', text)) | set(re.findall(r'"([a-z-]+)" if "number" in', text))
    matches |= {BEHIND_THE_END, INVENTED_TURN, NOT_ASKED, OTHER_SPEAKER, THOUGHT}
    assert set(CODES) == matches - {"direct", "mark"}
