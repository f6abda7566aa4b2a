"""JSON read by BAML's schema-aligned parser: the text is that of the format json, so that only the readers differ."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from symops_lark.core.document import Document
from symops_lark.core.ground.errors import RenderError, SymOpsError
from symops_lark.lab.baselines import BASELINES
from symops_lark.lab.baselines.sections import find_mappings, from_mapping
from symops_lark.lab.benchmark.formats.foreign import Foreign
from symops_lark.lab.benchmark.formats.layouts import lay_out

VERBS = ("create", "edit", "update", "delete", "remove", "run", "test", "execute", "check", "verify")
# Optional fields count against a reading, so there are no more of them than most replies have.
SCHEMA = """
class Thought {
  kind "thought"
  text string
}
class Vitals {
  kind "vitals"
  values map<string, float>
}
class Action {
  kind "action"
  type VERBS
  path string
  dependencies string[]?
  content string?
}
class Question {
  kind "question"
  text string
  choices string[]?
}
class ErrorNote {
  kind "error"
  type string
  target string?
  message string?
}
class Answer {
  sections (Thought | Vitals | Action | Question | ErrorNote)[]
}
""".replace("VERBS", " | ".join(f'"{verb}"' for verb in VERBS))
_ASKING = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Read(request: string) -> ANSWER {
  client Nobody
  prompt #"{{ request }} {{ ctx.output_format }}"#
}
"""
_CLASS = re.compile(r"^class (\w+) \{\n(.*?)\n\}", re.MULTILINE | re.DOTALL)


@cache
def make_parser(classes: str, answer: str) -> Callable[[str], Any]:
    """Return BAML's parser of replies that are an `answer` of some classes; it raises BAML's own error."""
    from baml_py import BamlRuntime
    from pydantic import create_model

    module = types.ModuleType("answers")
    for name, body in _CLASS.findall(classes):
        fields: dict[str, Any] = {line.split()[0]: (Any, None) for line in body.split("\n")}
        setattr(module, name, create_model(name, **fields))
    runtime = BamlRuntime.from_files("/", {"main.baml": classes + _ASKING.replace("ANSWER", answer)}, {})
    context = runtime.create_context_manager()
    return lambda text: runtime.parse_llm_response("Read", text, module, module, module, False, context, None, None, {})


def read(text: str) -> Document:
    """Read a reply by BAML; raises its error where it finds no answer."""
    answer = make_parser(SCHEMA, "Answer")(text)
    mappings = find_mappings([section.model_dump(exclude_none=True) for section in answer.sections])
    return Document(tuple(filter(None, map(from_mapping, mappings))))


def parse(text: str) -> Document | None:
    """Read a reply that is JSON and follows the schema to the letter; None for any other."""
    document = BASELINES["json"].parse(text)
    return document if document is not None and not _find_fault(document) else None


def encode(document: Document) -> str:
    """Return a document as the format json does; raises `RenderError` for what the schema does not know."""
    if fault := _find_fault(document):
        raise RenderError(f"json-baml cannot say {fault}")
    return BASELINES["json"].encode(document)


def _find_fault(document: Document) -> str:
    for number, action in enumerate(document.actions, 1):
        if action.type not in VERBS:
            return f"action {number}: {action.type!r} is none of {', '.join(VERBS)}"
        if action.number is not None or action.attributes:
            return f"action {number}: its schema has no numbers and no attributes"
    return ""


def _make() -> Foreign:
    for module, library in {"baml_py": "baml-py", "pydantic": "pydantic"}.items():
        if find_spec(module) is None:
            raise SymOpsError(f"the format json-baml needs the library {library}: pip install 'symops-lark[bench]'")
    prompt = Path(__file__).with_name("baml.md").read_text(encoding="utf-8")
    readers = {"strict": parse, "repaired": read}
    lay = partial(lay_out, "json")
    return Foreign("json-baml", prompt, encode, lay, readers, lambda content: False, ("baml-py",), judge="json.loads")


FORMATS = {"json-baml": _make}
