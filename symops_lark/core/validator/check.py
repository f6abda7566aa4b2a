"""What a check is: a function that yields findings about a document, given the verbs of its dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..document import Action, Document
from ..text.diagnostics import Diagnostic, Severity, make_finding

Verbs = Mapping[str, tuple[str, ...]]
TOKEN_PATTERN = r"(?:<\|[0-9A-Za-z_]+\|>|</?s>|<(?:eos|bos|pad|unk|end_of_turn|start_of_turn)>|\[/?INST\])"
Check = Callable[[Document, Verbs], Iterator[Diagnostic]]
Signs = dict[Check, Document]  # the checks that may find something, each with what it is asked about


def warn(code: str, message: str, action: Action, hint: str = "") -> Diagnostic:
    """Return a warning about an action."""
    return make_finding(code, message, action.span, Severity.WARNING, (), hint)
