"""JSON, YAML and Markdown laid out as lines and parts of lines that can be damaged, each as its baseline writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

from ....core.document import Action, Document, ErrorNote, Question, Thought, Vitals
from ...baselines import BASELINES
from ...baselines.sections import said, to_mapping
from ..faults import marks
from ..faults.documents import Head, Line, Role, write_body
from ..faults.mistakes import Draft
from .drafts import translate

_ROLES: dict[type, Role] = {Thought: "thought", Vitals: "vitals", Question: "question", ErrorNote: "error"}


def make_dialect(
    name: str, open: str, close: str, words: tuple[str, str, str], foreign: marks.Foreign
) -> marks.Dialect:
    """Return what the fault model knows of a format: its delimiters, the words before verb, path and dependencies."""
    action, at, arrow = words
    spelt = marks.Marks("", "", action, " ", " ", " ", open, close, at, arrow, "", "")
    return marks.Dialect(name, name, name, "v2", spelt, frozenset({"lines"}), foreign=foreign)


# JSON: an action has its parts on lines of their own, its content on one line between quotes


def escape_json(content: str) -> list[str]:
    """Return a content as lines of a JSON string, without its quotes."""
    parts = [json.dumps(line, ensure_ascii=False)[1:-1] for line in content.split("\n")]
    return [part + "\\n" for part in parts[:-1]] + parts[-1:]


def unescape_json(text: str) -> str:
    """Read the beginning of a JSON string, as far as it is whole."""
    for cut in range(6):
        with suppress(ValueError):
            return str(json.loads(f'"{text[: len(text) - cut]}"', strict=False))
    return text


def lay_out_json(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Return the lines of `json.dumps(…, indent=2)`."""
    sections = said(document)
    if not sections:
        yield Line("frame", BASELINES["json"].encode(document).rstrip("\n"))
        return
    yield from (Line("frame", "{"), Line("frame", '  "sections": ['))
    index = 0
    for number, section in enumerate(sections, 1):
        comma = "" if number == len(sections) else ","
        if isinstance(section, Action):
            yield from _json_action(section, index, dialect, comma)
            index += 1
        else:
            text = json.dumps(to_mapping(section), indent=2, ensure_ascii=False).replace("\n", "\n    ")
            yield Line(_ROLES[type(section)], f"    {text}{comma}")
    yield from (Line("frame", "  ]"), Line("frame", "}"))


def _json_action(action: Action, index: int, dialect: marks.Dialect, comma: str) -> Iterator[Line]:
    behind = '"\n      ]' if action.dependencies else '"'
    content = action.content
    behind += ',\n      "content": ' if content is not None else ""
    verb, path, *needs = (
        json.dumps(t, ensure_ascii=False)[1:-1] for t in (action.type, action.path, *action.dependencies)
    )
    start = ('    {\n      "kind": "action",\n      "type":', ' "', verb, '",\n      ')
    arrow = ('",\n      ', '"dependencies":', ' [\n        "', ('",\n        "'.join(needs),) if needs else ())
    head = Head(*start, '"path":', ' "', path, *arrow, behind=behind)
    yield Line("head", action=index, head=head, end="\n" if content is None else "")
    if content is not None:
        yield Line("open", '"', index, end="")
        yield from write_body(content, index, dialect)
        yield Line("close", '"', index)
    yield Line("frame", "    }" + comma, index)


# YAML: contents are indented blocks, which nothing ends


def _escape_yaml(content: str) -> list[str]:
    body = content.rstrip("\n")
    return [*body.split("\n"), *[""] * (len(content) - len(body) - 1)]


def _unescape_yaml(text: str) -> str:
    if "\n" not in text and not text.startswith(" "):  # between quotes
        return unescape_json(text)
    return "\n".join(line[4:] if line.startswith("    ") else line.lstrip(" ") for line in text.split("\n"))


def lay_out_yaml(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Return the lines of a list of mappings, contents as literal blocks where YAML has them."""
    index, above = 0, ""
    for section in said(document):
        text = BASELINES["yaml"].encode(Document((section,)))
        if above and not above.endswith("\n\n"):
            yield Line("blank")
        above = text
        if isinstance(section, Action):
            yield from _yaml_action(section, text, index, dialect)
            index += 1
        else:
            yield Line(_ROLES[type(section)], text.removesuffix("\n"))
    if not above:
        yield Line("frame", "[]")


def _yaml_action(action: Action, text: str, index: int, dialect: marks.Dialect) -> Iterator[Line]:
    head, _, content = text.partition("\n  content: ")
    _, verb, path, *rest = head.removesuffix("\n").split("\n")
    needs = ("\n".join(rest[1:]),) if rest else ()
    verb, path = verb.removeprefix("  type: "), path.removeprefix("  path: ")
    spelt = Head("- kind: action\n  type:", " ", verb, "\n  ", "path:", " ", path, "\n  ", "dependencies:", "\n", needs)
    spelt.behind = "\n  content: " if content else ""
    yield Line("head", action=index, end="" if content else "\n", head=spelt)
    if content.startswith("|"):
        yield Line("open", content.partition("\n")[0], index)
        yield from write_body(action.content or "", index, dialect)
    elif content:
        yield Line("open", '"', index, end="")
        if action.content:
            yield Line("body", content[1:-2], index, end="")
        yield Line("close", '"', index)


# Markdown: headings and fences


def lay_out_markdown(document: Document, dialect: marks.Dialect) -> Iterator[Line]:
    """Return headings with their fences, quotes, lists."""
    index, bullet = 0, "-"
    sections = said(document)
    for above, section in zip((None, *sections), sections, strict=False):
        if above is not None and not (isinstance(above, Thought) and isinstance(section, Thought)):
            yield Line("blank")
        text = BASELINES["markdown"].encode(Document((section,))).removesuffix("\n")
        bullet = "*" if isinstance(section, Vitals) and isinstance(above, Vitals) and bullet == "-" else "-"
        if isinstance(section, Action):
            yield from _markdown_action(section, text, index, dialect)
            index += 1
        else:
            text = text.replace("- ", bullet + " ") if isinstance(section, Vitals) else text
            yield Line(_ROLES[type(section)], text)


def _markdown_action(action: Action, text: str, index: int, dialect: marks.Dialect) -> Iterator[Line]:
    first, _, rest = text.partition("\n\n")
    needs, _, rest = rest.partition("\n\n") if action.dependencies else ("", "", rest)
    before, path = first.removeprefix(f"## {action.type} "), action.path
    ticks, _, behind = before.partition(path)
    listed = (needs.removeprefix("Depends on: "),) if needs else ()
    head = Head("##", " ", action.type, " ", ticks, "", path, f"{behind}\n\n", "Depends on:", " ", listed)
    head.behind = "" if needs else behind
    yield Line("head", action=index, head=head)
    if action.content is not None:
        fence = rest.partition("\n")[0]
        yield from (Line("blank", "", index), Line("open", fence, index))
        yield from write_body(action.content, index, dialect)
        yield Line("close", fence, index)


def find_dialect(name: str, sketch: str) -> marks.Dialect:
    """Return what the fault model knows of JSON, YAML or Markdown; `sketch` is the text of one action."""
    if name == "json":
        foreign = marks.Foreign("json", sketch, escape_json, unescape_json, joint="", bare=False)
        return make_dialect(name, '"', '"', ('"type":', '"path":', '"dependencies":'), foreign)
    if name == "yaml":
        foreign = marks.Foreign("yaml", sketch, _escape_yaml, _unescape_yaml, indent="    ", lacks=frozenset({"close"}))
        return make_dialect(name, "|", "", ("type:", "path:", "dependencies:"), foreign)
    return make_dialect(name, "```", "```", ("##", "`", "Depends on:"), marks.Foreign("markdown", sketch))


LAYOUTS = {"json": lay_out_json, "yaml": lay_out_yaml, "markdown": lay_out_markdown}
SKETCH = Document((Thought("a first try"), Action("create", "draft.py", "print('draft')")))


def lay_out(name: str, document: Document) -> Draft:
    """Return the draft of a document in JSON, YAML or Markdown."""
    dialect = find_dialect(name, BASELINES[name].encode(SKETCH).rstrip("\n"))
    return Draft.of(translate(document), dialect, list(LAYOUTS[name](document, dialect)))
