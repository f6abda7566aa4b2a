"""Distinguish commands of a shell and sentences, by the program that a line calls."""

from __future__ import annotations

from ..patterns.regexes import compile_pattern

# Programs that models call. Some are English words: "make sure" and "go there" call nothing.
_PROGRAM = compile_pattern(
    r"[ \t]*(?:\$ )?(?:sudo )?(?:"
    r"python[0-9.]*|pip[0-9.]*|pytest|tox|uv|uvx|uvicorn|flask|django-admin|poetry|conda|mypy|ruff|"
    r"black|flake8|node|npm|npx|yarn|pnpm|bun|bunx|deno|tsc|eslint|prettier|vite|jest|vitest|"
    r"go(?= (?:build|run|test|get|mod|install|vet|fmt|generate)(?![a-z]))|cargo|rustc|rustup|"
    r"javac|java|mvn|gradle|dotnet|gcc|clang|cmake|ninja|make(?! sure)|ruby|gem|bundle|rails|rake|"
    r"php|composer|perl|Rscript|R(?= CMD )|docker|docker-compose|podman|kubectl|helm|terraform|"
    r"aws|gcloud|git|gh|apt|apt-get|brew|yum|dnf|apk|systemctl|service|ls|cd|cp|mv|rm|mkdir|rmdir|"
    r"touch|chmod|chown|ln|cat|echo|printf|export|source|sed|awk|grep|tar|zip|unzip|curl|wget|ssh|"
    r"scp|rsync|kill|bash|sh|zsh|psql|mysql|sqlite3|redis-cli|pwd|env|exit|set|sleep|wc|diff|patch"
    r")(?:[ \t;&|].*)?"
)
# These words begin a sentence: they are not names of programs.
_SENTENCE = compile_pattern(
    r"[ \t]*(?:here|now|this|that|it|and|the|next|finally|first|so|also|we|i|you|they|to)"
    r"(?:[ ,']|$).*"
)
# Words without signs of a shell, or commands between backticks.
_WORD = r"(?:[^ \t\n=|&<>$./~\\{}\[\]*`\"@-][^ \t\n=|&<>$./~\\{}\[\]*`\"@]*|`[^`\n]+`[,;]?[:!?]*)"
_WORDS = compile_pattern(rf"[ \t]*[a-z']+,?[:!?]*(?:[ \t]+{_WORD})*(?:\.[.:!?]*)?[ \t]*")

# A line of a shell: it sets a variable, or it begins with a small letter or a sign and does not end
# as a sentence does.
_OF_SHELL = compile_pattern(
    r"[ \t]*(?:\$ )?(?:[A-Z_]+=[^\n]*"
    r"|[a-z_./~(\[{\"$](?:[^\n]*(?:[^\s.:!?,]|[ ./][.]))?[ \t]*)"
)


def calls_program(line: str) -> bool:
    """Return whether the first word of a line is a program that models call.

    Args:
        line: The line.
    """
    return _PROGRAM.fullmatch(line) is not None


def has_only_words(line: str) -> bool:
    """Return whether a line in lower case is a sentence: it has words alone, and calls no program.

    Args:
        line: The line.
    """
    if calls_program(line):
        return False
    return _SENTENCE.fullmatch(line) is not None or _WORDS.fullmatch(line) is not None


def is_of_shell(line: str) -> bool:
    """Return whether a line is one of a shell, and not a sentence in small letters.

    Args:
        line: The line.
    """
    if calls_program(line):
        return True
    return _OF_SHELL.fullmatch(line) is not None and not has_only_words(line)
