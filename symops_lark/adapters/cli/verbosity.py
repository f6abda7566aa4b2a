"""Write the logs of the package to standard error: `symops -v`, or the variable SYMOPS_LOG."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import click

VARIABLE = "SYMOPS_LOG"
_LEVELS = ("warning", "info", "debug")


@contextmanager
def logs_written(verbose: int) -> Iterator[None]:
    """Write the events of the loggers below `symops_lark` to standard error on request.

    Args:
        verbose: How often `-v` was given. It goes before the variable.

    Raises:
        UsageError: The variable does not name a level.
    """
    word = os.environ.get(VARIABLE, "").lower()
    if verbose:
        word = _LEVELS[min(verbose, 2)]
    if not word:
        yield
        return
    if word not in _LEVELS:
        raise click.UsageError(f"{VARIABLE}={word}: expected {', '.join(_LEVELS)}")
    # Imported here: most calls write no log.
    import logging

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("symops_lark")
    before = (logger.propagate, logger.handlers, logger.level)
    # `symops serve` has a separate handler at the root: a record would be written twice.
    logger.propagate = False
    logger.handlers = [handler]
    logger.setLevel(word.upper())
    yield
    # Other programs may run the command line in their process, as the tests do.
    logger.propagate, logger.handlers, level = before
    logger.setLevel(level)
