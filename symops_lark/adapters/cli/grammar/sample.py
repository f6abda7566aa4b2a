"""`symops grammar sample`: random valid texts of a dialect."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ....core.ground.numbers import counted
from ..colours import paint
from ..options import json_option
from ..texts import complain, echo, write_text
from ..visibility import visible


@click.command(name="sample")
@click.argument("name", metavar="NAME|FILE")
@click.option("-n", "--number", type=click.IntRange(min=1), default=10, help="Number of texts.")
@click.option("--seed", default="0", help="Seed of the random texts: any word.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write each text to a separate file in this folder. Default: standard output.",
)
@click.option(
    "--start", default="", metavar="RULE", help="Start rule of a grammar that is not a dialect."
)
@json_option
def command(
    name: str, number: int, seed: str, folder: Path | None, start: str, as_json: bool
) -> int:
    """Print random texts that the strict parser accepts.

    The grammar may be any grammar of Lark with the rule `start`.

    The shortest text is first. With --json each text is a JSON string on a separate line. A few
    hundred texts reach every alternative of every rule and terminal.
    \f

    Args:
        name: The dialect, or the file of a grammar.
        number: Number of texts.
        seed: The seed of the random texts.
        folder: The folder for files; None for standard output.
        start: The start rule of a grammar that is not a dialect.
        as_json: Whether the output is JSON.

    Raises:
        UsageError: Both JSON and files are asked for.
    """
    from ....core.grammar.loading import load_grammar
    from ....lab.workbench.plain import PlainGrammar, find_start
    from ....lab.workbench.sample import draw, draw_plain

    if folder is not None and as_json:
        raise click.UsageError("--json prints, --output writes files: give one of them")
    dialect = load_grammar(name)
    start = find_start(dialect, start)
    if start:
        samples = draw_plain(PlainGrammar(dialect, start), number, seed)
    else:
        samples = draw(dialect, number, seed)
    texts = samples.texts
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        # Zeros before the numbers, so that the names sort as the texts do.
        width = len(str(len(texts)))
        for place, text in enumerate(texts, 1):
            (folder / f"sample-{place:0{width}}.txt").write_bytes(text.encode())
        echo([f"{visible(str(folder))}: {counted(len(texts), 'file')}"])
    elif as_json:
        write_text("".join(json.dumps(text, ensure_ascii=False) + "\n" for text in texts))
    else:
        for place, text in enumerate(texts, 1):
            echo([paint(f"--- sample {place} ---", "cyan")])
            # The next title begins a line also if a text does not end its last one.
            write_text(text if text.endswith("\n") or not text else text + "\n")
    # A small grammar has fewer texts.
    if len(texts) < number:
        count = counted(len(texts), "different text was", "different texts were")
        complain(f"only {count} found")
    # Drawn texts that the parser refuses show that a grammar is ambiguous.
    if samples.rejected:
        drafts = counted(samples.rejected, "draft")
        complain(f"{drafts} dropped: the parser refused what was drawn")
    return 0
