"""Turn the steps of one document into changes: follow each file through the actions on it.

`planning.plan` is the public function; it checks the size of the document first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from ...core.document import Document
from ...core.edits import Edited
from ...core.edits.notations import ranges
from ...core.edits.reading import WHOLE_TEXT
from ...core.grammar import codes
from ...core.grammar.agent_formats import is_agent_format
from ...core.grammar.loading import Format, find_verbs
from ...core.ground.numbers import counted
from ...core.text.diagnostics import Severity
from ..changes import Change, Decision, Operation, Plan
from ..files.entries import Entry, Kind
from ..files.paths import check_path
from ..files.texts import EditedFile, EditError, edit_file, write_whole
from .contents import (
    Shown,
    adds_file,
    checked_source,
    create_again,
    decode,
    has_changed,
    move_file,
    text_of,
)
from .order import Needs, find_needs, sort_numbers
from .patches import Patches
from .places import Obstacle, Places, find_doubts
from .policy import Policy, decide_change, decide_command, protects, trusts
from .report import Report
from .steps import Step, find_clashes, read_steps
from .warnings import find_warnings

# Guesses at the file that a missing name stands for. `difflib` takes about a millisecond for a long
# folder, and a document with hundreds of missing files has another problem.
_MAX_GUESSES = 5
_MAX_GUESSED_NAMES = 1_000  # names of a folder that a guess compares
_MIN_LIKENESS = 0.75  # of a guess, 0 to 1: `utls.py` for `utils.py`, not `b.py` for `a.py`
# A reason to ask: that the file exists may be a surprise.
_ONE_VERB = "it replaces the whole file: its format has no other verb for new files"
_MAX_SHOWN = 200  # characters of a path that a message shows


@dataclass
class _File:
    """A file as the steps so far leave it.

    Attributes:
        entry: The entry of the tree.
        data: The bytes now, None if there is no file.
        steps: The steps on it so far.
        is_broken: A conflict was reported: later steps on it would only repeat that.
    """

    entry: Entry
    data: bytes | None
    steps: list[Step] = field(default_factory=list)
    is_broken: bool = False


class Planner:
    """Makes the plan of one document.

    Args:
        document: The document, with its marks of unfinished work read.
        places: The tree.
        policy: The policy.
        format: The dialect that defines the verbs. None: that of the document, else v2.
        patches: The actions that came from one patch.
        shown: The texts of files that the model saw, by path.
        above: What comes before each path where the policy's globs are matched, too.
    """

    def __init__(
        self,
        document: Document,
        places: Places,
        policy: Policy,
        format: Format,
        patches: Patches,
        shown: Shown,
        above: str = "",
    ) -> None:
        self.document = document
        self.patches = patches
        self.shown = shown
        self.above = above
        self.places = places
        self.policy = policy
        self.verbs = find_verbs(document.dialect, format)
        # Tools of other agents write a file whether or not it exists.
        self.writes_over = is_agent_format(format or document.dialect)
        self.report = Report()
        self.files: dict[str, _File] = {}
        self.nowhere: set[int] = set()  # numbers of actions with a dependency that does not exist
        self.bytes_left = policy.max_total_bytes  # for all files, before and after
        self.guesses_left = _MAX_GUESSES

    def plan(self) -> Plan:
        """Return the changes in running order, with conflicts and notes."""
        actions = self.document.actions
        steps = list(read_steps(actions, self.verbs, self.policy.max_path_bytes, self.report))
        clashing = find_clashes(steps, self.report)
        needs = find_needs(steps, self._look_for)
        # Only after the search for needs is it clear which dependencies the tree does not have.
        self.warnings = self.patches.share(find_warnings(self.document, self.nowhere))
        changes = {}
        for step in steps:
            if step.number in clashing:
                continue
            change = self._change(step)
            if self.bytes_left < 0:
                limit = counted(self.policy.max_total_bytes, "byte")
                self.report.add_conflict(
                    "too-much",
                    step.action,
                    f"the files have more than {limit}",
                    "split the document, or raise `max_total_bytes`",
                )
                break
            if change is not None:
                changes[step.number] = change
        ordered = self._sort(steps, needs, changes)
        conflicts = sorted(self.report.conflicts, key=lambda conflict: conflict.span.start)
        return Plan(ordered, tuple(conflicts), tuple(self.report.notes))

    def _sort(
        self, steps: Sequence[Step], needs: Needs, changes: Mapping[int, Change]
    ) -> tuple[Change, ...]:
        """Return the changes in running order; report a circle of dependencies."""
        order, circle = sort_numbers(needs)
        if circle:
            # Begin with the action that is written first, and end with it again.
            first = circle.index(min(circle))
            rotated = (*circle[first:], *circle[:first], circle[first])
            steps_by_number = {step.number: step for step in steps}
            waiting = [steps_by_number[number] for number in rotated]
            self.report.add_conflict(
                codes.CIRCULAR_DEPENDENCY,
                waiting[0].action,
                "the actions wait for each other: " + " → ".join(step.name for step in waiting),
                "take one of these dependencies out",
            )
        # Steps without a change (nothing to do, or a conflict) are not waited for.
        ordered = []
        for number in order:
            if number in changes:
                existing = tuple(need for need in needs[number] if need in changes)
                ordered.append(replace(changes[number], needs=existing))
        return tuple(ordered)

    def _change(self, step: Step) -> Change | None:
        """Return the change of a step; None if there is a conflict or nothing to do."""
        together = self.patches.groups.get(step.number, ())
        change = Change(step.number, step.action, step.operation, step.name, together=together)
        if step.operation is Operation.RUN:
            warnings = self.warnings.get(step.number, ())
            decision, reasons = decide_command(step.action, self.policy, warnings)
            return replace(change, decision=decision, reasons=reasons)
        source = self.patches.sources.get(step.number, "")
        protection = self._protects(step.path) or self._protects(source)
        if protection:
            # The file is not even looked at, so that no message shows a part of it.
            return replace(change, decision=Decision.REFUSE, reasons=(protection,))
        try:
            file = self.files.get(step.path) or self._open(step)
            if file.is_broken:
                return None
            result = self._apply(step, file, change)
        except Obstacle as error:
            self.report.add_conflict(error.code, step.action, str(error), error.hint)
        except EditError as error:
            message = f"{step.path}: {error}"
            self.report.add_conflict("edit-does-not-fit", step.action, message, error.hint)
        else:
            file.steps.append(step)
            return result
        # Not only this change: a later edit would be planned on a text that will not exist.
        self.files[step.path] = _File(Entry(Kind.OTHER), None, is_broken=True)
        return None

    def _protects(self, path: str) -> str:
        """Return why a path needs an explicit allowance, or an empty string."""
        return protects(path, self.policy) or protects(self.above + path, self.policy)

    def _open(self, step: Step) -> _File:
        """Look at the target of the first step on it; raise `Obstacle` if it cannot be used."""
        file = self._look_at(step.path, step.action.type)
        self.files[step.path] = file
        return file

    def _look_at(self, path: str, verb: str) -> _File:
        """Look at a path; raise `Obstacle` if it cannot be used as a file."""
        entry = self.places.find(path)
        if entry.kind is Kind.FOLDER:
            raise Obstacle(
                "folder-as-file", f"{path} is a folder; {verb} is for files", "name the files in it"
            )
        if entry.kind is Kind.FILE:
            self._check_readable(path, entry)
        return _File(entry, entry.data)

    def _check_readable(self, path: str, entry: Entry) -> None:
        """Refuse a file whose bytes the journal could not keep for `undo`."""
        limit = self.policy.max_file_bytes
        if entry.data is None:
            reason = "cannot be read, or is far too large"
        elif len(entry.data) > limit:
            reason = f"has more than {counted(limit, 'byte')}"
        else:
            return
        raise Obstacle(
            "unreadable-file",
            f"{path} {reason}, so that it could not be restored",
            "change it by hand, or raise `max_file_bytes`",
        )

    def _apply(self, step: Step, file: _File, change: Change) -> Change | None:
        """Return the change of a step on a file; None if there is nothing to do."""
        before = file.data
        step = self._with_overwriting(step, file)
        self._check_turn(step, file)
        edited: Edited | None = None
        after: bytes | None = None
        moved: _File | None = None
        if step.operation is Operation.DELETE:
            self._delete(step)
        else:
            moved = self._find_moved(step)
            after, edited = self._write(step, before, moved)
            if after == before:
                message = f"{step.path} has this text already"
                self.report.add_note("nothing-to-do", step.action, message)
                return None
        # A patch may add the file that it edits.
        operation = step.operation
        if operation is Operation.REPLACE and before is None:
            operation = Operation.CREATE
        self.bytes_left -= len(before or b"") + len(after or b"")
        decision, reasons = decide_change(
            step.action,
            step.path,
            operation,
            text_of(before),
            decode(after),
            self.policy,
            self._doubts(step, file, edited),
            self.warnings.get(step.number, ()),
            edited=edited,
        )
        file.data = after
        if moved is not None:
            # Later steps keep the permissions that the move brings.
            file.entry = replace(file.entry, mode=moved.entry.mode)
        return replace(
            change,
            operation=operation,
            before=before,
            after=after,
            mode=(moved or file).entry.mode,
            decision=decision,
            reasons=reasons,
            reading="" if edited is None else edited.kind,
            places=() if edited is None else edited.lines,
        )

    def _with_overwriting(self, step: Step, file: _File) -> Step:
        """Return the step that replaces a file, if its format does not distinguish new files."""
        is_new = file.data is None or file.steps or step.number in self.patches.sources
        if not self.writes_over or is_new or step.operation is not Operation.CREATE:
            return step
        return replace(step, operation=Operation.REPLACE, is_whole=True)

    def _doubts(self, step: Step, file: _File, edited: Edited | None) -> list[str]:
        """Return reasons to ask besides what the policy finds in the texts."""
        doubts = [*step.doubts, *self.patches.doubts_about(step.number, step.action.type)]
        # `decide_change` looks at the path below the root.
        if not trusts(step.path, self.policy):
            doubts += filter(None, [trusts(self.above + step.path, self.policy)])
        if step.operation is Operation.DELETE:
            doubts += find_doubts(file.entry, deleted=True)
        elif step.operation is Operation.REPLACE:
            doubts += find_doubts(file.entry)
        if step.operation is not Operation.REPLACE or edited is None:
            return doubts
        if step.is_whole:
            doubts.append(_ONE_VERB)
        if edited.kind == WHOLE_TEXT and file.steps:
            doubts.append(f"it replaces the whole text that action {file.steps[-1].number} left")
        # What quotes no line of the file cannot show that it is about another text.
        is_blind = edited.kind in (WHOLE_TEXT, ranges.KIND)
        if is_blind and has_changed(self.shown, step.path, file.entry):
            doubts.append(f"{step.path} has changed since it was shown")
        return doubts

    def _check_turn(self, step: Step, file: _File) -> None:
        """Raise `Obstacle` unless the step makes sense on the file as it is by now."""
        if file.steps:
            previous = file.steps[-1]
            follows = step.operation is Operation.REPLACE
            if not follows or previous.operation is Operation.DELETE:
                raise Obstacle(
                    codes.DUPLICATE_TARGET,
                    f"{step.path} is a target already, of action {previous.number}",
                    "write one action for a file; only edits may follow it",
                )
        is_missing = step.operation is not Operation.CREATE and file.data is None
        if is_missing and not adds_file(step):
            similar = self._guess(step.path)
            guess = f"; there is {similar}" if similar else ""
            hint = "use `create` for a new file"
            if step.operation is Operation.DELETE:
                hint = "delete only what exists"
            raise Obstacle(
                "missing-file",
                f"{step.path} does not exist, so there is nothing to {step.action.type}{guess}",
                hint,
            )

    def _guess(self, path: str) -> str:
        """Return the path of an existing file with a similar name, or an empty string."""
        self.guesses_left -= 1
        if self.guesses_left < 0:
            return ""
        folder, _, name = path.rpartition("/")
        names = list(self.places.names(folder))[:_MAX_GUESSED_NAMES]
        similar = get_close_matches(name, names, 1, _MIN_LIKENESS)
        if not similar:
            return ""
        return f"{folder}/{similar[0]}" if folder else similar[0]

    def _delete(self, step: Step) -> None:
        self.places.remove(step.path)
        if step.action.content:
            message = f"the content block of {step.action.type} {step.path} is not used"
            self.report.add_note(codes.NEEDLESS_CONTENT, step.action, message)

    def _find_moved(self, step: Step) -> _File | None:
        """Return the file that a patch moves to the target of a step; None for other steps."""
        source = self.patches.sources.get(step.number)
        if source is None:
            return None
        # The file is still there: the deletion of a move comes after this.
        path = checked_source(source, self.policy)
        return self.files.get(path) or self._look_at(path, "move")

    def _write(self, step: Step, before: bytes | None, moved: _File | None) -> EditedFile:
        """Return the new bytes of the file; raise `Obstacle` if they are too many."""
        content = step.action.content or ""
        if step.is_whole:
            after = EditedFile(write_whole(content, before), Edited(content, WHOLE_TEXT))
        elif step.operation is Operation.REPLACE:
            after = edit_file(content, before, step.path, step.action.edits)
        elif moved is not None:
            source = self.patches.sources[step.number]
            after = move_file(source, moved.data, content, step.path, before)
        elif before is None:
            after = EditedFile(write_whole(content), Edited(content, WHOLE_TEXT))
        else:
            data = create_again(step.path, content, before)
            after = EditedFile(data, Edited(content, WHOLE_TEXT))
        limit = self.policy.max_file_bytes
        if len(after.data) > limit:
            raise Obstacle(
                "too-much",
                f"{step.path} would have {counted(len(after.data), 'byte')}; at most {limit:,}",
                "split it, or raise `max_file_bytes`",
            )
        return after

    def _look_for(self, step: Step, path: str) -> None:
        """Report a dependency that exists neither in the document nor in the tree."""
        checked = check_path(path, self.policy.max_path_bytes)
        # Whether a protected file exists is not reported either.
        if not checked.refusal and not self._protects(path):
            try:
                if self.places.holds(path):
                    return
            except Obstacle:
                pass
        self.nowhere.add(step.number)
        self.report.add_note(
            codes.DANGLING_DEPENDENCY,
            step.action,
            f"{step.name} depends on {path[:_MAX_SHOWN]!r}, which is neither here nor made by this "
            "document",
            Severity.WARNING,
        )
