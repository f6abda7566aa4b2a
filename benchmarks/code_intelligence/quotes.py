"""Which values a quote bears, compared with people: `python -m benchmarks.code_intelligence quotes`.

Exit code 1 if more pairs than before are judged otherwise than by people.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from symops_lark.code_intelligence.requests.quotes import check_slot
from symops_lark.core.text.yaml_file import YamlFile

FILE = Path(__file__).with_name("quotes.yaml")
Pair = tuple[str, str]
# Its quote has a second clause with a negation: "the screen freezes and does not move".
KNOWN: set[Pair] = {("画面が固まる", "画面が固まって動かない")}


def judge() -> dict[str, tuple[int, list[Pair]]]:
    """Return for each list its number of pairs, and those that are judged otherwise than by people."""
    judged = {}
    for name, lists in YamlFile(FILE, "file of pairs").data.items():
        for kind, pairs in lists.items():
            mistakes = []
            for value, quote in pairs:
                checked = check_slot("desired_action", {"value": value, "quote": quote}, quote)
                if (checked.value is not None) is not (kind == "same"):
                    mistakes.append((value, quote))
            judged[f"{name}, {kind}"] = (len(pairs), mistakes)
    return judged


def run(arguments: list[str]) -> int:
    """Judge all pairs and print how many are judged as by people."""
    argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence quotes", description=__doc__).parse_args(
        arguments
    )
    failures: set[Pair] = set()
    for name, (total, key) in judge().items():
        sys.stdout.write(f"{name:13} {total - len(key):3} of {total}\n")
        sys.stdout.writelines(f"    {value} / {quote}\n" for value, quote in key)
        failures.update(key)
    return int(bool(failures - KNOWN))
