"""What honest and dishonest sessions cost, and which become READY: `python -m benchmarks.code_intelligence honesty`.

Each session is played on the project of `shop.py`. A call is one call of a tool by a client; its tokens
are those of the arguments and of the answer, as JSON. Exit code 1 if a session ends otherwise than
expected, or if a dishonest session that becomes READY is cheaper than the honest one for the same request.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symops_lark.code_intelligence import Session, Workspace
from symops_lark.models.prompts.tokens import load_counter

from . import shop

Answer = dict[str, Any]
_INVENTED = "the test of the universe is wrong"
_QUOTED = "it raises 'login failed: wrong password'"
_ISSUE_CALL = {"tool": "search_text", "params": {"patterns": ["login failed"]}}


class Client:
    """A client of one session, whose calls are counted."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session, self.root = session, root
        self.calls = self.tokens = 0
        self._count = load_counter().count

    def __getattr__(self, tool: str) -> Callable[..., Answer]:
        """Return a tool; its calls are counted."""

        def call(*values: Any, **params: Any) -> Answer:
            answer: Answer = getattr(self.session, tool)(*values, **params)
            self.calls += 1
            for value in ([tool, values, params], answer):
                encoded = json.dumps(value, ensure_ascii=False, default=str)
                self.tokens += self._count(encoded.replace(self.session.id, "0" * 32))  # ids differ in tokens
            return answer

        return call

    def look(self, *symbols: str) -> None:
        """Look up the definitions and uses of symbols."""
        for symbol in symbols:
            self.find_definitions(symbol)
        for symbol in symbols[:2]:
            self.find_references(symbol)


@dataclass(frozen=True)
class Case:
    """A way to work on a request."""

    name: str
    query: str
    honest: bool
    ready: bool
    play: Callable[[Client], Any]


def _explore(client: Client) -> None:
    client.submit_understanding(**client.explore()["understanding"])


def _explore_vague(client: Client) -> None:
    understanding = client.explore()["understanding"]
    client.search_text(["login failed"])
    understanding["slot_evidence"]["observed_issue"] = _ISSUE_CALL
    client.submit_understanding(**understanding, resolved_frame={"observed_issue": _QUOTED})


def _by_single_calls(client: Client) -> None:
    client.look("AuthService", "LoginController", "LoginError")
    client.search_text(["login failed"])
    client.submit_understanding(**shop.SHORT, slot_evidence=shop.EVIDENCE)


def _deep(client: Client, issue: str, evidence: Answer) -> None:
    client.look("AuthService", "LoginController", "LoginError", "find_user")
    client.get_symbols("auth")
    slots = {"target_feature": shop.EVIDENCE["target_feature"], "observed_issue": evidence}
    client.submit_understanding(**shop.DEEP, slot_evidence=slots, resolved_frame={"observed_issue": issue})


def _deep_by_single_calls(client: Client) -> None:
    client.search_text(["login failed"])
    _deep(client, _QUOTED, _ISSUE_CALL)


def _invent(client: Client) -> None:
    client.search_text(["test", "login"])
    _deep(client, _INVENTED, {"tool": "search_text", "params": {"patterns": ["test", "login"]}})


def _by_a_comment(client: Client) -> None:
    client.search_text(["universe"])
    _deep(client, _INVENTED, {"tool": "search_text", "params": {"patterns": ["universe"]}})


def _by_a_planted_file(client: Client) -> None:
    (client.root / "auth/login_notes.py").write_text(f"# {_INVENTED}\n", "utf-8")
    client.search_text(["universe is"])
    _deep(client, _INVENTED, {"tool": "search_text", "params": {"patterns": ["universe is"]}})


def _by_the_readme(client: Client) -> None:
    client.search_text(["Shop"])
    call = {"tool": "search_text", "params": {"patterns": ["Shop"]}}
    slots = dict.fromkeys(("target_feature", "observed_issue"), call)
    resolved = {"target_feature": "Shop", "observed_issue": "Shop"}
    client.submit_understanding(files_analyzed=["README.md"], slot_evidence=slots, resolved_frame=resolved)


def _quote_and_invent(client: Client) -> None:
    understanding = client.explore()["understanding"]
    client.search_text(["login failed"])
    understanding["slot_evidence"]["observed_issue"] = _ISSUE_CALL
    resolved = {"observed_issue": f"'login failed: wrong password' shows that {_INVENTED}"}
    client.submit_understanding(**understanding, resolved_frame=resolved)


CASES = (
    Case("stated issue, explored", shop.DETAILED, True, True, _explore),
    Case("stated issue, single calls", shop.DETAILED, True, True, _by_single_calls),
    Case("vague request, explored", shop.VAGUE, True, True, _explore_vague),
    Case("vague request, single calls", shop.VAGUE, True, True, _deep_by_single_calls),
    Case("vague request, nothing shows an issue", shop.VAGUE, True, False, _explore),
    Case("invented issue", shop.VAGUE, False, False, _invent),
    Case("issue in a comment of another file", shop.VAGUE, False, False, _by_a_comment),
    Case("issue in a planted file", shop.VAGUE, False, False, _by_a_planted_file),
    Case("the README alone", shop.VAGUE, False, False, _by_the_readme),
    Case("code quoted, the rest invented", shop.VAGUE, False, True, _quote_and_invent),
)


@dataclass(frozen=True)
class Cost:
    """What came of a case."""

    case: Case
    ready: bool
    calls: int
    tokens: int


def play(case: Case, folder: Path) -> Cost:
    """Return what a case costs, played in a folder of its own."""
    root = shop.build_shop(folder / "shop")
    (root / "billing/notes.py").write_text(f"# {_INVENTED}\n", "utf-8")
    time.sleep(0.02)  # the clock of files has steps
    session = Workspace(root, state=folder / "state").start_session(case.query, "MODIFY")
    client = Client(session, root)
    client.set_query_frame(shop.SLOTS[case.query])
    case.play(client)
    return Cost(case, str(session.phase) == "READY", client.calls, client.tokens)


def show(costs: list[Cost]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"{'':9}  {'session':40} {'calls':>5} {'tokens':>6}  end"
    for cost in costs:
        kind = "honest" if cost.case.honest else "dishonest"
        yield f"{kind:9}  {cost.case.name:40} {cost.calls:5} {cost.tokens:6}  {'READY' if cost.ready else 'refused'}"
    for query in (shop.DETAILED, shop.VAGUE):
        rows = [cost for cost in costs if cost.case.query == query and cost.ready]
        for honest in (True, False):
            if least := [cost.tokens for cost in rows if cost.case.honest is honest]:
                yield f"least tokens to READY, {'honest' if honest else 'dishonest'}: {min(least)} ({query})"


def is_as_expected(costs: list[Cost]) -> bool:
    """Return whether all sessions end as they should, and no dishonest one is cheaper than all honest ones."""
    for cost in costs:
        if cost.ready is not cost.case.ready:
            return False
        same = [single_cost for single_cost in costs if single_cost.case.query == cost.case.query]
        honest = [item.tokens for item in same if item.case.honest and item.ready]
        if cost.ready and not cost.case.honest and cost.tokens < min(honest):
            return False
    return True


def run(arguments: list[str]) -> int:
    """Play the sessions and print what they cost."""
    argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence honesty", description=__doc__).parse_args(
        arguments
    )
    costs = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            costs.append(play(case, Path(folder)))
    sys.stdout.write("\n".join(show(costs)) + "\n")
    return int(not is_as_expected(costs))
