"""The parts of a prompt: their order, their shares, and what a budget that is just too small leaves out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from agent_shop import FRAME, REQUEST, SHOP, make_task

from symops_lark import SymOpsError
from symops_lark.agent.contexts import Context, build_context
from symops_lark.code_intelligence import QueryFrame
from symops_lark.models.prompts.tokens import TokenCounter

WORDS = TokenCounter("words", lambda text: len(text.split()))
PLACES = {f"name_{number}": [f"long.py:{number}"] for number in range(30)}
LONG = "".join(f"value_{number} = {number}\n" for number in range(100))


def build(root: Path, budget: int, found: Mapping[str, Any], failures: str = "", **changes: Any) -> Context:
    frame = QueryFrame(REQUEST)
    frame.fill("target_feature", FRAME["target_feature"]["value"])
    frame.slot_quotes["target_feature"] = FRAME["target_feature"]["quote"]
    counter = changes.pop("counter", WORDS)
    return build_context(make_task(root, context_tokens=budget, **changes), frame, found, failures, counter)


def part_of(context: Context, name: str) -> list[str]:
    """Return the lines of a part of a prompt; none if it is not there."""
    [*texts] = re.findall(rf"<context_{name}>\n(.*?)\n</context_{name}>", context.messages[-1].content, re.DOTALL)
    return texts[0].split("\n") if texts else []


def file_part(path: str, lines: tuple[int, int] | None = None) -> dict[str, Any]:
    return {"path": path, "lines": lines, "sha256": sha256(path.encode()).hexdigest()}


def test_the_request_with_its_slots_needs_a_budget_and_gets_it_exactly(shop: Path) -> None:
    with pytest.raises(SymOpsError, match="context_tokens: 1 are too few: the request alone has") as caught:
        build(shop, 1, {})
    needed = int(re.findall(r"alone has (\d+) tokens", str(caught.value))[0])
    context = build(shop, needed, {"definitions": PLACES})
    assert context.facts["tokens"] == needed and context.facts["counter"] == "words"
    assert part_of(context, "slots") == ["target_feature: checkout of Cart (stated)"]
    assert part_of(context, "symbols") == [] and context.facts["cut"] == ["symbols: 30 lines left out"]
    with pytest.raises(SymOpsError, match=f"{needed - 1} are too few: the request alone has {needed} tokens"):
        build(shop, needed - 1, {})


def test_a_part_that_fits_exactly_is_shown(shop: Path) -> None:
    for budget in range(20, 80):
        try:
            context = build(shop, budget, {"definitions": PLACES})
        except SymOpsError:
            continue
        if part_of(context, "symbols"):
            assert context.facts["tokens"] == budget
            return
    pytest.fail("the note alone takes few words")


def test_the_first_places_and_the_last_failures_are_kept(shop: Path) -> None:
    hits = [{"path": "a.py", "line": number, "text": "  raise it  "} for number in range(40)]
    failures = "".join(f"failed {number}\n" for number in range(60))
    context = build(shop, 200, {"definitions": PLACES, "hits": hits}, failures)
    symbols, evidence, failed = (part_of(context, name) for name in ("symbols", "evidence", "failed_before"))
    # 10 percent of 200 words, 2 in each place and 3 in each hit; 15 percent for the failures.
    assert symbols == [*(f"name_{number}: long.py:{number}" for number in range(10)), "[symbols: 20 lines left out]"]
    assert evidence == [*(f"a.py:{number}: raise it" for number in range(6)), "[evidence: 34 lines left out]"]
    assert failed == ["[failed_before: 45 lines left out]", *(f"failed {number}" for number in range(45, 60))]
    assert context.facts["cut"] == [text[1:-1] for text in (symbols[-1], evidence[-1], failed[0])]
    complete = build(shop, 2_000, {"definitions": PLACES}, failures)
    assert len(part_of(complete, "symbols")) == 30 and part_of(complete, "failed_before")[-1] == "failed 59"
    assert part_of(complete, "failed_before")[0] == "failed 0" and complete.facts["cut"] == []


def test_what_was_not_found_has_no_part(shop: Path) -> None:
    content = build(shop, 200, {}).messages[-1].content
    assert re.findall(r"<context_(\w+)>", content) == ["slots"]


def test_opened_lines_are_shown_as_the_file_is_now(shop: Path) -> None:
    (shop / "long.py").write_text(LONG)
    parts = [file_part("shop/cart.py"), file_part("long.py", (11, 12)), file_part("no/such.py")]
    context = build(shop, 2_000, {"files": parts})
    content = context.messages[-1].content
    assert SHOP["shop/cart.py"] in content and "value_10 = 10\nvalue_11 = 11\n" in content
    assert "value_9" not in content and "value_12" not in content
    ranges = {part["path"]: (part["lines"], part["sha256"]) for part in context.facts["shown"]}
    assert ranges["long.py"] == ([11, 12], parts[1]["sha256"]) and set(ranges) == {"shop/cart.py", "long.py"}
    assert context.facts["cut"] == ["long.py: only lines 11 to 12 are shown"], "a file that is gone is not cut"
    assert "No file is changed" not in context.messages[0].content


def test_no_line_is_kept_after_one_that_does_not_fit(shop: Path) -> None:
    places = {"a": ["x.py:1"], "long": [f"y.py:{number}" for number in range(90)], "b": ["z.py:1"]}
    assert part_of(build(shop, 300, {"definitions": places}), "symbols") == ["a: x.py:1", "[symbols: 2 lines left out]"]


def test_files_without_room_for_their_names_are_named_as_cut(shop: Path) -> None:
    parts = [file_part(path) for path in ("shop/cart.py", "shop/mail.py", "test_cart.py")]
    left_out = [
        f"{path}: left out, there is no room for it" for path in ("test_cart.py", "shop/mail.py", "shop/cart.py")
    ]
    for budget in (50, 60):
        context = build(shop, budget, {"files": parts})
        names = [part["path"] for part in context.facts["shown"]]
        assert names == [] and sorted(context.facts["cut"]) == sorted(left_out), budget


def test_files_fit_also_where_the_whole_takes_more_than_its_parts(shop: Path) -> None:
    (shop / "long.py").write_text(LONG)

    def count(text: str) -> int:
        # A file beside a request takes 40 tokens more than each of them alone.
        return len(text.split()) + 40 * ("<file" in text and "<request>" in text)

    spare = []
    for budget in range(120, 123):
        context = build(shop, budget, {"files": [file_part("long.py")]}, counter=TokenCounter("seams", count))
        [part] = context.facts["shown"]
        assert part["lines"][1] > 3
        spare.append(budget - context.facts["tokens"])
    assert sorted(spare) == [0, 1, 2], "each line has three words"


def test_a_question_is_asked_without_a_dialect(shop: Path) -> None:
    context = build(shop, 200, {}, intent="QUESTION")
    system, user = context.messages
    assert (system.role, user.role) == ("system", "user") and "No file is changed" in system.content
    assert REQUEST in user.content and context.facts["tokens"] == WORDS.count(user.content)
    joined = "\0".join(message.content for message in context.messages)
    assert context.facts["sha256"] == sha256(joined.encode()).hexdigest()
