"""A file or an edit in any notation must not vanish beside the sections of a dialect."""

from __future__ import annotations

import pytest

from symops_lark import Result, process
from symops_lark.core.recovery.doubts.left_edits import find_left_edits

OURS = "::create @a.py\n<<<\nx = 1\n>>>\n\n"
_CODE = "```python\nimport a\n```\n"
_LEFT_OUT = [
    f"Now create `b.py`, which imports it:\n\n{_CODE}",
    f"Here is `b.py`:\n{_CODE}",
    f"Then create `src/b.py` with:\n{_CODE}",
    f"**Then `b.py`:**\n{_CODE}",
    "次に `b.py` を作ります：\n~~~python\nimport a\n~~~\n",
    "Apply this:\n```\n*** Begin Patch\n*** Update File: b.py\n@@\n-a\n+b\n*** End Patch\n```\n",
    "```diff\n@@\n-a\n+b\n```\n",
    "```diff\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n```\n",
    "```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n",
    '```tsx project="x" file="b.tsx"\nx\n```\n',
    "```python path=src/b.py\nx\n```\n",
    '<dyad-delete path="b.py"></dyad-delete>\n',
    "<dyad-delete path='b.py'></dyad-delete>\n",
    "<insert_content>\n<path>b.py</path>\n<line>3</line>\n<content>\nx\n</content>\n</insert_content>\n",
]
_SAMPLES = [
    f"In `a.py` it is used so:\n{_CODE}",
    f"Then `os.path` gives:\n{_CODE}",
    f"It needs `b.py` to run.\n{_CODE}",
    f"For example:\n{_CODE}",
    "Run it:\n```bash\npython a.py\n```\n",
    "This changes `a.py`:\n```diff\n@@\n-a\n+b\n```\n",
    '```python title="a.py" file="a.py"\nx = 1\n```\n',
    '```jsx\n<Route path="/home"></Route>\n<a path="b.py"></a>\n```\n',
    f"<think>\nHere is `b.py`:\n{_CODE}</think>\n",
    "See <b>this</b>.\n",
]


def count(result: Result) -> int:
    return sum(row.code == "lost-action" for row in result.diagnostics)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("format", ["auto", "v2"])
@pytest.mark.parametrize("text", _LEFT_OUT)
def test_a_file_beside_ours_is_not_lost_silently(text: str, format: str, ending: str) -> None:
    result = process((OURS + text).replace("\n", ending), format=format)
    assert [action.path for action in result.document.actions] == ["a.py"]
    assert count(result) == 1
    assert result.confidence <= 0.76


@pytest.mark.parametrize("text", _SAMPLES)
def test_a_sample_beside_ours_raises_no_alarm(text: str) -> None:
    result = process(OURS + text)
    assert (count(result), result.confidence) == (0, 0.95)


def test_each_is_reported_where_it_is() -> None:
    result = process(f"{OURS}Here is `b.py`:\n{_CODE}\n{OURS.replace('a.py', 'c.py')}Here is `d.py`:\n{_CODE}")
    lines = [row.span.line for row in result.diagnostics if row.code == "lost-action"]
    assert lines == [7, 17]


@pytest.mark.parametrize("around", ["```\n\0\n```\n", "```\n\0\n"])
def test_a_fence_around_an_action_is_no_file(around: str) -> None:
    (finding,) = find_left_edits(f"Here is `b.py`:\n{around}Here is `c.py`:\n{_CODE}", {"a.py"})
    assert "c.py" in finding.message
