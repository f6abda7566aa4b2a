"""Commands and options that the documents' prose, or a message of the program, names are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from symops_lark.adapters.cli import symops

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in (
        "*.md",
        "docs/*.md",
        "grammars/*.md",
        "repair_rules/*.md",
        "examples/*.md",
        "benchmarks/**/README.md",
        "symops_lark/**/README.md",
        "tests/README.md",
        "tests/corpus/README.md",
    )
    for path in ROOT.glob(folder)
)


def prose(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def spans_of_code() -> Iterator[tuple[str, str]]:
    """Yield each command that prose names, or a message of the program: where, and the words between the backticks."""
    for name in DOCUMENTS:
        if name != "CHANGELOG.md":  # it tells what was
            yield from (
                (name, span)
                for span in re.findall(r"`(symops [^`\n]+)`", prose((ROOT / name).read_text(encoding="utf-8")))
            )
    for path in (ROOT / "symops_lark").rglob("*.py"):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        yield from ((name, span) for span in re.findall(r"`(symops [^`\n{\"]+)`", text))


def unknown_words(span: str) -> list[str]:
    """Return the commands and options in a command line that there are not; arguments may be anything."""
    command: click.Command = symops
    words = span.replace("[", " ").replace("]", " ").split()[1:]
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        subcommand = command.get_command(click.Context(command), words[0])
        if subcommand is None:
            return [words[0]]
        command, words = subcommand, words[1:]
    existing = {name for part in command.params for name in (*part.opts, *part.secondary_opts)} | {"--help", "-h"}
    options = (re.match(r"--?[a-zA-Z][a-zA-Z-]*", word) for word in words)
    return [option[0] for option in options if option and option[0] not in existing]


def test_commands_that_prose_names_exist() -> None:
    assert unknown_words("symops proces x") == ["proces"]
    assert unknown_words("symops bench run --sauce openai -f v2") == ["--sauce"]
    assert unknown_words("symops grammar derive v2 --set A='\"b\"' -o FILE") == []
    result = [*spans_of_code()]
    assert len(result) > 150
    items = [f"{name}: `{span}`: {unknown}" for name, span in result if (unknown := unknown_words(span))]
    assert not items, "\n".join(items)
