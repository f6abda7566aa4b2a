"""Check the paths of actions: those with other words, and those of templates."""

from __future__ import annotations

from collections.abc import Iterator

from ..document import Action, Document
from ..grammar.codes import DOUBTFUL_PATH, ECHOED_TEMPLATE
from ..ground.file_types import LANGUAGES, NAMES
from ..ground.numbers import quoted
from ..patterns.regexes import compile_pattern, escape
from ..text.diagnostics import Diagnostic
from ..text.source import cut
from .check import Verbs, warn
from .signs import ActionSign, check
from .tags import TOKEN_PATTERN


def _has_odd_name(action: Action, verbs: Verbs) -> bool:
    """Return whether the path of an action, or a dependency, is more than a plain path."""
    # Most commands have blanks: `commands` checks them.
    if action.type in verbs["running"]:
        return False
    path = action.path
    if _PLAIN.fullmatch(path) is None or len(path) > _MAX_PATH or "..." in path:
        return True
    # Each template has one of these words, and most paths do not.
    lowered = path.lower()
    if ("path" in lowered or "file" in lowered) and _TEMPLATE.search(path) is not None:
        return True
    if lowered in _LANGUAGE_NAMES:
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
        paths = [path for path in action.dependencies if _REMARKED.search(cut(path, 0, _MAX_PATH))]
        if _is_doubtful(action.path, action.type in verbs["writing"]):
            paths.insert(0, action.path)
        for path in paths:
            message = f"the path {quoted(path)} does not look like one"
            hint = "write the path alone, without emphasis, link, place or remark"
            yield warn(DOUBTFUL_PATH, message, action, hint)


def _is_doubtful(path: str, is_written: bool) -> bool:
    """Return whether the path of an action is doubtful in itself, and not because of a template."""
    # A folder that is deleted may have the name of a language.
    if is_written and path.lower() in _LANGUAGE_NAMES:
        return True
    beginning = cut(path, 0, _MAX_PATH)
    is_template = _TEMPLATE.search(beginning) is not None
    return not is_template and _DOUBTFUL.search(beginning) is not None


@check(sign=_ODD_NAME)
def check_templates(document: Document, verbs: Verbs) -> Iterator[Diagnostic]:
    """Warn of a path that prompts give as an example, such as `path/to/file.py`."""
    for action in document.actions:
        if action.type in verbs["running"]:
            continue
        if _TEMPLATE.search(cut(action.path, 0, _MAX_PATH)):
            message = f"the path {quoted(action.path)} is that of a template"
            yield warn(ECHOED_TEMPLATE, message, action, "name the file that is meant")


# A path that no check of targets reports, except as a template or the name of a language:
# `src/a.py`, `LICENSE`, `.env`; not `a b.py`, `a.py.`, `a.py:10`.
_PLAIN = compile_pattern(r"/?(?:[0-9A-Za-z_.-]+/)*[0-9A-Za-z_.-]*[0-9A-Za-z-]")
# Files may be called after these, without a suffix.
_FILE_TYPES = ("diff", "INI", "mail", "plain text")
# Names of languages, and suffixes, that files are not called: `python`; not `makefile` or `c`.
_LANGUAGE_NAMES = frozenset(
    name
    for suffix, language in LANGUAGES.items()
    if language not in _FILE_TYPES
    for name in (language.lower(), suffix[1:])
    if len(name) > 1
) - frozenset(name.lower() for name in NAMES)
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
            r"^['*“‘]|['*”’]$",  # 'a.py', *a.py*; not logs/*.txt
            r"\]\(|//",  # [a.py](a.py)
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
            r"[|<>`\"｜]|:{2}|\\",  # "a.py", a::b, my\_file.py
            r"^[A-Za-z]:|^\$\{|^\$[^/]*\.",  # C:/a.py, ${HOME}/a.py, $name.py; not $a/b
            r"^(?:[A-Z]?[a-z]+ ){3,}[a-z]+\.?$",  # the file that you want
            r"^#{1,6}[ \t]|^%.*%$|^[《〈]|[》〉]$|[ \t][~=]+$",  # ### a.py, %a.py%
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
