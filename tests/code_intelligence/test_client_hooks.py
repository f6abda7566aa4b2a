"""Hooks of coding agents: what a call would write is read from its shape, and the gate decides before it runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from gate_sessions import begin

from benchmarks.code_intelligence.shop import DETAILED, build_shop
from symops_lark.code_intelligence import Session, Workspace
from symops_lark.code_intelligence.clients import configuration
from symops_lark.code_intelligence.clients.guard import Guard, Verdict
from symops_lark.code_intelligence.clients.tool_calls import ShapeError, Target, Writing, read_call

PATCH = "*** Begin Patch\n*** Update File: {0}\n@@\n-a\n+b\n*** End Patch\n"
# A call of each client as its documentation shows it: tool, arguments, and the paths that it writes.
CALLS: list[tuple[str, Any, list[str]]] = [
    ("Write", {"file_path": "/x/a.py", "content": "1"}, ["/x/a.py"]),
    ("Edit", {"file_path": "/x/a.py", "old_string": "1", "new_string": "2"}, ["/x/a.py"]),
    ("MultiEdit", {"file_path": "/x/a.py", "edits": [{"old_string": "1", "new_string": "2"}]}, ["/x/a.py"]),
    ("NotebookEdit", {"notebook_path": "/x/a.ipynb", "new_source": "1"}, ["/x/a.ipynb"]),
    ("write", {"filePath": "/x/a.py", "content": "1"}, ["/x/a.py"]),
    ("edit", {"filePath": "/x/a.py", "oldString": "1", "newString": "2", "replaceAll": True}, ["/x/a.py"]),
    ("patch", {"patchText": PATCH.format("a.py")}, ["a.py"]),
    ("apply_patch", {"command": PATCH.format("src/a b.py")}, ["src/a b.py"]),
    ("apply_patch", {"command": ["apply_patch", PATCH.format("a.py")]}, ["a.py"]),
    ("apply_patch", {"command": PATCH.format("a.py").replace("\n", "\r\n")}, ["a.py"]),
    ("apply_patch", {"command": PATCH.format("a.py").replace("***", "  ***")}, ["a.py"]),
    (
        "apply_patch",
        {"input": "*** Begin Patch\n*** Add File: new.py\n+1\n*** Delete File: old.py\n*** Update File: a.py\n"
                  "*** Move to: b.py\n@@\n-1\n+2\n*** End Patch"},
        ["new.py", "old.py", "a.py", "b.py"],
    ),
    ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH.format('a.py')}EOF"]}, ["a.py"]),
    ("Read", {"file_path": "/x/a.py"}, []),
    ("Grep", {"pattern": "x"}, []),
    ("mcp__symops__search_text", {"patterns": ["x"]}, []),
    ("TodoWrite", {"todos": []}, []),
]  # fmt: skip
ODD: list[tuple[str, Any]] = [
    ("Write", None), ("Write", []), ("Write", "a.py"), ("Write", {}), ("Write", {"file_path": ""}),
    ("Write", {"file_path": None}), ("Write", {"file_path": 5}), ("Write", {"file_path": ["a.py"]}),
    ("Write", {"target": "a.py"}), ("Edit", {"old_string": "1"}), ("MultiEdit", {"file_path": "a", "edits": "x"}),
    ("MultiEdit", {"edits": []}), ("NotebookEdit", {"cell": 1}), ("apply_patch", {}),
    ("apply_patch", {"command": ""}), ("apply_patch", {"command": "*** Begin Patch\n*** End Patch"}),
    ("apply_patch", {"command": {"patch": "x"}}), ("apply_patch", {"command": 7}), ("apply_patch", {"command": [1]}),
    ("apply_patch", {"command": "*** Update File:\n"}), ("APPLY-PATCH", {"patch": "nothing"}), ("Bash", {}),
    ("Bash", {"command": None}), ("Bash", {"command": []}), ("Bash", {"command": [None]}), ("Bash", "ls"),
    ("shell", {"command": {"argv": ["ls"]}}), ("local_shell", {"cmd": 1}), ("exec_command", {"script": "ls"}),
    ("edit", {"path": False}),
]  # fmt: skip


def ready(workspace: Workspace) -> Session:
    session = begin(workspace)
    session.submit_understanding(**session.explore()["understanding"])
    assert session.phase == "READY"
    return session


def ask(workspace: Workspace, tool: str, arguments: Any, *, lenient: bool = False, **event: Any) -> Verdict:
    guard = Guard(workspace.root, lenient=lenient, state=workspace.folder.parent.parent)
    fields = {"session_id": "c1", "cwd": workspace.root, "hook_event_name": "PreToolUse", **event}
    return guard.answer({**fields, "tool_name": tool, "tool_input": arguments})


# ---- shapes


@pytest.mark.parametrize(("tool", "arguments", "paths"), CALLS)
def test_calls_of_clients_are_read(tool: str, arguments: Any, paths: list[str]) -> None:
    writing = read_call(tool, arguments)
    assert [target.path for target in writing.targets] == paths and not writing.command


def test_an_edit_knows_what_it_replaces() -> None:
    edits = [{"old_string": "1"}, {"old_string": "2"}]
    assert read_call("MultiEdit", {"file_path": "a", "edits": edits}) == Writing((Target("a", ("1", "2")),))
    assert read_call("Edit", {"file_path": "a", "old_string": ""}) == Writing((Target("a"),)), "the whole file"


@pytest.mark.parametrize(("tool", "arguments"), ODD)
def test_odd_shapes_are_denied(workspace: Workspace, tool: str, arguments: Any) -> None:
    with pytest.raises(ShapeError):
        read_call(tool, arguments)
    ready(workspace)
    verdict = ask(workspace, tool, arguments)
    assert not verdict.allowed and "not understood" in verdict.reason
    assert ask(workspace, tool, arguments, lenient=True).allowed


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Write", {"file_path": "a.py", "filePath": "b.py"}),
        ("Edit", {"file_path": "a.py", "old_string": "1", "oldString": "2"}),
        ("exec_command", {"command": "ls", "cmd": "./deploy.sh"}),
        ("apply_patch", {"command": PATCH.format("a.py"), "patchText": PATCH.format("b.py")}),
    ],
)
def test_two_spellings_of_an_argument_may_not_differ(tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match="different values for one argument"):
        read_call(tool, arguments)
    read_call(tool, dict.fromkeys(arguments, next(iter(arguments.values()))))


# ---- decisions


def test_without_a_session_every_write_is_denied(workspace: Workspace) -> None:
    verdict = ask(workspace, "Write", {"file_path": "auth/service.py"})
    assert not verdict.allowed and "start_session" in verdict.reason
    assert ask(workspace, "Read", {"file_path": "auth/service.py"}).allowed
    assert ask(workspace, "Bash", {"command": "grep -rn login ."}).allowed
    lenient = ask(workspace, "Write", {"file_path": "auth/service.py"}, lenient=True)
    assert lenient.allowed and "start_session" in lenient.reason


def test_the_gate_decides(workspace: Workspace) -> None:
    session = begin(workspace)
    verdict = ask(workspace, "Edit", {"file_path": f"{workspace.root}/auth/service.py", "old_string": "login"})
    assert "[phase_blocked]" in verdict.reason and session.id in verdict.reason
    assert "[phase_blocked]" in ask(workspace, "Bash", {"command": "make"}).reason
    session.submit_understanding(**session.explore()["understanding"])
    for path in ("auth/service.py", f"{workspace.root}/auth/service.py", "./auth/../auth/service.py"):
        assert ask(workspace, "Edit", {"file_path": path, "old_string": "login"}).allowed, path
    assert ask(workspace, "Write", {"file_path": "service.py"}, cwd=f"{workspace.root}/auth").allowed
    assert ask(workspace, "Bash", {"command": "make"}).allowed
    verdict = ask(
        workspace, "apply_patch", {"command": PATCH.format("auth/service.py") + PATCH.format("web/style.css")}
    )
    assert not verdict.allowed and "[not_explored] web/style.css" in verdict.reason


def test_paths_that_lead_out_are_denied_always(workspace: Workspace) -> None:
    ready(workspace)
    os.symlink("..", Path(workspace.root, "out"))
    for path in (
        "../x.py",
        "/etc/passwd",
        "auth/../../x.py",
        "~/x.py",
        "a\0b",
        "out/x.py",
        "out/../auth/service.py",  # for the system beside the folder, and not `auth/service.py`
        ".git/hooks/pre-commit",
        ".",
    ):
        assert not ask(workspace, "Write", {"file_path": path}).allowed, path
        is_odd = "\0" in path
        assert ask(workspace, "Write", {"file_path": path}, lenient=True).allowed is is_odd, path


def test_a_path_that_no_system_has_is_denied(workspace: Workspace) -> None:
    ready(workspace)
    assert "not understood" in ask(workspace, "Write", {"file_path": "a\ud800.py"}).reason


def test_a_folder_that_is_reached_by_a_link_is_the_same(workspace: Workspace, tmp_path: Path) -> None:
    ready(workspace)
    os.symlink(workspace.root, tmp_path / "linked")
    assert ask(workspace, "Write", {"file_path": str(tmp_path / "linked/auth/service.py")}).allowed


@pytest.mark.slow
def test_an_edit_of_a_large_file_is_asked_by_its_lines(workspace: Workspace) -> None:
    service = Path(workspace.root, "auth/service.py")
    service.write_text(service.read_text("utf-8") + "# line\n" * 5_000 + "END = 1\n", "utf-8")
    session = ready(workspace)
    session.add_explored_files(["auth/service.py:1-100"])
    assert ask(workspace, "Edit", {"file_path": "auth/service.py", "old_string": "login failed"}).allowed
    assert "[partly_seen]" in ask(workspace, "Edit", {"file_path": "auth/service.py", "old_string": "END = 1"}).reason
    assert "[partly_seen]" in ask(workspace, "Write", {"file_path": "auth/service.py"}).reason


# ---- whose session


def test_a_client_is_asked_about_the_session_that_it_started(workspace: Workspace) -> None:
    own = ready(workspace)
    response = [{"type": "text", "text": json.dumps({"session_id": own.id, "phase": "EXPLORATION"})}]
    ask(workspace, "mcp__symops__start_session", {}, hook_event_name="PostToolUse", tool_response=response)
    begin(workspace)  # a newer one, of somebody else
    assert ask(workspace, "Write", {"file_path": "auth/service.py"}).allowed
    assert not ask(workspace, "Write", {"file_path": "auth/service.py"}, session_id="c2").allowed


def test_a_join_that_was_forged_says_nothing(workspace: Workspace) -> None:
    own = ready(workspace)
    begin(workspace)
    line = {"client": "c1", "session": own.id, "seal": "0" * 64}
    (workspace.folder / "clients.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    assert not ask(workspace, "Write", {"file_path": "auth/service.py"}).allowed


@pytest.mark.parametrize("response", [None, "x", {"session_id": "0" * 32}, ["../" * 20], {"a": [1, None]}])
def test_an_answer_without_a_session_of_ours_joins_nothing(workspace: Workspace, response: Any) -> None:
    assert ask(
        workspace, "mcp__symops__start_session", {}, hook_event_name="PostToolUse", tool_response=response
    ).allowed
    assert not (workspace.folder / "clients.jsonl").exists()


def test_a_log_that_is_forged_denies(workspace: Workspace) -> None:
    session = ready(workspace)
    with (workspace.folder / f"{session.id}.jsonl").open("a") as file:
        file.write('{"set":{"phase":"READY"}}\n')
    assert "seal" in ask(workspace, "Write", {"file_path": "auth/service.py"}).reason


# ---- the command


def call(tool: str, arguments: Any, root: str) -> str:
    return json.dumps(
        {"session_id": "c", "cwd": root, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments}
    )


def test_the_command_answers_in_the_form_of_its_client(tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    session = Workspace(shop).start_session(DETAILED, "MODIFY")
    request = call("Write", {"file_path": "auth/service.py", "content": "x"}, str(shop))
    for client in ("claude", "codex"):
        done = run("gate", "hook", client, "--root", str(shop), stdin=request)
        output = json.loads(done.stdout)["hookSpecificOutput"]
        assert (done.exit_code, output["hookEventName"], output["permissionDecision"]) == (0, "PreToolUse", "deny")
        assert session.id in output["permissionDecisionReason"]
    done = run("gate", "hook", "opencode", "--root", str(shop), stdin=request)
    assert done.exit_code == 2 and "phase_blocked" in done.output
    done = run("gate", "hook", "claude", "--root", str(shop), stdin=call("Read", {"file_path": "x"}, str(shop)))
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize("stdin", ["", "{", "[]", "null", "\x00", '{"tool_name": 5}', "{}"])
def test_what_is_no_call_is_denied(tmp_path: Path, stdin: str) -> None:
    done = run("gate", "hook", "opencode", "--root", str(tmp_path), stdin=stdin)
    assert done.exit_code == 2 and done.output.strip()


@pytest.mark.slow
def test_a_hook_is_installed_beside_others_and_taken_out_again(tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    settings = shop / ".claude/settings.json"
    settings.parent.mkdir()
    fields = {
        "model": "x",
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "y"}]}]},
    }
    settings.write_text(json.dumps(fields, indent=2) + "\n", "utf-8")
    output = run("gate", "hook", "claude", "--root", str(shop), "--install")
    assert output.exit_code == 0 and "|| exit 2" in output.output and json.loads(settings.read_text("utf-8")) == fields
    for client in configuration.CLIENTS:
        for _ in range(2):  # the second time it is there
            done = run("gate", "hook", client, "--root", str(shop), "--install", "--write", "-y")
            assert done.exit_code == 0, done.output
    installed = json.loads(settings.read_text("utf-8"))
    assert len(installed["hooks"]["PreToolUse"]) == 2 and installed["model"] == "x"
    doctor = run("gate", "doctor", "--root", str(shop), "--json")
    rows = json.loads(doctor.stdout)["hooks"]
    assert [(row["client"], row["answers"]) for row in rows] == [(name, True) for name in configuration.CLIENTS], rows
    assert doctor.exit_code == 0
    for client in configuration.CLIENTS:
        done = run("gate", "hook", client, "--root", str(shop), "--uninstall", "--write", "-y")
        assert done.exit_code == 0, done.output
    assert json.loads(settings.read_text("utf-8")) == fields
    assert not (shop / ".codex/hooks.json").exists() and not (shop / ".opencode/plugins/symops-gate.js").exists()
    assert run("gate", "doctor", "--root", str(shop)).exit_code == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "// a comment\n{}"])
def test_a_file_that_is_not_understood_is_not_changed(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text(text, "utf-8")
    done = run("gate", "hook", "claude", "--root", str(tmp_path), "--install", "--write", "-y")
    assert done.exit_code in (1, 2) and ".claude/settings.json" in done.output
    assert (tmp_path / ".claude/settings.json").read_text("utf-8") == text


def test_a_file_that_is_not_utf_8_is_not_changed(tmp_path: Path) -> None:
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes('{"model": "caf\xe9"}'.encode("latin-1"))
    before = settings.read_bytes()
    done = run("gate", "hook", "claude", "--root", str(tmp_path), "--install", "--write", "-y")
    assert done.exit_code == 2 and ".claude/settings.json: the file is not UTF-8" in done.output
    assert settings.read_bytes() == before


def test_the_doctor_runs_no_command_of_strangers(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    planted = {"type": "command", "command": f"touch {tmp_path}/ran; symops gate hook claude"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [planted]}]}}
    (tmp_path / ".claude/settings.json").write_text(json.dumps(settings), "utf-8")
    done = run("gate", "doctor", "--root", str(tmp_path))
    assert done.exit_code == 1 and "was not run" in done.output and not (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", ["[", "5", '["a", 1]', '["python"];'])
def test_the_doctor_reports_a_plugin_that_was_written_anew(tmp_path: Path, command: str) -> None:
    plugin = tmp_path / configuration.FILES["opencode"]
    plugin.parent.mkdir(parents=True)
    plugin.write_text(f"const COMMAND = {command}\n", "utf-8")
    done = run("gate", "doctor", "--root", str(tmp_path))
    assert done.exit_code == 1 and "not as this program wrote it" in done.output


def test_a_hook_that_cannot_start_denies(tmp_path: Path) -> None:
    command = configuration.hook_command("claude", str(tmp_path))
    installed = configuration.install("claude", "", ["/no/such/python", *command[1:]])
    line = configuration.installed_command("claude", installed)
    assert subprocess.run(line, shell=True, check=False, capture_output=True).returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_plugin_of_opencode_refuses_by_an_error(tmp_path: Path) -> None:
    shop = build_shop(tmp_path / "shop")
    plugin = tmp_path / "plugin.mjs"
    plugin.write_text(configuration.install("opencode", "", configuration.hook_command("opencode", str(shop))), "utf-8")
    script = f"""
    import {{ SymopsGate }} from {json.dumps(plugin.as_uri())}
    const hooks = await SymopsGate({{ directory: {json.dumps(str(shop))} }})
    for (const [tool, args] of [["read", {{ filePath: "x" }}], ["write", {{ filePath: "auth/service.py" }}]]) {{
      try {{
        await hooks["tool.execute.before"]({{ tool, sessionID: "s", callID: "c" }}, {{ args }})
        console.log(tool, "allowed")
      }} catch (error) {{
        console.log(tool, "refused", error.message.includes("start_session"))
      }}
    }}
    """
    (tmp_path / "run.mjs").write_text(script, "utf-8")
    done = subprocess.run(["node", tmp_path / "run.mjs"], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["read allowed", "write refused true"], done.stderr


def test_the_command_line_is_safe_in_a_folder_of_strangers() -> None:
    words = configuration.hook_command("claude", "/a b'c", lenient=True)
    assert words[:2] == [sys.executable, "-P"] and words[-1] == "--lenient"
    line = configuration.installed_command("claude", configuration.install("claude", "", words))
    assert shlex.split(line.removesuffix(" || exit 2")) == words


def test_a_folder_with_modules_of_strangers_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "symops_lark").mkdir()
    (tmp_path / "symops_lark/__init__.py").write_text("raise SystemExit(0)\n", "utf-8")
    command = configuration.hook_command("opencode", str(tmp_path))
    request = call("write", {"filePath": "../x", "content": "x"}, str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": "."}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, input=request, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "outside" in done.stderr
