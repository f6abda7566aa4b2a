"""JSON, YAML and Markdown as lines and parts of lines that can be damaged.

The text is always the one that the baseline of the format writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

from ....core.document import Action, Document, ErrorNote, Question, Section, Thought, Vitals
from ...baselines import BASELINES
from ...baselines.sections import to_mapping, writable_sections
from ..faults import marks
from ..faults.documents import Head, Line, Role, write_body
from ..faults.mistakes import Draft
from .drafts import translate

_ROLES: dict[type, Role] = {
    Thought: "thought",
    Vitals: "vitals",
    Question: "question",
    ErrorNote: "error",
}
_LONGEST_ESCAPE = 6  # characters: a backslash, "u" and four digits
_SKETCH = Document((Thought("a first try"), Action("create", "draft.py", "print('draft')")))


def make_dialect(
    name: str, open: str, close: str, words: tuple[str, str, str], foreign: marks.Foreign
) -> marks.Dialect:
    """Return the entry of a format in the fault model.

    Args:
        name: The name of the format.
        open: The delimiter before a content.
        close: The delimiter after a content.
        words: The texts before the verb, the path and the dependencies.
        foreign: The further properties of the format.
    """
    action, at, arrow = words
    own = marks.Marks("", "", action, " ", " ", " ", open, close, at, arrow, "", "")
    return marks.Dialect(name, name, name, "v2", own, frozenset({"lines"}), foreign=foreign)


# ---- JSON: each part of an action has a line, and its content is one line between quotes


def quote_json(text: str) -> str:
    """Return a text as it is written in a JSON string, without the quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def escape_json(content: str) -> list[str]:
    """Return a content as lines of a JSON string, without its quotes."""
    *lines, last = map(quote_json, content.split("\n"))
    return [*(line + "\\n" for line in lines), last]


def unescape_json(text: str) -> str:
    """Decode the beginning of a JSON string; an escape that was cut off at its end is left out."""
    for missing in range(_LONGEST_ESCAPE):
        with suppress(ValueError):
            return str(json.loads(f'"{text[: len(text) - missing]}"', strict=False))
    return text


def _lay_out_json(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Yield the lines of `json.dumps(…, indent=2)`."""
    sections = writable_sections(document)
    if not sections:
        yield Line("frame", BASELINES["json"].encode(document).rstrip("\n"))
        return
    yield Line("frame", "{")
    yield Line("frame", '  "sections": [')
    index = 0
    for number, section in enumerate(sections, 1):
        # JSON has no comma after the last item.
        comma = "," if number < len(sections) else ""
        if isinstance(section, Action):
            yield from _json_action(section, index, dialect, comma)
            index += 1
        else:
            text = json.dumps(to_mapping(section), indent=2, ensure_ascii=False)
            text = text.replace("\n", "\n    ")
            yield Line(_ROLES[type(section)], f"    {text}{comma}")
    yield Line("frame", "  ]")
    yield Line("frame", "}")


def _json_action(action: Action, index: int, dialect: marks.Dialect, comma: str) -> Iterator[Line]:
    following = '"'
    if action.dependencies:
        following += "\n      ]"
    if action.content is not None:
        following += ',\n      "content": '
    # One item, since mistakes of dialects that concern lists have no place here.
    needs = '",\n        "'.join(map(quote_json, action.dependencies))
    head = Head(
        mark='    {\n      "kind": "action",\n      "type":',
        after_mark=' "',
        verb=quote_json(action.type),
        before_at='",\n      ',
        at='"path":',
        after_at=' "',
        path=quote_json(action.path),
        before_arrow='",\n      ',
        arrow='"dependencies":',
        after_arrow=' [\n        "',
        dependencies=(needs,) if needs else (),
        after=following,
    )
    if action.content is None:
        yield Line("head", action=index, head=head)
    else:
        yield Line("head", action=index, head=head, end="")
        yield Line("open", '"', index, end="")
        yield from write_body(action.content, index, dialect)
        yield Line("close", '"', index)
    yield Line("frame", "    }" + comma, index)


# ---- YAML: contents are indented blocks, which have no end mark


def _escape_yaml(content: str) -> list[str]:
    body = content.rstrip("\n")
    # The mark of the block says how many line feeds end it: each further one is an empty line.
    line_feeds = len(content) - len(body)
    return body.split("\n") + [""] * (line_feeds - 1)


def _unescape_yaml(text: str) -> str:
    # A content without line feeds may be between quotes.
    if "\n" not in text and not text.startswith(" "):
        return unescape_json(text)
    lines = []
    for line in text.split("\n"):
        is_indented = line.startswith("    ")
        lines.append(line[4:] if is_indented else line.lstrip(" "))
    return "\n".join(lines)


def _lay_out_yaml(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Yield the lines of a list of mappings, with contents as literal blocks if YAML allows it."""
    index = 0
    text = ""
    for section in writable_sections(document):
        # A block that keeps its line feeds already ends with an empty line.
        if text and not text.endswith("\n\n"):
            yield Line("blank")
        text = BASELINES["yaml"].encode(Document((section,)))
        if isinstance(section, Action):
            yield from _yaml_action(section, text, index, dialect)
            index += 1
        else:
            yield Line(_ROLES[type(section)], text.removesuffix("\n"))
    if not text:
        yield Line("frame", "[]")


def _yaml_action(action: Action, text: str, index: int, dialect: marks.Dialect) -> Iterator[Line]:
    start, key, content = text.partition("\n  content: ")
    # The lines: the kind, the verb, the path, and perhaps `dependencies:` with its items.
    _, verb, path, *needs = start.removesuffix("\n").split("\n")
    items = "\n".join(needs[1:])
    head = Head(
        mark="- kind: action\n  type:",
        after_mark=" ",
        verb=verb.removeprefix("  type: "),
        before_at="\n  ",
        at="path:",
        after_at=" ",
        path=path.removeprefix("  path: "),
        before_arrow="\n  ",
        arrow="dependencies:",
        after_arrow="\n",
        dependencies=(items,) if items else (),
        after=key,
    )
    yield Line("head", action=index, end="" if key else "\n", head=head)
    if content.startswith("|"):
        yield Line("open", content.partition("\n")[0], index)
        yield from write_body(action.content or "", index, dialect)
    elif content:
        yield Line("open", '"', index, end="")
        if action.content:
            yield Line("body", content[1:-2], index, end="")
        yield Line("close", '"', index)


# ---- Markdown: headings and fences


def _lay_out_markdown(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Yield headings with their fences, quotes, and lists."""
    index = 0
    bullet = "-"
    above: Section | None = None
    for section in writable_sections(document):
        is_quote = isinstance(above, Thought) and isinstance(section, Thought)
        if above is not None and not is_quote:
            yield Line("blank")
        # A list continues over blank lines, unless its bullet changes.
        is_next_list = isinstance(section, Vitals) and isinstance(above, Vitals)
        bullet = "*" if is_next_list and bullet == "-" else "-"
        text = BASELINES["markdown"].encode(Document((section,))).removesuffix("\n")
        if isinstance(section, Action):
            yield from _markdown_action(section, text, index, dialect)
            index += 1
        else:
            if isinstance(section, Vitals):
                text = text.replace("- ", bullet + " ")
            yield Line(_ROLES[type(section)], text)
        above = section


def _markdown_action(
    action: Action, text: str, index: int, dialect: marks.Dialect
) -> Iterator[Line]:
    title, _, body = text.partition("\n\n")
    needs = ""
    if action.dependencies:
        needs, _, body = body.partition("\n\n")
    # The path is a code span: between one backtick, or more if it has some.
    before, _, after = title.removeprefix(f"## {action.type} ").partition(action.path)
    head = Head(
        mark="##",
        after_mark=" ",
        verb=action.type,
        before_at=" ",
        at=before,
        after_at="",
        path=action.path,
        before_arrow=f"{after}\n\n",
        arrow="Depends on:",
        after_arrow=" ",
        dependencies=(needs.removeprefix("Depends on: "),) if needs else (),
        after="" if needs else after,
    )
    yield Line("head", action=index, head=head)
    if action.content is not None:
        fence = body.partition("\n")[0]
        yield Line("blank", "", index)
        yield Line("open", fence, index)
        yield from write_body(action.content, index, dialect)
        yield Line("close", fence, index)


_LAYOUTS = {"json": _lay_out_json, "yaml": _lay_out_yaml, "markdown": _lay_out_markdown}


def lay_out(name: str, document: Document) -> Draft:
    """Return the draft of a document in JSON, YAML or Markdown."""
    dialect = _find_dialect(name)
    return Draft.of(translate(document), dialect, list(_LAYOUTS[name](document, dialect)))


def _find_dialect(name: str) -> marks.Dialect:
    """Return the entry of JSON, YAML or Markdown in the fault model."""
    sketch = BASELINES[name].encode(_SKETCH).rstrip("\n")
    if name == "json":
        foreign = marks.Foreign(name, sketch, escape_json, unescape_json, joint="", bare=False)
        return make_dialect(name, '"', '"', ('"type":', '"path":', '"dependencies":'), foreign)
    if name == "yaml":
        foreign = marks.Foreign(
            name, sketch, _escape_yaml, _unescape_yaml, indent="    ", lacks=frozenset({"close"})
        )
        return make_dialect(name, "|", "", ("type:", "path:", "dependencies:"), foreign)
    foreign = marks.Foreign(name, sketch)
    return make_dialect(name, "```", "```", ("##", "`", "Depends on:"), foreign)
