"""Compare ways from a request to a change, with simulated models.

    python -m benchmarks.whole [-n 20] [--profile mid]

A simulated model knows the right change if it is shown the file. In 3 of 10 replies its code is wrong, and in 1 of 10
it changes another file. Without the file it writes what it guesses, under a name from the request. Then the mistakes
of a profile of the fault model damage the notation of its reply. These rates are assumed: the table says what the
checks make of such models, and nothing of any real one.

The ways: one model and `process`, `plan`, `apply` by hand, without code in the prompt; the same with the code; a run of
`symops_lark.agent` with one model; and with three. `right` are the changes that pass all tests of the request, `wrong`
those that were written and do not, `nothing` the runs that wrote nothing.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from symops_lark import ProtocolError, SymOpsError, apply, plan, process
from symops_lark.agent import Task, run_task
from symops_lark.core.grammar.loading import load_dialect
from symops_lark.core.ground.numbers import counted
from symops_lark.lab.benchmark.faults.documents import Action, Document
from symops_lark.lab.benchmark.faults.draws import draw_kinds, make
from symops_lark.lab.benchmark.faults.profile import load_profile
from symops_lark.lab.playground.samples import write_draft
from symops_lark.models import Message, ScriptedModel

SHOP = Path(__file__).resolve().parents[2] / "examples" / "do" / "shop"
WRONG, CARELESS = 0.3, 0.1  # shares of replies, assumed
CASES = {
    "shop/cart.py": (
        "checkout of Cart raises 'the cart is empty' for an empty cart, so return 0 instead",
        {
            "target_feature": {"value": "checkout of Cart", "quote": "checkout of Cart"},
            "observed_issue": {"value": "raises 'the cart is empty'", "quote": "raises 'the cart is empty'"},
        },
        ('raise CartError("the cart is empty")', "return 0", "return 1"),
        "test_cart.py",
    ),
    "shop/tax.py": (
        "total_with_tax が「端数は切り上げ」になっている。切り捨てに直して",
        {
            "target_feature": {"value": "total_with_tax", "quote": "total_with_tax"},
            "observed_issue": {"value": "「端数は切り上げ」になっている", "quote": "「端数は切り上げ」になっている"},
        },
        ("math.ceil(total * RATE / 100)", "total * RATE // 100", "round(total * RATE / 100 + 1)"),
        "test_tax.py",
    ),
}


class Writer:
    """A simulated model; `key` decides its mistakes, so that all ways are compared on the same ones."""

    def __init__(self, path: str, key: str, profile: str) -> None:
        self.path, self.key, self.profile = path, key, load_profile(profile)

    def reply(self, messages: tuple[Message, ...]) -> str:
        """Return the reply to a prompt."""
        old, right, mistakes = CASES[self.path][2]
        draw = random.Random(self.key).random()
        texts = dict(re.findall(r'<file path="([^"]+)">\n(.*?)</file>', messages[-1].content, re.DOTALL))
        path = self.path
        text = texts.get(path, "def guess():\n    return 0\n").replace(old, mistakes if draw < WRONG else right)
        if WRONG <= draw < WRONG + CARELESS:
            path, text = "shop/mail.py", "def write_receipt(customer, total):\n    return ''\n"
        document = Document((Action("edit", path, text.rstrip("\n")),))
        draft = write_draft(document, load_dialect("v2"))
        return make(draft, draw_kinds(self.profile, self.key), self.key).text


def by_hand(path: str, root: Path, writers: list[Writer], shows_code: bool) -> bool:
    """Ask one model, and apply its reply; return whether anything was written."""
    request = CASES[path][0]
    if shows_code:
        request = f'<file path="{path}">\n{(root / path).read_text(encoding="utf-8")}</file>\n\n{request}'
    try:
        document = process(writers[0].reply((Message("user", request),)), format="v2").document
        outcome = apply(plan(document, str(root)), str(root), confirm=lambda change: change.operation != "run")
    except (ProtocolError, SymOpsError):
        return False
    return any(step.status == "done" for step in outcome.steps)


def by_run(path: str, root: Path, writers: list[Writer], log: Path) -> bool:
    """Carry the request out as a run, with tests as a criterion; return whether anything was written."""
    request, frame, _, test = CASES[path]
    task = Task(request, str(root), frame=frame, tests=(f"python3 tests/{test}",), write=True, rounds=1, run_code=True)
    models = [(f"model-{place}", ScriptedModel([writer.reply])) for place, writer in enumerate(writers)]
    return run_task(task, models, log=log).outcome is not None


def measure(way: Callable[[str, Path, list[Writer], Path], bool], count: int, profile: str) -> Counter[str]:
    """Return how often a way ends right, wrong, or with nothing written."""
    ends: Counter[str] = Counter()
    for path, (_, _, _, test) in CASES.items():
        for number in range(count):
            with TemporaryDirectory() as folder:
                root = Path(folder, "shop")
                shutil.copytree(SHOP, root)
                writers = [Writer(path, f"{path}/{number}/{place}", profile) for place in range(3)]
                if not way(path, root, writers, Path(folder, "runs")):
                    ends["nothing"] += 1
                    continue
                done = subprocess.run(["python3", root / "tests" / test], capture_output=True, check=False)
                ends["wrong" if done.returncode else "right"] += 1
    return ends


WAYS: dict[str, Callable[[str, Path, list[Writer], Path], bool]] = {
    "one model, no code, by hand": lambda path, root, writers, log: by_hand(path, root, writers, False),
    "one model, the file, by hand": lambda path, root, writers, log: by_hand(path, root, writers, True),
    "one model, a run": lambda path, root, writers, log: by_run(path, root, writers[:1], log),
    "three models, a run": lambda path, root, writers, log: by_run(path, root, writers, log),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20, help="repetitions of each request")
    parser.add_argument("--profile", default="mid", help="the profile of the fault model")
    arguments = parser.parse_args()
    print(f"simulated, {counted(len(CASES), 'request')}, {arguments.n} repetitions, profile {arguments.profile}\n")
    print(f"{'way':30} {'right':>6} {'wrong':>6} {'nothing':>8}")
    for name, way in WAYS.items():
        ends = measure(way, arguments.n, arguments.profile)
        print(f"{name:30} {ends['right']:6} {ends['wrong']:6} {ends['nothing']:8}")


if __name__ == "__main__":
    main()
