"""What may never happen: hostile paths are refused, odd ones asked about, and nothing is silent that should not be."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from hostile import ASKED, HARMLESS, PROTECTED, REFUSED
from hypothesis import assume, given
from hypothesis import strategies as st
from trees import MemoryTree, assert_below, create, delete, document, edit, run

from symops_lark import Completeness, Plan, Policy, plan
from symops_lark.acting.changes import Decision, Operation
from symops_lark.acting.files.paths import check_path, fold
from symops_lark.acting.plan.policy import protects
from symops_lark.core.grammar.codes import FENCED_CONTENT
from symops_lark.core.text.diagnostics import Diagnostic, Severity

CODE = "".join(f"line {n}\n" for n in range(40))


def one(action_plan: Plan) -> tuple[Decision, tuple[str, ...]]:
    assert not action_plan.conflicts, action_plan.conflicts
    (change,) = action_plan.changes
    return change.decision, change.reasons


# ---- paths


def test_there_are_enough_hostile_paths() -> None:
    paths = {path for group in (*REFUSED.values(), *ASKED.values(), PROTECTED) for path in group}
    assert len(paths) >= 200


@pytest.mark.parametrize(
    ("kind", "path"),
    [(kind, path) for kind, group in REFUSED.items() for path in group],
    ids=lambda value: ascii(value)[:40],
)
def test_hostile_path_is_refused(kind: str, path: str) -> None:
    """Whatever the verb: there is no change, one finding says why, and the tree is not asked about it."""
    for action in (create(path), edit(path, "x"), delete(path)):
        tree = MemoryTree({"a.py": b""})
        planned_changes = plan(document(action), tree)
        assert planned_changes.changes == () and not planned_changes.possible and tree.looked == []
        (finding,) = planned_changes.conflicts
        assert finding.code == "unsafe-path" and finding.hint and len(finding.message) < 3_000
        json.dumps(planned_changes.to_dict())


@pytest.mark.parametrize(
    ("kind", "path"),
    [(kind, path) for kind, group in ASKED.items() for path in group],
    ids=lambda value: ascii(value)[:40],
)
def test_odd_path_is_asked_about(kind: str, path: str) -> None:
    decision, reasons = one(plan(document(create(path)), MemoryTree()))
    assert decision is Decision.ASK and reasons


@pytest.mark.parametrize("path", PROTECTED)
def test_protected_file_needs_an_allowance(path: str) -> None:
    tree = MemoryTree({path: b"SECRET=1\n"})
    for action in (create(path), edit(path, "x"), delete(path)):
        planned_changes = plan(document(action), tree)
        assert one(planned_changes)[0] is Decision.REFUSE and not planned_changes.possible
        assert tree.looked == [] and "SECRET" not in json.dumps(planned_changes.to_dict())
    allowed = plan(document(edit(path, "SECRET=2\n")), tree, Policy(allow=(path,)))
    assert one(allowed) == (Decision.AUTO, ())


@pytest.mark.parametrize("path", HARMLESS, ids=ascii)
def test_plain_path_is_used(path: str) -> None:
    planned_changes = plan(document(create(path)), MemoryTree())
    assert one(planned_changes) == (Decision.AUTO, ())
    assert planned_changes.changes[0].path == path.removeprefix("./")


@given(
    st.text(st.characters(), max_size=12)
    | st.lists(st.sampled_from([*"./\\:~ aA\0\u200b．／%", "..", ".git", "con", "x", "../"]), max_size=8).map("".join)
)
def test_accepted_paths_lead_below_the_root(text: str) -> None:
    checked = check_path(text)
    assume(not checked.refusal)
    assert_below(checked.path)
    for part in fold(checked.path).split("/"):
        assert part not in ("", ".", "..", ".git") and not part.endswith((" ", "."))


@given(st.text(max_size=10))
def test_folding_is_stable(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize(
    ("one_name", "other"),
    [
        ("A.py", "a.py"),
        ("é.py", "e\u0301.py"),
        ("ﬁ.py", "fi.py"),
        ("straße", "STRASSE"),
        ("ａ.py", "a.py"),
        ("src/A/x", "src/a/y"),
        ("Å", "\u212b"),
        ("ΣΑΣ", "σας"),
        ("K.py", "\u212a.py"),
    ],
)
def test_names_that_are_one_for_some_systems_clash(one_name: str, other: str) -> None:
    both = plan(document(create(one_name), create(other)), MemoryTree())
    assert [finding.code for finding in both.conflicts] == ["name-clash"]
    for ignores_case in (False, True):
        there = plan(document(create(other)), MemoryTree({one_name: b""}, ignores_case=ignores_case))
        assert [finding.code for finding in there.conflicts] == ["name-clash"] and not there.changes


def test_names_that_are_there_twice_do_not_clash_with_themselves() -> None:
    tree = MemoryTree({"A.py": b"", "a.py": b""})
    for path in ("A.py", "a.py"):
        assert plan(document(edit(path, "x")), tree).possible
    assert not plan(document(edit("a.PY", "x")), tree).possible


@pytest.mark.parametrize(
    ("tree", "code"),
    [
        (MemoryTree(links=["a"]), "link-on-the-way"),
        (MemoryTree(links=["a/b"]), "link-on-the-way"),
        (MemoryTree(links=["a/b/c.py"]), "link-on-the-way"),
        (MemoryTree(others=["a/b/c.py"]), "not-a-file"),
        (MemoryTree(others=["a"]), "not-a-file"),
        (MemoryTree({"a": b""}), "file-in-the-way"),
        (MemoryTree({"a/b": b""}), "file-in-the-way"),
        (MemoryTree(folders=["a/b/c.py"]), "folder-as-file"),
    ],
)
def test_what_stands_in_the_way(tree: MemoryTree, code: str) -> None:
    for action in (create("a/b/c.py"), edit("a/b/c.py", "x"), delete("a/b/c.py")):
        planned_changes = plan(document(action), tree)
        assert [finding.code for finding in planned_changes.conflicts] == [code] and not planned_changes.changes


# ---- how sure, how whole


@pytest.mark.parametrize(
    ("confidence", "decision"),
    [
        (1.0, "auto"),
        (0.9, "auto"),
        (0.89, "ask"),
        (0.5, "ask"),
        (0.49, "refuse"),
        (0.0, "refuse"),
        (float("nan"), "refuse"),
    ],
)
def test_confidence_decides(confidence: float, decision: str) -> None:
    assert one(plan(document(create("a.py", confidence=confidence)), MemoryTree()))[0] == decision
    command = one(plan(document(run("ls", confidence=confidence)), MemoryTree(), Policy(auto_commands=("ls",))))
    assert command[0] == decision


@pytest.mark.parametrize("state", [state for state in Completeness if state is not Completeness.COMPLETE])
def test_what_is_not_whole_is_never_written_silently(state: Completeness) -> None:
    bold = Policy(auto_from=0, ask_from=0, unterminated=Decision.AUTO, suspect=Decision.AUTO, truncated=Decision.AUTO)
    assert one(plan(document(create("a.py", completeness=state)), MemoryTree(), bold))[0] is Decision.ASK
    expected = Decision.REFUSE if state is Completeness.TRUNCATED else Decision.ASK
    assert one(plan(document(create("a.py", completeness=state)), MemoryTree()))[0] is expected
    command = plan(document(run("ls", completeness=state)), MemoryTree(), replace(bold, auto_commands=("*",)))
    assert one(command)[0] is Decision.REFUSE


@pytest.mark.parametrize("state", [Completeness.UNTERMINATED, Completeness.TRUNCATED])
def test_the_end_of_a_text_in_a_fence_is_not_forgotten(state: Completeness) -> None:
    """A setting for fences decides about nothing else."""
    cut_off = create("a.py", completeness=state)
    warned = Diagnostic(FENCED_CONTENT, "a fence was removed", cut_off.span, Severity.WARNING)
    reply = replace(document(cut_off), diagnostics=(warned,))
    decision, _ = one(plan(reply, MemoryTree(), Policy(unwrapped=Decision.AUTO)))
    assert decision is (Decision.REFUSE if state is Completeness.TRUNCATED else Decision.ASK)


def test_deleting_is_asked_about() -> None:
    tree = MemoryTree({"a.py": b"x"})
    assert one(plan(document(delete("a.py")), tree))[0] is Decision.ASK
    assert one(plan(document(delete("a.py")), tree, Policy(deleting=Decision.AUTO)))[0] is Decision.AUTO


# ---- commands


def test_commands_are_never_run_by_themselves() -> None:
    for command in ("ls", "pytest -q", "rm -rf /", "true"):
        assert one(plan(document(run(command)), MemoryTree()))[0] is Decision.ASK
        strict = Policy(ask_commands=("pytest*",))
        expected = Decision.ASK if command.startswith("pytest") else Decision.REFUSE
        assert one(plan(document(run(command)), MemoryTree(), strict))[0] is expected


@pytest.mark.parametrize(
    "command",
    [
        "pytest; rm -rf /",
        "pytest && curl x | sh",
        "pytest $(id)",
        "pytest `id`",
        "pytest > /etc/passwd",
        "pytest $HOME",
        "pytest & x",
        "pytest < x",
        "pytest *",
        "pytest ~",
        "pytest {a,b}",
        "pytest # x",
        "pytest \\",
        "pytest (x)",
        "pytest -q\nrm x",
    ],
)
def test_allowance_does_not_reach_what_a_shell_would_add(command: str) -> None:
    policy = Policy(auto_commands=("pytest*",))
    assert one(plan(document(run("pytest -q")), MemoryTree(), policy))[0] is Decision.AUTO
    assert one(plan(document(run(command)), MemoryTree(), policy))[0] is Decision.ASK
    assert one(plan(document(run(command)), MemoryTree(), Policy(auto_commands=(command,))))[0] is Decision.AUTO


@pytest.mark.parametrize("command", ["", " ", "ls\rrm x", "ls\u202e", "ls\u200b", "ls\x1b[2J", "ls\0", "x" * 10_000])
def test_command_that_cannot_be_judged_is_refused(command: str) -> None:
    assert one(plan(document(run(command)), MemoryTree(), Policy(auto_commands=("*",))))[0] is Decision.REFUSE


# ---- contents

ELISIONS = """\
# ... rest of the code unchanged
# rest of the code remains the same
# ... existing code ...
// ... rest of the file ...
// existing code here
/* ... other methods unchanged ... */
-- rest of the file is unchanged
; remaining functions unchanged
% the rest of the document stays the same
<!-- rest of the page content unchanged -->
{# ... remaining template content omitted ... #}
(* other functions as before *)
REM rest of the script unchanged
' remaining code unchanged
# ...
// ...
... (rest of the code)
[... rest of the file unchanged ...]
(rest of the code remains the same)
    # Keep the rest as is
// The rest of the implementation is unchanged
# [snip]
// code omitted for brevity
# same as before
# previous code
# 以下同様
// 以下省略
# （以下略）
/* 中略 */
# 残りのコードは変更なし
// 既存のコード
# 他の関数はそのまま
<!-- 変更なし -->
# ～略～
// 其余代码不变
# 保持不变
// 나머지 코드는 동일
""".splitlines()


@pytest.mark.parametrize("line", ELISIONS)
def test_left_out_code_is_asked_about(line: str) -> None:
    content = f"def f():\n    return 1\n{line}\nend\n"
    decision, reasons = one(plan(document(create("a.py", content)), MemoryTree()))
    assert decision is Decision.ASK and "line 3 stands for code that was left out" in reasons[0]
    tree = MemoryTree({"a.py": content.encode()})
    assert one(plan(document(edit("a.py", content + "more\n")), tree)) == (Decision.AUTO, ())


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "    ...",
        "# the rest is history",
        "# see the existing file format",
        "x = 1  # unchanged value",
        "// Returns the remaining time",
        "# comment",
        "print('...')",
        "- rest days",
        "# 略語の一覧",
        "// TODO: other cases",
        "# Parse the rest of the line",
        "def rest_of_code(): pass",
        "/* Header */",
        "# 以下の手順で実行する",
    ],
)
def test_ordinary_lines_are_not_asked_about(line: str) -> None:
    assert one(plan(document(create("a.py", f"a\n{line}\nb\n")), MemoryTree())) == (Decision.AUTO, ())


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("if x:\u202e\n", "direction"),
        ("a\x1b[2J\n", "control"),
        ("a\0b\n", "control"),
        ("<<<<<<< HEAD\na\n", "merge"),
        (">>>>>>> main\n", "merge"),
        ("text\n@@ -1,2 +1,2 @@\n x\n", "diff"),
    ],
)
def test_odd_characters_in_contents_are_asked_about(content: str, word: str) -> None:
    decision, reasons = one(plan(document(create("a.py", content)), MemoryTree()))
    assert decision is Decision.ASK and word in reasons[0]


@pytest.mark.parametrize(
    ("after", "decision"),
    [
        (CODE + "x\n", "auto"),
        ("".join(f"line {n}\n" for n in range(30)), "ask"),
        ("".join(f"line {n}\n" for n in range(38)), "auto"),
        ("".join(f"line {n}\n" for n in (*range(15), *range(25, 40))), "auto"),
        ("line 1\nline 2\n", "ask"),
        ("".join(f"other {n}\n" for n in range(40)), "ask"),
        ("", "ask"),
        ("\n\n", "ask"),
    ],
)
def test_shrinking_is_asked_about(after: str, decision: str) -> None:
    assert one(plan(document(edit("a.py", after)), MemoryTree({"a.py": CODE.encode()})))[0] == decision


# ---- limits


@pytest.mark.slow
def test_a_hundred_thousand_actions_are_one_finding() -> None:
    actions = tuple(create(f"../{n}.py") for n in range(100_000))
    tree = MemoryTree()
    planned_changes = plan(document(*actions), tree)
    assert [finding.code for finding in planned_changes.conflicts] == ["too-much"]
    assert not planned_changes.changes and not tree.looked
    assert "100,000" in planned_changes.conflicts[0].message


@pytest.mark.slow
def test_a_hundred_thousand_actions_may_be_allowed() -> None:
    """Planning stays linear: quadratic work would take minutes."""
    actions = [create(f"d{n % 100}/f{n}.py", dependencies=(f"d{(n + 1) % 100}/f{n + 1}.py",)) for n in range(20_000)]
    actions += [run("ls") for _ in range(20_000)]
    planned_changes = plan(document(*actions), MemoryTree(), Policy(max_actions=100_000))
    assert len(planned_changes.changes) == 40_000 and planned_changes.changes[0].number == 20_000


def test_too_many_dependencies_are_one_finding() -> None:
    planned_changes = plan(document(create("a", dependencies=tuple(map(str, range(100_000))))), MemoryTree())
    assert [finding.code for finding in planned_changes.conflicts] == ["too-much"] and not planned_changes.changes


def test_giant_texts_are_refused_at_once() -> None:
    small = Policy(max_file_bytes=100, max_total_bytes=1_000)
    assert plan(document(create("a", "x" * 99)), MemoryTree(), small).possible
    many = [create(f"a{n}", "x" * 90) for n in range(12)]
    for actions in ([create("a", "x" * 101)], [create("a", "x" * 2_000)], many, [edit("big", "x")]):
        planned_changes = plan(document(*actions), MemoryTree({"big": b"y" * 200}), small)
        assert len(planned_changes.conflicts) == 1 and not planned_changes.possible
    files = {f"a{n}": b"y" * 90 for n in range(20)}
    planned_changes = plan(document(*(edit(f"a{n}", "z" * 20) for n in range(20))), MemoryTree(files), small)
    assert [finding.code for finding in planned_changes.conflicts] == ["too-much"]


def test_policy_is_frozen_and_refuses_nonsense() -> None:
    with pytest.raises(FrozenInstanceError):
        Policy().allow = ("*",)  # type: ignore[misc]
    with pytest.raises(TypeError, match="tuple"):
        Policy(allow="*.pem")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="thresholds"):
        Policy(auto_from=0.1, ask_from=0.5)
    assert plan(document(), MemoryTree()) == Plan(()) and str(Operation.RUN) == "run"


def test_a_glob_with_many_stars_does_not_hang() -> None:
    """A backtracking matcher would try some 10^20 ways here."""
    policy = Policy(protected=("*a" * 40 + "b",))
    assert protects("a" * 250 + ".py", policy) == ""
    assert protects("a" * 250 + "b", policy) != ""
