"""Print what edits overwrite, and whole new texts that are asked about: `python -m benchmarks.edits`.

With `--roundtrip`, print instead what becomes of changes that are written in each notation and read again. Changes are
those of histories of git. With `--peers`, give the cases of the suite and such changes to other programs, too.
Exit code 0: no notation that must never overwrite a file did, and none that is read gave another text silently; 1: one
did.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from edit_changes import Change
from edit_notations import NAMED, NOTATIONS
from overwritten import is_overwritten
from trees import MemoryTree, document, edit

from symops_lark import plan
from symops_lark.acting.changes import Decision
from symops_lark.core.edits.whole_texts import find_doubts
from symops_lark.core.ground.numbers import counted

from .roundtrip import print_table, read_again, silent_count
from .versions import Version, cut_part, read_versions

_BANDS = ((1, 3), (4, 9), (10, 19), (20, 49), (50, 199), (200, 1_500))
_SIZES = (3, 5, 9, 15, 30, 80, 200)  # lines of parts
_HERE = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edits", description=__doc__)
    parser.add_argument(
        "repositories", nargs="*", type=Path, default=[_HERE], help="folders of git (default: this one)"
    )
    parser.add_argument("--n", type=int, default=2_000, help="changes of each history at most (default 2000)")
    parser.add_argument("--parts", type=int, default=200, help="files of each size for the notations (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="other draws (default 1)")
    parser.add_argument("--show", type=int, default=0, help="show so many examples of each row")
    parser.add_argument("--roundtrip", action="store_true", help="write changes in each notation and read them again")
    parser.add_argument("--peers", action="store_true", help="compare with other programs that apply edits")
    options = parser.parse_args()
    versions = [
        version for folder in options.repositories for version in read_versions(folder, options.n, options.seed)
    ]
    if not versions:
        print("there is no history to read: clone the repository with it", file=sys.stderr)
        return 2
    if options.peers:
        # Imported here: some peers need the laboratory, and the tests of plans run without it.
        from .peers import OURS, compare_peers, print_peers

        tables = compare_peers(versions)
        print(*print_peers(*tables), sep="\n")
        return 1 if any(row["wrong without alarm"] for (_, name), row in tables[0].items() if name == OURS) else 0
    if options.roundtrip:
        table, examples = read_again(versions, options.show)
        print(*print_table(table), *examples, sep="\n")
        return 1 if silent_count(table) else 0
    print(*_false_alarms(versions, options.show), sep="\n")
    rows = dict(_overwritten(versions, options))
    print(*_table(rows), sep="\n")
    return 1 if any(sum(output for output, _ in rows[name]) for name in NAMED) else 0


def _false_alarms(versions: Sequence[Version], shown: int) -> Iterator[str]:
    yield "Whole new texts of real files that are asked about\n"
    yield "| filled lines before | asked about | by the guard | n | |\n|---|---|---|---|---|"
    rows = [(low, high) for low, high in _BANDS]
    for low, high in (*rows, (1, _BANDS[-1][1])):
        chosen = [version for version in versions if low <= version.size <= high]
        total, reasons, examples = 0, Counter[str](), []
        guarded = 0
        for version in chosen:
            files = MemoryTree({version.path: version.before.encode()})
            planned_changes = plan(document(edit(version.path, version.after)), files)
            total += bool(planned_changes.conflicts) or any(
                change.decision is not Decision.AUTO for change in planned_changes.changes
            )
            doubts = find_doubts(version.before, version.after)
            guarded += bool(doubts)
            reasons.update({_kind(doubt) for doubt in doubts})
            examples += [f"    {version.path}: {doubts}"] * bool(doubts)
        text = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        yield f"| {low}–{high} | {_share(total, len(chosen))} | {guarded} | {len(chosen)} | {text} |"
        yield from examples[:shown]
    yield ""


def _kind(doubt: str) -> str:
    """Return what kind of doubt a sentence tells: its words without numbers and quotations."""
    words = ("mark of a merge", "keys", "keeps none", "no line", "behind", "mark of a diff", "its number", "twice")
    texts = ("and more", "command", "left out", "shorter", "keeps")
    return next(word for word in (*words, *texts) if word in doubt)


def _overwritten(
    versions: Sequence[Version], options: argparse.Namespace
) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    parts = {size: list(_draw(versions, size, options.parts, Random(options.seed + size))) for size in _SIZES}
    for name, write in NOTATIONS.items():
        row, examples = [], []
        for chosen in parts.values():
            changes = [Change(part.before, part.after, part.path) for part in chosen]
            contents = [(change, write(change)) for change in changes]
            won = [(change, content) for change, content in contents if is_overwritten(change, content)]
            row.append((len(won), len(contents)))
            examples += won
        for change, content in examples[: options.show]:
            print(f"{name}: {change.before!r} becomes {content!r}, not {change.after!r}", file=sys.stderr)
        yield name, row


def _draw(versions: Sequence[Version], size: int, most: int, random: Random) -> Iterator[Version]:
    for version in random.sample(versions, len(versions)):
        part = cut_part(version, size, random)
        if part is not None:
            yield part
            most -= 1
            if not most:
                return


def _table(rows: dict[str, list[tuple[int, int]]]) -> Iterator[str]:
    numbers = [n for _, n in next(iter(rows.values()))]
    yield f"Files that an edit overwrites with another text, of {counted(len(rows), 'notation')}\n"
    yield "| lines of the file | " + " | ".join(map(str, _SIZES)) + " |\n|---|" + "---|" * len(_SIZES)
    yield "| n | " + " | ".join(map(str, numbers)) + " |"
    items = [[won for won, _ in rows[name]] for name in NAMED]
    together = (sum(column) for column in zip(*items, strict=True))
    yield f"| **{len(NAMED)} that must never** | " + " | ".join(map(str, together)) + " |"
    for name, row in rows.items():
        text = " | ".join(_share(*cell) if cell[0] else "0" for cell in row)
        title = name.replace("|", "\\|")
        yield f"| {f'**{title}**' if name in NAMED else title} | {text} |"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "0"


if __name__ == "__main__":
    raise SystemExit(main())
