"""Write the configuration that makes a client ask the gate, and take it out again.

Theory of operation
    Claude Code and Codex read JSON with the same members: a hook before a tool that writes, and one
    after `start_session`, which joins the client's session with ours. Other members of the file are
    kept. opencode loads a plugin, a separate file.

        .claude/settings.json    .codex/hooks.json    .opencode/plugins/symops-gate.js

    The clients let a call through if a hook ends with another exit code than 0 and 2, so the
    command ends with `|| exit 2`: a hook that cannot start denies, too.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from ...core.ground.errors import SymOpsError
from ...core.ground.python_processes import python_start

CLIENTS = ("claude", "codex", "opencode")
FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "opencode": ".opencode/plugins/symops-gate.js",
}
_WRITERS = {
    "claude": "Edit|Write|MultiEdit|NotebookEdit|Bash",
    "codex": "apply_patch|Edit|Write|Bash|shell|local_shell|exec_command",
}
_OTHER_COMMAND = "its COMMAND is not as this program wrote it; install it again"
# The name of the server is the user's choice.
_STARTING = "mcp__.*__start_session"
_PLUGIN = """\
// Written by `symops gate hook opencode --install`; `--uninstall` removes it.
import {{ spawnSync }} from "node:child_process"

const COMMAND = {command}
const WRITERS = ["edit", "write", "multiedit", "patch", "apply_patch", "bash", "shell"]

function ask(event) {{
  const options = {{ input: JSON.stringify(event), encoding: "utf8", timeout: 30000 }}
  const done = spawnSync(COMMAND[0], COMMAND.slice(1), options)
  if (done.status !== 0) {{
    throw new Error("symops gate: " + (done.stderr || String(done.error || "no answer")).trim())
  }}
}}

export const SymopsGate = async ({{ directory }}) => ({{
  "tool.execute.before": async (input, output) => {{
    if (!WRITERS.includes(input.tool)) return
    ask({{ hook_event_name: "PreToolUse", session_id: input.sessionID, cwd: directory,
          tool_name: input.tool, tool_input: output.args }})
  }},
  "tool.execute.after": async (input, output) => {{
    if (!input.tool.endsWith("start_session")) return
    ask({{ hook_event_name: "PostToolUse", session_id: input.sessionID, cwd: directory,
          tool_name: input.tool, tool_response: output.output }})
  }},
}})
"""


class ConfigurationError(SymOpsError):
    """A client's configuration cannot be read, so it is not changed."""


def hook_command(client: str, root: str, *, lenient: bool = False) -> list[str]:
    """Return the words of the command that a client runs for each call.

    Args:
        client: "claude", "codex" or "opencode".
        root: The folder, absolute.
        lenient: Whether calls that cannot be judged are allowed.
    """
    # The client runs it in the folder of a project: neither that folder nor PYTHONPATH (`-E`) may
    # bring modules.
    words = ["-E", "-m", "symops_lark", "gate", "hook", client, "--root", root]
    if lenient:
        words.append("--lenient")
    return python_start(*words).command


def install(client: str, text: str, command: list[str]) -> str:
    """Return the text of a client's file with the hook; an older one of ours is replaced.

    Args:
        client: The client.
        text: The text of its file; empty if there is none.
        command: The words of the command.

    Raises:
        ConfigurationError: The file is not a JSON object with lists of hooks.
    """
    if client == "opencode":
        return _PLUGIN.format(command=json.dumps(command))
    settings = _read(client, text)
    # An older hook may have another interpreter or folder: two would ask twice.
    _remove(client, settings)
    hooks = settings.setdefault("hooks", {})
    entry = {"type": "command", "command": f"{shlex.join(command)} || exit 2"}
    for event, matcher in (("PreToolUse", _WRITERS[client]), ("PostToolUse", _STARTING)):
        hooks.setdefault(event, []).append({"matcher": matcher, "hooks": [entry]})
    return _write(settings)


def uninstall(client: str, text: str) -> str:
    """Return the text of a client's file without the hook; empty if nothing else is in it.

    Args:
        client: The client.
        text: The text of its file.

    Raises:
        ConfigurationError: The file is not a JSON object with lists of hooks.
    """
    # A plugin is ours as a whole.
    if client == "opencode" or not text:
        return ""
    settings = _read(client, text)
    if not _remove(client, settings):
        return text
    return _write(settings) if settings else ""


def installed_command(client: str, text: str) -> str:
    """Return the command line of our hook in a client's file; empty if there is none.

    Raises:
        ConfigurationError: The file does not have the known form.
    """
    if client == "opencode":
        for line in text.splitlines():
            if line.startswith("const COMMAND = "):
                try:
                    return shlex.join(json.loads(line.partition("= ")[2]))
                except (ValueError, TypeError):
                    raise ConfigurationError(f"{FILES[client]}: {_OTHER_COMMAND}") from None
        return ""
    for group in _read(client, text).get("hooks", {}).get("PreToolUse", []):
        for hook in group.get("hooks", []):
            if _is_ours(client, hook):
                return str(hook["command"])
    return ""


def _remove(client: str, settings: dict[str, Any]) -> bool:
    """Take our hooks and empty lists out of settings; return whether there were any."""
    hooks = settings.get("hooks", {})
    removed = False
    for event in list(hooks):
        groups = []
        for group in hooks[event]:
            kept_hooks = [hook for hook in group.get("hooks", []) if not _is_ours(client, hook)]
            removed = removed or len(kept_hooks) < len(group.get("hooks", []))
            if kept_hooks or not group.get("hooks"):
                groups.append({**group, "hooks": kept_hooks} if group.get("hooks") else group)
        hooks[event] = groups
        if not groups:
            del hooks[event]
    if removed and not hooks:
        del settings["hooks"]
    return removed


def _is_ours(client: str, hook: object) -> bool:
    # By its words, not by the whole command: hooks of other installations are ours, too.
    command = hook.get("command") if isinstance(hook, Mapping) else None
    return isinstance(command, str) and f"gate hook {client}" in command


def _read(client: str, text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"{FILES[client]}: not JSON: {error}; mend it first") from None
    # The clients refuse a file with other shapes, so they are mistakes, and not ours to overwrite.
    hooks = settings.get("hooks", {}) if isinstance(settings, dict) else None
    lists = hooks.values() if isinstance(hooks, dict) else [None]
    if not all(isinstance(groups, list) and all(map(_is_group, groups)) for groups in lists):
        raise ConfigurationError(f"{FILES[client]}: `hooks` does not have the known form")
    return dict(settings)


def _is_group(group: object) -> bool:
    return isinstance(group, dict) and isinstance(group.get("hooks", []), list)


def _write(settings: dict[str, Any]) -> str:
    return json.dumps(settings, indent=2, ensure_ascii=False) + "\n"
