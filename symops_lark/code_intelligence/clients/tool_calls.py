"""Read which files a client's call of a tool would write, and which command it would run.

Theory of operation
    Claude Code, Codex and opencode name the same tools in other letters (`Edit`, `edit`) and their
    arguments with other keys (`file_path`, `filePath`). One table has the tools that write; any
    other tool does not concern the gate. A writing tool whose arguments do not have the known
    shape is an error: a guard that does not understand a call must not let it through.

References
    Claude Code, hooks: https://docs.claude.com/en/docs/claude-code/hooks
    opencode, plugins: https://opencode.ai/docs/plugins
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PATH_KEYS = ("file_path", "filePath", "notebook_path", "path")
_COMMAND_KEYS = ("command", "cmd")
_PATCH_KEYS = ("command", "patchText", "patch", "input")
_OLD_KEYS = ("old_string", "oldString")
# "*** Update File: src/a.py"; headers may be indented, and end with a carriage return
_HEADER = re.compile(
    r"^[ \t]*\*\*\* (?:Add File|Update File|Delete File|Move to):[ \t]*(\S.*?)[ \t\r]*$",
    re.MULTILINE,
)
_VARIABLES = {"env", "environment"}
_BEGIN = "*** Begin Patch"
# Commands that only read, but for `_WRITING_OPTIONS` and what `_is_reader` says of `test`. `printf`
# is none of them: `printf -v PATH .` and `printf %n PATH` set a variable of the shell.
_READER = re.compile(
    """
    basename | cat | cd | cmp | comm | cut | diff | dirname | du | echo | egrep | false | fgrep
    | grep | head | jq | ls | nl | pwd | realpath | rg | stat | tail | test | tr | true | type
    | uname | wc | which | whoami
    """,
    re.VERBOSE,
)
_GIT_READER = re.compile("blame|diff|log|ls-files|rev-parse|show|status")
# Options with which these write a file, or run a program: `git diff --output=x`, `rg --pre x`.
_WITH_OPTIONS = {"git", "rg"}
_WRITING_OPTIONS = ("--output", "--pre", "--hostname-bin", "--ext-diff", "--textconv")
# `test -v 'a[PATH=0]'` sets a variable: only questions about files and texts are known.
_QUESTION = re.compile("-[defhLnrswxz]|[^-].*|", re.DOTALL)
# Shells that run the text after `-c`, in a folder that no repository has: `./bash` is any program.
_SHELL = re.compile(r"(?:/(?:usr/(?:local/)?|opt/homebrew/)?bin/)?(?:ba|z|da)?sh")
_QUOTED = re.compile(r"""'[^']*'|"[^"]*["]""")
# A word that may become an option by the name of a file: `*`, `--pr?`.
_NO_DASH = re.compile(r"[^-]")
_OPEN_WORD = re.compile(r"(?<![^\s;&|<>()])(?:-\S*)?[*?\[]")
# What joins simple commands; a pipe into a program that writes is found by its name.
_OPERATOR = re.compile(r"\|\|?|&&?|;")
_DISCARDS = ([">", "/dev/null"], [">&", "1"], [">&", "2"])
_PUNCTUATION = ";&|<>()"
_SIGNS = re.compile(f"[{_PUNCTUATION}]+")


class ShapeError(ValueError):
    """A call of a writing tool does not have a known shape."""


@dataclass(frozen=True, slots=True)
class Target:
    """A file that a call writes.

    Attributes:
        path: The path, as the client gave it.
        old: The texts that the call replaces; empty if it writes the whole file.
    """

    path: str
    old: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """What a call would write: files, or anything, by a command."""

    targets: tuple[Target, ...] = ()
    command: str = ""


def read_call(tool: str, arguments: object) -> Writing:
    """Return what a call of a tool would write; nothing for a tool that does not write.

    Args:
        tool: The name of the tool, in any case.
        arguments: Its arguments, as the client gives them to its hook.

    Raises:
        ShapeError: The tool writes, and its arguments are unknown.
    """
    # `apply_patch` and `ApplyPatch` are one tool.
    reader = _READ.get(tool.lower().replace("_", "").replace("-", ""))
    if reader is None:
        return Writing()
    if not isinstance(arguments, Mapping):
        raise ShapeError(f"{tool}: expected an object of arguments")
    return reader(arguments)


def _read_edit(arguments: Mapping[str, Any]) -> Writing:
    path = _text(arguments, _PATH_KEYS)
    edits = arguments.get("edits", [arguments])
    if not isinstance(edits, list):
        raise ShapeError("edits: expected a list")
    old = []
    for edit in edits:
        text = _find(edit, _OLD_KEYS) if isinstance(edit, Mapping) else None
        # Without the old text the whole file counts as changed.
        if not text:
            return Writing((Target(path),))
        old.append(text)
    return Writing((Target(path, tuple(old)),))


def _read_write(arguments: Mapping[str, Any]) -> Writing:
    return Writing((Target(_text(arguments, _PATH_KEYS)),))


def _read_patch(arguments: Mapping[str, Any]) -> Writing:
    patch = _join(_first(arguments, _PATCH_KEYS))
    paths = dict.fromkeys(_HEADER.findall(patch))
    if not paths:
        raise ShapeError("the patch names no file")
    return Writing(tuple(map(Target, paths)))


def _read_shell(arguments: Mapping[str, Any]) -> Writing:
    command = _join(_first(arguments, _COMMAND_KEYS))
    if _BEGIN in command:
        return _read_patch({"patch": command})
    shell = arguments.get("shell")
    is_known = not shell or _is_shell(shell)
    # Variables may change which program a name is.
    variables = _VARIABLES & arguments.keys()
    has_variables = any(map(arguments.get, variables))
    if is_known and not has_variables and only_reads(command):
        return Writing()
    return Writing(command=command)


# By the name in small letters, without `_` and `-`.
_READ: dict[str, Callable[[Mapping[str, Any]], Writing]] = {
    **dict.fromkeys(("edit", "multiedit"), _read_edit),
    **dict.fromkeys(("write", "notebookedit"), _read_write),
    **dict.fromkeys(("applypatch", "patch"), _read_patch),
    **dict.fromkeys(("bash", "shell", "localshell", "execcommand", "unifiedexec"), _read_shell),
}


def only_reads(command: str) -> bool:
    """Return whether a command surely writes nothing.

    Each part of it is a known reader, such as `grep` or `git log`, and nothing is redirected but to
    `/dev/null`. All else may write: a test runs any code. The programs are those of the system: a
    `PATH` or a configuration of Git that names programs of the repository is not seen here.
    """
    # Substitutions, variables, line ends and blocks are not followed.
    if any(sign in command for sign in "`$\n\r{}\\"):
        return False
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_PUNCTUATION)
    # Words end as in a shell. By default `#` begins a comment in the middle of a word, too, which
    # would hide the rest of `cat a#b; rm -r src`.
    lexer.commenters = ""
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return False
    parts = list(_split(words))
    # The name of a file may be an option with which these run a program: `--pre=x`.
    has_options = not _WITH_OPTIONS.isdisjoint(words)
    if has_options and _has_open_word(command):
        return False
    return bool(parts) and all(map(_is_reader, parts))


def _has_open_word(command: str) -> bool:
    """Return whether the shell may put names of files where options may be."""
    # Without escapes, a quoted text ends at the next quote.
    plain = _QUOTED.sub(_hide, command)
    return _OPEN_WORD.search(plain) is not None


def _hide(quoted: re.Match[str]) -> str:
    """Return signs that no shell replaces. A dash in quotes begins an option, too."""
    return _NO_DASH.sub("q", quoted[0][1:-1])


def _split(words: list[str]) -> Iterator[list[str]]:
    """Yield the words of each simple command, without what throws output away."""
    part: list[str] = []
    for word in words:
        if _OPERATOR.fullmatch(word):
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def _is_reader(part: list[str]) -> bool:
    words = _without_discards(part)
    if not words or any(map(_SIGNS.fullmatch, words)):
        return False
    if any(word.startswith(_WRITING_OPTIONS) for word in words[1:]):
        return False
    if words[0] == "git":
        return len(words) > 1 and _GIT_READER.fullmatch(words[1]) is not None
    if words[0] == "test":
        return all(map(_QUESTION.fullmatch, words))
    return _READER.fullmatch(words[0]) is not None


def _without_discards(part: list[str]) -> list[str]:
    """Return the words of a command without `2> /dev/null` and `2>&1`."""
    words = []
    index = 0
    while index < len(part):
        pair = part[index : index + 2]
        if pair not in _DISCARDS:
            words.append(part[index])
            index += 1
            continue
        # The number before it names what is thrown away: `2> /dev/null`.
        if words[-1:] in (["1"], ["2"]):
            words.pop()
        index += 2
    return words


def _first(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> object:
    values = [arguments[key] for key in keys if arguments.get(key)]
    if not values:
        raise ShapeError(f"expected one of {', '.join(keys)}")
    return _only(values, keys)


def _find(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    texts = [arguments[key] for key in keys if isinstance(arguments.get(key), str)]
    if not texts:
        return None
    return str(_only(texts, keys))


def _only(values: list[object], keys: tuple[str, ...]) -> object:
    """Return the value of an argument: each client reads one of its spellings."""
    value = values[0]
    if values.count(value) < len(values):
        spellings = ", ".join(keys)
        raise ShapeError(f"different values for one argument: {spellings}")
    return value


def _text(arguments: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    text = _find(arguments, keys)
    if not text:
        raise ShapeError(f"expected one of {', '.join(keys)} as a text")
    return text


def _is_shell(program: object) -> bool:
    return isinstance(program, str) and _SHELL.fullmatch(program) is not None


def _join(value: object) -> str:
    """Return a command that may be a list of words: `["bash", "-lc", "make"]` runs the last one."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        if len(value) == 3 and value[1] in ("-c", "-lc"):
            program, _, script = value
            if _is_shell(program):
                return str(script)
        if value[:1] in (["apply_patch"], ["applypatch"]):
            return "\n".join(value[1:])
        return shlex.join(value)
    raise ShapeError("expected a text, or a list of words")
