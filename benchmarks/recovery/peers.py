"""Peers' formats, each read by the peer's own parser; a peer that is not installed is left out.

Nothing here is needed by the project: `pip install json-repair baml-py pydantic` and
`pip install --no-deps aider-chat` (two of aider's modules are loaded, with stand-ins for the rest).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

from symops_lark.compliance.faults.documents import Content

from .same_damage import Format, Got, Lost, join


class _Json:
    """A JSON array of {type, path, content}, indented by two blanks."""

    info = "json"

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Write the array; the opener and the closer of an item are the quotes of its content."""
        parts = []
        for number, item in enumerate(items):
            content = json.dumps(item.text, ensure_ascii=False)
            if lost == (number, "opener"):
                content = content[1:]
            elif lost == (number, "closer"):
                content = content[:-1]
            keys = ['  {', '    "type": "create",', f'    "path": {json.dumps(item.path)},',
                    f'    "content": {content}', "  }"]  # fmt: skip
            parts.append("\n".join(indent + key for key in keys))
        text, ends = join(parts, ",\n")
        return f"{indent}[\n{text}\n{indent}]\n", [end + len(indent) + 2 for end in ends]


class JsonRepair(_Json):
    """The array, read by json-repair."""

    name = "json-repair"

    def __init__(self) -> None:
        self._loads = importlib.import_module("json_repair").loads

    def read(self, text: str) -> list[Got]:
        """Read by `json_repair.loads`; objects are looked for one list deeper too."""
        found = self._loads(text)
        objects: list[Any] = found if isinstance(found, list) else [found]
        flat = [deep for item in objects for deep in (item if isinstance(item, list) else [item])]
        return [
            Got(str(item["path"]), str(item.get("content", "")))
            for item in flat
            if isinstance(item, dict) and "path" in item
        ]


_SCHEMA = """
class Item {
  type string
  path string
  content string
}
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Reply(x: string) -> Item[] {
  client Nobody
  prompt #"{{ x }} {{ ctx.output_format }}"#
}
"""


class Baml(_Json):
    """The array, read by BAML's schema-aligned parser against Item[]."""

    name = "BAML"

    def __init__(self) -> None:
        pydantic = importlib.import_module("pydantic")
        runtime = importlib.import_module("baml_py").BamlRuntime
        self._module = types.ModuleType("items")
        item = pydantic.create_model("Item", type=(str, ...), path=(str, ...), content=(str, ...))
        self._module.Item = item  # type: ignore[attr-defined]
        self._runtime = runtime.from_files("/tmp", {"main.baml": _SCHEMA}, {})
        self._context = self._runtime.create_context_manager()

    def read(self, text: str) -> list[Got]:
        """Read by `parse_llm_response`."""
        module = self._module
        items = self._runtime.parse_llm_response(
            "Reply", text, module, module, module, False, self._context, None, None, {}
        )
        return [Got(item.path, item.content) for item in items]


def _aider(name: str) -> Any:
    """Load one of aider's coders with stand-ins for the modules that its parser does not use."""
    spec = importlib.util.find_spec("aider")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("aider")
    root = Path(spec.submodule_search_locations[0])
    stand_ins: dict[str, dict[str, Any]] = {
        "aider.utils": {}, "aider.diffs": {}, "aider.dump": {"dump": print}, "aider.coders": {},
        "aider.coders.base_coder": {"Coder": object},
        "aider.coders.editblock_prompts": {"EditBlockPrompts": object},
        "aider.coders.wholefile_prompts": {"WholeFilePrompts": object},
    }  # fmt: skip
    before = dict(sys.modules)
    try:
        package = types.ModuleType("aider")
        package.__path__ = [str(root)]
        sys.modules["aider"] = package
        for key, values in stand_ins.items():
            module = types.ModuleType(key)
            module.__path__ = []
            vars(module).update(values)
            sys.modules[key] = module
            setattr(sys.modules[key.rpartition(".")[0]], key.rpartition(".")[2], module)
        spec = importlib.util.spec_from_file_location(f"aider.coders.{name}", root / "coders" / f"{name}.py")
        assert spec and spec.loader
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded
    finally:
        for key in set(sys.modules) - set(before):
            if key == "aider" or key.startswith("aider."):
                del sys.modules[key]


class _Aider:
    """What aider's two formats share: a path, a fence, marker lines."""

    info = ""

    def write(self, items: list[Content], lost: Lost = None, indent: str = "") -> tuple[str, list[int]]:
        """Write each item as a new file."""
        parts = []
        for number, item in enumerate(items):
            opener, closer = self.delimiters()
            opener = [] if lost == (number, "opener") else opener
            closer = [] if lost == (number, "closer") else closer
            lines = [indent + line for line in (item.path, *self.before(), *opener, *self.divider())]
            lines += [item.text, *(indent + line for line in (*closer, *self.behind()))]
            parts.append("\n".join(lines) + "\n")
        return join(parts)

    def delimiters(self) -> tuple[list[str], list[str]]:
        """The lines that open and close an item."""
        return ["```"], ["```"]

    def before(self) -> list[str]:
        """The lines between the path and the opener."""
        return []

    def divider(self) -> list[str]:
        """The lines between the opener and the content."""
        return []

    def behind(self) -> list[str]:
        """The lines behind the closer."""
        return []


class AiderSearchReplace(_Aider):
    """Search/replace blocks for new files, read by `find_original_update_blocks`."""

    name = "aider s/r"

    def __init__(self) -> None:
        self._module = _aider("editblock_coder")

    def delimiters(self) -> tuple[list[str], list[str]]:
        """The SEARCH line and the REPLACE line."""
        return ["<<<<<<< SEARCH"], [">>>>>>> REPLACE"]

    def before(self) -> list[str]:
        """A fence opens the block."""
        return ["```"]

    def divider(self) -> list[str]:
        """The line between what is searched and what replaces it."""
        return ["======="]

    def behind(self) -> list[str]:
        """A fence closes the block."""
        return ["```"]

    def read(self, text: str) -> list[Got]:
        """Read all blocks; one bad block makes aider refuse the reply."""
        found = []
        for edit in self._module.find_original_update_blocks(text, ("```", "```"), []):
            if edit[0] is not None:
                found.append(Got(edit[0], edit[2].removesuffix("\n")))
        return found


class AiderWhole(_Aider):
    """Whole files, read by `WholeFileCoder.get_edits`."""

    name = "aider whole"

    def __init__(self) -> None:
        module = _aider("wholefile_coder")
        self._coder = module.WholeFileCoder.__new__(module.WholeFileCoder)
        self._coder.fence = ("```", "```")
        self._coder.get_inchat_relative_files = list
        self._coder.abs_root_path = str

    def read(self, text: str) -> list[Got]:
        """Read all files."""
        self._coder.get_multi_response_content_in_progress = lambda: text
        return [Got(path, "".join(lines).removesuffix("\n")) for path, _, lines in self._coder.get_edits()]


def installed() -> tuple[list[Format], list[str]]:
    """Give the peers that are installed, and the names of those that are not."""
    found: list[Format] = []
    missing = []
    for peer in (JsonRepair, Baml, AiderSearchReplace, AiderWhole):
        try:
            found.append(peer())
        except Exception:  # not installed, or no longer as we know it
            missing.append(peer.name)
    return found, missing
