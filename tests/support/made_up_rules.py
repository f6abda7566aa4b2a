"""A repair rule such as users write, and the file that it is in."""

from __future__ import annotations

from pathlib import Path

VERB = 'replace: {pattern: "^%%", with: "{action}"}'
EXAMPLES = 'examples: [{before: "%%run @ls", after: "::run @ls"}]'
UNCHANGED = 'unchanged: ["::run @ls"]'
RULE = f"""\
id: my-rule
phase: symbols
summary: A made-up mistake.
why: For the tests.
cost: 1
lines: [head]
{VERB}
{EXAMPLES}
{UNCHANGED}
"""


def write_rule(folder: Path, text: str = RULE, name: str = "my-rule.yaml") -> Path:
    """Return the file with the text of a rule; its folder is made if there is none."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
