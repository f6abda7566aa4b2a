"""From a document to a plan: pure, it only looks at a tree, and nothing is ever planned for a path that is refused.

Laws: a change's path lies below the root; the same input gives the same plan; what an action cannot do is a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from os import PathLike

from ...core.document import Action, Document
from ...core.grammar import codes
from ...core.grammar.loading import Format, find_verbs
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Diagnostic, Severity
from ...core.text.source import Span
from ...core.unfinished import read_marks
from ..changes import Change, Decision, Operation, Plan
from ..edits.edits import Shape, edit, encode, other_name, read_text, shape_of, write_whole
from ..files.endings import EditError
from ..files.entries import Entry, Kind
from ..files.paths import check_path, fold, folders_of
from ..files.view import AnyTree, FolderView
from .order import sort_numbers
from .places import Obstacle, Places, find_doubts
from .policy import Policy, decide_change, decide_command, protects
from .warnings import advise, find_warnings

Gate = Callable[[Document, Plan], Iterable[Diagnostic]]  # what else is in the way of a plan, or is to be noted of it
_CREATING = "create"  # of the writing verbs the one that makes a file; the others change one


def plan(
    document: Document, tree: AnyTree, policy: Policy | None = None, gate: Gate | None = None, format: Format = None
) -> Plan:
    """Return what a document does to a folder (a path), or a tree: changes in running order, what is in their way.

    A `gate` sees both; its findings are further conflicts if they are errors, else notes. `format` is the dialect that
    says what verbs do; None: that of the document's name, else v2. Raises `WorkspaceError` if there is no such folder.
    """
    policy, document = policy or Policy(), read_marks(document)
    actions = document.actions
    if len(actions) > policy.max_actions:
        return _too_much(
            actions[policy.max_actions].span,
            f"the document has {counted(len(actions), 'action')}, the limit is {policy.max_actions:,}",
            "split it, or raise the limit `max_actions`",
        )
    dependencies = sum(len(action.dependencies) for action in actions)
    if dependencies > 20 * policy.max_actions:
        return _too_much(
            actions[0].span,
            f"{counted(dependencies, 'dependency', 'dependencies')}, the limit is {20 * policy.max_actions:,}",
            "name only what must come before",
        )
    size = sum(len(action.content or "") for action in actions)
    if size > policy.max_total_bytes:
        return _too_much(
            actions[0].span,
            f"the contents have {counted(size, 'character')}, the limit is {counted(policy.max_total_bytes, 'byte')}",
            "split it, or raise `max_total_bytes`",
        )
    seen = FolderView(tree, policy.max_file_bytes) if isinstance(tree, str | PathLike) else tree
    made = _Planner(document, Places(seen), policy, format).plan()
    if gate is None:
        return made
    said = tuple(gate(document, made))
    conflicts = (each for each in said if each.severity is Severity.ERROR)
    notes = (each for each in said if each.severity is not Severity.ERROR)
    return replace(made, conflicts=(*made.conflicts, *conflicts), notes=(*made.notes, *notes))


def _too_much(span: Span, message: str, hint: str) -> Plan:
    return Plan((), (Diagnostic("too-much", message, span, hint=hint),))


@dataclass(frozen=True, slots=True)
class _Step:
    """An action whose verb and target are sound; `path` is empty for commands."""

    number: int
    action: Action
    operation: Operation
    path: str = ""
    doubts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.path or self.action.path


@dataclass
class _File:
    """What the actions so far make of one file."""

    entry: Entry
    data: bytes | None
    steps: list[_Step] = field(default_factory=list)
    broken: bool = False  # a finding was made: what comes after it says nothing new


class _Planner:
    def __init__(self, document: Document, places: Places, policy: Policy, format: Format) -> None:
        self.document, self.places, self.policy = document, places, policy
        self.verbs = find_verbs(document.dialect, format)
        self.conflicts: list[Diagnostic] = []
        self.notes: list[Diagnostic] = []
        self.files: dict[str, _File] = {}
        self.nowhere: set[int] = set()  # actions with a dependency that does not exist
        self.bytes_left = policy.max_total_bytes
        self.guesses_left = 5  # at what was meant by the name of a missing file: guessing takes time

    def plan(self) -> Plan:
        steps = list(self._steps())
        clashing = set(self._compare_names(steps))
        needs = self._needs(steps)
        self.warnings = find_warnings(self.document, self.nowhere)
        made: dict[int, Change] = {}
        for step in steps:
            if step.number in clashing:
                continue
            change = self._change(step)
            if self.bytes_left < 0:
                self._object(
                    "too-much",
                    step,
                    f"the files have more than {counted(self.policy.max_total_bytes, 'byte')}",
                    "split the document, or raise `max_total_bytes`",
                )
                break
            if change is not None:
                made[step.number] = change
        order, circle = sort_numbers(needs)
        if circle:
            at, by_number = circle.index(min(circle)), {step.number: step for step in steps}
            waiting = [by_number[number] for number in (*circle[at:], *circle[:at], circle[at])]
            self._object(
                codes.CIRCULAR_DEPENDENCY,
                waiting[0],
                "the actions wait for each other: " + " → ".join(step.name for step in waiting),
                "take one of these dependencies out",
            )
        ordered = (
            replace(made[number], needs=tuple(other for other in needs[number] if other in made))
            for number in order
            if number in made
        )
        conflicts = sorted(self.conflicts, key=lambda found: found.span.start)
        return Plan(tuple(ordered), tuple(conflicts), tuple(self.notes))

    # ---- verbs and targets

    def _steps(self) -> Iterator[_Step]:
        for number, action in enumerate(self.document.actions, 1):
            if action.type in self.verbs["running"]:
                yield _Step(number, action, Operation.RUN)
                continue
            checked = check_path(action.path, self.policy.max_path_bytes)
            if action.type in self.verbs["removing"]:
                operation = Operation.DELETE
            elif action.type in self.verbs["writing"]:
                operation = Operation.CREATE if action.type == _CREATING else Operation.REPLACE
            else:
                message = f"nobody knows what {action.type!r} should do"
                self._object(codes.UNKNOWN_VERB, action, message, advise(action.type, self.verbs))
                continue
            if checked.refusal:
                self._object(
                    "unsafe-path",
                    action,
                    f"{action.path[:200]!r} is not used as a path: {checked.refusal}",
                    "write a plain path below the root, with one slash between its parts",
                )
                continue
            step = _Step(number, action, operation, checked.path, checked.doubts)
            if operation is not Operation.DELETE and action.content is None:
                message = f"{action.type} {step.path} has no content block"
                self._object(codes.MISSING_CONTENT, step, message, "an empty file has an empty block")
                continue
            yield step

    def _compare_names(self, steps: list[_Step]) -> Iterator[int]:
        """Find paths that are one path for some systems, or that become file and folder; give the actions' numbers."""
        spelling: dict[str, str] = {}
        kinds: dict[str, Kind] = {}
        for step in steps:
            for here in (*folders_of(step.path), step.path) if step.path else ():
                other = spelling.setdefault(fold(here), here)
                if other != here:
                    self._object(
                        "name-clash",
                        step,
                        f"{here} and {other} are one name where case or the form of characters is ignored",
                        "use one spelling",
                    )
                    yield step.number
                    break
                kind = Kind.FILE if here == step.path else Kind.FOLDER
                if step.operation is not Operation.CREATE and (kind is Kind.FILE or step.operation is Operation.DELETE):
                    continue  # what stands there, or is left of it, is for the tree to say
                if kinds.setdefault(here, kind) is not kind:
                    self._object(
                        "file-and-folder",
                        step,
                        f"{here} is a file for one action and a folder for another",
                        "choose another path for one of them",
                    )
                    yield step.number
                    break

    # ---- files

    def _change(self, step: _Step) -> Change | None:
        if step.operation is Operation.RUN:
            decision, reasons = decide_command(step.action, self.policy, self.warnings.get(step.number, ()))
            return Change(step.number, step.action, step.operation, step.name, decision=decision, reasons=reasons)
        blocked = protects(step.path, self.policy)
        if blocked:  # not even looked at, so that nothing of it is shown
            refused = Decision.REFUSE
            return Change(step.number, step.action, step.operation, step.path, decision=refused, reasons=(blocked,))
        try:
            file = self.files.get(step.path) or self._open(step)
            if file.broken:
                return None
            change = self._make(step, file)
        except (Obstacle, EditError) as error:
            code, lead = (error.code, "") if isinstance(error, Obstacle) else ("edit-does-not-fit", f"{step.path}: ")
            self._object(code, step, f"{lead}{error}", error.hint)
            self.files[step.path] = _File(Entry(Kind.OTHER), None, broken=True)
            return None
        file.steps.append(step)
        return change

    def _open(self, step: _Step) -> _File:
        entry = self.places.find(step.path)
        if entry.kind is Kind.FOLDER:
            raise Obstacle(
                "folder-as-file", f"{step.path} is a folder; {step.action.type} is for files", "name the files in it"
            )
        if entry.kind is Kind.FILE and (entry.data is None or len(entry.data) > self.policy.max_file_bytes):
            too_large = f"has more than {counted(self.policy.max_file_bytes, 'byte')}"
            why = "cannot be read, or is far too large" if entry.data is None else too_large
            raise Obstacle(
                "unreadable-file",
                f"{step.path} {why}, so that nothing could bring it back",
                "change it by hand, or raise `max_file_bytes`",
            )
        self.files[step.path] = file = _File(entry, entry.data)
        return file

    def _make(self, step: _Step, file: _File) -> Change | None:
        """Return the change of one action; None if there is nothing to do."""
        before, doubts, is_whole = file.data, list(step.doubts), False
        self._check_turn(step, file)
        if step.operation is Operation.DELETE:
            after = None
            doubts += find_doubts(file.entry, deleted=True)
            self.places.remove(step.path)
            if step.action.content:
                message = f"the content block of {step.action.type} {step.path} is not used"
                self._note(codes.NEEDLESS_CONTENT, step, message)
        else:
            content = step.action.content or ""
            after = self._write(step, content, before)
            if len(after) > self.policy.max_file_bytes:
                raise Obstacle(
                    "too-much",
                    f"{step.path} would have {counted(len(after), 'byte')}; at most {self.policy.max_file_bytes:,}",
                    "split it, or raise `max_file_bytes`",
                )
            if after == before:
                self._note("nothing-to-do", step, f"{step.path} has this text already")
                return None
            if step.operation is Operation.REPLACE:
                other = other_name(content, step.path)
                doubts += find_doubts(file.entry)
                doubts += [f"the diff is headed by another name, {other[:200]}"] if other else []
                is_whole = shape_of(content, step.path) is Shape.WHOLE
                if file.steps and is_whole:
                    doubts.append(f"it replaces the whole text that action {file.steps[-1].number} left")
        self.bytes_left -= len(before or b"") + len(after or b"")
        new = after.decode() if after is not None else None
        old = _text(before)
        warnings = self.warnings.get(step.number, ())
        decision, reasons = decide_change(
            step.action, step.path, step.operation, old, new, self.policy, doubts, warnings, is_whole=is_whole
        )
        file.data = after
        mode = file.entry.mode
        change = Change(step.number, step.action, step.operation, step.path, before, after, mode)
        return replace(change, decision=decision, reasons=reasons)

    def _check_turn(self, step: _Step, file: _File) -> None:
        """Raise `Obstacle` unless the action makes sense on what the file is by now."""
        path, verb = step.path, step.action.type
        if file.steps and (step.operation is not Operation.REPLACE or file.steps[-1].operation is Operation.DELETE):
            raise Obstacle(
                codes.DUPLICATE_TARGET,
                f"{path} is a target already, of action {file.steps[-1].number}",
                "say once what becomes of a file; only edits may follow",
            )
        if step.operation is not Operation.CREATE and file.data is None:
            folder, _, name = path.rpartition("/")
            self.guesses_left -= 1
            names = list(self.places.names(folder))[:1_000] if self.guesses_left >= 0 else []
            near = get_close_matches(name, names, 1, 0.75)
            there = f"; there is {folder + '/' if folder else ''}{near[0]}" if near else ""
            hint = "delete only what exists" if step.operation is Operation.DELETE else "use `create` for a new file"
            raise Obstacle("missing-file", f"{path} does not exist, so there is nothing to {verb}{there}", hint)

    def _write(self, step: _Step, content: str, before: bytes | None) -> bytes:
        if step.operation is Operation.REPLACE:
            return edit(content, before or b"", step.path)
        if before is None:
            return write_whole(content)
        try:
            after = write_whole(content, before)
        except EditError:
            after = encode(content)
        if before not in (after, encode(content)):
            raise Obstacle(
                "existing-file",
                f"{step.path} exists already, with another text",
                "use `edit` to change it, or choose another path",
            )
        return before

    # ---- order

    def _needs(self, steps: list[_Step]) -> dict[int, tuple[int, ...]]:
        """Return what must come before each action: its dependencies, earlier actions on its file, deletions of what
        is in its place, for a command the files since the command before it, and that command.
        """
        last = {step.path: step.number for step in steps if step.path}
        done: dict[str, int] = {}
        gone: dict[str, list[int]] = {}  # deletions by their files, and by the folders that these are in
        since: list[int] = []
        needs: dict[int, tuple[int, ...]] = {}
        for step in steps:
            before = [done[step.path]] if step.path in done else []
            if step.operation is Operation.CREATE:
                before += gone.get(step.path, [])
                before += [done[folder] for folder in folders_of(step.path) if folder in done]
            for name in step.action.dependencies:
                path = name.removeprefix("./")
                if path == step.path:  # of itself: the actions on it before this one
                    before.append(done.get(path, step.number))
                elif path in last:
                    before.append(last[path])
                else:
                    self._look_for(step, path)
            if step.operation is Operation.DELETE:
                for place in (step.path, *folders_of(step.path)):
                    gone.setdefault(place, []).append(step.number)
            if step.path:
                done[step.path] = step.number
                since.append(step.number)
            else:
                before += since
                since = [step.number]
            needs[step.number] = tuple(dict.fromkeys(before))
        return needs

    def _look_for(self, step: _Step, path: str) -> None:
        """Note a dependency that is nowhere."""
        if not check_path(path, self.policy.max_path_bytes).refusal and not protects(path, self.policy):
            try:
                if self.places.holds(path):
                    return
            except Obstacle:
                pass
        self.nowhere.add(step.number)
        self._note(
            codes.DANGLING_DEPENDENCY,
            step,
            f"{step.name} depends on {path[:200]!r}, which is neither here nor made by this document",
            Severity.WARNING,
        )

    # ---- findings

    def _object(self, code: str, at: _Step | Action, message: str, hint: str) -> None:
        action = at.action if isinstance(at, _Step) else at
        self.conflicts.append(Diagnostic(code, message, action.span, hint=hint))

    def _note(self, code: str, step: _Step, message: str, severity: Severity = Severity.NOTE) -> None:
        self.notes.append(Diagnostic(code, message, step.action.span, severity))


def _text(data: bytes | None) -> str | None:
    """Return the text of a file, or None where there is none."""
    try:
        return read_text(data) if data is not None else None
    except EditError:
        return None
