"""Values that read rightly and are wrong are told in every phase; ordinary ones are not."""

from __future__ import annotations

import json

import pytest
from repository import ROOT
from wings import need_wing

import symops_lark
from symops_lark import Action, Completeness, Document, Phase
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.file_types import LANGUAGES, WITH_FENCES, language_of
from symops_lark.core.validator import VALUE_CHECKS

VERBS = load_dialect("v2").verbs
FENCED = "```python\nx = 1\n```"


def codes(path: str, content: str = "x = 1", verb: str = "create") -> list[str]:
    document = Document((Action(verb, path, content),), "v2")
    return [finding.code for check in VALUE_CHECKS for finding in check(document, VERBS)]


def reply(path: str, content: str = "x = 1", verb: str = "create") -> str:
    return f"::{verb} @{path}\n<<<\n{content}\n>>>\n"


WRONG = [
    ("diff-as-content", "a.py", "+import os\n+\n+print(os.name)"),
    ("left-out-code", "a.py", "# ... rest of the code unchanged"),
    ("left-out-code", "a.js", "f();\n// ... existing code ..."),
    ("left-out-code", "a.py", "x = 1\n# (rest of implementation remains unchanged)"),
    ("left-out-code", "a.css", "/* ... other rules unchanged ... */"),
    ("left-out-code", "a.html", "<!-- rest of the page unchanged -->"),
    ("left-out-code", "a.py", "[rest of file unchanged]"),
    ("left-out-code", "a.py", "(continued from above)\nx = 1"),
    ("left-out-code", "a.py", "# 残りのコードは変更なし"),
    ("left-out-code", "a.py", "# 既存のコード"),
    ("left-out-code", "a.py", "# ... restlicher Code unverändert ..."),
    ("left-out-code", "a.js", "// ... el resto del código sin cambios ..."),
    ("left-out-code", "a.py", "# ... restante do código inalterado ..."),
    ("left-out-code", "a.py", "# ... resto del codice invariato ..."),
    ("left-out-code", "a.js", "// ... остальной код без изменений ..."),
    ("left-out-code", "a.py", "# остальной код без изменений"),
    ("left-out-code", "a.js", "// ... código existente ..."),
    ("left-out-code", "a.py", "# ... le reste du code inchangé ..."),
    ("left-out-code", "a.py", "# ... code existant ..."),
    ("left-out-code", "a.py", "x = 1\n... 200 more lines ...\ny = 2"),
    ("left-out-code", "a.js", "f();\n// ... (12 other functions)"),
    ("control-token", "a.py", "x = 1\n<|im_end|>"),
    ("control-token", "a.go", "package a\n</s>\n\n"),
    ("language-line", "a.py", "python\nx = 1"),
    ("language-line", "a.js", "js\nf();"),
    ("language-line", "a.json", "json\n{}"),
    ("cdata-content", "a.py", "<![CDATA[\nx = 1\n]]>"),
    ("escaped-quotes", "a.py", 'print(\\"a\\")\n'),
    ("escaped-quotes", "a.json", '{\\"a\\": 1}'),
    ("escaped-html", "a.html", "&lt;p&gt;Hello&lt;/p&gt;"),
    ("placeholder-content", "a.js", "..."),
    ("placeholder-content", "a.py", "[full content of the file]"),
    ("placeholder-content", "a.md", "<content here>"),
    ("placeholder-content", "a.py", "def f():\n    # TODO: add your code here\n    pass"),
    ("line-numbers", "a.py", "1: import os\n2:\n3: x = 1"),
    ("line-numbers", "a.py", "    41\timport os\n    42\tx = 1"),
    ("line-numbers", "a.go", " 9  package a\n10  import b"),
    ("escaped-html", "a.py", "def f() -&gt; int:\n    return 1"),
    ("escaped-html", "a.py", "print(&quot;x&quot;)"),
    ("escaped-html", "a.c", "if (a &amp;&amp; b) f();"),
    ("escaped-lines", "a.py", r"import os\nprint(\"hi\")\n"),
    ("escaped-lines", "a.js", '"f();\\ng();"'),
    ("escaped-lines", "a.py", r"x = 1\ny = 2"),
    ("diff-as-content", "a.py", "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"),
    ("diff-as-content", "a.py", "--- a/a.py\n+++ b/a.py\n-x\n+y"),
    ("diff-as-content", "a.py", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"),
    ("odd-layout", "a.py", "    import os\n\n    x = 1"),
    ("odd-layout", "a.js", "\tf(\n\t\tx\n\t);"),
    ("odd-layout", "a.py", "import os\n\ndef f():\n\n    x = 1\n\n    return x"),
    ("odd-layout", "a.json", '{\r\n\r\n  "a": 1,\r\n\r\n  "b": 2\r\n\r\n}'),
    ("smart-quotes", "a.py", "print(‘hi’)"),
    ("smart-quotes", "a.json", "{“a”: “it’s”}"),
    ("fenced-content", "a.py", FENCED),
    ("fenced-content", "notes", FENCED),
    ("echoed-template", "path/to/file.py", "x"),
    ("echoed-template", ".../a.py", "x"),
    *(
        ("doubtful-path", path, "x")
        for path in (
            "a.py to add logging",
            "a.py, which is new",
            "a.py,b.py",
            "a.py and b.py",
            "a.py – new file",
            "a.py updated",
            "a.py.",
            "file: a.py",
            "the file a.py",
            "a.py#L10-L20",
            "a.py:10",
            "a.pyを作成",
            "Dockerfile (updated)",
            "src/Makefile as discussed",
            "docs/draft.md[/INST]",
            "[INST]a.py",
            "notes[/INST]",
        )
    ),
]
RIGHT = [
    ("a.py", "+1"),
    ("phones.csv", "+49 1\n+49 2"),
    ("a.js", "+a\n  + b"),
    ("a.py", "# Parse the rest of the line\n# Same as above, but slower\n# TODO: other cases"),
    ("a.py", '"... existing code ...",'),
    ("a.py", "..."),
    ("a.py", "def f(): ...\n"),
    ("a.py", "# ..."),
    ("a.py", "# Der Rest der Liste ... und mehr"),
    ("a.py", "# REST code"),
    ("a.py", "    import os"),
    ("a.py", "x = 1\n\ny = 2\n\nz = 3\n\nf()"),
    ("a.py", "def f():\n\n    x = 1\n    return x\n\n\nf()\n\nf()"),
    ("a.md", "    indented\n    code"),
    ("a.s", "    mov a, b\n    ret"),
    ("a.md", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"),
    ("a.md", "# ... rest of the code unchanged"),
    ("a.md", FENCED),
    ("a.adoc", FENCED),
    ("a.csv", "1\tone\n2\ttwo"),
    ("a.py", "1: one,\n3: three,"),
    ("a.py", 'x = html.replace("<", "&lt;")\n'),
    ("a.py", '# a &lt; b\nassert text == "&lt;"'),
    ("a.xml", "<a>1 &lt; 2</a>"),
    ("a.py", r'print("a\nb\n")'),
    ("a.js", r"a.split(/\r\n|\n/)"),
    ("a.sh", r"tr -d \n"),
    ("a.json", r'"a\nb"'),
    ("a.patch", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"),
    ("a.lua", "--- a comment\nx = 1"),
    ("app/[INST]/page.tsx", "x"),
    ("a.py", 'print("“hi”")'),
    ("a.tsx", "<p className='a'>Don’t say “no”</p>"),
    ("a.txt", "He said “no”."),
    ("a.py", "# 12 more tests"),
    ("a.md", "```\nx\n<|im_end|>\n```"),
    ("a.py", "python = 1\n"),
    ("a.ini", "python\n"),
    ("a.xml", "<![CDATA[x]]>"),
    ("a.py", 'print("a\\"b\\"")'),
    ("a.py", "print('(\\\"a\\\"')"),
    ("a.js", 'a.split(/\\"/, /\\"/)'),
    ("a.html", "<pre>&lt;p&gt;</pre>"),
    ("a.html", "a &lt; b"),
    ("a.yaml", 'text: "&lt;p&gt;Hello&lt;/p&gt;"'),
    ("a.csv", "1,&lt;p&gt;Hello&lt;/p&gt;"),
    *(
        (path, "x")
        for path in (
            "a b/c.py",
            "my file.txt",
            "foo.c,v",
            "pages/[...slug].tsx",
            "(group)/page.tsx",
            "[id].tsx",
            "a+b.cpp",
            "__init__.py",
            "v1.0 notes.md",
            "Dr. Who notes.txt",
            "a,b.csv",
            "src/+page.svelte",
            "日本語.py",
            "it's.md",
            ".env",
        )
    ),
]


@pytest.mark.parametrize(("code", "path", "content"), WRONG)
def test_a_wrong_value_is_told(code: str, path: str, content: str) -> None:
    assert codes(path, content) == [code]
    result = symops_lark.process(reply(path, content), "v2")
    [action] = result.document.actions
    assert result.phase is Phase.STRICT and [finding.code for finding in result.diagnostics] == [code]
    assert action.completeness is Completeness.SUSPECT and action.confidence == result.confidence < 0.9


@pytest.mark.parametrize(("code", "path", "content"), WRONG)
def test_a_plan_asks_about_a_wrong_value(code: str, path: str, content: str) -> None:
    need_wing("acting")
    from trees import MemoryTree

    from symops_lark import Decision, Policy

    result = symops_lark.process(reply(path, content), "v2")
    [change] = symops_lark.plan(result.document, MemoryTree(), Policy(protected=())).changes or [None]
    assert change is None or (change.decision is Decision.ASK and result.diagnostics[0].message in change.reasons)


@pytest.mark.parametrize(("path", "content"), RIGHT)
def test_an_ordinary_value_is_not_told(path: str, content: str) -> None:
    assert codes(path, content) == []
    result = symops_lark.process(reply(path, content), "v2")
    assert result.confidence == 1.0 and result.document == symops_lark.parse(reply(path, content))


@pytest.mark.parametrize("command", ["$ make", "% make", "bash: make", "Run: make", "PS C:\\a> make", "make</s>"])
def test_what_stands_around_commands_in_a_terminal_is_told(command: str) -> None:
    assert codes(command, "", "run") == ["doubtful-command"]


@pytest.mark.parametrize("command", ["make", "$MAKE all", "command -v make", "echo $ a", "> log", "./bash: x", "%x% y"])
def test_commands_as_they_are_meant_are_not_told(command: str) -> None:
    assert codes(command, "", "run") == []


@pytest.mark.parametrize("other", ["./src/a.py", "src/./a.py", "src/b/../a.py", "src/a.py"])
def test_a_target_is_one_in_every_spelling(other: str) -> None:
    result = symops_lark.process(reply("src/a.py") + reply(other), "v2")
    assert [finding.code for finding in result.diagnostics] == ["duplicate-target"]


def test_only_creating_from_a_diff_is_told() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y"
    assert codes("a.py", diff) == ["diff-as-content"] and codes("a.py", diff, "edit") == []


def test_broken_replies_are_told_as_well() -> None:
    mistakes = reply("a.py as discussed")
    for text in ("Sure:\n\n" + mistakes, mistakes.replace("::create", ":: Create"), mistakes.removesuffix(">>>\n")):
        result = symops_lark.process(text, "v2")
        [action] = result.document.actions
        assert result.phase is not Phase.STRICT and "doubtful-path" in {finding.code for finding in result.diagnostics}
        assert action.completeness is not Completeness.COMPLETE and action.confidence <= 0.85 >= result.confidence


def test_valid_texts_are_parsed_repaired_and_recovered_as_they_are() -> None:
    text = reply("a.py", FENCED)
    assert symops_lark.parse(text).actions[0].content == FENCED
    assert symops_lark.repair(text) == text and not symops_lark.repair(text).repairs
    assert symops_lark.recover(text).actions[0].content == FENCED


# ---- the one repair of valid text


@pytest.mark.parametrize("suffix", LANGUAGES)
def test_a_fence_is_taken_off_where_the_language_has_none(suffix: str) -> None:
    text = ">> go\n" + reply("b.md", FENCED) + reply(f"a{suffix}", FENCED) + reply("notes", FENCED)
    result = symops_lark.process(text, "v2")
    saved, action, unknown = result.document.actions
    assert result.phase is Phase.STRICT and saved.content == unknown.content == FENCED
    assert saved.completeness is Completeness.COMPLETE and saved.confidence == 1.0
    if LANGUAGES[suffix] in WITH_FENCES:
        assert action.content == FENCED and not result.repairs
        return
    [repair] = result.repairs
    assert action.content == "x = 1" and action.completeness is Completeness.SUSPECT
    assert repair.rule == "fence-in-block" and repair.text_before == FENCED and repair.text_after == "x = 1"
    assert action.content_span is not None
    assert text[action.content_span.start : action.content_span.end] == action.content
    assert text[repair.before.start : repair.before.end] == repair.text_before
    after = result.trace[-1].text
    assert after[repair.after.start : repair.after.end] == repair.text_after
    assert symops_lark.parse(after).actions == result.document.actions
    assert ("fenced-content", action.span) in {(finding.code, finding.span) for finding in result.diagnostics}


@pytest.mark.parametrize(
    ("content", "inner"),
    [("```\n\nx\n\n```", "\nx\n"), ("\n~~~ js\nx\n~~~\n\n", "x"), ("```\n```", ""), ("```\r\nx\r\ny\r\n```", "x\r\ny")],
)
def test_what_is_in_a_fence_is_kept_exactly(content: str, inner: str) -> None:
    text = reply("a.js", content)
    [action] = symops_lark.process(text, "v2").document.actions
    assert action.content == inner and action.content_span is not None
    assert text[action.content_span.start : action.content_span.end] == inner


@pytest.mark.parametrize(
    "content", ["x\n```\ny\n```", "```\nx\n```\ny", "```\nx\n```\n```\ny\n```", "````\n```\nx\n```\n````", "```\nx"]
)
def test_a_part_of_a_content_is_no_fence_around_it(content: str) -> None:
    assert symops_lark.process(reply("a.js", content), "v2").document.actions[0].content == content


def test_the_policy_may_take_what_was_in_a_fence() -> None:
    need_wing("acting")
    from trees import MemoryTree

    from symops_lark import Decision, Policy

    bold = Policy(unwrapped=Decision.AUTO)

    def decide(text: str, policy: Policy) -> list[Decision]:
        return [
            c.decision for c in symops_lark.plan(symops_lark.process(text, "v2").document, MemoryTree(), policy).changes
        ]

    text = reply("a.py", FENCED) + reply("notes", FENCED) + reply("b.py", "```\n# ... rest unchanged\n```")
    assert decide(text, Policy()) == [Decision.ASK] * 3
    assert decide(text, bold) == [Decision.AUTO, Decision.ASK, Decision.ASK]
    assert decide(text, Policy(unwrapped=Decision.REFUSE))[0] is Decision.REFUSE


def test_whatever_process_warned_about_is_asked_about() -> None:
    need_wing("acting")
    from trees import MemoryTree

    from symops_lark import Decision, Policy

    text = "::1 create @a.py >old.py\n<<<\nx\n>>>\n::3 create @b.py\n<<<\ny\n>>>\n"
    document = symops_lark.process(text, "v2_numbered").document
    for tree, decisions in ((MemoryTree(), ["ask", "ask"]), (MemoryTree({"old.py": b""}), ["auto", "ask"])):
        assert [change.decision for change in symops_lark.plan(document, tree).changes] == decisions
    easy = symops_lark.plan(document, MemoryTree(), Policy(warned=Decision.AUTO))
    assert [change.decision for change in easy.changes] == ["auto", "auto"]
    noted = symops_lark.process("Sure:\n\n::create @a.py\n<<<\nx\n>>>\n", "v2")  # a note is no warning
    assert noted.diagnostics and symops_lark.plan(noted.document, MemoryTree()).changes[0].decision is Decision.AUTO


# ---- false alarms

ON_PURPOSE = {  # lists of signs, and a transcript of a reply that ends with a token
    "tests/acting/test_policy.py",
    "symops_lark/core/edits/notations/sketches.py",
    "tests/core/edits/cases.yaml",
    "tests/core/edits/test_left_out.py",
    "tests/core/validator/test_values.py",
    "tests/transcripts/composed-control-tokens.txt",
}


@pytest.mark.slow
def test_files_of_this_repository_draw_no_alarm() -> None:
    folders = ("symops_lark", "tests", "benchmarks", "grammars", "repair_rules", "docs", "examples")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    fields, count = {}, 0
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if "__pycache__" not in name and language_of(name):
            count += 1
            if result := codes(name, path.read_text(encoding="utf-8")):
                fields[name] = result
    assert count > 500 and set(fields) <= ON_PURPOSE, fields


def test_contents_of_real_replies_draw_only_what_is_there() -> None:
    """Seven of them do leave out code, `# ... rest of the method remains the same`; two are parts of a function."""
    rows = [json.loads(line) for line in (ROOT / "benchmarks" / "contents" / "real.jsonl").open(encoding="utf-8")]
    fields = {}
    for row in rows:
        verb = "edit" if row["content"].startswith("<<<<<<<") else "create"  # of a search and its replacement
        if result := codes(row["path"], row["content"], verb):
            fields[row["path"]] = result
    assert sorted(map(tuple, fields.values())) == [("left-out-code",)] * 7 + [("odd-layout",)] * 2


@pytest.mark.parametrize(
    "unit", ["# ", "&lt;\\n", "“", "'", '"', "1: ", "\\", "{ ", "...", "` ", "```\n", "here ", "a.py ", "</content>x\n"]
)
def test_checks_take_time_linear_in_a_line(unit: str) -> None:
    """What a check looks for, all over a text and a path: a square would take minutes."""
    content = unit * (300_000 // len(unit))
    codes("a.py", content)
    codes(content, "x")
