"""Plan the edits of all arms: without a mistake, with each mistake, or as a model writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from ....acting.changes import Decision
from ....acting.files.entries import Entry, Kind
from ....acting.plan.planning import plan
from ....core.document import Action, Document
from ....core.functions import process
from ....core.grammar.dialect import Dialect
from ....core.grammar.loading import load_dialect
from ....core.ground.errors import RenderError, SymOpsError
from ....core.ground.json_objects import JsonObject
from ....core.rendering.renderer import render
from ....core.replies.messages import Finish, Message, ModelError
from ....models.prompts.builder import PromptBuilder
from ....models.prompts.edits import editing_verb
from ....models.prompts.tokens import Encoding
from ....models.protocol import Model
from .arms import ARMS, Edit
from .damage import DAMAGE, Attempt
from .tasks import EditTask

# The outcomes of an edit. Only the last one writes another text than the task asks for.
EXACT = "exact"
ASKED = "asked, right"
ASKED_WRONG = "asked, wrong"
REFUSED = "refused"
SILENT = "wrong without alarm"
OUTCOMES = (EXACT, ASKED, ASKED_WRONG, REFUSED, SILENT)
# The dialect of the replies.
FORMAT = "v2"
Encodings = Mapping[str, Encoding]


@dataclass(frozen=True, slots=True)
class Trial(JsonObject):
    """The outcome of one edit.

    Attributes:
        task: The fingerprint of the task.
        path: Its file.
        arm: The way to edit.
        damage: The mistake that was made on purpose. Empty without one.
        is_unique: Whether the line of the task occurs once in its file.
        outcome: One of `OUTCOMES`.
        error: Why the model did not reply. Empty if it did.
        text: The reply of a model. Empty for a simulated reply.
        reply_tokens: The number of tokens of the reply, by encoding.
        prompt_tokens: The number of tokens of the prompt, by encoding.
    """

    task: str
    path: str
    arm: str
    damage: str
    is_unique: bool
    outcome: str
    error: str = ""
    text: str = ""
    reply_tokens: Mapping[str, int] = field(default_factory=dict)
    prompt_tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _OneFile:
    """A tree with one file."""

    path: str
    text: str

    def look(self, path: str) -> Entry:
        """Return the entry at a path."""
        if path == self.path:
            return Entry(Kind.FILE, self.text.encode(), 0o644)
        is_above = self.path.startswith(path + "/")
        return Entry(Kind.FOLDER if is_above else Kind.MISSING)

    def names(self, path: str) -> tuple[str, ...]:
        """Return the names in a folder."""
        start = f"{path}/" if path else ""
        if not self.path.startswith(start):
            return ()
        name = self.path[len(start) :].partition("/")[0]
        return (name,)


def can_write(task: EditTask, dialect: Dialect) -> bool:
    """Return whether a dialect can write the edits of a task in all arms.

    It cannot if a line of the file is one of its own marks.

    Args:
        task: The task.
        dialect: The dialect.
    """
    try:
        for write in ARMS.values():
            _render(task, write(task), dialect)
    except RenderError:
        return False
    return True


def simulate(
    tasks: Sequence[EditTask],
    arms: Sequence[str],
    encodings: Encodings,
    seed: int = 0,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> Iterator[Trial]:
    """Yield the outcome of each edit without a mistake, and with each mistake.

    Args:
        tasks: The tasks.
        arms: The names of the arms.
        encodings: The tokenizers, by name.
        seed: Another seed draws other mistakes.
        watch: Gets the number of tasks that are done, and the number of all tasks.
    """
    for count, task in enumerate(tasks, 1):
        for arm in arms:
            yield from _simulate(task, arm, encodings, seed)
        watch(count, len(tasks))


def _simulate(task: EditTask, arm: str, encodings: Encodings, seed: int) -> Iterator[Trial]:
    """Yield the outcomes of one edit."""
    dialect = load_dialect(FORMAT)
    right = Attempt(task, arm, ARMS[arm](task), task.before, task.after)
    reply = _render(task, right.edit, dialect)
    messages = _messages(task, arm, dialect)
    yield _judge(right, reply, encodings=encodings, messages=messages)
    for name, make in DAMAGE.items():
        # Each mistake has its own seed, so a new kind changes no other one.
        rng = Random(f"{seed}/{task.fingerprint}/{arm}/{name}")
        attempt = make(right, rng)
        if attempt is None:
            continue
        try:
            reply = _render(task, attempt.edit, dialect)
        except RenderError:
            # The damaged line is a mark of the dialect.
            continue
        length = int(len(reply) * attempt.share)
        yield _judge(attempt, reply[:length], name)


def ask(task: EditTask, arm: str, model: Model, encodings: Encodings) -> Trial:
    """Ask a model to do a task in one way, and return the outcome of its reply.

    Args:
        task: The task.
        arm: The name of the way to edit.
        model: The model.
        encodings: The tokenizers, by name.
    """
    messages = _messages(task, arm, load_dialect(FORMAT))
    attempt = Attempt(task, arm, Edit(()), task.before, task.after)
    try:
        reply = model.generate(messages)
    except ModelError as error:
        return Trial(
            task.fingerprint, task.path, arm, "", task.is_unique, REFUSED, error=str(error)
        )
    # The text may look complete although the model stopped at its limit.
    cut_off = True if reply.finish is Finish.LENGTH else None
    return _judge(
        attempt,
        reply.text,
        encodings=encodings,
        messages=messages,
        cut_off=cut_off,
        text=reply.text,
    )


def _messages(task: EditTask, arm: str, dialect: Dialect) -> list[Message]:
    builder = PromptBuilder(dialect, edits=arm)
    return builder.messages(task.request, {"files": {task.path: task.before}})


def _render(task: EditTask, edit: Edit, dialect: Dialect) -> str:
    """Return the reply with an edit.

    Raises:
        RenderError: A line of the edit is a mark of the dialect.
    """
    # The line feed before the closing mark is not a part of the content.
    content = edit.content.removesuffix("\n")
    action = Action(editing_verb(dialect), task.path, content)
    return render(Document((action,)), dialect)


def _judge(
    attempt: Attempt,
    reply: str,
    damage: str = "",
    *,
    encodings: Encodings | None = None,
    messages: Sequence[Message] = (),
    cut_off: bool | None = None,
    text: str = "",
) -> Trial:
    """Return the outcome of a reply, with the tokens of the reply and of its prompt."""
    task = attempt.task
    prompt = "\n".join([message["content"] for message in messages])
    reply_tokens = {}
    prompt_tokens = {}
    for name, encoding in (encodings or {}).items():
        reply_tokens[name] = len(encoding.encode_ordinary(reply))
        prompt_tokens[name] = len(encoding.encode_ordinary(prompt))
    return Trial(
        task.fingerprint,
        task.path,
        attempt.arm,
        damage,
        task.is_unique,
        _find_outcome(attempt, reply, cut_off),
        text=text,
        reply_tokens=reply_tokens,
        prompt_tokens=prompt_tokens,
    )


def _find_outcome(attempt: Attempt, reply: str, cut_off: bool | None) -> str:
    """Plan a reply for the file as it is now, and compare the plan with the goal."""
    task = attempt.task
    try:
        document = process(reply, FORMAT, cut_off=cut_off).document
    except SymOpsError:
        return REFUSED
    tree = _OneFile(task.path, attempt.file)
    # The plan knows what the model saw, as it does in an agent.
    changes = plan(document, tree, shown={task.path: task.before})
    if changes.conflicts or not changes.changes:
        return REFUSED
    decisions = {change.decision for change in changes.changes}
    if Decision.REFUSE in decisions:
        return REFUSED
    # A second file would be wrong, too.
    texts = {change.path: change.after for change in changes.changes}
    is_right = texts == {task.path: attempt.goal.encode()}
    if decisions == {Decision.AUTO}:
        return EXACT if is_right else SILENT
    return ASKED if is_right else ASKED_WRONG
