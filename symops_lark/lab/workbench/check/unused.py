"""Check: definitions that no text of a document can reach, and rules that refer to themselves."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.grammar.compiling.compiler import STARTS
from ....core.grammar.compiling.dialect_tables import LINE_RULES
from ....exports import list_exports
from ....exports.features import reach
from .report import Finding
from .subject import Subject

READ_MARKS = ("_THOUGHT", "_ACTION", "_TARGET", "_DEPENDS", "_OPEN", "_CLOSE")  # `WrittenDialect.marks` asks for these
VERB_GROUPS = ("_running", "_writing", "_removing")


def find_unused(subject: Subject) -> Iterator[Finding]:
    """A rule or terminal is defined, but no way leads to it from the start rule: Lark drops it without a word."""
    uses = _uses(subject)
    ignored = [word.text for line in subject.statements.directives if line[0].text == "%ignore" for word in line]
    reached = reach(uses, [subject.starts[0], *ignored])
    for name, definition in subject.definitions.items():
        if name in reached:
            continue
        users = sorted(user for user, used in uses.items() if user != name and name in used)
        because = f"only {' and '.join(users)} uses it, which is unused itself" if users else "nothing uses it"
        if not subject.start and name in (*STARTS, *LINE_RULES, *READ_MARKS, *VERB_GROUPS):
            yield subject.note(
                "unused-but-read", f"no text of a document reaches {name}; the library alone reads it", name
            )
            continue
        kind = "terminal" if definition.is_terminal else "rule"
        hint = f"use it in a rule that `{subject.starts[0]}` leads to, or delete it"
        yield subject.warn(f"unused-{kind}", f"the {kind} {name} is dead: {because}", name, hint=hint)


def find_recursion(subject: Subject) -> Iterator[Finding]:
    """A rule leads back to itself: no pattern can be made of it, so valid texts are read slowly."""
    uses = _uses(subject)
    for name, definition in subject.definitions.items():
        if definition.is_terminal or name not in reach(uses, uses[name]):
            continue
        yield subject.warn(
            "recursive-rule",
            f"the rule {name} leads back to itself: it cannot become a pattern, so valid texts are read "
            "slowly; llama.cpp refuses left recursion (by the recognizer of local_inference), and where something "
            f"follows behind the inner one, symops export refuses it for {', '.join(list_exports('constraint'))}",
            name,
            hint="write the repetition with `*` or `+`",
        )


def _uses(subject: Subject) -> dict[str, list[str]]:
    return {name: [word.text for word in definition.uses] for name, definition in subject.definitions.items()}
