"""The type of a check, and what all modules of checks share.

A check is a function that yields the diagnostics of one subject about a document, given the verbs
of the dialect. It does not change the document and does not depend on other checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..document import Action, Document
from ..text.diagnostics import Diagnostic, Severity, make_finding

# The verbs of a dialect by what they do: the keys are "writing", "removing" and "running".
Verbs = Mapping[str, tuple[str, ...]]
Check = Callable[[Document, Verbs], Iterator[Diagnostic]]
# The checks that may report something, each with the part of the document that it is asked about.
Signs = dict[Check, Document]


def warn(code: str, message: str, action: Action, hint: str = "") -> Diagnostic:
    """Return a warning about an action.

    Args:
        code: The code of the diagnostic.
        message: The problem, in lower case and without a full stop.
        action: The action; the diagnostic has its span.
        hint: What to do; empty if there is no advice.
    """
    return make_finding(code, message, action.span, Severity.WARNING, (), hint)
