"""Names that a shell completes as values of options: dialects, formats, providers, tasks.

A shell asks at each press of a key, so nothing is compiled: names of files are enough.
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

    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        # The last one of a list with commas is completed.
        before, comma, last = typed.rpartition(",")
        names = sorted({name for name in find_names() if name.startswith(last)})
        items = [CompletionItem(before + comma + name) for name in names]
        return [*items, CompletionItem(typed, type="file")]

    return complete


def find_dialects() -> Iterable[str]:
    """Return the names of the installed dialects."""
    from ...core.grammar.loading import dialects

    return dialects()


def find_formats() -> Iterable[str]:
    """Return the names of the installed dialects and of the formats of other agents."""
    from ...core.grammar.loading import dialects
    from ...core.ground.resources import find_folder

    # By their files: loading them would read the tables of all.
    others = (find_folder("grammars") / "formats").glob("*.lark")
    return ["auto", *dialects(), *(path.stem for path in others)]


def find_providers() -> Iterable[str]:
    """Return the names of the providers of models."""
    from ...models import PROVIDERS

    return PROVIDERS


def find_sources() -> Iterable[str]:
    """Return the sources of replies of the benchmark; a model follows the colon after a provider."""
    return ["faults", "local-model", *(f"{name}:" for name in find_providers())]


def find_tasks() -> Iterable[str]:
    """Return the names of the tasks of the benchmark."""
    from ...core.ground.resources import find_folder

    return [path.stem for path in find_folder("benchmarks/tasks").rglob("*.md") if path.stem != "README"]
