"""Complete the values of options in a shell: dialects, formats, providers, tasks.

A shell asks at each press of a key, so nothing is compiled: the names of files are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

Find = Callable[[], Iterable[str]]
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def complete_from(find_names: Find) -> Complete:
    """Return the function that completes names, and files as well.

    Args:
        find_names: Returns the names.
    """

    def complete(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
        # Only the last name of a list with commas is completed.
        before, comma, last = typed.rpartition(",")
        names = sorted(set(find_names()))
        items = [CompletionItem(before + comma + n) for n in names if n.startswith(last)]
        return [*items, CompletionItem(typed, type="file")]

    return complete


def find_dialects() -> Iterable[str]:
    """Return the names of the installed dialects."""
    from ...core.grammar.loading import dialects

    return dialects()


def find_formats() -> Iterable[str]:
    """Return the names of the installed dialects and of the formats of other agents."""
    from ...core.ground.resources import find_folder

    # By their files: loading them would read the tables of all.
    files = (find_folder("grammars") / "formats").glob("*.lark")
    return ["auto", *find_dialects(), *(path.stem for path in files)]


def find_providers() -> Iterable[str]:
    """Return the names of the providers of models."""
    from ...models import PROVIDERS

    return PROVIDERS


def find_sources() -> Iterable[str]:
    """Return the sources of replies of the benchmark."""
    # After the colon of a provider the user types a model.
    return ["faults", "local-model", *map("{}:".format, find_providers())]


def find_tasks() -> Iterable[str]:
    """Return the names of the tasks of the benchmark."""
    from ...core.ground.resources import find_folder

    # The README explains the folder.
    files = find_folder("benchmarks/tasks").rglob("*.md")
    return (path.stem for path in files if path.stem != "README")
