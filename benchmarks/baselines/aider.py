"""Two formats in the style of aider, each read by aider's own parser: search/replace blocks and whole files.

Two of aider's modules are loaded with stand-ins for the rest of it, so that its many dependencies are not needed:
`pip install --no-deps aider-chat`. A file is a block with an empty search part, or a fenced listing; a command is a
fence of the shell, which only search/replace knows. Whether a file is new is told by the disk and not by the reply, so
what comes out of either format is `create`, and `run` for a command; dependencies and vitals cannot be said.
aider refuses a reply as a whole when one block of it is malformed.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from symops_lark.core.document import Action, Document
from symops_lark.core.ground.errors import RenderError, SymOpsError
from symops_lark.lab.benchmark.faults import marks
from symops_lark.lab.benchmark.faults.documents import Head, Line, write_body
from symops_lark.lab.benchmark.faults.mistakes import Draft, Expected
from symops_lark.lab.benchmark.faults.mistakes.delimiters import language
from symops_lark.lab.benchmark.formats.drafts import lay_out_in_prose, translate
from symops_lark.lab.benchmark.formats.foreign import Foreign
from symops_lark.lab.benchmark.formats.layouts import make_dialect

WRITING, RUNNING = ("create", "edit", "update"), ("run", "test", "execute", "check", "verify")
SEARCH_REPLACE, WHOLE = "aider-search-replace", "aider-whole"
_MARKER = re.compile(r"^[ \t]*(<{5,9} SEARCH>?|={5,9}|>{5,9} REPLACE)\s*$", re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)


# aider's own parsers


@cache
def load_coder(name: str) -> Any:
    """Load one of aider's coders with stand-ins for the modules that its parser does not use."""
    spec = importlib.util.find_spec("aider")
    if spec is None or not spec.submodule_search_locations:
        raise SymOpsError("aider's formats need aider's parsers: pip install --no-deps aider-chat")
    root = Path(spec.submodule_search_locations[0])
    stand_ins: dict[str, dict[str, Any]] = {
        "aider.utils": {"GitTemporaryDirectory": object},
        "aider.diffs": {},
        "aider.dump": {"dump": print},
        "aider.coders": {},
        "aider.coders.base_coder": {"Coder": object},
        "aider.coders.editblock_prompts": {"EditBlockPrompts": object},
        "aider.coders.patch_prompts": {"PatchPrompts": object},
        "aider.coders.udiff_prompts": {"UnifiedDiffPrompts": object},
        "aider.coders.wholefile_prompts": {"WholeFilePrompts": object},
        # aider's coder of diffs imports these, and its reader does not use them.
        "diff_match_patch": {"diff_match_patch": object},
        "git": {},
        "tqdm": {"tqdm": list},
    }
    before = dict(sys.modules)
    try:
        package = types.ModuleType("aider")
        package.__path__ = [str(root)]
        sys.modules["aider"] = package
        for key, values in stand_ins.items():
            module = types.ModuleType(key)
            module.__path__ = [str(root / "coders")] if key == "aider.coders" else []
            vars(module).update(values)
            sys.modules[key] = module
            parent, _, child = key.rpartition(".")
            if parent:
                setattr(sys.modules[parent], child, module)
        spec = importlib.util.spec_from_file_location(f"aider.coders.{name}", root / "coders" / f"{name}.py")
        assert spec and spec.loader
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded
    finally:
        for key in set(sys.modules) - set(before):
            if key == "aider" or key.startswith("aider.") or key in stand_ins:
                del sys.modules[key]
        sys.modules.update({key: before[key] for key in stand_ins if key in before})


def parse_search_replace(text: str) -> list[tuple[str | None, str]]:
    """Return the path and the new text of each block, None and the text for a fence of the shell; may raise."""
    edits = load_coder("editblock_coder").find_original_update_blocks(text, ("```", "```"), [])
    return [(edit[0], _without_last_ending(edit[-1])) for edit in edits]


def parse_whole(text: str) -> list[tuple[str | None, str]]:
    """Return the path and the text of each listing; may raise."""
    coder = _make_whole_coder()
    coder.get_multi_response_content_in_progress = lambda: text
    return [(path, _without_last_ending("".join(lines))) for path, _, lines in coder.get_edits()]


def _without_last_ending(text: str) -> str:
    """Return a text without the ending of its last line, which belongs to the closer below it."""
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _make_whole_coder() -> Any:
    coder = load_coder("wholefile_coder").WholeFileCoder
    new = coder.__new__(coder)
    new.fence = ("```", "```")
    new.get_inchat_relative_files = list
    new.abs_root_path = str
    return new


PARSERS = {SEARCH_REPLACE: parse_search_replace, WHOLE: parse_whole}


def read(name: str, text: str) -> Document | None:
    """Read a reply by aider's parser; None where it refuses the reply."""
    try:
        result = PARSERS[name](text)
    except ValueError:
        return None
    return Document(
        tuple(
            Action("create", path, content) if path is not None else Action("run", content) for path, content in result
        )
    )


# Writing


def _dialect(name: str) -> marks.Dialect:
    searching = name == SEARCH_REPLACE
    opener, closer = ("<<<<<<< SEARCH", ">>>>>>> REPLACE") if searching else ("```", "```")
    around = "draft.py\n```python\n{}\nprint('draft')\n{}\n```" if searching else "draft.py\n{}\nprint('draft')\n{}"
    sketch = "a first try\n\n" + around.format(opener + "\n=======" if searching else opener, closer)
    foreign = marks.Foreign("markdown", sketch, lacks=frozenset({"verb", "marks"}))
    return make_dialect(name, opener, closer, ("", "", ""), foreign)


def lay_out(name: str, document: Document) -> Draft:
    """Return the draft of a document, colliding contents as well; raises `RenderError` for actions of other kinds."""
    _check(name, document)
    dialect = _dialect(name)
    lines = lay_out_in_prose(document, partial(_lay_out_action, name, dialect))
    expected = []
    for action in document.actions:
        running = action.type in RUNNING
        verb, content = ("run", None) if running else ("create", action.content)
        expected.append(Expected(verb, action.path, (content,), ()))
    return Draft(translate(document), dialect, lines, expected)


def _lay_out_action(name: str, dialect: marks.Dialect, action: Action, index: int) -> Iterator[Line]:
    before, following = ("```bash\n", "\n```") if action.type in RUNNING else ("", "")
    yield Line("head", action=index, head=Head(before, path=action.path, after=following))
    if action.content is None or following:
        return
    fence = "```" + language(action.path)
    if name == SEARCH_REPLACE:
        yield from (Line("frame", fence, index), Line("open", dialect.marks.open, index))
        yield Line("frame", "=======", index)
    else:
        yield Line("open", fence, index)
    yield from write_body(action.content, index, dialect)
    yield Line("close", dialect.marks.close, index)
    if name == SEARCH_REPLACE:
        yield Line("frame", "```", index)


def _check(name: str, document: Document) -> None:
    able = (*WRITING, *RUNNING) if name == SEARCH_REPLACE else WRITING
    for number, action in enumerate(document.actions, 1):
        if action.type not in able:
            raise RenderError(f"{name} cannot say action {number}, {action.type} {action.path}: there is no such edit")
        if (action.content is None) is (action.type in WRITING):
            text = "it has no content" if action.content is None else "a command has no content"
            raise RenderError(f"{name} cannot say action {number}, {action.type} {action.path}: {text}")


def encode(name: str, document: Document) -> str:
    """Return a document as text, which was read back; raises `RenderError` for what the format cannot say."""
    draft = lay_out(name, document)
    text = draft.text()
    got = read(name, text)
    rows = [(item.type, item.path, item.contents[0]) for item in draft.expected]
    if document.actions and (got is None or [(a.type, a.path, a.content) for a in got.actions] != rows):
        raise RenderError(f"{name} cannot say the document: a path or a content would be read differently")
    return text


def _collides(pattern: re.Pattern[str], content: str) -> bool:
    return pattern.search(content) is not None


def _make(name: str, module: str, pattern: re.Pattern[str]) -> Foreign:
    load_coder(module)
    prompt = Path(__file__).with_name(f"{name.replace('-', '_')}.md").read_text(encoding="utf-8")
    readers = {"strict": partial(read, name)}
    return Foreign(
        name,
        prompt,
        partial(encode, name),
        partial(lay_out, name),
        readers,
        partial(_collides, pattern),
        ("aider-chat",),
    )


FORMATS: dict[str, Callable[[], Foreign]] = {
    SEARCH_REPLACE: partial(_make, SEARCH_REPLACE, "editblock_coder", _MARKER),
    WHOLE: partial(_make, WHOLE, "wholefile_coder", _FENCE),
}
