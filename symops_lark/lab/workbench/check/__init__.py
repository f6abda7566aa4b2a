"""`symops grammar check`: what is wrong, unused, ambiguous or not portable in a grammar.

A check is a function that yields findings about a `Subject`. To add one, write it and put it into
`CHECKS`. If the library refuses to compile a grammar, the reasons are explained (`diagnosis`); if
it compiles, the dialect is used (`use`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ....core.formats.grammar import compile_format, find_attacks
from ....core.formats.loading import find_rule, make_formats
from ....core.grammar.agent_formats import is_format
from ....core.grammar.compiling.bounds import TooManyStepsError, bounded_steps, steps_for
from ....core.grammar.compiling.compiler import WrittenDialect
from ....core.grammar.compiling.statements import BASE
from ....core.grammar.loading import load_grammar, recovery_grammar
from ....core.ground.errors import GrammarError
from ....core.ground.resources import find_folder
from ....core.text.diagnostics import Severity
from ....models.prompts.agent_formats import find_unwritable
from ..plain import PlainGrammar, find_start
from ..sample import draw_plain
from .alternation import find_unwrapped_alternation
from .collisions import (
    find_collisions,
    find_hidden_readings,
    find_opaque_terminals,
    find_shared_beginnings,
    find_swallowed_words,
)
from .conflicts import find_reduce_conflicts, find_shift_conflicts
from .delimiters import Row, Survey, delimiters_of, survey
from .diagnosis import PLACED, explain, find_reader_refusal, find_refusal, find_written_faults
from .marks import (
    find_divided_blocks,
    find_mark_collisions,
    find_similar_marks,
    find_stale_definitions,
    find_word_marks,
)
from .plain_checks import find_declared_terminals, find_endless_rules
from .portability import find_other_obstacles, find_start_rule, find_unportable_features
from .recovery import find_recovery_faults
from .report import Finding, Report
from .sets import find_nested_sets
from .subject import Subject
from .unused import find_recursion, find_unused
from .use import find_breakages

__all__ = [
    "CHECKS",
    "Finding",
    "Report",
    "Row",
    "Survey",
    "check_grammar",
    "delimiters_of",
    "survey",
]

Check = Callable[[Subject], Iterator[Finding]]
_Key = tuple[Path, int, str, str]  # the place, the code and the message of a finding
CHECKS: tuple[Check, ...] = (
    find_reduce_conflicts,
    find_shift_conflicts,
    find_collisions,
    find_swallowed_words,
    find_hidden_readings,
    find_shared_beginnings,
    find_opaque_terminals,
    find_unwrapped_alternation,
    find_nested_sets,
    find_unused,
    find_recursion,
    find_unportable_features,
    find_start_rule,
    find_other_obstacles,
    find_similar_marks,
    find_divided_blocks,
    find_word_marks,
)


# `symops grammar derive` prevents these faults, but marks may have been changed by hand.
LAWS_OF_DERIVE: tuple[Check, ...] = (find_mark_collisions, find_stale_definitions)
# The checks that make sense for grammars that are not dialects.
PLAIN_CHECKS: tuple[Check, ...] = (
    find_shift_conflicts,
    find_collisions,
    find_swallowed_words,
    find_nested_sets,
    find_unused,
)


def check_grammar(
    dialect: str | Path | WrittenDialect, *, used: bool = True, start: str = ""
) -> Report:
    """Examine a grammar: a dialect with its recovery grammar, a format, or any grammar of Lark.

    A file whose name ends in `_recovery.lark` is a recovery grammar. A format of another agent is
    loaded, and its writer writes each verb. A grammar with a rule `start` (or the named start rule)
    and without `document` is not a dialect: Lark compiles it, and only the checks for all grammars
    are run. Findings that the base of a grammar has alone are left out.

    Raises `GrammarError` if the file does not exist. If a grammar cannot be compiled, the report
    has the reason.

    Args:
        dialect: The name of a built-in grammar, a path to a `.lark` file, or a loaded grammar.
        used: Whether the public functions are run on texts that are sampled from the dialect.
        start: The start rule of a grammar that is not a dialect; empty: the usual one.
    """
    dialect = load_grammar(dialect)
    path, text = dialect.files[0]
    if not start and is_format(text):
        return check_format(path, text, used=used)
    if dialect.name.endswith("_recovery"):
        return check_recovery(dialect)
    start = find_start(dialect, start)
    if start:
        return check_plain(PlainGrammar(dialect, start))
    subject = Subject(dialect)
    refusal = find_refusal(subject)
    recovery = _check_own_recovery(dialect) if refusal is None else Report("", (), True)
    if refusal is not None:
        findings = explain(subject, refusal)
    else:
        # With a wrong recovery grammar, each text would only show the same error again.
        findings = _check_compiled(subject, used and recovery.compiles)
    findings.sort(key=_order_in(dialect))
    bases: tuple[str, ...] = ()
    inherited: set[_Key] = set()
    if refusal is None:
        bases, inherited = _judge_bases(subject)
    own_findings = [finding for finding in findings if _key(finding) not in inherited]
    return Report(
        dialect.name,
        (*own_findings, *recovery.findings),
        refusal is None and recovery.compiles,
        bases,
        len(findings) - len(own_findings),
    )


def _check_own_recovery(dialect: WrittenDialect) -> Report:
    """Examine the recovery grammar beside a dialect; it may also be that of its family."""
    recovery = recovery_grammar(dialect)
    if recovery.path.stem == f"{dialect.name}_recovery":
        return check_recovery(recovery)
    return Report("", (), True)


def _check_compiled(subject: Subject, used: bool) -> list[Finding]:
    """Return the findings of the checks, of the readers, and of the use of a dialect."""
    findings = _judge(subject, (*CHECKS, *LAWS_OF_DERIVE))
    # The checks explain their findings better. Without an error of theirs, a reader's error is the
    # only reason.
    if not any(finding.severity is Severity.ERROR for finding in findings):
        refusal = find_reader_refusal(subject)
        if refusal is not None:
            return findings + explain(subject, refusal)
    if used:
        findings += _judge(subject, (find_breakages,))
    return findings


def _order_in(dialect: WrittenDialect) -> Callable[[Finding], tuple[int, int, str, str]]:
    """Return the key that sorts findings by their places; a grammar may have several files."""
    places = {}
    for number, (path, line, _) in enumerate(dialect.origins):
        places[path, line] = number

    def key(finding: Finding) -> tuple[int, int, str, str]:
        place = places.get((finding.path, finding.line), 0)
        return place, finding.column, finding.code, finding.message

    return key


def check_plain(grammar: PlainGrammar) -> Report:
    """Examine a grammar that is not a dialect."""
    subject = Subject(grammar.dialect, grammar.start)
    try:
        _ = grammar.parser
    except GrammarError as refusal:
        return Report(grammar.dialect.name, tuple(explain(subject, refusal)), False)
    # Earley has no tables, so it has neither conflicts nor a lexer with states.
    checks = (
        PLAIN_CHECKS if grammar.parser.options.parser == "lalr" else (find_nested_sets, find_unused)
    )
    findings = _judge(subject, checks)
    findings += [_note_engine(subject, note) for note in grammar.notes]
    errors = [*find_declared_terminals(subject, grammar), *find_endless_rules(subject, grammar)]
    findings += errors
    try:
        # An error above is the reason why there are no samples.
        has_samples = bool(errors or draw_plain(grammar, 1).texts)
    except GrammarError as error:
        reason = str(error).removeprefix(f"{grammar.dialect.path}: ")
        findings.append(subject.note("not-sampled", f"no texts can be drawn: {reason}", 0))
    else:
        if not has_samples:
            message = (
                "Lark refuses every text that is drawn from the rules: a terminal hides another one"
            )
            findings.append(subject.error("no-valid-sample", message, grammar.start))
    findings.sort(key=lambda finding: (finding.line, finding.column, finding.code))
    return Report(grammar.dialect.name, tuple(findings), True)


def _note_engine(subject: Subject, note: str) -> Finding:
    return subject.note("read-by-indenter" if "Indenter" in note else "read-by-earley", note, 0)


def _judge_bases(subject: Subject) -> tuple[tuple[str, ...], set[_Key]]:
    """Return the names of the grammars that a grammar directly builds on, and their findings.

    A derived dialect is judged by its additions: findings that a base has alone are left out.
    """
    paths = {path.stem: path for path, _ in reversed(subject.dialect.files[1:])}
    names = []
    keys: set[_Key] = set()
    for line in subject.dialect.files[0][1].split("\n"):
        match = BASE.fullmatch(line)
        if match:
            name = match[1]
            names.append(name)
            base = Subject(load_grammar(_name_of(paths[name])))
            keys.update(map(_key, _judge(base)))
    return tuple(names), keys


def _judge(subject: Subject, checks: tuple[Check, ...] = CHECKS) -> list[Finding]:
    """Return the findings of some checks; after too many steps, also which are missing."""
    findings: list[Finding] = []
    pending = list(checks)
    try:
        with bounded_steps(subject.dialect.path, steps_for(subject.dialect.text), what="checked"):
            while pending:
                findings += pending[0](subject)
                del pending[0]
    except TooManyStepsError as error:
        names = [check.__name__.removeprefix("find_").replace("_", " ") for check in pending]
        reason = str(error).removeprefix(f"{subject.dialect.path}: ")
        message = f"{reason}; not checked: {', '.join(names)}"
        hint = "shorten the rules that repeat or refer to themselves"
        findings.append(subject.error("not-checked", message, 0, hint=hint))
    return findings


def _name_of(path: Path) -> str | Path:
    """Return the name of a built-in grammar, or the path of any other one."""
    return path.stem if path.parent == find_folder("grammars") else path


def _key(finding: Finding) -> _Key:
    return finding.path, finding.line, finding.code, finding.message


def check_format(path: Path, text: str, *, used: bool = True) -> Report:
    """Examine the file of a format.

    Args:
        path: The path of the file.
        text: The content of the file.
        used: Whether an action of each verb is written and read again.
    """
    grammar = WrittenDialect(path, text)
    subject = Subject(grammar)
    # The syntax of all grammars is the same, and these findings are clearer than Lark's error.
    faults = find_written_faults(subject)
    if faults:
        return Report(path.stem, tuple(faults), compiles=False)
    try:
        compiled = compile_format(path, text)
        [format] = make_formats([compiled.to_data()]).values()
    except GrammarError as error:
        return Report(path.stem, (_pass_on(error, grammar),), compiles=False)
    findings = []
    for rule, attack in find_attacks(compiled):
        message = f"the rule {rule} takes long: on the text {attack}, {attack.growth}"
        hint = "write it so that each text can be read in one way only"
        findings.append(subject.warn("slow-rule", message, rule, hint=hint))
    unwritable = find_unwritable(format) if used else {}
    for verb, reason in unwritable.items():
        rule = find_rule(format, verb)
        message = f"the rule {rule} cannot be written: {reason}"
        hint = f"replies are read, but `symops convert` and `symops prompt` cannot write {verb}"
        findings.append(subject.warn("unwritable-rule", message, rule, hint=hint))
    return Report(path.stem, tuple(findings), compiles=True)


def check_recovery(grammar: WrittenDialect) -> Report:
    """Examine a recovery grammar; if it cannot be compiled, the report has the reason."""
    try:
        return Report(grammar.name, tuple(find_recovery_faults(grammar)), compiles=True)
    except GrammarError as error:
        cause = error if isinstance(error.__cause__, OSError) else error.__cause__
        # With a start rule, because only a dialect has marks and verbs.
        subject = Subject(grammar, "document")
        findings = explain(subject, cause) if isinstance(cause, Exception) else []
        # The loader of recovery grammars refuses more than Lark.
        if not findings:
            findings = [_pass_on(error, grammar)]
        return Report(grammar.name, tuple(findings), compiles=False)


def _pass_on(error: GrammarError, grammar: WrittenDialect) -> Finding:
    """Return an error as a finding, at its place or at the beginning of the file."""
    first, *excerpt = str(error).split("\n")
    match = PLACED.match(first)
    if match is None:
        message = str(error).split(": ", 1)[-1]
        return Finding("broken", Severity.ERROR, message, grammar.path, 1, 1)
    hint = ""
    for line in excerpt:
        if not hint and line.strip().startswith("hint: "):
            hint = line.strip().removeprefix("hint: ")
    # A line of an excerpt may have its number and a bar before it.
    number, bar, content = excerpt[0].partition(" | ") if excerpt else ("", "", "")
    source = content if bar and number.strip().isdigit() else number.strip()
    place = (Path(match["path"]), int(match["line"]), int(match["column"]))
    return Finding("broken", Severity.ERROR, match["message"], *place, hint=hint, source=source)
