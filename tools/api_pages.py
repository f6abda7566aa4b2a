"""Write the pages of the API, by task and not by module: `python -m tools.api_pages TARGET`.

The text of a page comes from the docstrings when the site is built. Each name that is public is on
exactly one page (tests/test_site.py).
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

# The names of `symops_lark`, by the task that they serve.
FRONT_DOOR = {
    "reading": (
        "Reading a reply",
        "process parse repair recover convert render validate is_acceptable SymOpsProcessor "
        "RenderOptions Result Phase",
    ),
    "documents": (
        "Documents",
        "Document Action Replacement Thought Vitals Question ErrorNote Skipped CustomSection Part "
        "Completeness Diagnostic Severity Source Span schema",
    ),
    "streaming": (
        "Streams and events",
        "StreamParser StreamResult NEED_TEXT ActionStarted ContentDelta ActionFinished "
        "SectionParsed SectionStarted SectionContent SectionFinished Noticed",
    ),
    "acting": (
        "Acting on a folder",
        "plan apply undo edit_text Plan Change Decision Policy load_policy Runner Outcome Edited "
        "Refusal",
    ),
    "dialects": (
        "Dialects, formats and exports",
        "dialects derive rulesets formats Format read_format write_format export portable_tables",
    ),
    "prompts": (
        "Prompts and asking again",
        "PromptBuilder system_prompt SelfCorrector SYMOPS_SYSTEM_PROMPT SYMOPS_V2_SYSTEM_PROMPT "
        "FEW_SHOT_EXAMPLES",
    ),
    "errors": (
        "Errors",
        "SymOpsError ProtocolError ParseError GrammarError RenderError RuleError ExportError "
        "ModelError WorkspaceError UnsafeActionError",
    ),
}
# Packages that the documentation names, each with a page for all of its public names.
PACKAGES = {
    "models": "Models",
    "answers.structured": "Structured output",
    "answers.judgment": "Status judgment",
    "answers.conditions": "Conditions",
    "agent": "From a request to a change",
    "code_intelligence": "Code intelligence",
    "routing": "Model routing",
    "error_correcting": "Any grammar",
    "adapters.pydantic": "Pydantic",
}


def write_pages(target: Path) -> None:
    """Write a page for each task and each package.

    Args:
        target: The folder of the pages.
    """
    target.mkdir(parents=True, exist_ok=True)
    links = []
    for name, (title, names) in FRONT_DOOR.items():
        _write_page(target / f"{name}.md", title, "symops_lark", names.split())
        links.append(f"- [{title}]({name}.md)\n")
    for path, title in PACKAGES.items():
        module = import_module(f"symops_lark.{path}")
        name = path.rpartition(".")[2].replace("_", "-")
        _write_page(target / f"{name}.md", title, module.__name__, module.__all__)
        links.append(f"- [{title}]({name}.md): `{module.__name__}`\n")
    index = "# Python\n\nEach name with its arguments, results and errors, by task.\n\n"
    (target / "index.md").write_text(index + "".join(links), encoding="utf-8")


def _write_page(place: Path, title: str, module: str, names: list[str]) -> None:
    blocks = [f"::: {module}.{name}\n" for name in names]
    place.write_text("\n".join([f"# {title}\n", *blocks]), encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
