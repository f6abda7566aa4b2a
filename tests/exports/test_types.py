"""Each dialect has its types: what its parsers return fits them, and what it never returns does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from new_dialects import NEW, write_dialects
from texts import texts_on_file
from typescript import compile_typescript

from benchmarks.exports._parsers import answers
from symops_lark import StreamParser, export
from symops_lark.core.grammar.loading import load_grammar
from symops_lark.exports.portable.types import read_types

INSTALLED = ("v1", "v2", "v2_1", "plain")
SOME = ("v2_1", "plain", "blocks", "verb", "recipe")  # without --thorough, of these and the new ones
USE = """\
import type { Event, NoteSection, Result, Section, SymopsDocument } from "./blocks/index.js";
import type { Action, Verb, Vitals, VitalName, WritingVerb } from "./v2_strict/index.js";
import type { Action as Move, Section as Strict } from "./verb_strict/index.js";
import type { SymopsDocument as AnyDocument } from "./v2_strict/documents.js";
import { load, parse } from "./v2_strict/runtime.js";

export const describe = (section: Section): string => {
  switch (section.kind) {
    case "thought":
    case "question":
    case "skipped":
      return section.text;
    case "vitals":
      return String(section.values.confidence);
    case "action":
      return section.type + section.path;
    case "error":
      return section.type;
    case "custom":
      switch (section.name) {
        case "note":
        case "plan":
        case "log":
          return section.parts.map((part) => part.name).join();
        default: {
          const never: never = section;
          return never;
        }
      }
    default: {
      const never: never = section;
      return never;
    }
  }
};
export const follow = (event: Event): string => {
  switch (event.event) {
    case "thought":
    case "question":
    case "content":
    case "section-content":
      return event.text;
    case "vitals":
      return String(event.values.mood);
    case "error":
    case "action-started":
      return event.type;
    case "custom":
      return event.name;
    case "section-started": {
      const name: "note" | "log" = event.name;
      return name;
    }
    case "action-finished":
    case "section-finished":
      return event.completeness;
    case "diagnostic":
      return event.code;
    default: {
      const never: never = event;
      return never;
    }
  }
};
export const verbs: Record<Verb, string> =
  { run: "", test: "", execute: "", check: "", verify: "", create: "", edit: "", update: "", delete: "", remove: "" };
export const writing: WritingVerb[] = ["create", "edit", "update"];
export const dialects = (document: SymopsDocument, any: AnyDocument, result: Result): string[] =>
  [document.dialect satisfies "blocks", any.dialect, result.document.dialect satisfies "blocks"];
export const wide = (document: SymopsDocument): AnyDocument => document;
export const loaded = parse(load({}), "").sections.length + parse<SymopsDocument>(load({}), "").sections.length;
export const destination = (action: Move): string | undefined => action.attributes.destination;
// @ts-expect-error: run does not write
export const wrong: WritingVerb = "run";
// @ts-expect-error: this dialect has no numbers
export const numbered = (action: Action): number => action.number;
// @ts-expect-error: a vital that the dialect does not have
export const vital = (vitals: Vitals): unknown => vitals.values.doubt;
export const named: VitalName = "stamina";
// @ts-expect-error: a note has no such part
export const part = (note: NoteSection): unknown => note.parts.find((part) => part.name === "step");
// @ts-expect-error: a valid text has no skipped section
export const skipped = (section: Strict): boolean => section.kind === "skipped";
// @ts-expect-error: v2 has no custom arguments
export const argument = (action: Action): string => action.attributes.destination;
"""


def announce(path: str | Path, texts: list[str]) -> list[object]:
    """Return the events of texts, as JSON."""
    events: list[object] = []
    for text in texts:
        stream = StreamParser(path)
        events += [event.to_dict() for event in stream.events([text])]
    return events


@pytest.mark.slow
def test_what_parsers_return_and_programs_read_fits_the_types(tmp_path: Path, stride: int) -> None:
    """One compiler reads all of it: it takes most of its time to read the library."""
    grammars: dict[str, str | Path] = {name: name for name in INSTALLED}
    own = write_dialects(tmp_path)
    grammars.update(own)
    by_dialect = {name: [*item.broken, item.text] for name, item in NEW.items()}
    for _, dialect, text in texts_on_file():
        by_dialect.setdefault(dialect, []).append(text)
    chosen = {name: grammars[name] for name in (SOME if stride > 1 else grammars)}
    for name, grammar in chosen.items():
        folder = tmp_path / name
        folder.mkdir()
        for file, text in export("javascript", grammar, tolerant=True).items():
            if file.endswith(".d.ts"):
                (folder / file).write_text(text, encoding="utf-8")
        texts = by_dialect[name][:: 8 if stride > 1 and name in INSTALLED else 1][:80]
        # Without a section there is no result, but a list of what the error has.
        results = [result for result in answers(grammar, texts) if isinstance(result, dict)]
        events = announce(grammar, texts)
        assert results and events
        code = 'import type { Event, Result } from "./index.js";\n'
        code += f"export const results: Result[] = {json.dumps(results)};\n"
        code += f"export const events: Event[] = {json.dumps(events)};\n"
        (folder / "returned.ts").write_text(code, encoding="utf-8")
    for name, grammar in (("v2_strict", "v2"), ("verb_strict", own["verb"])):
        (tmp_path / name).mkdir()
        for file, text in export("javascript", grammar).items():
            (tmp_path / name / file).write_text(text, encoding="utf-8")
    (tmp_path / "use.ts").write_text(USE, encoding="utf-8")
    compile_typescript(tmp_path, types=())


def test_names_of_sections_that_would_clash_differ(tmp_path: Path) -> None:
    path = tmp_path / "clash.lark"
    change = "%override document: (_GAP | thought | custom | a_b | a__b)*\n"
    rules = 'custom: "##" TEXT _NL\na_b: "#a" TEXT _NL\na__b: "#b" TEXT _NL\n'
    path.write_text(f"%import .v2\n{change}{rules}", encoding="utf-8")
    text = export("javascript", path)["index.d.ts"]
    assert "| CustomSection_ | ABSection | ABSection_;" in text
    assert [section.name for section in read_types(load_grammar(path)).sections] == ["custom", "a_b", "a__b"]
