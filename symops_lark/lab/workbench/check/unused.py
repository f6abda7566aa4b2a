"""Check: definitions that no text of a document can reach, and rules that refer to themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.grammar.compiling.compiler import STARTS
from ....core.grammar.compiling.dialect_tables import LINE_RULES
from ....core.grammar.compiling.statements import reach
from ....exports import list_exports
from .report import Finding
from .subject import Subject

# `WrittenDialect.marks` requires these.
READ_MARKS = ("_THOUGHT", "_ACTION", "_TARGET", "_DEPENDS", "_OPEN", "_CLOSE")
VERB_GROUPS = ("_running", "_writing", "_removing")
# They are read line by line, or only from the grammar.
_READ_BY_LIBRARY = frozenset((*STARTS, *LINE_RULES, *READ_MARKS, *VERB_GROUPS))


def find_unused(subject: Subject) -> Iterator[Finding]:
    """No way leads from the start rule to a rule or terminal: Lark silently drops it."""
    uses = _uses(subject)
    starts = [subject.starts[0]]
    for line in subject.statements.directives:
        if line[0].text == "%ignore":
            starts += [word.text for word in line]
    reached = reach(uses, starts)
    for name, definition in subject.definitions.items():
        if name in reached:
            continue
        # In a grammar that is not a dialect, these names mean nothing.
        if not subject.start and name in _READ_BY_LIBRARY:
            message = f"no text of a document reaches {name}; the library alone reads it"
            yield subject.note("unused-but-read", message, name)
            continue
        users = [user for user, names in uses.items() if user != name and name in names]
        reason = "nothing uses it"
        if users:
            reason = f"only {' and '.join(sorted(users))} uses it, which is unused itself"
        kind = "terminal" if definition.is_terminal else "rule"
        message = f"the {kind} {name} is dead: {reason}"
        hint = f"use it in a rule that `{subject.starts[0]}` leads to, or delete it"
        yield subject.warn(f"unused-{kind}", message, name, hint=hint)


def find_recursion(subject: Subject) -> Iterator[Finding]:
    """A rule leads back to itself: it cannot become a pattern, so valid texts are read slowly."""
    uses = _uses(subject)
    for name, definition in subject.definitions.items():
        # A recursive terminal does not compile.
        if definition.is_terminal or name not in reach(uses, uses[name]):
            continue
        exports = ", ".join(list_exports("constraint"))
        yield subject.warn(
            "recursive-rule",
            f"the rule {name} leads back to itself: it cannot become a pattern, so valid texts are "
            "read slowly; llama.cpp refuses left recursion (by the recognizer of local_inference), "
            "and where something follows the inner one, symops export refuses it for "
            f"{exports}",
            name,
            hint="write the repetition with `*` or `+`",
        )


def _uses(subject: Subject) -> dict[str, list[str]]:
    """Return the names in each definition."""
    uses = {}
    for name, definition in subject.definitions.items():
        uses[name] = [word.text for word in definition.uses]
    return uses
