"""Checks of what actions name: paths that swallowed words, echoed templates, commands with a model's tokens."""

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


def _names_something_odd(action: Action) -> bool:
    """Return whether the path of an action, or a dependency, is more than a plain path."""
    path = action.path
    if _PLAIN.fullmatch(path) is None or len(path) > _LONGEST or "..." in path:
        return True
    lowered = path.lower()
    if ("path" in lowered or "file" in lowered) and _TEMPLATE.search(path) is not None:
        return True
    needs = action.dependencies
    return bool(needs) and any(_PLAIN.fullmatch(needed) is None for needed in needs)


_ODD_NAME = ActionSign(_names_something_odd)


@check(sign=_ODD_NAME)
def check_paths(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A path that looks emphasised, linked or remarked upon, or that swallowed words, is doubtful."""
    for action in document.actions:
        runs = action.type in verbs["running"]
        named = [] if runs else [(action.path, _DOUBTFUL), *((path, _REMARKED) for path in action.dependencies)]
        for path, pattern in named:
            if not pattern.search(cut(path, 0, _LONGEST)):
                continue
            message = f"the path {quoted(path)} does not look like one"
            yield warn(DOUBTFUL_PATH, message, action, "write the path alone, without emphasis, link, place or remark")


@check(sign=_ODD_NAME)
def check_templates(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A path that prompts give as an example is no path."""
    for action in document.actions:
        if action.type not in verbs["running"] and _TEMPLATE.search(cut(action.path, 0, _LONGEST)):
            message = f"the path {quoted(action.path)} is that of a template"
            yield warn(ECHOED_TEMPLATE, message, action, "name the file that is meant")


@check(sign=_ODD_NAME)
def check_commands(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A command that ends with a control token of a model, or begins with a prompt or a label, is doubtful."""
    for action in document.actions:
        if action.type not in verbs["running"]:
            continue
        if found := _CONTROL_TOKEN.search(action.path):
            message = f"the command ends with {quoted(found[0])}, which looks like a control token of the model"
        elif found := _PROMPT.match(action.path):
            message = f"the command begins with {quoted(found[0])}, as a terminal shows it"
        else:
            continue
        hint = "take it out unless the shell is to see it"
        yield warn(DOUBTFUL_COMMAND, message, action, hint)


@check(sign=_ODD_NAME)
def check_heredocs(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """A command that opens a here-document wants further lines, and no command has any."""
    for action in document.actions:
        found = _HEREDOC.search(action.path) if action.type in verbs["running"] else None
        if found:
            message = f"the command opens a here-document with {quoted(found[0])}, whose lines are not part of it"
            hint = "write the file by an action of its own, and run the command without the here-document"
            yield warn(HERE_DOCUMENT, message, action, hint)


_PLAIN = compile_pattern(r"/?(?:[0-9A-Za-z_.-]+/)*[0-9A-Za-z_.-]*[0-9A-Za-z-]")
_HEREDOC = compile_pattern(r"(?<!<)<<-?[ \t]*(?:[A-Za-z_]+|'[A-Za-z_]+'|\"[A-Za-z_]+\")(?=[ \t;|&>]|\Z)")
_LONGEST = 1_024  # characters of a path that are looked at
_ENDING = rf"(?:{'|'.join(escape(suffix) for suffix in sorted(LANGUAGES, key=lambda known: -len(known)))})"
_NAMES = "|".join(escape(name) for name in sorted(NAMES))
_DOUBTFUL = compile_pattern(
    "|".join(
        (
            r"^_+[^_].*[./].*[^_]_+$",  # _a.py_
            r"^[\[({<].*[./].*[\])}>]$|^\[[^\[\]]*\]$",  # [a.py], [LICENSE]
            r"^[\"'`*“‘]|[\"'`*”’]$",  # "a.py"
            r"\]\(|<!--|//",  # [a.py](a.py)
            r"[ \t][#(—–-]",  # a.py (new)
            r"[ \t](?:and|with|the|for|to|from|is|as|because|so|if|that|which|using|via|see|depends|needs)[ \t]",
            r"[ \t](?:as|instead|again|too|first|next|now|below|above|below:|above:|please)$",
            r"^(?i:the|new file:?|file|files|path|module|script)[ \t]",  # file a.py
            r"^(?i:path|file|filename|file_path|filepath|target|name|src|source|dest)[=:]",  # path=a.py
            rf"{_ENDING}(?:[ \t]+[^ \t]|[;|+][ \t]*[^ \t]|,[ \t]*[^ \tv]|,[ \t]*v.)",  # a.py as discussed; a.py, b.py
            rf"{_ENDING}(?:[:][ \t]|[`{{\\])|(?:^|/)(?:{_NAMES})[,;:][ \t]",  # a.py: new; Dockerfile, Makefile
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
            rf"{_ENDING}[^0-9A-Za-z_ \t./\\()\[\]{{}}-]{{1,2}}[ \t]*[a-z]+[ \t]*[^0-9A-Za-z_ \t./\\()-]",
            r"[ \t]?(?:->|=>|→|⇒)[ \t]?",  # a.py -> b.py
            r"&(?:lt|gt|amp|quot|#39);",
            rf"^{TOKEN_PATTERN}|{TOKEN_PATTERN}$",  # a.py[/INST]
        )
    )
)
_REMARKED = compile_pattern(rf"{_ENDING}[ \t]+[^ \t]|[ \t][#(—–-]|{TOKEN_PATTERN}$")  # a.py (new)
_TEMPLATE = compile_pattern(
    r"(?i:(?:^|/)path/to/|^(?:relative|absolute|your|full)[/_-](?:path|file)(?:$|[/_.-])|^path[_-]to[_-]|"
    r"^(?:file_?name|file_?path|path|file)\.(?:ext|extension)$|^(?:path|file[_-]?path|file[_-]?name)$|"
    r"^[\[{<$]+(?:your[_-]?)?(?:path|file|file[_-]?path|file[_-]?name|target)[\]}>]+$|^(?:\.\.\.|…)[/\\]|[/\\](?:\.\.\.|…)(?:$|[/\\]))"
)
_CONTROL_TOKEN = compile_pattern(rf"{TOKEN_PATTERN}$")
_PROMPT = compile_pattern(
    r"(?:[$%#❯➜»]|PS [A-Za-z]:[^>]*>)[ \t]+|(?i:bash|sh|shell|zsh|cmd|console|terminal|powershell|command|run):[ \t]+"
)
