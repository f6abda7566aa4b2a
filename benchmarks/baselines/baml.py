"""JSON read by BAML's schema-aligned parser: the text is that of the format json, so that only the readers differ."""

from __future__ import annotations

import types
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from symops_lark.baselines import BASELINES
from symops_lark.baselines.sections import find_mappings, from_mapping
from symops_lark.compliance.formats.foreign import Foreign
from symops_lark.compliance.formats.layouts import lay_out
from symops_lark.document import Document
from symops_lark.errors import RenderError, SymOpsError

VERBS = ("create", "edit", "update", "delete", "remove", "run", "test", "execute", "check", "verify")
# Optional fields count against a reading, so there are no more of them than most replies have.
SCHEMA = """
class Thought {{
  kind "thought"
  text string
}}
class Vitals {{
  kind "vitals"
  values map<string, float>
}}
class Action {{
  kind "action"
  type {verbs}
  path string
  dependencies string[]?
  content string?
}}
class Question {{
  kind "question"
  text string
  choices string[]?
}}
class ErrorNote {{
  kind "error"
  type string
  target string?
  message string?
}}
class Answer {{
  sections (Thought | Vitals | Action | Question | ErrorNote)[]
}}
client<llm> Nobody {{
  provider openai
  options {{
    model "none"
    api_key "none"
  }}
}}
function Read(request: string) -> Answer {{
  client Nobody
  prompt #"{{{{ request }}}} {{{{ ctx.output_format }}}}"#
}}
"""
_FIELDS = {
    "Thought": ("kind", "text"),
    "Vitals": ("kind", "values"),
    "Action": ("kind", "type", "path", "dependencies", "content"),
    "Question": ("kind", "text", "choices"),
    "ErrorNote": ("kind", "type", "target", "message"),
    "Answer": ("sections",),
}


@cache
def _start() -> tuple[Any, Any, types.ModuleType]:
    from baml_py import BamlRuntime
    from pydantic import create_model

    module = types.ModuleType("answers")
    for name, fields in _FIELDS.items():
        setattr(module, name, create_model(name, **{field: (Any, None) for field in fields}))  # type: ignore[call-overload]
    schema = SCHEMA.format(verbs=" | ".join(f'"{verb}"' for verb in VERBS))
    runtime = BamlRuntime.from_files("/", {"main.baml": schema}, {})
    return runtime, runtime.create_context_manager(), module


def parse(text: str) -> list[dict[str, Any]]:
    """Give the sections that BAML finds in a reply, as mappings; raises BAML's own error where it finds none."""
    runtime, context, module = _start()
    answer = runtime.parse_llm_response("Read", text, module, module, module, False, context, None, None, {})
    return [section.model_dump(exclude_none=True) for section in answer.sections]


def read(text: str) -> Document:
    """Read a reply by BAML."""
    return Document(tuple(filter(None, map(from_mapping, find_mappings(parse(text))))))


def encode(document: Document) -> str:
    """Write a document as the format json does; raises `RenderError` for what the schema has no field for."""
    for number, action in enumerate(document.actions, 1):
        if action.type not in VERBS:
            raise RenderError(f"json-baml cannot say action {number}: {action.type!r} is none of {', '.join(VERBS)}")
        if action.number is not None or action.attributes:
            raise RenderError(f"json-baml cannot say action {number}: its schema has no numbers and attributes")
    return BASELINES["json"].encode(document)


def _make() -> Foreign:
    for module, library in {"baml_py": "baml-py", "pydantic": "pydantic"}.items():
        if find_spec(module) is None:
            raise SymOpsError(f"the format json-baml needs the library {library}: pip install 'symops-lark[bench]'")
    prompt = Path(__file__).with_name("baml.md").read_text(encoding="utf-8")
    readers = {"generation": BASELINES["json"].parse, "repair": read}
    return Foreign("json-baml", prompt, encode, partial(lay_out, "json"), readers, lambda content: False,
                   ("baml-py",))  # fmt: skip


FORMATS = {"json-baml": _make}
