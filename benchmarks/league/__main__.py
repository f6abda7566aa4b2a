"""Print what readers make of the same replies, as Markdown.

    python -m benchmarks.league [-n 2] [--seed 0] [--profile mid] [--replies FILE.jsonl]

The first file of each task is written in each format, as it is and with the mistakes of a profile: this damage is
simulated. A reader is judged on the formats that it claims; the last columns tell what it does with all others.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from .contest import INVENTED, OUTCOMES, REFUSED, RIGHT, Match, judge, make_matches, read_file
from .peers import PEERS, Peer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.league", description=__doc__.split("\n")[0])
    parser.add_argument("-n", type=int, default=2, help="how often each reply is damaged (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="other draws (default 0)")
    parser.add_argument("--profile", default="mid", help="the profile of mistakes (default mid)")
    parser.add_argument("--replies", type=Path, help="replies of your own: JSON lines with text and expect")
    options = parser.parse_args(arguments)
    if options.replies:
        print("\n".join(_table(list(read_file(options.replies)), all_claimed=True)))
        return 0
    matches = list(make_matches(options.profile, options.seed, options.n))
    print("Replies as they are meant\n")
    print("\n".join(_table([match for match in matches if not match.is_damaged])))
    print(f"\nReplies with simulated mistakes (profile {options.profile}, seed {options.seed})\n")
    print("\n".join(_table([match for match in matches if match.is_damaged])))
    return 0


def _table(matches: Sequence[Match], *, all_claimed: bool = False) -> Iterable[str]:
    columns = ["reader", "replies", *OUTCOMES, "others", "right", "nothing", "wrong or invented"]
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for peer in PEERS:
        if not peer.version:
            yield f"| {peer.name}: not installed |" + " |" * (len(columns) - 1)
            continue
        yield _row(peer, matches, all_claimed=all_claimed)


def _row(peer: Peer, matches: Sequence[Match], *, all_claimed: bool) -> str:
    own: Counter[str] = Counter()
    other_counts: Counter[str] = Counter()
    for match in matches:
        is_claimed = all_claimed or peer.claims is None or match.format in peer.claims
        (own if is_claimed else other_counts)[judge(peer, match)] += 1
    judged = own.total()
    cells = [f"{own[outcome] / judged:.1%}" if judged else "" for outcome in OUTCOMES]
    cells[OUTCOMES.index(INVENTED)] = str(own[INVENTED])
    watched = other_counts.total()
    mistakes = watched - other_counts[RIGHT] - other_counts[REFUSED]
    texts = [watched, other_counts[RIGHT], other_counts[REFUSED], mistakes] if watched else ["", "", "", ""]
    return f"| {peer.name} {peer.version} | {judged} | {' | '.join(cells)} | {' | '.join(map(str, texts))} |"


if __name__ == "__main__":
    raise SystemExit(main())
