"""Every kind of YAML and JSON file that a user may give, each part of it another kind of value: never a bug."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from click.testing import Result
from command_line import run as symops
from damage import damage
from route_models import GOOD, write_model

from symops_lark import SymOpsError
from symops_lark.code_intelligence.requests.words import load_antonyms, load_synonyms

ROOT = Path(__file__).resolve().parent.parent.parent.parent
REPLY = ">> go\n::Create @a.py\n<<<\nx = 1\n>>>\n::run @make\n"
RULE = {
    "id": "mine", "phase": "symbols", "why": "a test", "summary": "a test", "cost": 1, "lines": ["head"],
    "examples": [{"before": "::Create @a.py\n", "after": "::create @a.py\n"}], "unchanged": ["::run @Make all\n"],
}  # fmt: skip
VERBS: Mapping[str, Any] = {
    "replace": {"pattern": "a(b)", "with": "\\1", "unless": "x", "each": {"a": "b"}},
    "lowercase": {"pattern": "(a)"},
    "translate_words": {"pattern": "(a)", "words": {"a": "b"}},
}
CANDIDATES = '[{"model_id": "a", "passed": true, "q1": 0.7, "cost": 0.3}]'
LIMIT = 6  # damaged files of a kind in one test, all with --thorough; which ones is drawn, always the same
DEEP = 1_100  # brackets: more than Python nests calls; PyYAML's time is quadratic in them

SCHEMA = {
    "type": "object", "required": ["x"], "$defs": {"a": {"type": "string", "pattern": "^a"}},
    "properties": {"x": {"anyOf": [{"type": "integer", "minimum": 1}, {"$ref": "#/$defs/a"}]}},
    "patternProperties": {"^y": {"enum": [1]}}, "additionalProperties": False,
}  # fmt: skip
RULES = {
    "steps": {
        "review": {
            "reports": ["review.md"],
            "facts": ["errors"],
            "rules": [
                {"condition": "The change is approved.", "next": "COMPLETE"},
                {"when": "errors > 0", "next": "fix"},
                {"condition": "The user must decide.", "next": "ask", "interactive_only": True},
                "no need to do more",
            ],
        }
    }
}

Kind = tuple[Any, str, Sequence[Sequence[str]]]  # a valid file, its name, commands that read it (`{file}`)


def installed(pattern: str) -> Any:
    return yaml.safe_load(min(ROOT.glob(pattern)).read_text(encoding="utf-8"))


def rule(verb: str) -> Kind:
    return (
        {**RULE, verb: VERBS[verb]},
        "rules/mine.yaml",
        [("rules", "list", "--rules", "{folder}"), ("repair", "--rules", "{folder}")],
    )


LOADED: Mapping[str, tuple[Any, Callable[[Path], object]]] = {
    "synonyms": ({"synonyms": {"login": ["sign in"]}, "unrelated": ["a"]}, load_synonyms),
    "antonyms": ({"antonyms": [["get", "set"]]}, load_antonyms),
}

KINDS: dict[str, Callable[[], Kind]] = {
    **{f"rule that can {verb}": (lambda verb=verb: rule(verb)) for verb in VERBS},  # type: ignore[misc]
    "policy": lambda: (
        {"deleting": "auto", "sensitive": [".github/**"], "ask_from": 0.5, "max_actions": 9, "auto_commands": ["make"]},
        "policy.yaml", [("plan", "--policy", "{file}", "-")],
    ),
    "profile": lambda: (
        installed("benchmarks/profiles/[!k]*.yaml"), "own.yaml", [("bench", "faults", "--profile", "{file}")],
    ),
    "manifest": lambda: (GOOD, "model/model.yaml", [("route", "validate", "{file}"), ("route", "card", "{file}")]),
    "schema": lambda: (SCHEMA, "s.json", [("extract", "--schema", "{file}", "-")]),
    "schema of a manifest": lambda: (
        SCHEMA, "model/schemas/output.schema.json", [("route", "validate", "{folder}/..")],
    ),
    "refusals": lambda: (
        {"patterns": {"en": ["i will not"]}, "longest": 200}, "refusals.yaml",
        [("extract", "--refusals", "{file}", "-")],
    ),
    "rules file": lambda: (RULES, "rules.yaml", [("judge", "{file}", "--fact", "errors=1", "--response", "-")]),
    "audit set": lambda: (
        json.loads((ROOT / "examples/routing/audit.json").read_text(encoding="utf-8")), "audit.json",
        [("route", "audit", "{file}", "--write", "{folder}/out.json")],
    ),
    "metric": lambda: (
        {"name": "metric_v2", "lambda": 0.5, "pi": 1, "w_t": 0.5}, "metric.json",
        [("route", "winner", "--metric", "{file}")],
    ),
    "document": lambda: (
        json.loads(symops("process", "--json", stdin=REPLY).stdout), "document.json",
        [("render", "{file}"), ("plan", "{file}"), ("convert", "-t", "plain", "{file}")],
    ),
}  # fmt: skip


def fill(command: Sequence[str], path: Path, empty: Path) -> Result:
    places = {"file": path, "folder": path.parent, "parent": path.parent.parent, "empty": empty}
    return symops(*(part.format(**places) for part in command), stdin=CANDIDATES if "winner" in command else REPLY)


def run_all(commands: Sequence[Sequence[str]], path: Path, empty: Path, what: str) -> None:
    for command in commands:
        done = fill(command, path, empty)
        assert done.exit_code in (0, 1, 2), f"{what}: {' '.join(command)}: {done.output[-400:]}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_no_bug(kind: str, tmp_path: Path, stride: int) -> None:
    valid, name, commands = KINDS[kind]()
    path, empty = tmp_path / name, tmp_path / "empty"
    empty.mkdir()
    if "model/" in name:
        write_model(tmp_path / "model")
    path.parent.mkdir(parents=True, exist_ok=True)
    damaged = list(damage(valid))
    write(path, valid)
    for command in commands:
        assert fill(command, path, empty).exit_code in (0, 1), "the example is valid"
    count = len(damaged) if stride == 1 else min(LIMIT, len(damaged))
    for subject, value in Random(kind).sample(damaged, count):
        write(path, value)
        run_all(commands, path, empty, subject)
    for text in (
        "",
        "{",
        "- a: [",
        "\ufeff",
        "a: &x [*x]",
        "!!python/object:os.system {}",
        "[" * DEEP,
        "? [a]\n: b",
        "1: 2",
    ):
        path.write_text(text, encoding="utf-8")
        run_all(commands, path, empty, text[:30])


def write(path: Path, value: Any) -> None:
    """Write YAML or JSON; what YAML cannot say is written as JSON, which YAML reads as well."""
    text = json.dumps(value)
    if path.suffix == ".yaml":
        with suppress(yaml.YAMLError, UnicodeError):
            text = yaml.safe_dump(value, allow_unicode=True)
            text.encode()
    path.write_text(text, encoding="utf-8", errors="replace")


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOADED)
def test_a_damaged_file_of_words_is_told(kind: str, tmp_path: Path) -> None:
    """No command has these files: a program gives them."""
    valid, load = LOADED[kind]
    path = tmp_path / "words.yaml"
    write(path, valid)
    assert load(path)
    for subject, value in damage(valid):
        write(path, value)
        try:
            load(path)
        except SymOpsError as error:
            assert str(path) in str(error), subject
