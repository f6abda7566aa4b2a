"""What a name, a path or a format means, and which rule says a verb."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_samples import OWN

from symops_lark.core.formats.loading import (
    Format,
    all_sections,
    find_format,
    find_rule,
    format_tables,
    formats,
    load_format,
    make_formats,
)
from symops_lark.core.ground.errors import GrammarError

FILES = {"create", "edit", "delete", "run"}


def saved(tmp_path: Path, name: str = "team.lark", text: str = OWN["team_heredoc"]) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_format_is_found_by_its_name_its_file_or_itself(tmp_path: Path) -> None:
    format = formats()["heredoc"]
    assert find_format("heredoc") is load_format("heredoc") is format
    assert find_format(format) is load_format(format) is format
    path = saved(tmp_path)
    for name in (path, str(path)):
        for found in (find_format(name), load_format(name)):
            assert found is not None and (found.name, found.rules) == ("team", ("write",))
    # One that is not installed is itself, too.
    own = load_format(path)
    assert find_format(own) is load_format(own) is own


@pytest.mark.parametrize("name", [None, 3, [], {}, b"heredoc", ["heredoc"], "team", "v2", ""])
def test_another_thing_is_no_format(name: object) -> None:
    assert find_format(name) is None


def test_a_file_is_a_format_only_by_its_suffix_and_its_rules(tmp_path: Path) -> None:
    assert find_format(saved(tmp_path, "team.txt")) is None
    with pytest.raises(GrammarError, match="no format is called"):
        load_format(saved(tmp_path, "team.txt"))
    # A grammar of something else is for the loader of dialects, as is one that cannot be read.
    assert find_format(saved(tmp_path, "other.lark", 'start: "a"\n')) is None
    assert find_format(tmp_path / "none.lark") is None
    path = tmp_path / "bytes.lark"
    path.write_bytes(b"\xff\xfe\xff")
    assert find_format(path) is None
    with pytest.raises(GrammarError, match="cannot be read"):
        load_format(path)


def test_an_unknown_name_is_told_the_installed_ones() -> None:
    with pytest.raises(GrammarError) as caught:
        load_format("heredocs")
    message = str(caught.value)
    assert message.startswith("no format is called 'heredocs'; installed: apertus, apply_patch, ")
    assert message.endswith("unified_diff; or give a path to a .lark file")


@pytest.mark.parametrize(
    ("name", "verbs"),
    [
        ("apply_patch", {"create", "edit", "delete"}),
        ("file_tags", {"create", "run", "delete"}),
        ("heredoc", {"create"}),
        ("named_fences", {"create", "run"}),
        ("original_patched", {"edit"}),
        ("react", FILES),
        ("tag_calls", FILES),
    ],
)
def test_a_format_can_say_the_verbs_of_its_rules(name: str, verbs: set[str]) -> None:
    assert load_format(name).can == verbs


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("apply_patch", {"create": "write", "edit": "edit", "delete": "delete"}),
        ("named_fences", {"create": "write", "run": "command"}),
        ("tag_calls", {"create": "call", "edit": "call", "delete": "call", "run": "command"}),
        ("react", {**dict.fromkeys(FILES, "call"), "run": "command"}),
    ],
)
def test_a_verb_is_said_by_the_rule_of_its_own_or_by_a_call(name: str, rules: dict[str, str]) -> None:
    format = load_format(name)
    assert {verb: find_rule(format, verb) for verb in format.can} == rules


def test_the_installed_formats_are_made_of_their_tables() -> None:
    rows = make_formats(format_tables())
    assert list(rows) == list(formats()) == sorted(rows)
    for name, format in rows.items():
        assert isinstance(format, Format) and format.name == name
        assert format.description == formats()[name].description
        assert all(section.format_name == name for section in format.sections)
    names = [section.format_name for section in all_sections()]
    assert list(dict.fromkeys(names)) == list(formats())
    assert len(names) == sum(len(format.sections) for format in formats().values())
