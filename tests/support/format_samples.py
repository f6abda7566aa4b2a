"""Samples of formats, each written from the documentation of its tool, with the actions that they mean."""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A text of a format, and its actions as verb, path and content."""

    format: str
    text: str
    actions: tuple[tuple[str, str, str | None], ...]


BLOCKS = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE"
SAMPLES = (
    Sample(
        "apply_patch",
        "*** Begin Patch\n*** Add File: hello.txt\n+Hello world\n*** Update File: src/app.py\n@@ def greet():\n"
        '-print("Hi")\n+print("Hello, world!")\n*** Delete File: obsolete.txt\n*** End Patch\n',
        (
            ("create", "hello.txt", "Hello world"),
            ("edit", "src/app.py", '@@ def greet():\n-print("Hi")\n+print("Hello, world!")'),
            ("delete", "obsolete.txt", None),
        ),
    ),
    Sample(
        "apply_patch",
        "```diff\n*** Begin Patch\n*** Update File: src/app.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n```\n",
        (("edit", "src/app.py", "@@\n-x = 1\n+x = 2"),),
    ),
    Sample(
        "apertus",
        '<|tools_prefix|>[{"write_file": {"path": "a.py", "content": "x = 1"}}, {"bash": {"command": "ls"}}]'
        "<|tools_suffix|>\n",
        (("create", "a.py", "x = 1"), ("run", "ls", None)),
    ),
    Sample(
        "deepseek_v3",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n"
        '{"path": "a.py", "content": "x = 1\\n"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n',
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "deepseek_v3",
        '<｜tool▁call▁begin｜>bash<｜tool▁sep｜>{"command": "ls -l"}<｜tool▁call▁end｜>\n',
        (("run", "ls -l", None),),
    ),
    Sample(
        "file_tags",
        '<boltAction type="file" filePath="src/main.js">\nlet x = 1;\n</boltAction>\n<boltAction type="shell">'
        "npm install</boltAction>\n",
        (("create", "src/main.js", "let x = 1;"), ("run", "npm install", None)),
    ),
    Sample(
        "file_tags",
        '<dyad-write path="src/a.tsx" description="a component">\nexport {}\n</dyad-write>\n',
        (("create", "src/a.tsx", "export {}"),),
    ),
    Sample("file_tags", '<lov-delete file_path="src/b.ts" />\n', (("delete", "src/b.ts", None),)),
    Sample(
        "file_tags",
        "<files>\n<file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</file>\n</files>\n",
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "file_tags",
        '<dyad-write path="src/c.tsx">\nexport {}\n</dyad-write>\n<dyad-delete path="src/a.tsx"></dyad-delete>\n'
        '<dyad-delete path="src/b.tsx" />\n',
        (("create", "src/c.tsx", "export {}"), ("delete", "src/a.tsx", None), ("delete", "src/b.tsx", None)),
    ),
    Sample(
        "functionary",
        '<function=write_file>{"path": "a.py", "content": "x = 1\\n"}</function>\n',
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "glm",
        "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n<arg_key>content</arg_key>\n"
        "<arg_value>x = 1</arg_value>\n</tool_call>\n",
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "harmony",
        "<|channel|>commentary to=functions.shell <|constrain|>json<|message|>"
        '{"command": ["bash", "-lc", "ls"]}<|call|>\n',
        (("run", "ls", None),),
    ),
    Sample(
        "harmony",
        '<|channel|>commentary to=container.exec json<|message|>{"cmd": ["bash", "-lc", "ls"]}<|call|>\n',
        (("run", "ls", None),),
    ),
    Sample("heredoc", "cat > src/a.py << 'EOF'\nx = 1\nEOF\n", (("create", "src/a.py", "x = 1"),)),
    Sample(
        "hermes_json",
        '<tool_call>\n{"name": "str_replace", "arguments": {"path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}}\n'
        "</tool_call>\n",
        (("edit", "a.py", BLOCKS),),
    ),
    Sample(
        "hunyuan",
        '<tool_calls>\n<tool_call>run_command\n```json\n{"command": "ls -l"}\n```\n</tool_call>\n</tool_calls>\n',
        (("run", "ls -l", None),),
    ),
    Sample(
        "invoke_xml",
        '<function_calls>\n<invoke name="bash">\n<parameter name="command">pytest -q</parameter>\n</invoke>\n'
        "</function_calls>\n",
        (("run", "pytest -q", None),),
    ),
    Sample(
        "json_calls",
        '{"actions": [{"action": "create_file", "path": "a.py", "content": "x"}, {"action": "delete", "path": "b"}]}\n',
        (("create", "a.py", "x"), ("delete", "b", None)),
    ),
    Sample(
        "kimi_k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>"
        '{"path": "a.py", "content": "x"}<|tool_call_end|><|tool_calls_section_end|>\n',
        (("create", "a.py", "x"),),
    ),
    Sample(
        "json_calls",
        '{"candidates": [{"content": {"parts": [{"text": "Done."}, {"functionCall": {"name": "write_file", "args": '
        '{"file_path": "a.py", "content": "x"}}}], "role": "model"}}]}\n',
        (("create", "a.py", "x"),),
    ),
    Sample(
        "mistral",
        '[TOOL_CALLS]write_file[ARGS]{"path": "a.py", "content": "x = 1"}[TOOL_CALLS]bash[CALL_ID]4Kd2[ARGS]'
        '{"command": "ls"}\n',
        (("create", "a.py", "x = 1"), ("run", "ls", None)),
    ),
    Sample(
        "mistral",
        '[TOOL_CALLS] [{"name": "bash", "arguments": {"command": "ls"}}, {"name": "delete_file", "arguments": '
        '{"path": "a.py"}}]\n',
        (("run", "ls", None), ("delete", "a.py", None)),
    ),
    Sample(
        "named_calls",
        "<tool_use>\n  <name>write_file</name>\n  <arguments>"
        '{"path": "a.py", "content": "x = 1"}</arguments>\n</tool_use>\n',
        (("create", "a.py", "x = 1"),),
    ),
    Sample("named_fences", "```python\n# filepath: src/a.py\nx = 1\n```\n", (("create", "src/a.py", "x = 1"),)),
    Sample("named_fences", "**src/a.py**\n\n```python\nx = 1\n```\n", (("create", "src/a.py", "x = 1"),)),
    Sample("named_fences", '```js title="b.js"\nlet x\n```\n', (("create", "b.js", "let x"),)),
    Sample("named_fences", "```python\n# src/a.py\nx = 1\n```\n", (("create", "src/a.py", "x = 1"),)),
    Sample("named_fences", "### 1. Create `a.py`\n\n```python\nx = 1\n```\n", (("create", "a.py", "x = 1"),)),
    Sample("named_fences", "Create a.py with this content:\n\n```\nx = 1\n```\n", (("create", "a.py", "x = 1"),)),
    Sample("named_fences", "Do it:\n\n```bash\npytest -q\n```\n", (("run", "pytest -q", None),)),
    Sample("named_fences", "Do it:\n\n```mswea_bash_command\nls\n```\n", (("run", "ls", None),)),
    Sample(
        "original_patched",
        "<file>a.py</file>\n<original>x = 1</original>\n<patched>x = 2</patched>\n",
        (("edit", "a.py", BLOCKS),),
    ),
    Sample(
        "python_calls",
        "```tool_code\nprint(default_api.write_file(path='a.py', content='''x = [1]\n'''))\n```\n",
        (("create", "a.py", "x = [1]"),),
    ),
    Sample(
        "python_calls",
        '<|python_start|>[write_file(path="a.py", content="x = 1\\n"), run(command="ls")]<|python_end|>\n',
        (("create", "a.py", "x = 1"), ("run", "ls", None)),
    ),
    Sample(
        "qwen_xml",
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nx = 1\n"
        "</parameter>\n</function>\n</tool_call>\n",
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "qwen_xml",
        "<seed:tool_call><function=bash><parameter=command>ls -l</parameter></function></seed:tool_call>\n",
        (("run", "ls -l", None),),
    ),
    Sample(
        "react",
        'Thought: a file is missing.\nAction: write_file\nAction Input: {"path": "a.py", "content": "x = 1"}\n',
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "react", "Thought: run the tests\nAction: Terminal\nAction Input: pytest -q\n", (("run", "pytest -q", None),)
    ),
    Sample("search_replace", f"a.py\n```python\n{BLOCKS}\n```\n", (("edit", "a.py", BLOCKS),)),
    Sample("search_replace", f"```python\na.py\n{BLOCKS}\n```\n", (("edit", "a.py", BLOCKS),)),
    Sample("search_replace", f"File: src/b.py\n{BLOCKS}\n", (("edit", "src/b.py", BLOCKS),)),
    Sample(
        "step",
        '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="write_file">\n'
        '<steptml:parameter name="path">a.py</steptml:parameter>\n<steptml:parameter name="content">x = 1'
        "</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>\n",
        (("create", "a.py", "x = 1"),),
    ),
    Sample(
        "tag_calls",
        "<write_to_file>\n<path>a.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>\n",
        (("create", "a.py", "x = 1"),),
    ),
    Sample("tag_calls", "<execute_bash>\npytest -q\n</execute_bash>\n", (("run", "pytest -q", None),)),
    Sample(
        "unified_diff",
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        (("edit", "a.py", "@@ -1 +1 @@\n-x = 1\n+x = 2"),),
    ),
    Sample(
        "unified_diff",
        "--- a/my notes.txt\t\n+++ b/my notes.txt\t\n@@ -1,2 +1,2 @@\n x = 1\n-y = 1\n+y = 2\n",
        (("edit", "my notes.txt", "@@ -1,2 +1,2 @@\n x = 1\n-y = 1\n+y = 2"),),
    ),
    Sample("unified_diff", "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n", (("create", "new.py", "x = 1"),)),
    Sample(
        "unified_diff",
        "```diff\n--- a/b.py\n+++ b/b.py\n@@\n-x = 1\n+x = 2\n```\n",
        (("edit", "b.py", "@@\n-x = 1\n+x = 2"),),
    ),
    Sample("unified_diff", "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n", (("delete", "old.py", None),)),
)
# Replies that name no file for any of their fences, or talk about marks.
NO_ACTIONS = (
    "",
    "\n",
    "Use `<tool_call>` with a function.\n",
    "Here is an example:\n\n```python\nx = 1\n```\n\nand another:\n\n```bash\nls\n```\n",
    "Run it:\n\n```bash\nls\n```\n\nThen look at the output.\n",
    "In `main.py`, change:\n\n```python\nx = 1\n```\n\nand save it.\n",
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>\n',
    "<b>\n<i>x</i>\n</b>\n",
    '{"name": "Ann", "age": 3}\n',
    "<<<<<<< SEARCH\n",
    "> a quote\n\n- a list\n",
)
# Notations of a team, as a user writes them: each a file.
OWN = {
    "team_change": (
        'document: edit*\nedit: "change " PATH ":" _NL "<<< old" _NL SEARCH "=== new" _NL REPLACE ">>>" _NL\n'
        "PATH: /[^ \\t\\n:]+/\nSEARCH: /([^\\n]*\\n)*/\nREPLACE: /([^\\n]*\\n)*/\n_NL: /[ \\t]*\\n/\n"
    ),
    "team_heredoc": (
        'document: write*\nwrite: "put " PATH " until " END _NL CONTENT SAME_END _NL\nPATH: /[^ \\t\\n]+/\n'
        "END: /[A-Za-z_0-9]+/\nSAME_END: END\nCONTENT: /([^\\n]*\\n)*/\n_NL: /[ \\t]*\\n/\n"
    ),
    "team_xml": (
        'document: (write | delete)*\nwrite: "<file path=\\"" PATH "\\" mode=\\"write\\">" _NL CONTENT "</file>"\n'
        'delete: "<file path=\\"" PATH "\\" mode=\\"delete\\"/>"\nPATH: /[^"\\n]+/\nCONTENT: /(.|\\n)*/\n_NL: /\\n/\n'
    ),
    "team_yaml": (
        'document: write*\nwrite: "- write: " PATH _NL "  content: |" _NL INDENTED\nPATH: /[^ \\t\\n]+/\n'
        "INDENTED: /([ ]{4}[^\\n]*\\n|[ ]*\\n)*/\n_NL: /[ \\t]*\\n/\n"
    ),
}

# A command of a shell fence must be alone, and end the reply.
SECTIONS = [sample for sample in SAMPLES if not sample.text.startswith("Do it")]
