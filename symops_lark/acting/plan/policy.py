"""What may be done by itself, what a person is asked about, and what never happens: values and pure functions."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields

from ...core.document import Action, Completeness
from ...core.edits.left_out import may_stand_for_code
from ...core.edits.whole_texts import Thresholds, find_doubts, find_loss, find_mark, tell_left_out, tell_mark
from ...core.grammar.codes import FENCED_CONTENT
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic
from ...core.validator.contents import is_fenced
from ..changes import Decision, Operation
from ..files.paths import unseen
from ..files.protected import PROTECTED, is_protected, matches
from .policy_values import WrongValue, take_value

# Files that are run, or trusted, without being asked for: a person looks at them first. What only a command runs that
# people give for it (`Makefile`, `conftest.py`, `package.json`) is code like any other.
SENSITIVE = (
    # builds and hooks
    *(".github/**", ".gitlab/**", ".gitlab-ci*", ".circleci/**", ".travis.yml", ".drone.yml", ".woodpecker*"),
    *(".buildkite/**", ".forgejo/**", ".gitea/**", ".ci/**", "Jenkinsfile*", "azure-pipelines*", "appveyor.yml"),
    *(".appveyor.yml", "bitbucket-pipelines.yml", "cloudbuild.y*ml", "buildspec.y*ml", ".cirrus.*", ".semaphore/**"),
    *(".teamcity/**", ".azure-pipelines/**", ".azuredevops/**", "renovate.json*", ".renovaterc*", ".mergify.yml"),
    *(".pre-commit-config.y*ml", ".pre-commit-hooks.yaml", ".husky/**", ".huskyrc*", ".githooks/**", "*lefthook*.y*ml"),
    *("*lefthook*.toml", ".overcommit.yml", ".lintstagedrc*", ".simple-git-hooks*", "git-hooks/**"),
    *(".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig", ".hgrc", "CODEOWNERS"),
    # editors, and what they run when a folder or a file is opened
    *(".vscode/**", "*.code-workspace", ".idea/**", ".fleet/**", ".zed/**", ".vs/**", ".devcontainer/**", ".helix/**"),
    *(
        ".devcontainer.json",
        ".gitpod*",
        ".replit",
        "*.sublime-project",
        ".vim*",
        ".gvimrc",
        ".exrc",
        ".nexrc",
        ".nvim*",
    ),
    *(
        ".lvimrc",
        ".ideavimrc",
        "Session.vim",
        ".emacs*",
        ".spacemacs*",
        ".doom.d/**",
        ".dir-locals*.el",
        ".kakrc",
        ".nanorc",
    ),
    # agents, and what they take for instructions
    *("CLAUDE*.md", "AGENT.md", "AGENTS*.md", "GEMINI*.md", "QWEN*.md", "CRUSH.md", "WARP.md", "JULES.md", ".claude*"),
    *(".codex*", ".gemini*", ".qwen*", ".cursor*", ".windsurf*", ".cline*", ".roo*", ".kilocode*", ".continue*"),
    *(".aider*", "*.mcp.json", "mcp.json", ".mcp/**", ".amazonq/**", ".kiro/**", ".junie/**", ".augment*", ".trae/**"),
    *(".goose*", ".opencode*", "opencode.json*", ".crush*", "crush.json", ".openhands*", ".agent/**", ".agents/**"),
    *(".rules", ".tabnine*", ".cody/**", ".sourcegraph/**", ".devin/**", ".factory/**", ".warp/**", ".copilot/**"),
    # shells, debuggers and consoles
    *(
        ".bash*",
        ".profile",
        ".zsh*",
        ".zprofile",
        ".zlog*",
        ".login",
        ".logout",
        ".cshrc",
        ".tcshrc",
        ".kshrc",
        ".mkshrc",
    ),
    *(".shrc", ".shinit", ".inputrc", ".xinitrc", ".xprofile", ".xsession*", ".xserverrc", ".pam_environment"),
    *(".direnvrc", ".oh-my-zsh/**", ".config/**", ".local/**", "*profile.ps1", ".tmux.conf*", ".screenrc", ".curlrc"),
    *(".wgetrc", ".gdbinit*", ".gdbearlyinit*", "*-gdb.py", "*-gdb.gdb", ".lldbinit*", ".pdbrc*", ".pythonrc*"),
    *(".pystartup", ".ipython/**", ".irbrc", ".pryrc", ".Rprofile*", ".Renviron*", ".psqlrc*", ".sqliterc", ".iex.exs"),
    *(".ghci", ".ocamlinit", ".juliarc.jl", ".octaverc", ".mysqlrc", ".mongorc.js", ".mongoshrc.js"),
    # what languages and their tools load by themselves
    *("*.pth", "*.egg-link", "sitecustomize.py", "usercustomize.py", ".venv/**", "venv/**", "site-packages/**"),
    *("dist-packages/**", "__pycache__/**", ".tox/**", ".nox/**", ".direnv/**", "node_modules/**", ".yarn/**"),
    *(
        ".pnp.*js",
        ".pnpmfile.*js",
        ".cargo/**",
        ".rustup/**",
        ".gemrc",
        ".bundle/**",
        ".condarc",
        "pip.conf",
        "pip.ini",
    ),
    *(".pip/**", ".pydistutils.cfg", ".m2/**", ".mvn/**", ".gradle/**", "gradle-wrapper.*", ".sbtopts", ".jvmopts"),
    *(".mise*", "mise.toml", "mise.*.toml", ".asdfrc", ".guix*", ".nix-*"),
    *("secrets/**", "credentials/**"),
    # systems
    *("crontab*", "cron.*/**", "*.service", "*.socket", "*.timer", "*.desktop", "autostart/**", "systemd/**"),
    *("init.d/**", "rc.local", "profile.d/**", "sudoers*", "rules.d/**", "ld.so.preload", "LaunchAgents/**"),
    *("LaunchDaemons/**", "*.reg", "*.lnk", "*.scf", "*.url", "*.hta", "autorun.inf", "desktop.ini"),
)
_ABOUT_THE_END = {
    Completeness.UNTERMINATED: "the end of its content was missing",
    Completeness.SUSPECT: "its content may end too early, or hold another section",
    Completeness.TRUNCATED: "the reply was cut off inside it",
}
_OPERATORS = re.compile(r"[;&|$`<>(){}\[\]*?~!#\\\n\r]")  # what a shell reads as more than words
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Policy:
    """What may happen. Globs without a slash match any part of a path, others from any folder on; case is ignored."""

    auto_from: float = 0.9  # confidence from which an action needs no question
    ask_from: float = 0.5  # below it the action is refused
    unterminated: Decision = Decision.ASK  # the closing delimiter was missing
    suspect: Decision = Decision.ASK  # the content may end too early, or is surely not what was meant
    truncated: Decision = Decision.REFUSE  # the reply was cut off inside the content
    warned: Decision = Decision.ASK  # `process` warned about the action
    unwrapped: Decision = Decision.ASK  # the content of a valid reply was a Markdown fence, which was taken off
    whole_text: Decision = Decision.ASK  # a content taken for a file's whole new text does not look like one
    deleting: Decision = Decision.ASK
    allow: tuple[str, ...] = ()  # globs of protected and sensitive files that are treated as any others
    protected: tuple[str, ...] = field(default_factory=lambda: PROTECTED)  # globs of files that are refused
    sensitive: tuple[str, ...] = field(default_factory=lambda: SENSITIVE)  # globs of files that are asked about
    ask_commands: tuple[str, ...] = ("*",)  # globs of commands that may be run after a question; others are refused
    auto_commands: tuple[str, ...] = ()  # of those that need none; one with a shell's operators only word for word
    environment: tuple[str, ...] = ()  # globs of variables that commands see besides the harmless ones
    shrink_least: int = 20  # filled lines that a file must have for the guard against losing most of it
    shrink_share: float = 0.5  # of its lines that it may lose without a question
    max_actions: int = 1_000
    max_file_bytes: int = 1_000_000
    max_total_bytes: int = 20_000_000  # of all files before and after
    max_path_bytes: int = 1_024

    def __post_init__(self) -> None:
        """Take values as a policy file has them; refuse what would open every door by accident.

        Raises:
            ValueError: A word is no decision, a number is out of its range, or the thresholds are out of order.
            TypeError: A value is of another kind: a text where a tuple of globs is meant, a truth value for a number.
        """
        for each in fields(self):
            value = getattr(self, each.name)
            try:
                object.__setattr__(self, each.name, take_value(str(each.type), value))
            except WrongValue as wrong:
                shown = repr(value if wrong.index is None else value[wrong.index])
                raise wrong.error(f"Policy.{each.name} is {wrong.wanted}, not {shown[:80]}") from None
        if not 0.0 <= self.ask_from <= self.auto_from:
            raise ValueError("Policy: thresholds must be 0 <= ask_from <= auto_from")


def protects(path: str, policy: Policy) -> str:
    """Return why a path needs an explicit allowance, or an empty text."""
    if is_protected(path, policy.allow, policy.protected):
        return f"{path} may hold secrets: it is protected unless the policy allows it by name"
    return ""


def decide_change(
    action: Action,
    path: str,
    operation: Operation,
    before: str | None,
    after: str | None,
    policy: Policy,
    doubts: Iterable[str] = (),
    warnings: Sequence[Diagnostic] = (),
    *,
    is_whole: bool = False,
) -> tuple[Decision, tuple[str, ...]]:
    """Decide about a file.

    Args:
        action: What the reply says.
        path: The file, below the root.
        operation: What becomes of it.
        before: Its text, None where there is none.
        after: Its new text, None where there is none.
        policy: What may happen.
        doubts: Those of the path.
        warnings: What `process` found about the action.
        is_whole: Whether the content of an edit was taken for the file's whole new text.

    Returns:
        The decision, and why it is not to go on.
    """
    found = [*_about_reading(action, policy, warnings), *((Decision.ASK, doubt) for doubt in doubts)]
    if matches(path, policy.sensitive) and not matches(path, policy.allow):
        found.append((Decision.ASK, f"{path} is run or trusted without being asked for"))
    if operation is Operation.DELETE:
        found.append((policy.deleting, "a file is deleted"))
    if after is not None:
        is_read = operation is Operation.REPLACE and not is_whole
        found += [(Decision.ASK, reason) for reason in _find_oddities(after, before or "", is_read)]
        found += _about_losses(after, before or "", policy, is_whole)
    return _strictest(found)


def decide_command(
    action: Action, policy: Policy, warnings: Sequence[Diagnostic] = ()
) -> tuple[Decision, tuple[str, ...]]:
    """Decide about a command: never by itself, unless the policy names it."""
    command, found = action.path, list(_about_reading(action, policy, warnings))
    if action.completeness is not Completeness.COMPLETE:
        found.append((Decision.REFUSE, "a command that may not be whole is not run"))
    hidden = unseen(command.replace("\t", " "))
    if hidden:
        found.append((Decision.REFUSE, f"the command has a character that cannot be seen (U+{ord(hidden):04X})"))
    if not command.strip():
        found.append((Decision.REFUSE, "the command is empty"))
    if len(command) > policy.max_path_bytes * 8:
        found.append((Decision.REFUSE, f"the command is longer than {counted(policy.max_path_bytes * 8, 'character')}"))
    elif command not in policy.auto_commands and (
        _OPERATORS.search(command) or not _is_like(command, policy.auto_commands)
    ):
        asked = _is_like(command, policy.ask_commands)
        found.append(
            (Decision.ASK, "a command is run") if asked else (Decision.REFUSE, "the policy does not allow this command")
        )
    if action.content:
        found.append((Decision.ASK, "the content block of the command is not used"))
    return _strictest(found)


def _about_reading(action: Action, policy: Policy, warnings: Sequence[Diagnostic]) -> Iterator[tuple[Decision, str]]:
    fenced = [warning for warning in warnings if warning.code == FENCED_CONTENT]
    if fenced and len(fenced) == len(warnings) and not is_fenced(action.content or ""):  # the fence was taken off
        yield policy.unwrapped, fenced[0].message
        if policy.unwrapped is Decision.AUTO:  # nothing else lowered the confidence
            return
    else:
        for warning in warnings:
            yield policy.warned, warning.message
    sure = action.confidence
    if not sure >= policy.ask_from:  # so that no number at all is refused too
        yield Decision.REFUSE, f"it was read with confidence {sure:.2f}, below {policy.ask_from:.2f}"
    elif not sure >= policy.auto_from:
        yield Decision.ASK, f"it was read with confidence {sure:.2f}, below {policy.auto_from:.2f}"
    if action.completeness in _ABOUT_THE_END:
        said = getattr(policy, action.completeness)  # what is not whole is never written silently, whatever that is
        doubted = warnings and action.completeness is Completeness.SUSPECT
        what = warnings[0].message if doubted else _ABOUT_THE_END[action.completeness]
        yield (Decision.ASK if said is Decision.AUTO else said), what


def _find_oddities(after: str, before: str, is_read: bool) -> Iterator[str]:
    """Yield why a new text should be looked at, apart from what stood in the old one already.

    What a diff or blocks have put into a file (`is_read`) is looked at line by line.
    """
    known = set(before.split("\n"))
    for number, line in enumerate(after.split("\n"), 1):
        if line not in known and may_stand_for_code(line):
            yield tell_left_out((number, line.strip()))
            break
    if mark := find_mark(before, after, everywhere=is_read):
        yield tell_mark(mark)
    for pattern, what in (
        (_BIDI, "turns the direction of writing, which can make code look like other code"),
        (_CONTROL, "is a control character"),
    ):
        found = pattern.search(after)
        if found and not pattern.search(before):
            line_number = after.count("\n", 0, found.start()) + 1
            name = f"U+{ord(found[0]):04X}" if len(found[0]) == 1 else repr(found[0])
            yield f"on line {line_number}, {name} {what}"


def _about_losses(after: str, before: str, policy: Policy, is_whole: bool) -> Iterator[tuple[Decision, str]]:
    """Yield what a file would lose: all of its text, most of it, or what a notation for edits did not mean to."""
    limits = Thresholds(shrink_from=policy.shrink_least, shrink_share=policy.shrink_share)
    if before.strip() and not after.strip():
        yield Decision.ASK, "the file becomes empty"
    elif is_whole:
        for doubt in find_doubts(before, after, limits):
            yield policy.whole_text, doubt
    elif loss := find_loss(before, after, limits):
        yield Decision.ASK, loss


def _strictest(found: list[tuple[Decision, str]]) -> tuple[Decision, tuple[str, ...]]:
    told = [row for row in found if row[0] is not Decision.AUTO]
    told.sort(key=lambda row: row[0] is not Decision.REFUSE)
    return told[0][0] if told else Decision.AUTO, tuple(dict.fromkeys(reason for _, reason in told))


def _is_like(command: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(command, glob) for glob in globs)
