"""Check the targets of actions: paths with other words, templates, commands of a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..grammar.codes import DOUBTFUL_COMMAND, DOUBTFUL_PATH, ECHOED_TEMPLATE, HERE_DOCUMENT
from ..ground.file_types import LANGUAGES, NAMES
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic
from ..text.source import cut
from .check import TOKEN_PATTERN, Verbs, warn
from .signs import ActionSign, check


def _has_odd_name(action: Action) -> bool:
    """Return whether the path of an action, or a dependency, is more than a plain path."""
    path = action.path
    if _PLAIN.fullmatch(path) is None or len(path) > _MAX_PATH or "..." in path:
        return True
    # Each template has one of these words, and most paths do not.
    lowered = path.lower()
    if ("path" in lowered or "file" in lowered) and _TEMPLATE.search(path) is not None:
        return True
    dependencies = action.dependencies
    # This runs for each action. Most have no dependency, and need no generator.
    return bool(dependencies) and any(_PLAIN.fullmatch(path) is None for path in dependencies)


_ODD_NAME = ActionSign(_has_odd_name)


@check(sign=_ODD_NAME)
def check_paths(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a path that has emphasis, a link or a remark, or words of the sentence around it."""
    for action in document.actions:
        if action.type in verbs["running"]:
            continue
        patterns = [(action.path, _DOUBTFUL)]
        patterns += [(dependency, _REMARKED) for dependency in action.dependencies]
        for path, pattern in patterns:
            if pattern.search(cut(path, 0, _MAX_PATH)):
                message = f"the path {quoted(path)} does not look like one"
                hint = "write the path alone, without emphasis, link, place or remark"
                yield warn(DOUBTFUL_PATH, message, action, hint)


@check(sign=_ODD_NAME)
def check_templates(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a path that prompts give as an example, such as `path/to/file.py`."""
    for action in document.actions:
        if action.type in verbs["running"]:
            continue
        if _TEMPLATE.search(cut(action.path, 0, _MAX_PATH)):
            message = f"the path {quoted(action.path)} is that of a template"
            yield warn(ECHOED_TEMPLATE, message, action, "name the file that is meant")


@check(sign=_ODD_NAME)
def check_commands(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that ends with a control token, or begins with a prompt or a label."""
    for action in document.actions:
        if action.type not in verbs["running"]:
            continue
        token = _CONTROL_TOKEN.search(action.path)
        prompt = _PROMPT.match(action.path)
        if token:
            end = quoted(token[0])
            message = f"the command ends with {end}, which looks like a control token of the model"
        elif prompt:
            message = f"the command begins with {quoted(prompt[0])}, as a terminal shows it"
        else:
            continue
        hint = "take it out unless the shell is to see it"
        yield warn(DOUBTFUL_COMMAND, message, action, hint)


@check(sign=_ODD_NAME)
def check_heredocs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a command that opens a here-document: an action has no further lines for it."""
    for action in document.actions:
        if action.type not in verbs["running"]:
            continue
        match = _HEREDOC.search(action.path)
        if match:
            opener = quoted(match[0])
            message = (
                f"the command opens a here-document with {opener}, whose lines are not part of it"
            )
            hint = (
                "write the file with a separate action, and run the command without the "
                "here-document"
            )
            yield warn(HERE_DOCUMENT, message, action, hint)


# A path that no check of targets reports, except as a template: `src/a.py`, `LICENSE`, `.env`; not
# `a b.py`, `a.py.`, `a.py:10`.
_PLAIN = compile_pattern(r"/?(?:[0-9A-Za-z_.-]+/)*[0-9A-Za-z_.-]*[0-9A-Za-z-]")
# `<<EOF`, `<<-'END'`; not `<<<word`, `1 << 2`.
_HEREDOC = compile_pattern(
    r"(?<!<)<<-?[ \t]*(?:[A-Za-z_]+|'[A-Za-z_]+'|\"[A-Za-z_]+\")(?=[ \t;|&>]|\Z)"
)
# Characters of a path that are searched: few real paths are longer, and PATH_MAX of macOS is 1,024.
_MAX_PATH = 1_024


# Longer suffixes first: `.py` also matches the beginning of `.pyi`.
_SUFFIXES = sorted(LANGUAGES, key=lambda suffix: -len(suffix))
_ENDING = rf"(?:{'|'.join(escape(suffix) for suffix in _SUFFIXES)})"
_NAMES = "|".join(escape(name) for name in sorted(NAMES))
# One form a row, with an example that it matches; the order does not matter.
_DOUBTFUL = compile_pattern(
    "|".join(
        (
            r"^_+[^_].*[./].*[^_]_+$",  # _a.py_
            r"^[\[({<].*[./].*[\])}>]$|^\[[^\[\]]*\]$",  # [a.py], [LICENSE]
            r"^[\"'`*“‘]|[\"'`*”’]$",  # "a.py"
            r"\]\(|<!--|//",  # [a.py](a.py)
            r"[ \t][#(—–-]",  # a.py (new)
            # a.py and b.py
            r"[ \t](?:and|with|the|for|to|from|is|as|because|so|if|that|which|using|via|see|"
            r"depends|needs)[ \t]",
            # a.py again
            r"[ \t](?:as|instead|again|too|first|next|now|below|above|below:|above:|please)$",
            r"^(?i:the|new file:?|file|files|path|module|script)[ \t]",  # file a.py
            # path=a.py
            r"^(?i:path|file|filename|file_path|filepath|target|name|src|source|dest)[=:]",
            # a.py as discussed; a.py, b.py; not `a.c,v`, a file of RCS
            rf"{_ENDING}(?:[ \t]+[^ \t]|[;|+][ \t]*[^ \t]|,[ \t]*[^ \tv]|,[ \t]*v.)",
            # a.py: new; Dockerfile, Makefile
            rf"{_ENDING}(?:[:][ \t]|[`{{\\])|(?:^|/)(?:{_NAMES})[,;:][ \t]",
            r"^(?:in|into|to|at|for)[ \t]",  # in a.py
            r"^(?:[-*+•]|[0-9]+[.)]|[✅✔☑➡→▶👉📄📝🆕])[ \t]",  # - a.py
            rf"{_ENDING}(?:[:,;!?]|\.|\.\.+)$",  # a.py:
            rf"{_ENDING}[^\x00-\x7f]",  # a.pyを
            r":[Ll]?[0-9]+(?:[-–:,][Ll]?[0-9]+)?$|#[Ll][0-9]+",  # a.py:10-20, a.py#L10
            rf"\[\^[^\]]*\]$|{_ENDING}\[[0-9]+\]$",  # a.py[^1]
            r"\\[_*.\[\]()#~>-]",  # my\_file.py
            r"^#{1,6}[ \t]|^%.*%$|^[《〈]|[》〉|]$|[ \t][~=]+$",  # ### a.py, %a.py%, a.py|
            r"^[^()\[\]{}]+[)\]}]$|^[(\[{][^()\[\]{}]*$",  # a.py), [a.py
            r"^[^\x00-\x7f]{8,}$",  # a sentence without blanks: 你需要在这里写入配置
            # a head after a path: two marks with a verb between them
            rf"{_ENDING}[^0-9A-Za-z_ \t./\\()\[\]{{}}-]{{1,2}}"
            r"[ \t]*[a-z]+[ \t]*[^0-9A-Za-z_ \t./\\()-]",
            r"[ \t]?(?:->|=>|→|⇒)[ \t]?",  # a.py -> b.py
            r"&(?:lt|gt|amp|quot|#39);",  # a&amp;b.py
            rf"^{TOKEN_PATTERN}|{TOKEN_PATTERN}$",  # a.py[/INST]
        )
    )
)
# The forms that are reported in a dependency: a remark, or a token at the end.
_REMARKED = compile_pattern(rf"{_ENDING}[ \t]+[^ \t]|[ \t][#(—–-]|{TOKEN_PATTERN}$")  # a.py (new)
# `path/to/a.py`, `your_file.py`, `file.ext`, `[file_path]`, `.../a.py`; not `paths.py`.
_TEMPLATE = compile_pattern(
    r"(?i:(?:^|/)path/to/|^(?:relative|absolute|your|full)[/_-](?:path|file)(?:$|[/_.-])|"
    r"^path[_-]to[_-]|"
    r"^(?:file_?name|file_?path|path|file)\.(?:ext|extension)$|"
    r"^(?:path|file[_-]?path|file[_-]?name)$|"
    r"^[\[{<$]+(?:your[_-]?)?(?:path|file|file[_-]?path|file[_-]?name|target)[\]}>]+$|"
    r"^(?:\.\.\.|…)[/\\]|[/\\](?:\.\.\.|…)(?:$|[/\\]))"
)
_CONTROL_TOKEN = compile_pattern(rf"{TOKEN_PATTERN}$")
# `$ make`, `PS C:\src> make`, `bash: make`; not `$HOME/run`.
_PROMPT = compile_pattern(
    r"(?:[$%#❯➜»]|PS [A-Za-z]:[^>]*>)[ \t]+|"
    r"(?i:bash|sh|shell|zsh|cmd|console|terminal|powershell|command|run):[ \t]+"
)
