"""Policies in YAML files: what they set, and that every mistake is told with its place, and never as a traceback."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from command_line import run
from hypothesis import given
from hypothesis import strategies as st

from symops_lark import Policy
from symops_lark.acting.changes import Decision
from symops_lark.acting.plan.policy_file import PolicyError, load_policy

_GLOBS = st.lists(st.text("ab0*.?/日本 '\"#:-[]{}&!|%@~", min_size=1, max_size=8), max_size=3).map(tuple)
_BY_KIND = {
    tuple: _GLOBS,
    Decision: st.sampled_from(Decision),
    int: st.integers(0, 10**9),
    float: st.floats(0.6, 1e6) | st.integers(1, 9).map(float),
}
POLICIES = st.fixed_dictionaries(
    {"ask_from": st.floats(0, 0.5)},
    optional={f.name: _BY_KIND[type(getattr(Policy(), f.name))] for f in fields(Policy) if f.name != "ask_from"},
)


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "policy.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@given(POLICIES)
def test_every_field_can_be_set(tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]) -> None:
    plain = {
        name: list(value) if isinstance(value, tuple) else str(value) if isinstance(value, Decision) else value
        for name, value in values.items()
    }
    path = write(tmp_path_factory.mktemp("policy"), yaml.safe_dump(plain, allow_unicode=True))
    assert load_policy(path) == Policy(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}\n", "\ufeff{}", "max_actions: 1_000\r\n"])
def test_what_is_not_set_stays(tmp_path: Path, text: str) -> None:
    assert load_policy(write(tmp_path, text)) == Policy()


WRONG: dict[str, tuple[str | bytes, str, str]] = {
    "misspelt": (
        "deleting: ask\nmax_action: 3\n",
        "2:1: error: a policy has no setting 'max_action'",
        "did you mean `max_actions`?",
    ),
    "unknown": ("zzz: 3\n", "1:1: error: a policy has no setting 'zzz'", "known: auto_from, ask_from"),
    "no name": ("3: 3\n", "1:1: error: the name of a setting is a text", "known"),
    "a list for a name": ("? [a]\n: 3\n", "1:3: error: the name", "known"),
    "twice": ("max_actions: 1\nmax_actions: 2\n", "2:1: error: `max_actions` is set twice", "in line 1"),
    "no mapping": ("- x\n", "1:1: error: a policy is a mapping", "`name: value`"),
    "no YAML": ("a: b: c\n", "1:5: error: not YAML: mapping values", "a: b: c"),
    "open": ("allow: [a\n", "error: not YAML", ""),
    "two documents": ("a: 1\n---\nb: 1\n", "error: not YAML", ""),
    "a bell": ("a: \x07\n", "1:4: error: not YAML", ""),
    "a bare star": ("allow: [*.env]\n", "error: not YAML", "is quoted"),
    "an alias": ("allow: [*env]\n", "1:9: error: not YAML: found undefined alias", "is quoted"),
    "a text for a list": ("allow: .env\n", "1:8: error: `allow` is a list of globs", "write allow: ["),
    "a number for a glob": ("allow: [a, 3]\n", "1:12: error: a glob of `allow` is a text", "is quoted"),
    "an empty glob": ("allow: ['']\n", "1:9: error: a glob of `allow`", ""),
    "nothing for a glob": ("allow:\n-\n", "error: a glob of `allow`", ""),
    "a list for a glob": ("allow: [[a]]\n", "1:9: error: a glob of `allow`", ""),
    "a decision": ("deleting: Ask\n", "1:11: error: `deleting` is one of auto, ask, refuse", "did you mean `ask`?"),
    "a list for a decision": ("deleting: [ask]\n", "1:11: error: `deleting` is one of", ""),
    "half": ("max_actions: 1.5\n", "1:14: error: `max_actions` is a whole number", ""),
    "negative": ("max_actions: -1\n", "1:14: error: `max_actions` is a whole number, 0 or above", ""),
    "true": ("max_actions: true\n", "1:14: error: `max_actions`", ""),
    "a number as text": ("auto_from: '0.9'\n", "1:12: error: `auto_from` is a number", ""),
    "not a number": ("auto_from: .nan\n", "1:12: error: `auto_from` is a number", ""),
    "infinite": ("auto_from: .inf\n", "1:12: error: `auto_from` is a number", ""),
    "nothing": ("auto_from:\n", "error: `auto_from` is a number", ""),
    "huge": (f"max_actions: {'9' * 9999}\n", "1:14: error: `max_actions`", ""),
    "huge, in hexadecimal": (f"max_actions: 0x{'f' * 9999}\n", "1:14: error: `max_actions`", ""),
    "a false tag": ("max_actions: !!int x\n", "1:14: error: `max_actions`", ""),
    "an empty tag": ("max_actions: !!int ''\n", "1:14: error: `max_actions`", ""),
    "a day": ("max_actions: 2026-99-99\n", "1:14: error: `max_actions`", ""),
    "an object": ("max_actions: !!python/object:os.system x\n", "1:14: error: `max_actions`", ""),
    "out of order": (
        "ask_from: 0.8\nauto_from: 0.7\n",
        "2:1: error: the thresholds are out of order",
        "ask_from is 0.8 and may not be above auto_from, which is 0.7",
    ),
    "below the default": ("auto_from: 0.2\n", "1:1: error: the thresholds are out of order", "ask_from is 0.5"),
    "deep": ("[" * 20_000, "1:1: error: the file is nested too deeply", ""),
    "not UTF-8": (b"a: b\nc: \xff\n", "2:4: not UTF-8: byte 0xff", ""),
    "too long": ("#" * 100_001, "the policy is longer than 100,000 bytes", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_told_with_their_place(tmp_path: Path, name: str) -> None:
    text, message, hint = WRONG[name]
    path = write(tmp_path, text)
    with pytest.raises(PolicyError, match=re.escape(message)) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f"{path}:") and hint in str(caught.value)
    result = run("plan", "--policy", str(path), stdin=">> x\n")
    assert result.exit_code == 2 and message in result.stderr and "Traceback" not in result.output


@given(
    st.lists(
        st.sampled_from(
            [
                "allow",
                "deleting",
                "max_actions",
                ":",
                " ",
                "\n",
                "- ",
                "[",
                "]",
                "{",
                "}",
                "*",
                "&a",
                "!!int",
                "!!binary",
                "'",
                "0x",
                "1",
                ".",
                "ask",
                "?",
                "|",
                "\t",
                "\u2028",
                "\x00",
                "<<",
                "~",
                "%",
                "2026-01-99",
            ]
        ),
        max_size=14,
    )
)
def test_any_text_is_a_policy_or_an_error(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = write(tmp_path_factory.mktemp("policy"), "".join(pieces))
    try:
        assert isinstance(load_policy(path), Policy)
    except PolicyError as error:
        assert str(error).startswith(f"{path}:")


@pytest.mark.parametrize("verb", ["plan", "apply"])
def test_files_that_cannot_be_read(tmp_path: Path, verb: str) -> None:
    for path in (tmp_path, tmp_path / "none", "a\0b"):
        result = run(verb, "--policy", str(path), stdin=">> x\n")
        assert result.exit_code == 2 and "the policy cannot be read" in result.stderr


def test_options_add_to_the_file(tmp_path: Path) -> None:
    policy = write(tmp_path, 'allow: [".env"]\nauto_commands: ["ls"]\nmax_actions: 4\n')
    root = tmp_path / "root"
    root.mkdir()
    reply = "::create @.env\n<<<\nA=1\n>>>\n::create @x.pem\n<<<\nx\n>>>\n::run @ls\n::run @pwd\n"
    arguments = ("--root", str(root), "--policy", str(policy), "--allow", "*.pem", "--allow-command", "pwd")
    result = run("plan", *arguments, stdin=reply)
    assert result.stdout.startswith("<stdin>: possible, 4 by itself\n")
    assert "not possible, 2 to ask about, 2 refused" in run("plan", "--root", str(root), stdin=reply).stdout
    result = run("plan", *arguments, stdin=reply + "::run @id\n")
    assert result.exit_code == 1 and "raise the limit `max_actions`" in result.stdout
    applied = run("apply", *arguments, stdin=reply)
    assert applied.exit_code == 0 and (root / ".env").read_text() == "A=1\n"


def test_replies_may_not_quietly_change_the_policy_of_the_next(tmp_path: Path) -> None:
    policy = write(tmp_path, "max_actions: 7\n")
    reply = tmp_path / "reply.txt"
    reply.write_text("::edit @policy.yaml\n<<<\nmax_actions: 100\n>>>\n")
    inside = run("plan", str(reply), "--format", "v2", "--root", str(tmp_path), "--policy", str(policy), "--json")
    assert json.loads(inside.stdout)["changes"][0]["decision"] == "ask"
    other_path = tmp_path / "other"
    other_path.mkdir()
    (other_path / "policy.yaml").write_text("max_actions: 7\n")
    outside = run("plan", str(reply), "--format", "v2", "--root", str(other_path), "--policy", str(policy), "--json")
    assert json.loads(outside.stdout)["changes"][0]["decision"] == "auto"


def test_a_policy_below_the_root_may_begin_with_two_dots(tmp_path: Path) -> None:
    policy = tmp_path / "..policy.yaml"
    policy.write_text("max_actions: 7\n")
    reply = "::edit @..policy.yaml\n<<<\nmax_actions: 100\n>>>\n"
    planned = run("plan", "--format", "v2", "--root", str(tmp_path), "--policy", str(policy), "--json", stdin=reply)
    change = json.loads(planned.stdout)["changes"][0]
    assert change["decision"] == "ask"
