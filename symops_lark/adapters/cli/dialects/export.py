"""`symops export`: a parser of a dialect for another runtime."""

from __future__ import annotations

from pathlib import Path

import click

from ....core.ground.numbers import counted
from ..options import rules_option
from ..texts import complain


class _ListedExports(click.Command):
    """A command whose help lists the exports; they are loaded for that alone."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exports, each with what it is, then the options."""
        from ....exports import load_exports

        with formatter.section("Exports (with * also --tolerant)"):
            exports = load_exports().items()
            formatter.write_dl([(name + "*" * each.TOLERANT, each.SUMMARY) for name, each in exports])
        super().format_options(ctx, formatter)


@click.command("export", cls=_ListedExports)
@click.argument("name")
@click.option("--format", "format", default="v2", metavar="DIALECT", help="A dialect's name or a path to a .lark file.")
@click.option("--tolerant", is_flag=True, help="One that repairs and recovers as well.")
@rules_option
@click.option("--allow-re", is_flag=True, help="Take such rules, whose patterns lose RE2's promise of linear time.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The folder to write to.")
@click.option("--force", is_flag=True, help="Write over files that are there.")
def command(
    name: str, format: str, tolerant: bool, rules: tuple[str, ...], allow_re: bool, output: Path, force: bool
) -> int:
    """Write a parser, a grammar or a highlighter of a dialect for another runtime."""
    from ....exports import export, find_losses

    files = export(name, format, tolerant=tolerant, rules=rules, allow_re=allow_re)
    for loss in find_losses(name, format, rules=rules):
        complain(loss)
    taken = [path for path in files if (output / path).exists()]
    if taken and not force:
        raise click.ClickException(f"{output / taken[0]} is there already; --force writes over it")
    for path, text in files.items():
        target = output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"wrote {target} ({counted(len(text.encode()), 'byte')})")
    return 0
