"""Check a strict parser in Python with the cases: python run.py PARSER.py [CASES.jsonl]."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any


def load_parser(path: str) -> Any:
    """Return the module of a parser.

    Args:
        path: The file.

    Raises:
        SystemExit: The file is not a module.
    """
    specification = importlib.util.spec_from_file_location("parser_to_check", path)
    if specification is None:
        raise SystemExit(f"{path} is not a module of Python")
    loader = specification.loader
    if loader is None:
        raise SystemExit(f"{path} is not a module of Python")
    module = importlib.util.module_from_spec(specification)
    sys.modules["parser_to_check"] = module
    loader.exec_module(module)
    return module


def read(parser: Any, text: str) -> dict[str, Any]:
    """Return the document or the error of a text, as the cases have them.

    Args:
        parser: The module of the parser.
        text: The text of a case.
    """
    try:
        return {"document": parser.parse(text).to_dict()}
    except parser.ParseError as error:
        diagnostic = error.diagnostics[0].to_dict()
        span = diagnostic.pop("span")
        del diagnostic["severity"]
        diagnostic["offset"] = span.pop("start")
        return {"error": {**diagnostic, **span, "drawn": str(error)}}


def main(arguments: list[str]) -> int:
    """Return 0 if the parser passes all cases.

    Args:
        arguments: The path of the parser and, if it is not beside this file, that of the cases.
    """
    parser = load_parser(arguments[0])
    file = Path(__file__).parent / "cases.jsonl"
    if arguments[1:]:
        file = Path(arguments[1])
    count = 0
    failures = 0
    rows = file.read_text(encoding="utf-8")
    for row in rows.splitlines():
        expected = json.loads(row)
        text = expected.pop("text")
        del expected["dialect"]
        count += 1
        outcome = read(parser, text)
        outcome = json.loads(json.dumps(outcome))
        if outcome != expected:
            failures += 1
            failure = {"text": text, "expected": expected, "outcome": outcome}
            print(json.dumps(failure), file=sys.stderr)
    print(f"{count - failures} of {count} cases passed")
    # A file without cases proves nothing.
    if count == 0:
        return 1
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
