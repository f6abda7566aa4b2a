"""What scripted sessions may write, compared with what people decided: `python -m benchmarks.code_intelligence gate`.

Exit code 1 if anything was allowed, or refused, that should not have been.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symops_lark.code_intelligence import Session, Workspace
from symops_lark.core.ground.numbers import counted
from symops_lark.core.text.yaml_file import YamlFile

from . import shop

FILE = Path(__file__).with_name("gate.yaml")
_EVIDENCE = {
    "both": ("target_feature", "observed_issue"),
    "target": ("target_feature",),
    "issue": ("observed_issue",),
    "none": (),
}
_ISSUE = "a wrong password raises 'login failed: wrong password'"
_ALLOWED = True
Open = Callable[[Path, Path], Any]  # a `Workspace` of a root and a folder for sessions, or what stands in for one


@dataclass
class Verdict:
    """What came of a session: its last phase, and for each path what was decided and what should have been."""

    name: str
    phase: str
    expected_phase: str
    writes: list[tuple[str, bool, str, Any]] = field(default_factory=list)  # path, allowed, reason_code, expected

    @property
    def allowed_wrongly(self) -> list[str]:
        """The paths that may be written, and should not."""
        return [path for path, allowed, _, expected in self.writes if allowed and expected is not _ALLOWED]

    @property
    def refused_wrongly(self) -> list[str]:
        """The paths that may not be written, and should, and those that are refused for another reason."""
        return [path for path, allowed, code, expected in self.writes if not allowed and code != expected]


def load_sessions() -> list[dict[str, Any]]:
    """Return the scripted sessions."""
    sessions: list[dict[str, Any]] = YamlFile(FILE, "file of sessions").data["sessions"]
    return sessions


def play(case: Mapping[str, Any], folder: Path, open_workspace: Open | None = None) -> Verdict:
    """Return what came of a session that was played in a folder of its own; again by another way to the sessions."""
    root, state = shop.build_shop(folder / "shop"), folder / "state"
    return _Player(case, root, lambda: (open_workspace or _open)(root, state)).play()


def _open(root: Path, state: Path) -> Workspace:
    return Workspace(root, state=state)


class _Player:
    def __init__(self, case: Mapping[str, Any], root: Path, open_workspace: Callable[[], Any]) -> None:
        self.case, self.root, self.open = case, root, open_workspace
        self.session = self._start()

    def _start(self) -> Session:
        request = self.case["request"]
        if isinstance(request, str):
            query = {"vague": shop.VAGUE, "detailed": shop.DETAILED}[request]
            request = {"query": query, "intent": "MODIFY", "slots": shop.SLOTS[query]}
        session: Session = self.open().start_session(request["query"], request["intent"])
        session.set_query_frame(request.get("slots", {}))
        return session

    def play(self) -> Verdict:
        case = self.case
        own = self.session
        if case.get("in_another"):
            self.session = self.open().start_session("another request", "MODIFY")
        if case["look"] != "none":
            shop.explore(self.session, deep=case["look"] == "deep")
        self.session = own
        self._do(case.get("before", []))
        if case["submit"] != "none":
            self._submit()
        self._do(case.get("after", []))
        verdict = Verdict(case["name"], str(self.session.phase), case["phase"])
        for path, expected in case["writes"].items():
            answer = self.session.check_write_target(path)
            verdict.writes.append((path, answer["allowed"], answer["reason_code"], expected))
        return verdict

    def _submit(self) -> None:
        inputs = dict({"deep": shop.DEEP, "short": shop.SHORT}[self.case["submit"]])
        slots = _EVIDENCE[self.case.get("evidence", "none")]
        inputs["slot_evidence"] = {slot: shop.EVIDENCE[slot] for slot in slots}
        if "observed_issue" in slots and self.case["request"] != "detailed":
            inputs["resolved_frame"] = {"observed_issue": _ISSUE}
        changed = dict(self.case.get("with", {}))
        inputs["slot_evidence"] |= changed.pop("slot_evidence", {})
        inputs |= changed
        if self.case.get("as_json"):
            inputs = {name: json.dumps(value, ensure_ascii=False) for name, value in inputs.items()}
        self.session.submit_understanding(**inputs)

    def _do(self, steps: list[Any]) -> None:
        for name, arguments in steps:
            if name == "restart":
                self.session = self.open().session(self.session.id)
            elif name == "change":
                with open(self.root / arguments["path"], "a", encoding="utf-8") as file:
                    file.write("# changed by somebody else\n")
            elif name == "link":
                os.symlink(arguments["to"], self.root / arguments["path"])
            else:
                getattr(self.session, name)(**arguments)


def show(verdicts: list[Verdict]) -> Iterator[str]:
    """Yield the lines of a table, and the sums."""
    for verdict in verdicts:
        good = not (verdict.allowed_wrongly or verdict.refused_wrongly) and verdict.phase == verdict.expected_phase
        yield f"{'  ' if good else '! '}{verdict.name}: {verdict.phase}"
        for path, allowed, code, _ in verdict.writes:
            yield f"      {'may write  ' if allowed else 'may not     '} {path}{'' if allowed else f': {code}'}"
    paths = sum(len(verdict.writes) for verdict in verdicts)
    total = sum(len(verdict.allowed_wrongly) for verdict in verdicts)
    refused = sum(len(verdict.refused_wrongly) for verdict in verdicts)
    phases = sum(verdict.phase != verdict.expected_phase for verdict in verdicts)
    sums = f"allowed wrongly: {total}; refused wrongly: {refused}; other phase: {phases}"
    yield f"{counted(len(verdicts), 'session')}, {counted(paths, 'decision')}; {sums}"


def run(arguments: list[str]) -> int:
    """Play the sessions and print what was decided."""
    argparse.ArgumentParser(prog="python -m benchmarks.code_intelligence gate", description=__doc__).parse_args(
        arguments
    )
    verdicts = []
    for case in load_sessions():
        with tempfile.TemporaryDirectory() as folder:
            verdicts.append(play(case, Path(folder)))
    lines = list(show(verdicts))
    sys.stdout.write("\n".join(lines) + "\n")
    return int(not lines[-1].endswith("allowed wrongly: 0; refused wrongly: 0; other phase: 0"))
