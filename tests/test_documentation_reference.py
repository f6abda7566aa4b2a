"""The tables of docs/reference/ name what there is: no more, no less. So do commands that pages only mention."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
from dataclasses import fields
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner
from documents import section, tables

import symops_lark
from symops_lark import (
    Completeness,
    Diagnostic,
    Document,
    Phase,
    Policy,
    Result,
    agent,
    code_intelligence,
    dialects,
    error_correcting,
)
from symops_lark.adapters.cli import symops
from symops_lark.answers import conditions, judgment
from symops_lark.core.grammar import codes as diagnostic_codes
from symops_lark.core.recovery.doubts import confidence
from symops_lark.core.validator import CHECKS, VALUE_CHECKS, edges
from symops_lark.exports import list_exports, load_exports

ROOT = Path(__file__).resolve().parent.parent
_CODE = re.compile(r"`([^`\n]+)`")


def table(name: str, number: int = 0) -> list[list[str]]:
    """Return the rows of a table of the reference, as cells: `table("results#Phases")`."""
    return tables(name)[number]


def codes(cells: list[str]) -> list[str]:
    return [code for cell in cells for code in _CODE.findall(cell)]


def first_codes(name: str, number: int = 0) -> list[str]:
    return codes([row[0] for row in table(name, number)])


def test_names_are_those_of_the_front_door() -> None:
    assert sorted(first_codes("names")) == sorted(symops_lark.__all__)


def test_judgments_and_conditions_are_told_in_full() -> None:
    assert sorted(first_codes("status-judgment")) == sorted(judgment.__all__)
    assert sorted(first_codes("status-judgment", 1)) == sorted(conditions.__all__)


def test_the_agent_is_told_in_full() -> None:
    assert sorted(first_codes("agent")) == sorted(agent.__all__)


def test_code_intelligence_is_told_in_full() -> None:
    assert sorted(first_codes("code-intelligence")) == sorted(code_intelligence.__all__)


def test_error_correction_is_described_in_full() -> None:
    assert sorted(first_codes("error-correction")) == sorted(error_correcting.__all__)
    fields_of_parse = [field.name for field in fields(error_correcting.CorrectedParse)]
    assert codes([table("error-correction")[1][1]]) == fields_of_parse
    assert codes([table("error-correction")[2][1]]) == list(error_correcting.Edit._fields)


def test_phases_and_states_are_those_of_the_code() -> None:
    assert first_codes("results#Phases") == [str(phase) for phase in Phase]
    assert first_codes("results#Completeness") == [str(state) for state in Completeness]
    attributes = {field.name for field in fields(Result)} | {"valid"}
    assert set(first_codes("results#Results")) == attributes


def test_confidence_is_computed_as_told() -> None:
    text = section("results#Confidence")
    assert f"{confidence.COMPLETE_FORM} × 0.95 to the power of the cost" in text
    assert confidence.action_confidence(0) == 0.95
    assert confidence.action_confidence(1) == pytest.approx(0.95 * 0.95, abs=1e-4)
    assert confidence.action_confidence(6) == pytest.approx(0.70, abs=0.005)
    assert confidence.document_confidence(Document(), ()) == 0.5


def test_every_command_is_named_with_its_subcommands() -> None:
    assert [code.removeprefix("symops ") for code in first_codes("commands#Commands")] == sorted_as_told(loaded())
    for row in table("commands#Commands"):
        command = loaded()[codes(row)[0].removeprefix("symops ")]
        if isinstance(command, click.Group):
            text = codes([row[1]])
            assert sorted(text) == sorted(command.list_commands(click.Context(command))), row[0]


def test_every_export_is_told_with_what_proves_it() -> None:
    [row] = [row for row in table("commands#Commands") if codes(row[:1]) == ["symops export"]]
    matching_codes = [code for code in codes([row[1]]) if not code.startswith("-")]
    assert sorted(matching_codes) == sorted(load_exports())
    page = (ROOT / "docs" / "constrained-decoding.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in page.splitlines() if line.startswith("| `")]
    engines = {codes(cells[:1])[0]: codes(cells[2:]) for cells in rows[: len(list_exports("constraint"))]}
    assert list(engines) == list(list_exports("constraint"))
    for name, proved in engines.items():
        assert load_exports()[name].ENGINE in proved, name


def test_the_help_of_export_lists_all_of_them() -> None:
    result = CliRunner().invoke(symops, ["export", "--help"], max_content_width=200, terminal_width=200)
    assert result.exit_code == 0
    for name, value in load_exports().items():
        escape = re.escape(name + "*" * value.TOLERANT) + " +" + re.escape(value.SUMMARY)
        assert re.search(f"^  {escape}$", result.stdout, re.MULTILINE), name


def loaded() -> dict[str, Any]:
    """Return all commands by their names; they are loaded when they are asked for."""
    context = click.Context(symops)
    return {name: symops.get_command(context, name) for name in symops.list_commands(context)}


def sorted_as_told(commands: Any) -> list[str]:
    """Return the commands in the order of the page, so that only a name that lacks or is too much shows."""
    removeprefixs = [code.removeprefix("symops ") for code in first_codes("commands#Commands")]
    return sorted(commands, key=lambda name: removeprefixs.index(name) if name in removeprefixs else len(removeprefixs))


def test_policy_has_these_fields_and_defaults() -> None:
    rows = {codes(row)[0]: row[1] for row in table("policy#Settings")}
    assert list(rows) == [field.name for field in fields(Policy)]
    for name, entry in rows.items():
        value = getattr(Policy(), name)
        if isinstance(value, tuple):
            assert set(codes([entry])) <= set(value), name
            assert ("none" in entry) == (not value), name
        else:
            assert entry == str(value), name


def test_every_dialect_is_in_the_tables_of_formats() -> None:
    text = section("formats")
    for name in dialects():
        assert re.search(rf"(?<!\w){name}(?!\w)", text), name


def test_every_code_of_the_validator_is_told_with_its_severity() -> None:
    severities: dict[str, str] = {}
    for check in (*CHECKS, *VALUE_CHECKS):
        tree = ast.parse(inspect.getsource(check))
        suspect = ", suspect" if check in VALUE_CHECKS else ""
        for node in ast.walk(tree):
            if isinstance(node, ast.Yield) and isinstance(node.value, ast.Call):
                severity = "warning" if ast.unparse(node.value.func) == "warn" else "error"
                for name in constants_of(node.value.args[0], tree):
                    severities[getattr(diagnostic_codes, name)] = severity + suspect
    assert {code: row[1] for row in table("findings", 1) for code in codes([row[0]])} == severities
    assert Diagnostic("x", "y", symops_lark.Span(0, 0)).severity == "error"


def constants_of(argument: ast.expr, tree: ast.Module) -> list[str]:
    """Return the names of the constants that an argument may be: its own, or those assigned to a local variable."""
    name = ast.unparse(argument)
    if name.isupper():
        return [name]
    if name == "finding.code":  # of what `edges` yields
        calls = [node for node in ast.walk(ast.parse(inspect.getsource(edges))) if isinstance(node, ast.Call)]
        return [ast.unparse(node.args[0]) for node in calls if ast.unparse(node.func) == "Finding"]
    assigned = [
        node for node in ast.walk(tree) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    ]
    assert assigned, name
    return [ast.unparse(node.value) for node in assigned]


def test_names_of_the_notes_lead_to_what_exists() -> None:
    rows = table("original-notes")
    assert len(rows) > 30
    for row in rows:
        ours = codes([row[2]])
        assert ours or "](" in row[2], row
        for name in ours:
            check_name(name)


def check_name(name: str) -> None:
    """Fail unless a name is a command, a dialect, a public name, an attribute or a parameter of one, or a value."""
    if name.startswith("symops "):
        check_command(shlex.split(name))
    elif name not in (*dialects(), "symops_lark", "error", "unnamed-1"):
        path, _, inputs = name.partition("(")
        if path.startswith("symops_lark."):
            *module, subject = path.split(".")[:3]
            result = getattr(import_module(".".join(module)), subject)
            part = path.split(".")[3:]
        else:
            first, *part = path.split(".")
            assert first in symops_lark.__all__, name
            result = getattr(symops_lark, first)
        result = reduce(attribute, part, result)
        for parameter in re.findall(r"(\w+)=", inputs):
            assert parameter in inspect.signature(result).parameters, name


def attribute(owner: Any, name: str) -> Any:
    return None if name in getattr(owner, "__dataclass_fields__", {}) else getattr(owner, name)


def check_command(words: list[str]) -> None:
    """Fail unless commands and options exist; what is no option, and no command of a group, is an argument."""
    command: click.Command = symops
    options: set[str] = set()
    for word in words[1:]:
        if isinstance(command, click.Group) and not word.startswith("-"):
            subcommand = command.get_command(click.Context(command), word)
            assert subcommand is not None, words
            command = subcommand
        elif word.startswith("-"):
            options.add(word)
    existing = {name for part in command.params for name in (*part.opts, *part.secondary_opts)} | {"--help"}
    assert options <= existing, (words, options - existing)


def commands_mentioned(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [code for code in _CODE.findall(text) if code.startswith("symops ")]


@pytest.mark.parametrize(
    "page",
    [
        page
        for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
        if page.name != "CHANGELOG.md" and commands_mentioned(page)  # which tells of the past, too
    ],
    ids=lambda page: page.name,
)
def test_commands_that_are_mentioned_exist(page: Path) -> None:
    for code in commands_mentioned(page):
        check_command(code.split())


# ---- what people who contribute meet


def test_hooks_before_a_commit_run_what_make_lint_runs() -> None:
    hooks = [
        hook
        for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
        for hook in repository["hooks"]
    ]
    assert {hook["language"] for hook in hooks} == {"system"}  # no network
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nlint:")[1].split("\n\n")[0]
    expected = [line.removesuffix(" .") for line in re.findall(r"^\t@\$\(BIN\)/(.*)$", recipe, re.MULTILINE)]
    before_commits = [hook for hook in hooks if hook.get("stages") != ["commit-msg"]]
    assert [hook["entry"].removeprefix(".venv/bin/") for hook in before_commits] == expected


@pytest.mark.parametrize("form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda p: p.stem)
def test_issue_forms_ask_what_can_be_answered(form: Path) -> None:
    data = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {*data} == {"name", "description", "labels", "body"}
    body = [part for part in data["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in body}) == len(body) > 0
    assert any(part.get("validations", {}).get("required") for part in body)
    for part in body:
        assert part["type"] in ("textarea", "input")
        for code in _CODE.findall(part["attributes"].get("description", "")):
            if code.startswith("symops "):
                check_command(code.split())


def test_changelog_has_a_dated_section_for_each_release() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased, *releases = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert unreleased == "[Unreleased]"
    assert releases[0].startswith(f"[{symops_lark.__version__}] - ")
    for release in releases:
        assert re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", release), release
    for kind in re.findall(r"^### (.*)$", text, re.MULTILINE):
        assert kind in ("Upgrade", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"), kind
