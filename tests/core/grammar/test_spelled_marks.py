"""The grammars are the only place that spells a mark: all other files read it from the dialect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from texts import DIALECTS

import symops_lark
from symops_lark.core.grammar.loading import load_grammar

PACKAGE = Path(symops_lark.__file__).parent

ALLOWED = {
    ("exports/bundle/translation/expressions.py", "::-1"): "a slice of Python",
    ("exports/features.py", "~"): "an operator of grammars",
    ("exports/textmate.py", "."): "what joins the names of a scope",
    ("lab/workbench/syntax.py", "?"): "an operator of patterns",
    ("models/correction/messages.py", "~"): "a Markdown fence",
    ("adapters/cli/agent/why.py", "."): "the folder of the process",
    ("adapters/cli/machine/checks.py", "Sure:\n\n::Create hello.py\n<<<\nprint('Hello!')\n>>>\n"): "a reply",
    ("adapters/cli/completing.py", ","): "punctuation of a list",
    ("adapters/cli/options.py", "."): "the folder of the process",
    ("agent/run_log.py", ","): "punctuation of JSON",
    ("agent/selecting.py", "."): "between a run and its round",
    ("agent/steps.py", "."): "the folder of the process",
    ("agent/task.py", "."): "the folder of the process",
    ("agent/task_file.py", "."): "the folder of the file",
    ("agent/task.py", ","): "punctuation of a list",
    ("agent/work.py", "."): "the folder of the process",
    ("core/formats/mixed.py", ">"): "what an entity of HTML stands for",
    ("core/formats/near_marks.py", ">"): "the end of a tag",
    ("core/ground/__init__.py", "."): "a relative module name",
    ("core/ground/resources.py", "#"): "what begins a comment of a data file",
    ("core/formats/reading_tables.py", ">"): "punctuation of a pattern",
    ("core/text/python_calls.py", ","): "punctuation of JSON",
    ("exports/standalone/json_values.py", ","): "punctuation of JSON",
    ("exports/tables.py", ","): "punctuation of JSON",
    ("models/prompts/template.py", "."): "punctuation of a sentence",
    # file, string: what it is instead of a mark
    ("__init__.py", "."): "a relative module name",
    ("core/recovery/lines/passes.py", "!"): "before a form that a dialect must not have",
    ("adapters/cli/__init__.py", "."): "a relative module name",
    ("core/grammar/compiling/gathering.py", "."): "what joins names",
    ("core/recovery/lines/carried_lines.py", ">"): "a sign and its mirror",
    ("core/discourse/nesting.py", "~"): "a character of Markdown fences",
    ("adapters/cli/acting/fixing.py", "~"): "the home folder",
    ("acting/commands/__init__.py", "."): "between the names of modules",
    ("acting/commands/shell_syntax.py", ","): "between the words of braces",
    ("adapters/cli/view.py", ","): "a range of a diff",
    ("core/recovery/doubts/below_commands.py", "$"): "a sign of a shell",
    ("agent/testing.py", "."): "a folder, and what joins names of modules",
    ("core/grammar/loading.py", ': "::"'): "an example in a message",
    ("acting/plan/planner.py", ","): "how a number is written",
    ("core/patterns/line_sieves.py", "$"): "a sign of regular expressions",
    ("core/grammar/mistakes.py", ","): "what separates tags",
    ("core/strict/parts.py", "."): "what joins the names of an argument",
    ("models/addresses.py", "."): "what joins the parts of a host's name",
    ("models/addresses.py", "@"): "what ends the user's name in a URL",
    ("models/addresses.py", "?"): "what begins the query of a URL",
    ("models/addresses.py", "#"): "what begins the fragment of a URL",
    ("models/addresses.py", ")(?::(?P<port>[0-9]{1,5}))?(?:/[!-~]*)?\\Z"): "a part of a pattern of URLs",
    (
        "models/addresses.py",
        "|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)(?::(?P<port>[0-9]{1,5}))?\\Z",
    ): "a part of a pattern of hosts",
    (
        "models/addresses.py",
        ": write IPv4 as four decimal numbers, such as 127.0.0.1, IPv6 as [::1]",
    ): "an address in a message",
    ("answers/judgment/tags.py", "."): "the end of a sentence",
    ("answers/judgment/tags.py", "!"): "the end of a sentence",
    ("answers/judgment/tags.py", "?"): "the end of a question",
    ("core/discourse/labels.py", "?"): "the end of a question",
    ("core/discourse/labels.py", ">"): "the end of a label in brackets",
    ("core/discourse/labels.py", "#"): "a heading in Markdown",
    ("core/discourse/stance_table.py", ">"): "the end of the name of a list",
    ("core/discourse/marks.py", ">"): "the end of a tag",
    ("core/discourse/stances.py", "?"): "the end of a question",
    ("core/discourse/stances.py", "."): "the end of a sentence",
    ("core/discourse/stances.py", "!"): "the end of a sentence",
    ("core/discourse/stances.py", "#"): "a heading in Markdown",
    ("core/discourse/transport_table.py", "."): "what joins keys",
    (
        "core/recovery/lines/labels.py",
        "(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[T \\t]+)?[0-9]{1,2}:[0-9]{2}"
        "(?::[0-9]{2}(?:[.,][0-9]{1,6})?)?(?:Z|[ \\t]?[APap][Mm])?",
    ): "a pattern of times",
    ("answers/structured/schema/budget.py", ","): "what joins the parts of a JSON text",
    ("answers/structured/joints.py", ","): "what joins the members of a JSON text",
    ("answers/structured/schema/validators.py", "#"): "what begins the fragment of a `$ref`",
    ("acting/files/protected.py", "?"): "a wildcard of globs",
    ("code_intelligence/index/owners/classes.py", "::"): "what joins names in Rust",
    ("code_intelligence/index/owners/rust_modules.py", "::"): "what joins names in Rust",
    ("code_intelligence/index/owners/rust_names.py", "::"): "what joins names in Rust",
    ("core/grammar/compiling/section_compiler.py", ">"): "a part of the syntax of named groups",
    ("core/grammar/compiling/section_compiler.py", "?"): "an operator of grammars",
    ("core/grammar/compiling/terminal_patterns.py", "?"): "an operator of grammars",
    ("core/grammar/dialect.py", ">"): "a part of the syntax of named groups",
    ("core/grammar/compiling/own_sections.py", "?"): "an operator of grammars",
    ("core/grammar/compiling/own_sections.py", "~"): "an operator of grammars",
    ("core/grammar/compiling/rule_trees.py", "?"): "an operator of grammars",
    ("models/prompts/own_samples.py", "."): "what joins the names of rules and terminals",
    ("core/rendering/templates.py", "."): "what joins the names of rules and terminals",
    ("core/strict/builder.py", "."): "the point of a number, and what joins names",
    ("core/grammar/lalr.py", ">"): "a part of the syntax of named groups",
    (
        "core/grammar/compiling/dialect_tables.py",
        ': write each as a terminal that is one string, such as _ACTION: "::"',
    ): "an example in a message",
    ("lab/baselines/__init__.py", "."): "a relative module name",
    ("exports/textmate.py", "#"): "a reference in TextMate grammars",
    ("core/ground/json_text.py", "."): "the point of a number",
    ("code_intelligence/gate/record.py", "[.#]|::"): "what joins names in code",
    ("code_intelligence/tools/find_definitions.py", "::"): "what joins names in C++ and Rust",
    ("core/ground/json_text.py", ","): "punctuation of JSON",
    ("models/streams.py", ">"): "the representation of an object",
    ("core/repairs/planner.py", "~"): "a Markdown fence",
    ("core/repairs/plain_lines.py", "?"): "stands for what a rule does not say",
    ("core/validator/contents.py", "<<<<<<"): "the beginning of SEARCH/REPLACE",
    ("core/validator/leftovers.py", "."): "the point of a suffix",
    ("core/validator/commands.py", "#"): "a comment of a shell",
    ("core/validator/commands.py", ">"): "the end of a tag",
    ("core/validator/edges.py", ">"): "the end of a section of XML",
    ("core/validator/tags.py", ">"): "the end of a tag",
    ("core/validator/sections.py", "."): "the folder itself in a path",
    ("core/validator/targets.py", "$"): "the end in a pattern",
    ("core/recovery/lines/tagged_blocks.py", ">"): "the end of a tag",
    ("core/repairs/wrappers.py", ">"): "a sign that HTML escapes",
    ("core/validator/contents.py", "#"): "a comment",
    ("core/validator/contents.py", "--"): "a comment of SQL",
    ("core/validator/contents.py", ">"): "a sign that HTML escapes",
    ("core/edits/left_out.py", "#"): "a comment",
    ("core/edits/marks.py", "@"): "the beginning of a mark of diffs",
    ("core/edits/marks.py", ">"): "the beginning of a mark of SEARCH/REPLACE",
    ("core/edits/diff_lines.py", "@"): "a sign around the head of a hunk",
    ("core/edits/file_names.py", "."): "the point of a suffix",
    ("core/edits/notations/blocks.py", ">"): "a sign of SEARCH/REPLACE",
    ("core/edits/notations/tags.py", ">"): "the end of a tag",
    ("core/edits/reading.py", "."): "what joins the names of modules",
    ("lab/benchmark/edits/arms.py", "<<<<<<< SEARCH"): "the beginning of SEARCH/REPLACE",
    ("lab/benchmark/edits/arms.py", ">>>>>>> REPLACE"): "the end of SEARCH/REPLACE",
    ("lab/benchmark/edits/damage.py", "<<<<<<<"): "the beginning of a mark of SEARCH/REPLACE",
    ("lab/benchmark/edits/damage.py", ">>>>>>>"): "the beginning of a mark of SEARCH/REPLACE",
    ("core/ground/members.py", "."): "what joins names in Python",
    ("core/ground/numbers.py", ","): "a thousands separator",
    ("core/ground/resources.py", "~"): "the home folder",
    ("core/grammar/compiling/statements.py", "?"): "punctuation of a message",
    ("core/grammar/loading.py", "?"): "punctuation of a message",
    ("adapters/cli/options.py", ","): "punctuation",
    ("models/providers.py", "."): "a module's name",
    ("models/redaction.py", "$"): "an environment variable",
    ("models/prompts/linting/chat.py", ">"): "a sign of YAML",
    ("models/prompts/context.py", ","): "punctuation",
    ("models/prompts/linting/excerpts.py", ">"): "the end of a tag",
    ("models/prompts/template.py", ","): "punctuation",
    ("adapters/cli/acting/asking.py", "~"): "the sign of a change in a list",
    ("adapters/cli/acting/asking.py", "$"): "the sign of a command in a list",
    ("adapters/cli/visibility.py", ">"): "the end of the name of a character",
    ("acting/journal/records.py", ","): "a thousands separator, punctuation",
    ("acting/journal/seal.py", "."): "a part of a path",
    ("acting/commands/sandbox.py", "--"): "the end of the options of a command line",
    ("lab/workbench/decisions.py", ","): "punctuation",
    ("adapters/cli/reading/repair.py", "@"): "a hunk of a diff",
    ("adapters/cli/reading/rules.py", "?"): "punctuation of a message",
    ("adapters/cli/acting/apply.py", "."): "the folder at hand",
    ("adapters/cli/acting/plan_view.py", "@"): "a hunk of a diff",
    ("adapters/cli/acting/plan_view.py", ","): "a thousands separator",
    ("acting/files/paths.py", "~"): "the home folder",
    ("acting/files/paths.py", "."): "punctuation of file names",
    ("acting/plan/planning.py", ","): "a thousands separator",
    ("core/text/yaml_file.py", "?"): "punctuation of a message",
    ("core/ground/json_objects.py", "."): "a joint of keys",
    ("lab/baselines/yaml_blocks.py", "."): "the point of a number",
    ("error_correcting/loading.py", "@"): "the name of a rule that repeats itself",
    ("error_correcting/messages.py", "."): "the end of a sentence",
    ("core/formats/expressions.py", ">"): "a part of a group's name in a pattern",
    ("core/formats/grammar.py", "?"): "a sign of Lark's grammars",
    ("core/formats/doubts.py", ">"): "the end of a tag",
    ("core/formats/doubts.py", ">>"): "the ends of two tags",
    ("core/formats/lost_sections.py", ">"): "the end of a tag",
    ("core/formats/tools.py", "."): "a joint of names",
    ("core/ground/file_types.py", "."): "file names",
    ("acting/files/view.py", "."): "a part of a path that is refused",
    ("exports/__init__.py", "."): "a module's name",
    ("core/grammar/mistakes.py", "."): "the end of a sentence",
    ("adapters/cli/texts.py", "."): "punctuation, file names",
    ("adapters/cli/texts.py", ","): "punctuation",
    ("answers/conditions.py", ">"): "a comparison",
    ("answers/conditions.py", "."): "a joint of names",
    ("answers/conditions.py", "!"): "a sign of other languages",
    ("answers/conditions.py", "?"): "punctuation of a message",
    ("answers/judgment/rules_file.py", "?"): "punctuation of a message",
    ("exports/gbnf.py", " ::= "): "a sign of its notation",
    ("exports/expressions.py", "?"): "a sign of regular expressions",
    ("exports/llguidance.py", "::="): "a sign of another notation, which must not come up",
    ("exports/llguidance.py", "::[=]"): "what is written instead",
    ("answers/structured/arriving.py", ","): "a sign of JSON",
    ("answers/structured/extraction.py", ","): "a thousands separator",
    ("answers/structured/notations.py", " ::= "): "a sign of its notation",
    ("answers/structured/notations.py", "#"): "a comment of its notation",
    ("answers/structured/schema/problems.py", "#"): "the beginning of a reference inside a schema",
    ("answers/structured/schema/problems.py", "~"): "an escape of JSON pointers",
    ("answers/structured/schema/projection.py", "#"): "a reference to the whole schema",
    ("answers/structured/scalars.py", ","): "a thousands separator",
    ("answers/structured/tokens.py", ","): "a sign of JSON",
}
LONG = ("<<<", ">>>", "::", ">> ")


def _literals() -> Iterator[tuple[str, int, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.is_relative_to(PACKAGE / "lab" / "benchmark" / "faults"):
            continue  # a second reading of the formats, made on purpose: it must not lean on the first
        tree = ast.parse(path.read_text(encoding="utf-8"))
        prose = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                yield path.relative_to(PACKAGE).as_posix(), node.lineno, node.value


# Lone signs are punctuation there, or JavaScript's.
REPORTING = (
    "lab/benchmark/",
    "lab/measuring/",
    "adapters/cli/bench/",
    "adapters/cli/run_",
    "core/former_names",
    "core/ground/json_lines",
    "exports/bundle/",
    "exports/javascript/",
    "lab/playground/",
    "routing/",
    "adapters/cli/route/",
    "adapters/cli/routing_view",
    "adapters/cli/contestants",
    "code_intelligence/",
    "adapters/cli/code/",
)


@pytest.mark.slow
def test_marks_are_spelled_nowhere_else() -> None:
    marks = {mark for name in DIALECTS for mark in load_grammar(name).marks.values()}
    rows = [
        (file, line, text)
        for file, line, text in _literals()
        if (text in marks and not file.startswith(REPORTING)) or any(mark in text for mark in LONG)
    ]
    new = [(file, line, text) for file, line, text in rows if (file, text) not in ALLOWED]
    assert not new, "\n".join(map(str, new))
    installed = {row for row in ALLOWED if (PACKAGE / row[0]).exists()}
    assert {(file, text) for file, _, text in rows} == installed, "the list of exceptions has grown old"
