"""`check`: what is wrong, dead, ambiguous or not portable in a dialect, for the person who designs it.

A check is one function that takes a `Subject` and yields findings; to add one is to write it and to put it into
`CHECKS`. What the library refuses to compile is explained instead (`diagnosis`); what can be compiled is used (`use`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ....core.formats.grammar import compile_format
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
from .marks import find_divided_blocks, find_mark_collisions, find_similar_marks, find_stale_definitions
from .plain_checks import find_declared_terminals, find_endless_rules
from .portability import find_other_obstacles, find_start_rule, find_unportable_features
from .recovery import find_recovery_faults
from .report import Finding, Report
from .subject import Subject
from .unused import find_recursion, find_unused
from .use import find_breakages

__all__ = ["CHECKS", "Finding", "Report", "Row", "Survey", "check_grammar", "delimiters_of", "survey"]

Check = Callable[[Subject], Iterator[Finding]]
CHECKS: tuple[Check, ...] = (
    find_reduce_conflicts,
    find_shift_conflicts,
    find_collisions,
    find_swallowed_words,
    find_hidden_readings,
    find_shared_beginnings,
    find_opaque_terminals,
    find_unwrapped_alternation,
    find_unused,
    find_recursion,
    find_unportable_features,
    find_start_rule,
    find_other_obstacles,
    find_similar_marks,
    find_divided_blocks,
)


LAWS_OF_DERIVE: tuple[Check, ...] = (find_mark_collisions, find_stale_definitions)  # also for marks set by hand
PLAIN_CHECKS: tuple[Check, ...] = (find_shift_conflicts, find_collisions, find_swallowed_words, find_unused)


def check_grammar(dialect: str | Path | WrittenDialect, *, used: bool = True, start: str = "") -> Report:
    """Examine a dialect, and the recovery grammar beside it: an installed one's name or a path to a `.lark` file.

    The file may be that of a format of another agent: its loader reads it, and its writer writes each verb.

    The file may be a recovery grammar, too: its name ends in `_recovery.lark`. It is `used`, too: the public verbs run
    on texts sampled from it. What its base has alone is not among the findings.

    A grammar with a rule `start` (or another one that is named) and without `document` is not a dialect: Lark compiles
    it first, and then only the checks that make sense for every grammar run.

    Raises `GrammarError` if there is no such file; a grammar that cannot be compiled gives a report that says why.
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
    beside = recovery_grammar(dialect) if refusal is None else dialect
    behind = check_recovery(beside) if beside.path.stem == f"{dialect.name}_recovery" else Report("", (), True)
    used = used and behind.compiles  # else every text would only say again what is wrong with the recovery grammar
    if refusal is None:
        found = _judge(subject, (*CHECKS, *LAWS_OF_DERIVE))
        # The checks explain better what they find. Without an error of theirs, a reader's is the only reason.
        has_error = any(finding.severity is Severity.ERROR for finding in found)
        unserved = None if has_error else find_reader_refusal(subject)
        if unserved is not None:
            found += explain(subject, unserved)
        elif used:
            found += _judge(subject, (find_breakages,))
    else:
        found = explain(subject, refusal)
    places = {(path, line): number for number, (path, line, _) in enumerate(dialect.origins)}
    ordered = sorted(found, key=lambda f: (places.get((f.path, f.line), 0), f.column, f.code, f.message))
    bases, known = _judge_bases(subject) if refusal is None else ((), set())
    fresh = [finding for finding in ordered if _key(finding) not in known]
    return Report(
        dialect.name, (*fresh, *behind.findings), refusal is None and behind.compiles, bases, len(ordered) - len(fresh)
    )


def check_plain(grammar: PlainGrammar) -> Report:
    """Examine a grammar that is not a dialect."""
    subject = Subject(grammar.dialect, grammar.start)
    try:
        _ = grammar.parser
    except GrammarError as refusal:
        return Report(grammar.dialect.name, tuple(explain(subject, refusal)), False)
    checks = PLAIN_CHECKS if grammar.parser.options.parser == "lalr" else (find_unused,)
    found = [*_judge(subject, checks), *(_note_engine(subject, note) for note in grammar.notes)]
    wrong = [*find_declared_terminals(subject, grammar), *find_endless_rules(subject, grammar)]
    found += wrong
    try:
        survives = bool(wrong or draw_plain(grammar, 1).texts)
    except GrammarError as error:
        reason = str(error).removeprefix(f"{grammar.dialect.path}: ")
        found.append(subject.note("not-sampled", f"no texts can be drawn: {reason}", 0))
    else:
        if not survives:
            message = "Lark refuses every text that is drawn from the rules: a terminal hides another one"
            found.append(subject.error("no-valid-sample", message, grammar.start))
    found.sort(key=lambda finding: (finding.line, finding.column, finding.code))
    return Report(grammar.dialect.name, tuple(found), True)


def _note_engine(subject: Subject, note: str) -> Finding:
    return subject.note("read-by-indenter" if "Indenter" in note else "read-by-earley", note, 0)


def _judge_bases(subject: Subject) -> tuple[tuple[str, ...], set[tuple[Path, int, str, str]]]:
    """Return the names of the grammars that a grammar builds on directly, and what is found in them by themselves.

    A derived dialect is judged for what it adds: a finding that its base has alone is no news.
    """
    dialect = subject.dialect
    named = [match[1] for line in dialect.files[0][1].split("\n") if (match := BASE.fullmatch(line))]
    paths = [next(path for path, _ in dialect.files[1:] if path.stem == name) for name in named]
    bases = [Subject(load_grammar(_name_of(path))) for path in paths]
    return tuple(named), {_key(finding) for base in bases for finding in _judge(base)}


def _judge(subject: Subject, checks: tuple[Check, ...] = CHECKS) -> list[Finding]:
    """Return what the checks find; where that takes too many steps, also which of them were not made."""
    found: list[Finding] = []
    waiting = list(checks)
    try:
        with bounded_steps(subject.dialect.path, steps_for(subject.dialect.text), what="checked"):
            while waiting:
                found += waiting[0](subject)
                del waiting[0]
    except TooManyStepsError as error:
        names = ", ".join(check.__name__.removeprefix("find_").replace("_", " ") for check in waiting)
        message = f"{str(error).removeprefix(f'{subject.dialect.path}: ')}; not checked: {names}"
        found.append(
            subject.error("not-checked", message, 0, hint="shorten the rules that repeat or refer to themselves")
        )
    return found


def _name_of(path: Path) -> str | Path:
    """Return the name of an installed grammar, or the path of any other."""
    return path.stem if path.parent == find_folder("grammars") else path


def _key(finding: Finding) -> tuple[Path, int, str, str]:
    return finding.path, finding.line, finding.code, finding.message


def check_format(path: Path, text: str, *, used: bool = True) -> Report:
    """Examine the file of a format: its loader reads it; if `used`, an action of each verb is written and read back."""
    grammar = WrittenDialect(path, text)
    subject = Subject(grammar)
    # The syntax of all grammars is the same, and these findings say more than Lark's error.
    faults = find_written_faults(subject)
    if faults:
        return Report(path.stem, tuple(faults), compiles=False)
    try:
        [format] = make_formats([compile_format(path, text).to_data()]).values()
    except GrammarError as error:
        return Report(path.stem, (_pass_on(error, grammar),), compiles=False)
    found: list[Finding] = []
    unwritable = find_unwritable(format) if used else {}
    for verb, reason in unwritable.items():
        rule = find_rule(format, verb)
        message = f"the rule {rule} cannot be written: {reason}"
        hint = f"replies are read, but `symops convert` and `symops prompt` cannot write {verb}"
        found.append(subject.warn("unwritable-rule", message, rule, hint=hint))
    return Report(path.stem, tuple(found), compiles=True)


def check_recovery(grammar: WrittenDialect) -> Report:
    """Return what is wrong with a recovery grammar; one that cannot be compiled gives a report that says why."""
    try:
        return Report(grammar.name, tuple(find_recovery_faults(grammar)), compiles=True)
    except GrammarError as error:
        cause = error.__cause__
        found = explain(Subject(grammar), cause) if isinstance(cause, Exception) else []
        return Report(grammar.name, tuple(found or [_pass_on(error, grammar)]), compiles=False)


def _pass_on(error: GrammarError, grammar: WrittenDialect) -> Finding:
    """Turn an error into a finding: at the place that its message begins with, else at the beginning of the file."""
    first, *drawn = str(error).split("\n")
    placed = PLACED.match(first)
    if placed is None:
        message = str(error).split(": ", 1)[-1]
        return Finding("broken", Severity.ERROR, message, grammar.path, 1, 1)
    hint = next((line.strip().removeprefix("hint: ") for line in drawn if line.strip().startswith("hint: ")), "")
    before, bar, drawn_line = drawn[0].partition(" | ") if drawn else ("", "", "")
    shown = drawn_line if bar and before.strip().isdigit() else before.strip()
    place = Path(placed["path"]), int(placed["line"]), int(placed["column"])
    return Finding("broken", Severity.ERROR, placed["message"], *place, hint=hint, shown=shown)
