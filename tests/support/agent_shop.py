"""A small shop, a request about it, and replies of scripted models: for the stories of `symops_lark.agent`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from symops_lark.agent import Task
from symops_lark.models import ScriptedModel

SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        'class CartError(Exception):\n    """Nothing to pay."""\n\n\nclass Cart:\n    def checkout(self, items):\n'
        '        if not items:\n            raise CartError("the cart is empty")\n        return sum(items)\n'
    ),
    "shop/mail.py": "def send(to):\n    return to\n",
    "test_cart.py": (
        "from shop.cart import Cart\n\nassert Cart().checkout([]) == 0\nassert Cart().checkout([1, 2]) == 3\n"
    ),
}
REQUEST = "checkout of Cart raises 'the cart is empty' for an empty list, so return 0 instead"
FRAME = {
    "target_feature": {"value": "checkout of Cart", "quote": "checkout of Cart"},
    "observed_issue": {"value": "raises 'the cart is empty'", "quote": "raises 'the cart is empty'"},
    "desired_action": {"value": "return 0", "quote": "return 0"},
}
FIXED = SHOP["shop/cart.py"].replace('raise CartError("the cart is empty")', "return 0")
GOOD = f">> Return 0.\n\n::edit @shop/cart.py\n<<<\n{FIXED.rstrip()}\n>>>\n"
WRONG = GOOD.replace("return 0", "return 1")
WEAKER = SHOP["test_cart.py"].replace("assert Cart().checkout([]) == 0\n", "")
CHEAT = f"::edit @test_cart.py\n<<<\n{WEAKER.rstrip()}\n>>>\n"
UNSEEN = "::edit @shop/mail.py\n<<<\npass\n>>>\n"
PROSE = "I would change the method so that it returns 0."
TEST = f"{sys.executable} test_cart.py"
RULES = ({"when": "failed == 0", "next": "COMPLETE"}, {"when": "failed > 0", "next": "fix"})


def make_shop(root: Path) -> Path:
    """Write the shop into a folder, and return it."""
    for path, text in SHOP.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def read_shop(root: Path) -> dict[str, str]:
    """Return the texts of the shop's files as they are now, without those of tools."""
    paths = [path for path in root.rglob("*") if path.is_file()]
    names = {path.relative_to(root).as_posix(): path for path in paths}
    hidden = ("__pycache__", ".symops")
    return {name: path.read_text() for name, path in names.items() if not any(part in name for part in hidden)}


def make_task(root: Path, **changes: Any) -> Task:
    """Return the task of the stories, with other values for some fields."""
    fields: dict[str, Any] = {"request": REQUEST, "root": str(root), "frame": FRAME, "tests": (TEST,), "write": True}
    return Task(**{**fields, **changes})


def model(name: str, *replies: str) -> tuple[str, ScriptedModel]:
    """Return a contestant without a manifest."""
    return name, ScriptedModel(replies, name=name)
