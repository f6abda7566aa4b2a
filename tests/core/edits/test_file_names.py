"""Which names in a content mean the edited file, and which lines are nothing but names."""

from __future__ import annotations

import pytest

from symops_lark.core.edits.file_names import is_one_path, is_same_file, names_in


@pytest.mark.parametrize(
    ("name", "path", "is_same"),
    [
        ("a.py", "a.py", True),
        ("a.py", "src/a.py", True),
        ("./a.py ", "src/a.py", True),
        ("a.py", "./a.py", True),
        ("", "a.py", False),
        ("a.py", "ba.py", False),
        ("ba.py", "a.py", False),
        ("lib/a.py", "src/a.py", False),
        # The parts of a longer name are folders.
        ("src/a.py", "a.py", False),
        ("a/a.py", "a.py", False),
        ("/home/me/src/a.py", "src/a.py", True),
        ("/src/a.py", "lib/src/a.py", True),
        ("/home/me/src/a.py", "lib/a.py", False),
        ("A.py", "a.py", False),
    ],
)
def test_a_name_means_a_path_that_ends_with_it(name: str, path: str, is_same: bool) -> None:
    assert is_same_file(name, path) == is_same


def test_another_folder_is_another_path() -> None:
    assert is_one_path("./a.py", ["b.py", "a.py"]) and is_one_path("a.py", ["./a.py"])
    assert not is_one_path("lib/a.py", ["a.py"]) and not is_one_path("a.py", ["lib/a.py"])
    assert not is_one_path("a.py", [])


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("", []),
        ("   ", []),
        ("a.py", ["a.py"]),
        ("  src/a  ", ["src/a"]),
        ("## a.py", ["a.py"]),
        ("**a.py**", ["a.py"]),
        ("`a.py`:", ["a.py"]),
        ("File: a.py", ["a.py"]),
        ("filename: a.py", ["a.py"]),
        ("FilePath: a.py", ["a.py"]),
        ("path: a.py", ["a.py"]),
        ("// a.py", ["a.py"]),
        ("<!-- a.py -->", ["a.py"]),
        ("### **File: a.py**", ["a.py"]),
        ("```", []),
        ("~~~~", []),
        ("```python", []),
        ("```python a.py", ["a.py"]),
        ("```a.py", ["a.py"]),
        ("``` src/a.py ", ["src/a.py"]),
        ("```python the file", []),
    ],
)
def test_a_line_that_has_a_name_alone(line: str, names: list[str]) -> None:
    assert names_in([line], "other/b.txt") == names


@pytest.mark.parametrize(
    "line", ["words", "a.py and b.py", "size = 1.5", "Makefile", "# words", "``", "``` a`b.py", "#"]
)
def test_a_line_with_other_text_has_no_names(line: str) -> None:
    assert names_in([line], "other/b.txt") is None
    assert names_in(["a.py", line], "other/b.txt") is None


def test_the_edited_file_may_have_any_name() -> None:
    for path in ("Makefile", "my file.txt", "src/Makefile"):
        assert names_in([path.rpartition("/")[2]], path) == [path.rpartition("/")[2]]
    assert names_in(["## Makefile"], "src/Makefile") == ["Makefile"]
    assert names_in(["Makefile"], "") is None
    assert names_in(["#"], "a.py") is None
    assert names_in(["a.py", "", "```", "b.py"], "a.py") == ["a.py", "b.py"]
