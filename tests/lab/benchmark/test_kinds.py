"""Kinds of mistake and profiles: all functions accounted for, rates that say what they rest on, errors for people."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from command_line import run, run_python

from symops_lark.core.ground.errors import SymOpsError
from symops_lark.core.ground.resources import find_folder
from symops_lark.core.text.yaml_file import YamlFile
from symops_lark.lab.benchmark.faults.kinds import CLASSES, FILE, load_kinds
from symops_lark.lab.benchmark.faults.mistakes import REGISTRY
from symops_lark.lab.benchmark.faults.profile import Profile, load_profile, profiles

GIVEN = """summary: Mine.
again: [0.5]
again-class: assumed
again-why: a guess
kinds:
  preamble-prose: {rate: 0.25, class: assumed, why: a guess}
"""


def rate_of(profile: Profile, kind: str) -> float:
    return next((rate.value for rate in profile.rates if rate.kind == kind), 0.0)


def bounds(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval, written once more."""
    centre, half = (k + z * z / 2) / (n + z * z), z * math.sqrt(k * (n - k) / n + z * z / 4) / (n + z * z)
    return max(0.0, centre - half), min(1.0, centre + half)


def test_every_mistake_is_of_one_kind_or_said_to_be_of_none() -> None:
    names = [name for kind in load_kinds().values() for name in kind.made_by]
    assert len(names) == len(set(names))
    table = YamlFile(find_folder("benchmarks/profiles") / FILE)
    kindless = {name: table.text(("in-no-kind", name)) for name in table.get(("in-no-kind",))}
    assert set(names) | set(kindless) == set(REGISTRY)
    assert not set(names) & set(kindless)
    assert len(load_kinds()) >= 40
    assert all(kind.made_by for kind in load_kinds().values())


def test_what_is_measured_has_counts_and_nothing_else_has() -> None:
    for kind in load_kinds().values():
        assert (kind.rests == "measured") == (kind.measured is not None), kind.name
        assert kind.summary.endswith(".") and kind.evidence
    assert sum(kind.measured is not None for kind in load_kinds().values()) >= 17


@pytest.mark.parametrize("name", ["frontier", "mid", "weak", "spec72"])
def test_profile_has_a_rate_for_every_kind(name: str) -> None:
    profile = load_profile(name)
    assert [rate.kind for rate in profile.rates] == list(load_kinds())
    assert profile.again == (0.44, 0.26, 0.06) and "aider" in profile.again_why
    for rate in profile.rates:
        assert 0 <= rate.value <= 1 and rate.why and rate.rests in CLASSES
        if rate.rests == "measured":  # such a rate lies where the counts say
            measured = load_kinds()[rate.kind].measured
            assert measured is not None, rate.kind
            low, high = bounds(*measured)
            assert low <= rate.value <= high, rate.kind


def test_there_are_four_profiles_and_each_has_a_hash_of_its_own() -> None:
    assert set(profiles()) == {"frontier", "mid", "weak", "spec72"}
    assert len({load_profile(name).hash for name in profiles()}) == 4


def test_scaling_reaches_assumed_rates_alone_and_never_passes_one() -> None:
    profile = load_profile("mid")
    for rate, half, much in zip(profile.rates, profile.scaled(0.5).rates, profile.scaled(1000).rates, strict=True):
        if rate.rests == "assumed":
            assert half.value == rate.value / 2 and much.value == min(1.0, 1000 * rate.value)
        else:
            assert half == rate == much
    assert profile.scaled(1) == profile
    assert profile.scaled(0.5).hash != profile.hash
    scaled = profile.scaled(0, "preamble-prose")
    assert rate_of(scaled, "preamble-prose") == 0
    assert rate_of(scaled, "postamble-prose") == rate_of(profile, "postamble-prose")


def test_profile_of_a_user_is_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GIVEN, encoding="utf-8")
    profile = load_profile(path)
    assert (profile.name, profile.again, rate_of(profile, "preamble-prose")) == ("mine", (0.5,), 0.25)
    assert rate_of(profile, "missing-path") == 0  # what is not named is never made
    path.write_text(GIVEN.replace("Mine.", "Another summary decides nothing."), encoding="utf-8")
    assert load_profile(path).hash == profile.hash


WRONG = {
    "unknown kind": (GIVEN.replace("preamble-prose", "preamble-pros"), 6, 3, "did you mean 'preamble-prose'?"),
    "percent": (GIVEN.replace("0.25", "25"), 6, 26, "for 25 % write 0.25"),
    "text for a rate": (GIVEN.replace("0.25", "6e-05"), 6, 26, "it is a number from 0 to 1"),
    "truth for a rate": (GIVEN.replace("0.25", "true"), 6, 26, "it is a number from 0 to 1"),
    "class": (GIVEN.replace("class: assumed, why", "class: mesured, why"), 6, 39, "did you mean 'measured'?"),
    "missing reason": (GIVEN.replace(", why: a guess", ""), 6, 19, "the key 'why' is missing"),
    "unknown key": (GIVEN.replace("again-why", "again-wy"), 4, 1, "did you mean 'again-why'?"),
    "key twice": (GIVEN + "  preamble-prose: {rate: 0.1, class: assumed, why: x}\n", 7, 3, "for the second time"),
    "missing key": (GIVEN.replace("summary: Mine.\n", ""), 1, 1, "the key 'summary' is missing"),
    "again": (GIVEN.replace("[0.5]", "0.5"), 2, 8, "again is a list"),
    "again above one": (GIVEN.replace("[0.5]", "[44]"), 2, 8, "for 44 % write 0.44"),
    "no kinds": (GIVEN.partition("kinds:")[0] + "kinds:\n", 5, 7, "kinds has a line for each kind"),
    "list": ("- a\n- b\n", 1, 1, "keys with values are expected"),
    "not YAML": (GIVEN + "a: [1\n", 8, 1, "not YAML"),
    "empty": ("", 1, 1, "keys with values are expected"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_profile_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    text, line, column, message = WRONG[name]
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SymOpsError) as caught:
        load_profile(path)
    error_text = str(caught.value)
    assert error_text.startswith(f"{path}:{line}:{column}: error: ") and message in error_text, error_text
    output = text.split("\n")[line - 1]
    assert output in error_text


def test_no_profile_of_a_name_and_no_readable_file(tmp_path: Path) -> None:
    with pytest.raises(SymOpsError, match="did you mean 'frontier'"):
        load_profile("fronteer")
    with pytest.raises(SymOpsError, match="kinds"):  # the file of kinds is none
        load_profile("kinds")
    path = tmp_path / "bytes.yaml"
    path.write_bytes(b"summary: \xff")
    with pytest.raises(SymOpsError, match="not UTF-8"):
        load_profile(path)


@pytest.mark.slow
def test_listing_names_kinds_with_rates_counts_and_functions() -> None:
    done = run("bench", "faults")
    assert done.exit_code == 0
    assert "missing-path" in done.stdout and "50 of 2,779" in done.stdout and "1.5 %" in done.stdout
    kind = json.loads(run("bench", "faults", "missing-path", "--profile", "mid", "--json").stdout)["kinds"][0]
    assert kind["made_by"] == ["path-missing"] and kind["measured"] == [50, 2779]
    assert kind["rates"]["mid"]["class"] == "measured" and list(kind["rates"]) == ["mid"]
    python = run_python("bench", "faults", "missing-pth")
    decoded = python.stderr.decode()
    assert python.returncode == 2 and "did you mean 'missing-path'?" in decoded and "Traceback" not in decoded
