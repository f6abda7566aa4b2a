"""The tools: the shape of their answers, their bounds, and the same answers with ripgrep and without."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from code_trees import write_tree
from hypothesis import given
from hypothesis import strategies as st

from symops_lark.code_intelligence.index import Index, matching
from symops_lark.code_intelligence.index.patterns import BadPatternError, LinePattern
from symops_lark.code_intelligence.tools import (
    analyze_structure,
    find_references,
    get_function_at_line,
    get_symbols,
    query,
    search_files,
    search_text,
    semantic_search,
)
from symops_lark.code_intelligence.tools.semantic import WordBackend

ASKED: dict[str, dict[str, Any]] = {
    "query": {"text": "login of users"},
    "get_symbols": {"path": "."},
    "analyze_structure": {},
    "search_text": {"patterns": ["login", "Server"]},
    "search_files": {"pattern": "*.py"},
    "find_definitions": {"symbol": "AuthService"},
    "find_references": {"symbol": "AuthService"},
    "get_function_at_line": {"path": "auth/service.py", "line": 12},
    "semantic_search": {"query": "login"},
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = write_tree(tmp_path_factory.mktemp("tree"))
    (root / "crlf.py").write_bytes(b"def windows():\r\n    return 'end'\r\n")
    (root / "latin.txt").write_bytes("caf\xe9 Login\n".encode("latin-1"))
    for number in range(30):  # so many that ripgrep is asked
        (root / f"file{number}.txt").write_text(f"line {number} ends here\nÄrger über {number}_x\n\tlast\x0b日本語\n")
    return Index.open(root, tmp_path_factory.mktemp("database") / "i.sqlite")


def run(index: Index, tool: str, **params: Any) -> dict[str, Any]:
    answer: dict[str, Any] = import_module(f"symops_lark.code_intelligence.tools.{tool}").run(index, **params)
    return answer


@pytest.mark.parametrize("tool", ASKED)
def test_answer_has_its_shape(tree: Index, tool: str) -> None:
    answer = run(tree, tool, **ASKED[tool])
    assert answer["shown"] == len(answer["items"]) > 0 and answer["total"] >= answer["shown"]
    assert answer["truncated"] is (answer["shown"] < answer["total"]) and answer["incomplete"] is False
    assert json.loads(json.dumps(answer)) == answer
    for path in [*answer["files"], *(item["path"] for item in answer["items"])]:
        assert not path.startswith("/") and (Path(tree.root) / path).exists()
    assert set(answer["files"]) >= {item["path"] for item in answer["items"] if "line" in item}
    if tool != "get_function_at_line":
        assert run(tree, tool, **ASKED[tool], limit=1)["shown"] == 1


@pytest.mark.parametrize("tool", [name for name in ASKED if name != "analyze_structure"])
@pytest.mark.parametrize("wrong", ["", "   ", 7, None, "\ud800"])
def test_failure_is_no_empty_success(tree: Index, tool: str, wrong: Any) -> None:
    name = next(iter(ASKED[tool]))
    if tool == "search_text":
        params: dict[str, Any] = {name: [wrong]} if wrong != "   " else {name: []}
    else:
        params = {**ASKED[tool], name: wrong}
    if tool in ("get_symbols", "get_function_at_line") and wrong in ("", None):
        params[name] = "no/such"
    answer = run(tree, tool, **params)
    assert answer["error"] and answer["reason_code"] and answer["incomplete"] and not answer["items"]


def test_answers_are_bounded(tmp_path: Path) -> None:
    wide = "x" * 19_000
    root = write_tree(
        tmp_path, {"many.py": "".join(f"def f{n}(): pass\n" for n in range(3000)), "wide.py": f"w = '{wide}'\n"}
    )
    index = Index.open(root, tmp_path.parent / f"{tmp_path.name}.sqlite")
    answer = get_symbols.run(index, limit=10**9)
    assert answer["total"] == 3001 and answer["truncated"] and len(json.dumps(answer["items"])) < 100_000
    [item] = search_text.run(index, ["'$"], regex=True)["items"]
    assert len(item["text"]) <= 300 and item["column"] == 5 + len(wide) + 1


def test_time_is_bounded(tree: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Index.open(tree.root, tmp_path / "index.sqlite")  # which has answered nothing yet
    for module, params in ((search_text, {"patterns": ["ends here"]}), (find_references, {"symbol": "AuthService"})):
        monkeypatch.setattr(module, "SECONDS", -1.0)
        answer = run(tree, module.__name__.rpartition(".")[2], **params)
        assert answer["reason_code"] == "not_all_searched" and answer["incomplete"] and not answer["items"]
        assert "there was no time" in answer["error"], "no empty success"
    monkeypatch.setattr(find_references, "_ENOUGH", 1)
    monkeypatch.setattr(find_references, "SECONDS", 10.0)
    answer = run(tree, "find_references", symbol="AuthService", definitions=True)
    assert answer["items"] and answer["incomplete"] and any("there was no time" in note for note in answer["notes"])


# ---- uses


def test_a_refused_definition_is_told_the_forms(tmp_path: Path) -> None:
    index = Index.open(write_tree(tmp_path, {"b.py": "class A:\n    def login(self): pass\n"}))
    answer = find_references.run(index, "login", definition="A.login")
    assert answer["reason_code"] == "no_such_definition" and "write a/b.py or a/b.py:12" in answer["error"]


def test_uses_are_identifiers_and_not_words_in_strings(tmp_path: Path) -> None:
    text = "def login(): pass\n# login\nx = 'login'\nlogin_2 = login()\ny.login(f'{login} login')\n"
    index = Index.open(write_tree(tmp_path, {"a.py": text, "b.js": "login; `login ${login}`; /login/;"}))
    items = find_references.run(index, "login")["items"]
    assert [(item["path"], item["line"], item["column"]) for item in items] == [
        ("a.py", 4, 11), ("a.py", 5, 12), ("a.py", 5, 3)
    ]  # fmt: skip
    assert find_references.run(index, "login", definitions=True)["total"] == 4
    (tmp_path / "a.py").unlink()
    items = find_references.run(index, "login")["items"]
    assert [(item["path"], item["line"], item["column"]) for item in items] == [("b.js", 1, 1), ("b.js", 1, 17)]


@given(st.lists(st.sampled_from(["name", " ", "'", "#", "\n", "(", ")", "name2", ".", "é", "日"]), max_size=30))
def test_uses_stand_where_they_are_said_to(pieces: list[str]) -> None:
    from symops_lark.code_intelligence.index.languages import load_language
    from symops_lark.code_intelligence.index.symbols import find_uses

    text = "".join(pieces)
    language = load_language("python")
    assert language
    for root in (language.parser.parse(text.encode()).root_node, None):
        for use in find_uses(text.encode(), "name", root):
            assert text.split("\n")[use.line - 1][use.column - 1 :].startswith("name")


# ---- lines


def test_function_around_a_line(tree: Index) -> None:
    answer = get_function_at_line.run(tree, "auth/service.py", 12)
    assert [item["qualified_name"] for item in answer["items"]] == [
        "AuthService.login.check", "AuthService.login", "AuthService"
    ]  # fmt: skip
    assert answer["items"][0]["source"].split("\n")[1].strip() == "return decode(user)"
    assert get_function_at_line.run(tree, "auth/service.py", 99)["reason_code"] == "no_such_line"
    assert get_function_at_line.run(tree, "auth", 1)["reason_code"] == "bad_arguments"


# ---- text: the same with ripgrep and without

ATOMS = (
    *(
        "a",
        "e",
        "$",
        "^",
        ".",
        "\\w",
        "\\W",
        "\\s",
        "\\S",
        "\\d",
        "\\D",
        "\\b",
        "\\B",
        "[a-z]",
        "[^a-z]",
        "[&~-]",
        "日",
    ),
    *(
        "ü",
        "Ä",
        "\\x0b",
        "\\.",
        "(?i)L",
        "(?:line|Ärger)",
        "n*",
        "l+?",
        "{",
        "x{1,2}",
        "\\pL",
        "[[:alpha:]]",
        "\\t",
        "|",
    ),
)


@pytest.mark.skipif(not matching.find_ripgrep(), reason="ripgrep is not installed here")
@pytest.mark.parametrize("atom", [atom for atom in ATOMS if atom not in "^|" and atom != "(?i)L"])
def test_ripgrep_understands_what_is_spelt_for_it(tree: Index, atom: str) -> None:
    """It is asked indeed, and says which files have `7 ends` or a line that nobody has."""
    tree.refresh()
    patterns = [LinePattern(f"no-such-line(?:{atom})no-such-line", regex=True), LinePattern("7 ends")]
    matcher = matching.Matcher(tree, patterns, 10, "rg")
    files = [file for file in tree.files.values() if file.encoding == "utf-8"]
    assert {match.path for match in matcher.search(files)} == {f"file{number}.txt" for number in (7, 17, 27)}
    assert {file.path for file in matcher._sift(files)} == {f"file{number}.txt" for number in (7, 17, 27)}


@pytest.mark.skipif(not matching.find_ripgrep(), reason="ripgrep is not installed here")
@given(patterns=st.lists(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=4).map("".join), min_size=1, max_size=3))
def test_same_answers_with_ripgrep_and_without(tree: Index, patterns: list[str]) -> None:
    with_program, without = (
        search_text.run(tree, patterns, regex=True, limit=500, engine=item) for item in ("rg", "re2")
    )
    assert with_program == without


@pytest.mark.skipif(not matching.find_ripgrep(), reason="ripgrep is not installed here")
@given(
    patterns=st.lists(st.text(alphabet="eLl.*$[]\\Ääé日 \x0b_x-", min_size=1, max_size=4), min_size=1, max_size=3),
    fold=st.booleans(),
)
def test_same_answers_for_plain_texts(tree: Index, patterns: list[str], fold: bool) -> None:
    both = [search_text.run(tree, patterns, ignore_case=fold, limit=500, engine=item) for item in ("rg", "re2")]
    assert both[0] == both[1]


@given(st.text(max_size=8), st.text(alphabet="ab.*[]^$\\", min_size=1, max_size=4))
def test_plain_text_is_found_where_it_stands(text: str, wanted: str) -> None:
    assert LinePattern(wanted).find(text) == text.find(wanted)


def test_what_only_re2_can_spell_is_searched_all_the_same(tree: Index) -> None:
    """A flag in the middle is RE2's syntax and not that of `re`, by which patterns are respelt."""
    pattern = LinePattern("li(?i)NE$", regex=True)
    assert pattern.rust == ""
    assert search_text.run(tree, ["^li(?i)NE 7"], regex=True)["files"] == ["file7.txt"]


def test_ends_of_lines_are_those_of_the_file(tree: Index) -> None:
    answer = search_text.run(tree, ["'$", ":$"], regex=True, path="crlf.py")
    assert [(item["line"], item["patterns"]) for item in answer["items"]] == [(1, [":$"]), (2, ["'$"])]
    assert search_text.run(tree, ["café"])["files"] == ["latin.txt"]


@pytest.mark.parametrize("pattern", ["(", "a{2000}", "\\1", "(?=a)", "[z-a]", "", "a\nb", "x" * 3000, "\ud800"])
def test_wrong_pattern_is_said(tree: Index, pattern: str) -> None:
    with pytest.raises(BadPatternError):
        LinePattern(pattern, regex=True)
    assert search_text.run(tree, ["fine", pattern], regex=True)["reason_code"] == "bad_pattern"


def test_ripgrep_that_fails_is_no_empty_success(tree: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "find_ripgrep", lambda: "/bin/false-that-is-not-there")
    assert search_text.run(tree, ["ends here"], engine="rg")["total"] == 30


# ---- ranking


def test_query_ranks_names_before_texts(tree: Index) -> None:
    answer = query.run(tree, "login controller")
    assert answer["items"][0]["name"] == "LoginController"
    scores = [item["score"] for item in answer["items"]]
    assert scores == sorted(scores, reverse=True)
    assert query.run(tree, "nothingofthiskind")["items"] == []


def test_semantic_search_knows_synonyms_and_never_is_sure(tree: Index) -> None:
    backend = WordBackend(lambda text: ["signin", "login"] if "入る" in text else [])
    answer = semantic_search.run(tree, "入る", backend=backend)
    assert "LoginController" in {item.get("name") for item in answer["items"]}
    assert all(0 < item["confidence"] < 1 and item["source"] == "HYPOTHESIS" for item in answer["items"])


def test_semantic_search_knows_the_words_that_stand_near(tmp_path: Path) -> None:
    """Where `invoice` stands, names say `ledger` more often than elsewhere: who asks for one is shown the other."""
    bills = {f"bill{n}.py": f"def invoice_{n}(): pass\ndef ledger_row_{n}(): pass\n" for n in range(3)}
    table = {f"other{n}.py": f"def weather_{n}(): pass\n" for n in range(9)}
    index = Index.open(write_tree(tmp_path / "tree", {**bills, **table, "far.py": "def open_ledger(): pass\n"}))
    assert "far.py" not in query.run(index, "invoice")["files"]
    answer = semantic_search.run(index, "invoice", backend=WordBackend(lambda _: []))
    assert "ledger" in answer["words"] and "far.py" in answer["files"]
    assert not any(path.startswith("other") for path in answer["files"])


# ---- structure


def test_structure_of_folder_and_file(tree: Index) -> None:
    whole_output = analyze_structure.run(tree, imports=True)
    assert "imports" not in analyze_structure.run(tree)
    assert whole_output["whole"]["files"] == len([file for file in tree.files.values() if not file.left_out])
    assert sum(item["files"] for item in whole_output["items"]) == whole_output["whole"]["files"]
    assert {row["imports"] for row in whole_output["imports"]} == {
        "os", ".tokens", "./http", "fmt", "std::fmt", "java.util.List"
    }  # fmt: skip
    assert [row["path"] for row in analyze_structure.run(tree, "web", imports=True)["imports"]] == ["web/app.js"]
    output = analyze_structure.run(tree, "auth/service.py", imports=True)
    assert [row["imports"] for row in output["imports"]] == ["os", ".tokens"] and output["imports_total"] == 2
    assert [item["name"] for item in output["items"]] == ["AuthService", "LIMIT", "login", "check", "main"]
    assert output["files"] == ["auth/service.py"]


def test_files_by_globs_and_parts(tree: Index) -> None:
    assert search_files.run(tree, "web/*.ts")["files"] == ["web/user.ts"]
    assert search_files.run(tree, "**/service.py")["files"] == ["auth/service.py"]
    assert search_files.run(tree, "SERVICE")["files"] == ["auth/service.py"]
    assert search_files.run(tree, "no such file")["total"] == 0
