"""What YAML files can do to their reader; the messages are tested where policies, profiles and rules are."""

from __future__ import annotations

from pathlib import Path

import pytest

from symops_lark import SymOpsError
from symops_lark.core.text.yaml_file import YamlFile


def read(folder: Path, text: str) -> YamlFile:
    (folder / "a.yaml").write_text(text, encoding="utf-8")
    return YamlFile(folder / "a.yaml")


def test_aliases_that_stand_for_each_other_are_bounded(tmp_path: Path) -> None:
    """Values are shared, but a message that shows one, or whoever walks through it, would write all of it out."""
    laughs = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    with pytest.raises(SymOpsError, match="comes to more than 200,000 values"):
        read(tmp_path, laughs)
    few = "\n".join(laughs.split("\n")[:5]) + "\n"
    assert read(tmp_path, few).data["a1"] == [["x", "x"], ["x", "x"]]
    with pytest.raises(SymOpsError, match="refers to itself"):
        read(tmp_path, "a: &a {b: *a}\n")


def test_places_lead_into_lists_and_mappings(tmp_path: Path) -> None:
    file = read(tmp_path, "a:\n- b: 1\n- {c: [x, y]}\n")
    for keys, place in {("a",): "1:1", ("a", "0"): "2:3", ("a", "1", "c", "1"): "3:11", ("a", "1", "c"): "3:7"}.items():
        assert f":{place}: error: so [file]" in str(file.fail(keys, "so")), keys
    assert ":3:4: error" in str(file.fail_at_key(("a", "1", "c"), "so"))
    assert ":3:7: error" in str(file.fail(("a", "1", "c", "none", "at all"), "the nearest place that is known"))


@pytest.mark.parametrize(
    "text", ["a: !!timestamp x\n", "a: !!binary é\n", "a: !!float x\n", "a: {[b]: c}\n", "a: !x y\n"]
)
def test_values_that_yaml_cannot_make_are_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(SymOpsError, match=r"a\.yaml:1:\d+: error: `a` cannot be read"):
        read(tmp_path, text)
