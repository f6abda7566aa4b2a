"""All registries of the package, each with the proof of its members.

`tests/test_registries.py` proves every member. `tests/test_contributing.py` checks that each registry is described.
"""

from __future__ import annotations

from proofs_of_checks import CHECKS
from proofs_of_commands import COMMANDS
from proofs_of_core import GROUP_PASSES, LINE_PASSES, READING_PASSES, RULES
from proofs_of_exports import EXPORTS
from proofs_of_grammar_checks import GRAMMAR_CHECKS
from proofs_of_lab import FORMATS, MEASURES, MISTAKES, SOURCES
from proofs_of_mistakes import RECOVERED, REFUSED
from proofs_of_models import PROVIDERS, VERIFIERS
from registries import Registry

REGISTRIES: tuple[Registry, ...] = (
    CHECKS,
    COMMANDS,
    EXPORTS,
    FORMATS,
    GRAMMAR_CHECKS,
    GROUP_PASSES,
    LINE_PASSES,
    MEASURES,
    MISTAKES,
    PROVIDERS,
    READING_PASSES,
    RECOVERED,
    REFUSED,
    RULES,
    SOURCES,
    VERIFIERS,
)
